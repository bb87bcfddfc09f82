"""The single file's `__main__.py`; every Python must be able to parse it, since an old one has to say what it lacks."""
# ruff: noqa: UP031, UP036, PTH, INP001  # for Python 2.7, and pathlib is not loaded yet

import sys

if sys.version_info < (3, 11):
    found = (sys.executable or "this Python",) + tuple(sys.version_info[:3])  # noqa: RUF005
    sys.stderr.write("pharos-hpc: needs Python 3.11 or newer, but '%s' is Python %d.%d.%d\n" % found)
    sys.exit(69)

import os

# The link this was started through is switched while it runs: nothing may be imported through it.
path = os.path.realpath(sys.path[0])
if not (sys.flags.isolated and sys.flags.no_site and sys.flags.dont_write_bytecode) and sys.executable:
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-B", path] + sys.argv[1:])  # noqa: RUF005, S606
sys.path[0:1] = [path + "/cp%d%d" % sys.version_info[:2], path + "/lib"]

from pathlib import Path  # noqa: E402

from installer.__main__ import main  # noqa: E402

sys.exit(main(sys.argv[1:], Path(path)))

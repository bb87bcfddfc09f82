"""The single file's `__main__.py`; every Python must be able to parse it, since an old one has to say what it lacks."""

import sys

if sys.version_info < (3, 11):
    found = "%s is Python %d.%d.%d" % ((sys.executable or "this",) + tuple(sys.version_info[:3]))
    sys.stderr.write("pharos-hpc: needs Python 3.11 or newer, but %s; run it as 'python3.11 pharos-hpc'\n" % found)
    sys.exit(69)

import marshal
import os
import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)  # until a run blocks it: a trace of where it came tells nobody anything


class Bundle(object):
    """Imports this program's modules from its own file, by offset, and from nowhere else.

    The file stays open: the link through which it was started may lead elsewhere while it runs.
    """

    def __init__(self, path, tag, archive):
        self.path = path
        self.handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.compiled = tag in archive.get_data("tags").decode().split()
        self.index = marshal.loads(archive.get_data(tag if self.compiled else "source"))

    def find_spec(self, name, _path=None, _target=None):
        entry = self.index.get(name)
        return type(sys.__spec__)(name, self, is_package=entry[2]) if entry else None

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, name):
        offset, size, _ = self.index[name]
        data = os.pread(self.handle, size, offset)
        if self.compiled:
            return marshal.loads(data)
        return compile(data, "pharos-hpc/" + name, "exec", dont_inherit=True)


path = os.path.realpath(sys.path[0])
if not (sys.flags.isolated and sys.flags.no_site) and sys.executable:  # nothing of the caller's Python settings counts
    os.execv(sys.executable, [sys.executable, "-I", "-S", path] + sys.argv[1:])
sys.dont_write_bytecode = True
sys.meta_path.insert(0, Bundle(path, "cp%d%d" % sys.version_info[:2], type(__loader__)(path)))
del sys.path[0]  # nothing is imported by name from the archive itself, nor from where it lies

from pathlib import Path

from installer.__main__ import main

sys.exit(main(sys.argv[1:], Path(path)))

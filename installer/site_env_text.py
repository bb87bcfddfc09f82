"""Writes site.env, its example and its reference page from the class SiteEnv, so that none of them can drift."""

from typing import Any, Final

import attrs

from installer.rules import rule_of, written
from installer.site_env import FIELDS, KEYS, SiteEnv

_HEAD: Final = """\
# /etc/pharos-hpc/site.env: every value of this site.
# One KEY=value a line; no quotes, no substitution, no white space around '=' or at the end. It is read, never run.
# Secrets do not belong here: they are files below /etc/pharos-hpc/secrets.
"""
_PAGE: Final = """\
# site.env

`/etc/pharos-hpc/site.env` carries every value of the site: UTF-8, one `KEY=value` a line; blank lines and lines that
start with `#` may stand between. There are no quotes, no substitution, no continuation, and no white space around `=`
or at the end of a line; each key stands once. The file is read, never run, and nothing arrives from the environment.
All faults are reported together, with their lines. Secrets are files below `/etc/pharos-hpc/secrets`, never values
here.

This page and `site.env.example` are written from the class `installer.site_env.SiteEnv`.

| key | rule | example | |
| --- | --- | --- | --- |
"""
_BETWEEN: Final = """
Between the keys:

* the three ranges have no number in common;
* the two service accounts have different numbers, outside all three ranges;
* the two partitions differ;
* `ACTIVATION_COMPONENTS` names components of the release's manifest, and `PYTHON_INDEX_URL` is there exactly when the
  manifest says `dependency_mode: index`.
"""


def render(site: SiteEnv) -> bytes:
    """Return a site.env that reads back as `site`: its keys in the order of the class, without comments."""
    values = attrs.asdict(site, recurse=False)
    lines = (f"{KEYS[name]}={written(value)}\n" for name, value in values.items() if value is not None)
    return "".join(lines).encode()


def example() -> bytes:
    """Return site.env.example: every key with its comment and rule; optional keys are commented out."""
    return (_HEAD + "".join(map(_example_of, FIELDS.values()))).encode()


def _example_of(field: "attrs.Attribute[Any]") -> str:
    told = field.metadata
    optional, mark = (" Optional.", "#") if told["optional"] else ("", "")
    rule = f"# Rule: {rule_of(field).required}.{optional}"
    return f"\n# {told['comment']}\n{rule}\n{mark}{KEYS[field.name]}={told['example']}\n"


def reference() -> str:
    """Return docs/site-env.md; a test holds the file against it."""
    return _PAGE + "".join(map(_row, FIELDS.values())) + _BETWEEN


def _row(field: "attrs.Attribute[Any]") -> str:
    told = field.metadata
    rule = rule_of(field).required.replace("|", r"\|")
    optional = "optional; " if told["optional"] else ""
    return f"| `{KEYS[field.name]}` | {optional}{rule} | `{told['example']}` | {told['comment']} |\n"

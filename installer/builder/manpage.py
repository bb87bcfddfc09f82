"""The manual page pharos-hpc(1), from the words of the command line (man(7))."""

from typing import Final

from installer import exits
from installer.builder import words
from installer.builder.words import Option, Verb
from installer.cli import DESCRIPTION, EXAMPLES

_FILES: Final = """\
.SH FILES
.TP
.I /etc/pharos-hpc/site.env
every value of this site
.TP
.I /etc/pharos-hpc/secrets
the private inputs, root only
.TP
.I /opt/pharos-hpc/releases
the installed releases
.TP
.I /var/lib/pharos-hpc/active-release
the record of what is active
"""


def render(release: str) -> bytes:
    """Return the page of a release."""
    return "".join(
        [
            f'.TH PHAROS-HPC 1 "" "pharos-hpc {_plain(release)}"\n',
            f".SH NAME\npharos\\-hpc \\- {_plain(_summary())}\n",
            ".SH SYNOPSIS\n.B pharos\\-hpc\n.I COMMAND\n.RI [ options ]\n",
            f".SH DESCRIPTION\n{_plain(DESCRIPTION.strip())}\n",
            f".SH OPTIONS\n{''.join(map(_item, words.general()))}",
            f".SH COMMANDS\n{''.join(map(_verb, words.verbs()))}",
            f".SH EXIT STATUS\n{''.join(_tagged(str(code), text) for code, text in exits.MEANINGS.items())}",
            f".SH EXAMPLES\n.nf\n{_plain(_examples())}\n.fi\n",
            _FILES,
        ]
    ).encode()


def _verb(verb: Verb) -> str:
    arguments = " ".join(each.value for each in verb.arguments)
    title = f".SS {_plain(f'{verb.name} {arguments}'.strip())}\n{_plain(verb.help)}\n"
    return title + "".join(map(_item, (*verb.arguments, *verb.options)))


def _item(option: Option) -> str:
    return _tagged(", ".join(option.flags) + (" " if option.flags and option.value else "") + option.value, option.help)


def _tagged(tag: str, text: str) -> str:
    return f".TP\n.B {_plain(tag)}\n{_plain(text)}\n"


def _summary() -> str:
    return DESCRIPTION.strip().rstrip(".").lower()


def _examples() -> str:
    lines = EXAMPLES.partition("examples:\n")[2].partition("\n\n")[0].splitlines()
    return "\n".join(line.strip() for line in lines)


def _plain(text: str) -> str:
    """Return text that troff shows as it is: no escape, no hyphen for a minus, no request at the start of a line."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.splitlines())

"""The private inputs: read as they are, byte for byte, and judged before anything is changed; never shown."""

import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from installer.ca_file import ca_faults
from installer.host import listing
from installer.host.reading import read_small
from states.errors import Refused

TOKEN: Final = "site-agent-token"  # noqa: S105  # a file's name
LDAP_PASSWORD: Final = "site-agent-ldap-password"  # noqa: S105  # a file's name
SITE_TOKEN: Final = "ssh-access-site-token"  # noqa: S105  # a file's name
AGENT_CA: Final = "site-agent-ca.crt"
SITE_API_CA: Final = "site-api-ca.crt"
CONFIG: Final = "site-agent-config.json"  # ours, beside them below /etc/pharos-hpc/secrets
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "site-agent": (TOKEN, LDAP_PASSWORD, AGENT_CA),
    "ssh-access": (SITE_TOKEN, SITE_API_CA),
}
NAMES: Final = tuple(name for names in NEEDED.values() for name in names)
SECRET_MAX: Final = 4096  # bytes
HINT: Final = "take the file as the central step wrote it, then run 'pharos-hpc configure TOKEN_DIRECTORY' again"


@attrs.frozen
class PrivateInputs:
    """The files by name, byte for byte; what no activated component needs may be missing."""

    files: Mapping[str, bytes] = attrs.field(repr=False)

    def text(self, name: str) -> str:
        """Return a secret without the one line end that it may have; '' when there is no such file."""
        return self.files.get(name, b"").decode().removesuffix("\n")


def read_inputs(directory: Path, components: Collection[str] = tuple(NEEDED)) -> PrivateInputs:
    """Return the private inputs that lie in `directory`, all that these components need among them.

    Raises:
        Refused: with every fault of every file in facts["faults"]; no fault shows a value.

    """
    found = listing.names(directory, hint="name the directory that the central step wrote")
    faults = [f"'{directory / name}' is unknown here" for name in found if name not in (*NAMES, CONFIG)]
    files: dict[str, bytes] = {}
    for name in (name for name in NAMES if name in found):
        files[name], wrong = _read(directory / name)
        faults += wrong
    needed = [name for component in NEEDED if component in components for name in NEEDED[component]]
    faults = [f"'{directory / name}' is missing" for name in needed if name not in found] + faults
    if faults:
        raise _refused(faults)
    return PrivateInputs(files)


def _refused(faults: list[str]) -> Refused:
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return Refused(f"cannot use the private inputs: {faults[0]}{more}", hint=HINT, facts={"faults": faults})


def _read(path: Path) -> tuple[bytes, list[str]]:
    try:
        data = read_small(path)
    except Refused as error:
        return b"", [error.message]
    judge = _ca if path.suffix == ".crt" else _secret
    return data, [f"'{path}' {fault}" for fault in judge(path.name, data)]


def _ca(_name: str, data: bytes) -> Iterator[str]:
    if not data.strip():
        yield "is empty"
        return
    yield from ca_faults(data, time.time())


def _secret(name: str, data: bytes) -> Iterator[str]:
    """One line, whose end is optional; a token is visible ASCII, for it becomes a part of a header (RFC 9110, 5.5)."""
    line = data.removesuffix(b"\n")
    if not line.strip():
        yield "is empty"
    elif len(data) > SECRET_MAX:
        yield f"has {len(data)} bytes, at most {SECRET_MAX} are expected"
    elif b"\n" in line:
        yield "has more than one line"
    elif b"\r" in line or b"\x00" in line:
        yield "holds a carriage return or a NUL"
    elif not _visible(name, line):
        yield "holds a character that it may not have: " + _ALLOWED[name == LDAP_PASSWORD]


_ALLOWED: Final = ("a token is ASCII without blanks", "a password is UTF-8 without control characters")


def _visible(name: str, line: bytes) -> bool:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return False
    return text.isprintable() and (name == LDAP_PASSWORD or (text.isascii() and " " not in text))

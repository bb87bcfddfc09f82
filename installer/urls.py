"""What a URL of site.env may be; no message shows one, for it may hold a password by mistake."""

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote_to_bytes

import attrs

from installer.rules import PATH, Fault, Rule

_HOST_MAX: Final = 253  # RFC 1035 2.3.4
_PORT_MAX: Final = 65535
_LABEL: Final = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_FORM: Final = r"([a-z]+)://(\[[0-9A-Fa-f:.]*\]|[^/:\[\]]*)(:[^/]*)?(/.*)?"
# Judged in this order, before anything is parsed: what a parser could read differently than a person does.
_FORBIDDEN: Final = (
    (
        r"[^\x21-\x7e]",
        "holds white space, a control or a non-ASCII character",
        "write an international name as xn--...",
    ),
    ("@", "holds '@': credentials are never part of a URL here", "delete everything up to the '@'"),
    ("[?]", "holds a query", "delete the '?' and what follows"),
    ("#", "holds a fragment", "delete the '#' and what follows"),
    (r"[^A-Za-z0-9:/\[\]._~+-]", "holds a character that URLs here may not have", "use letters, digits and . _ ~ + -"),
)


@attrs.frozen
class Url:
    """The parts of a URL that passed: `host` without brackets, `port` 0 when none is written, `path` as written."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def loopback(self) -> bool:
        """Return whether the host is this machine by its own word: 127.0.0.0/8, ::1, localhost (RFC 6761)."""
        import ipaddress  # 5 ms that `status` need not pay

        if self.host == "localhost":
            return True
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            return False
        # By hand: Python's own is_loopback changed its mind on mapped addresses with 3.13.
        return address == ipaddress.IPv6Address("::1") or (address.version == 4 and address.is_loopback)  # noqa: PLR2004


def parse(text: str, *schemes: str) -> Url:
    """Return the parts of `text`, a URL of one of `schemes`; raise Fault for anything doubtful in it."""
    for pattern, message, remedy in _FORBIDDEN:
        if re.search(pattern, text):
            raise Fault(message, remedy)
    found = re.fullmatch(_FORM, text)
    if found is None or found[1] not in schemes:
        raise Fault("is not " + _listed(schemes), f"begin it with '{schemes[0]}://', in lower case")
    host = found[2]
    _judge_host(host)
    return Url(found[1], host.strip("[]"), _port(found[3]), _path(found[4] or ""))


def _listed(schemes: tuple[str, ...]) -> str:
    return " or ".join(f"{'an' if scheme[0] in 'hl' else 'a'} {scheme}:// URL" for scheme in schemes)


def _judge_host(host: str) -> None:
    if not host:
        raise Fault("has no host", "write the host's name after '//'")
    if host.startswith("[") or re.fullmatch("([0-9]+|0[xX][0-9A-Fa-f]*)", host.rpartition(".")[2]):
        _judge_address(host)
    elif len(host) > _HOST_MAX or re.fullmatch(rf"({_LABEL}[.])*{_LABEL}", host) is None:
        raise Fault("has a host that is no DNS name", "write its full name: letters, digits, '-' and single dots")


def _judge_address(host: str) -> None:
    """Refuse every spelling of an address but the common ones: no 127.1, 0x7f.1, 2130706433, no zone."""
    import ipaddress

    kind = ipaddress.IPv6Address if host.startswith("[") else ipaddress.IPv4Address
    try:
        kind(host.strip("[]"))
    except ValueError:
        raise Fault("has a host that is no IP address", "write four decimal numbers, or IPv6 in brackets") from None


def _port(written: str | None) -> int:
    if written is None:
        return 0
    if re.fullmatch(":[1-9][0-9]{0,4}", written) is None or int(written[1:]) > _PORT_MAX:
        raise Fault("has a port that is none", f"write ':' and a number from 1 to {_PORT_MAX}, or no port")
    return int(written[1:])


def _path(path: str) -> str:
    if {".", ".."} & set(path.split("/")) or "//" in path or re.search(r"[\[\]:]", path):
        raise Fault("has a path that is not normalised", "write it without '//', '/./', '/../'")
    return path


def _api(text: str) -> str:
    if not parse(text, "https").path.endswith("/api/"):
        raise Fault("does not end in '/api/'", "write the API's address with '/api/' at the end")
    return text


def _origin_of(*schemes: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if parse(text, *schemes).path:
            raise Fault("has a path", "delete everything after the host and port, the '/' too")
        return text

    return read


def _https(text: str) -> str:
    parse(text, "https")
    return text


def _slurmrestd(text: str) -> str:
    url = parse(text, "https", "http")
    if url.scheme == "http" and not url.loopback:
        raise Fault("is plaintext to another host", "use https://, or a slurmrestd on 127.0.0.1")
    return text


def _ldap_loopback(text: str) -> str:
    if text.startswith("ldapi:"):
        remedy = "write ldap://127.0.0.1: the agent's plugin binds with DN and password, never by SASL EXTERNAL"
        raise Fault("is an ldapi:// URI", remedy)
    url = parse(text, "ldap")
    if not url.loopback:
        raise Fault("is not on loopback", "write ldap://127.0.0.1 or ldap://[::1]: the bind password goes in clear")
    if url.path:
        raise Fault("has a path", "delete everything after the host and port")
    return text


def _ldapi(text: str) -> str:
    if re.match("ldaps?:", text):
        raise Fault("is not an ldapi:// URI", "write ldapi:///: over TCP there is no SASL EXTERNAL")
    found = re.fullmatch("ldapi://((?:[A-Za-z0-9._+@-]|%2[Ff])*)/?", text)
    if found is None or text == "ldapi://":
        remedy = (
            "write ldapi:/// for the default socket, or its path with %2F for each '/': ldapi://%2Frun%2Fslapd%2Fldapi"
        )
        raise Fault("is not an ldapi:// URI", remedy)
    if found[1]:
        PATH.read(unquote_to_bytes(found[1]).decode("ascii"))
    return text


WALDUR_API: Final = Rule("an https URL that ends in '/api/', without credentials", _api)
SITE_API: Final = Rule("an https origin: scheme, host and optional port, nothing else", _origin_of("https"))
INDEX: Final = Rule("an https URL without credentials", _https)
PROXY: Final = Rule("an http or https origin without credentials", _origin_of("http", "https"))
SLURMRESTD: Final = Rule("an https URL; http on loopback only", _slurmrestd)
LDAP_LOOPBACK: Final = Rule("an ldap:// URI on loopback", _ldap_loopback)
LDAPI: Final = Rule("an ldapi:// URI", _ldapi)

"""Why a server gave no answer, read off the exception: which of few causes, and what helps."""

import errno
from collections.abc import Iterator
from typing import Final

from states.errors import Unhealthy

SILENT: Final = "silent"  # refused, closed, or nothing said in time
NO_WAY: Final = "no-way"  # no address for the name, no route, no connection in time
NO_TLS: Final = "no-tls"  # something else than TLS, or none that we take
AUTHORITY: Final = "authority"
NAME: Final = "name"
DATES: Final = "dates"
PROXY: Final = "proxy"
TOO_LARGE: Final = "too-large"
ENDLESS: Final = "endless"
CUT: Final = "cut"  # closed in the middle of the body
CAUSES: Final = (SILENT, NO_WAY, NO_TLS, AUTHORITY, NAME, DATES, PROXY, TOO_LARGE, ENDLESS, CUT)
# verify(1), "Diagnostics": X509_V_ERR_CERT_NOT_YET_VALID, _HAS_EXPIRED; _HOSTNAME_MISMATCH, _IP_ADDRESS_MISMATCH
VERIFY: Final = {9: DATES, 10: DATES, 62: NAME, 64: NAME}
NO_ROUTE: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ETIMEDOUT})
CLOSED_WITHIN: Final = "without sending complete message body"  # h11's words
BY_PROXY: Final = "if this host reaches the outside only through a proxy, set OUTBOUND_PROXY_URL in site.env"
HINTS: Final = {
    AUTHORITY: "compare the CA file with the certificate that the server shows; a server must send its whole chain",
    NAME: "the address in site.env must be a name that the server's certificate holds",
    DATES: "the server's operators renew its certificate; compare this host's clock",
    PROXY: "correct OUTBOUND_PROXY_URL in site.env, or ask the proxy's operators",
    NO_TLS: "the address in site.env must lead to a port that speaks TLS 1.2 or newer",
    SILENT: BY_PROXY,
    NO_WAY: BY_PROXY,
    TOO_LARGE: "the address in site.env must lead to the API; if it does, ask the server's operators",
    ENDLESS: "ask the server's operators, or who runs the proxy between",
    CUT: "the server's operators look for what closes its connections",
}


def unreachable(url: str, error: Exception, *, proxied: bool = False) -> Unhealthy:
    """Return the error that tells why `url` gave no answer; a connection of a `proxied` question is the proxy's."""
    why = str(error) or type(error).__name__
    cause = _cause(error, proxied=proxied)
    facts = {"url": url, "cause": cause}
    return Unhealthy(f"cannot reach '{url}': {why}", hint=HINTS[cause], facts=facts)


def _cause(error: Exception, *, proxied: bool) -> str:
    import httpx

    if proxied and isinstance(error, httpx.ProxyError):
        return PROXY
    if cause := _of_tls(error):
        return cause
    if isinstance(error, httpx.RemoteProtocolError) and CLOSED_WITHIN in str(error):
        return CUT
    if proxied and isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return PROXY
    return NO_WAY if _is_without_a_way(error) else SILENT


def _of_tls(error: BaseException) -> str:
    import ssl

    for each in _chain(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return VERIFY.get(each.verify_code, AUTHORITY)
        if isinstance(each, ssl.SSLError) and not isinstance(each, ssl.SSLEOFError):
            return NO_TLS
    return ""


def _is_without_a_way(error: Exception) -> bool:
    import socket

    import httpx

    return isinstance(error, httpx.ConnectTimeout) or any(
        isinstance(each, socket.gaierror) or (isinstance(each, OSError) and each.errno in NO_ROUTE)
        for each in _chain(error)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__

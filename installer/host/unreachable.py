"""Why a server gave no answer, read off the exception: which of few causes, and what helps."""

from collections.abc import Iterator
from typing import Final

from states.errors import Unhealthy

SILENT: Final = "silent"  # no connection, no end in time, a connection that was closed
AUTHORITY: Final = "authority"
NAME: Final = "name"
DATES: Final = "dates"
PROXY: Final = "proxy"
TOO_LARGE: Final = "too-large"
CAUSES: Final = (SILENT, AUTHORITY, NAME, DATES, PROXY, TOO_LARGE)
# verify(1), "Diagnostics": X509_V_ERR_CERT_NOT_YET_VALID, _HAS_EXPIRED; _HOSTNAME_MISMATCH, _IP_ADDRESS_MISMATCH
VERIFY: Final = {9: DATES, 10: DATES, 62: NAME, 64: NAME}
HINTS: Final = {
    AUTHORITY: "compare the CA file with the certificate that the server shows",
    NAME: "the address in site.env must be a name that the server's certificate holds",
    DATES: "the server's operators renew its certificate; compare this host's clock",
    PROXY: "correct OUTBOUND_PROXY_URL in site.env, or ask the proxy's operators",
    SILENT: "if this host reaches the outside only through a proxy, set OUTBOUND_PROXY_URL in site.env",
}


def unreachable(url: str, error: Exception) -> Unhealthy:
    """Return the error that tells why `url` gave no answer."""
    why = str(error) or type(error).__name__
    cause = _cause(error)
    facts = {"url": url, "cause": cause}
    return Unhealthy(f"cannot reach '{url}': {why}", hint=HINTS[cause], facts=facts)


def _cause(error: BaseException) -> str:
    import ssl

    import httpx

    for each in _chain(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return VERIFY.get(each.verify_code, AUTHORITY)
        if isinstance(each, httpx.ProxyError):
            return PROXY
    return SILENT


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__

"""One question over HTTPS: the configured CA only, no redirect, no proxy it was not told of, bounded in every way."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from installer import jsontext
from installer.host.unreachable import AUTHORITY, HINTS, SILENT, TOO_LARGE, unreachable
from states.errors import Unhealthy

if TYPE_CHECKING:
    import ssl

    import httpx

BODY: Final = 1024 * 1024  # bytes read of an answer
TRIES: Final = 2  # of a GET that did not get a connection


@attrs.frozen
class Answer:
    """What a server said: `body` is its JSON, or None; `location` and `date` are its headers."""

    url: str
    status: int
    content_type: str
    body: object | None
    location: str = ""
    date: str = ""

    @property
    def is_json(self) -> bool:
        """Return whether it called itself JSON and was."""
        return self.content_type.startswith("application/json") and self.body is not None


def trusting(ca: Path) -> "ssl.SSLContext":
    """Return what verifies chain and name against the authorities of a PEM file, and against no others.

    Raises:
        Unhealthy: the file cannot be read, or holds no certificate.

    """
    import ssl

    try:
        return ssl.create_default_context(cafile=str(ca))
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        facts = {"path": str(ca), "cause": AUTHORITY}
        raise Unhealthy(f"cannot use the CA file '{ca}': {error}", hint=HINTS[AUTHORITY], facts=facts) from error


def all_imported(trust: "ssl.SSLContext") -> None:
    """Import what a question needs: a child that becomes another identity may not reach this program's files."""
    import json  # noqa: F401

    import httpx

    "localhost".encode("idna")
    httpx.Client(verify=trust, trust_env=False).close()


def get_json(
    url: str, *, trust: "ssl.SSLContext", authorization: str = "", proxy: str | None = None, seconds: float = 10
) -> Answer:
    """Return the answer to a GET, whatever its status; `seconds` bound the whole exchange.

    Raises:
        Unhealthy: no connection, a certificate that does not verify, no end in time, too large a body; its
            facts["cause"] is one of unreachable.CAUSES.

    """
    import httpx

    end = time.monotonic() + seconds
    headers = {"Accept": "application/json", "User-Agent": "pharos-hpc"}
    if authorization:
        headers["Authorization"] = authorization
    for attempt in range(TRIES):
        try:
            return _ask(url, headers, (trust, proxy), end)
        except httpx.ConnectError as error:
            if attempt + 1 == TRIES or "CERTIFICATE" in str(error).upper() or time.monotonic() > end:
                raise unreachable(url, error) from error
        except (httpx.HTTPError, OSError, ValueError) as error:
            raise unreachable(url, error) from error
    raise AssertionError("internal error: the last try either answered or raised")


def _ask(url: str, headers: dict[str, str], way: tuple["ssl.SSLContext", str | None], end: float) -> Answer:
    import httpx

    context, proxy = way
    left = max(0.1, end - time.monotonic())
    client = httpx.Client(verify=context, trust_env=False, follow_redirects=False, proxy=proxy or None, timeout=left)
    with client, client.stream("GET", url, headers=headers) as response:
        data = _body(response, url, end)
        content_type = response.headers.get("content-type", "")
        return Answer(
            url,
            response.status_code,
            content_type,
            _json(data) if content_type.startswith("application/json") else None,
            response.headers.get("location", ""),
            response.headers.get("date", ""),
        )


def _body(response: "httpx.Response", url: str, end: float) -> bytes:
    data = bytearray()
    for chunk in response.iter_raw(65536):
        data += chunk
        if len(data) > BODY:
            facts = {"url": url, "cause": TOO_LARGE}
            raise Unhealthy(f"'{url}' answered with more than {BODY} bytes", facts=facts)
        if time.monotonic() > end:
            raise Unhealthy(f"'{url}' did not end its answer in time", facts={"url": url, "cause": SILENT})
    return bytes(data)


def _json(data: bytes) -> object | None:
    try:
        found: object = jsontext.loads(data)
    except ValueError:
        return None
    return found

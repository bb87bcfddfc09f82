"""One question over HTTPS: the configured CA only, no redirect, no proxy it was not told of, bounded in every way."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from installer import jsontext
from installer.host.unreachable import AUTHORITY, ENDLESS, HINTS, TOO_LARGE, unreachable
from states.errors import Unhealthy

if TYPE_CHECKING:
    import ssl

    import httpx

BODY: Final = 1024 * 1024  # bytes read of an answer
TRIES: Final = 2  # of a GET that did not get a connection
GRACE: Final = 0.5  # seconds after which what drips without end is cut off
HEADER: Final = 300  # characters of a header that are kept
OURS: Final = "(our own secret)"  # stands for the token where a server sends it back


@attrs.frozen
class Answer:
    """What a server said: `body` is its JSON, or None; `location` and `date` are its headers; `size` is in bytes."""

    url: str
    status: int
    content_type: str
    body: object | None
    location: str = ""
    date: str = ""
    size: int = 0

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
    import threading  # noqa: F401

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
    for attempt in range(TRIES):
        try:
            return _ask(url, authorization, (trust, proxy), end)
        except httpx.ConnectError as error:
            if attempt + 1 == TRIES or "CERTIFICATE" in str(error).upper() or time.monotonic() > end:
                raise unreachable(url, error, proxied=bool(proxy)) from error
        except (httpx.HTTPError, OSError, ValueError, RuntimeError) as error:  # the last: closed in the middle
            if time.monotonic() > end + GRACE:
                raise _endless(url) from error
            raise unreachable(url, error, proxied=bool(proxy)) from error
    raise AssertionError("internal error: the last try either answered or raised")


def _ask(url: str, authorization: str, way: tuple["ssl.SSLContext", str | None], end: float) -> Answer:
    import httpx

    context, proxy = way
    left = max(0.1, end - time.monotonic())
    client = httpx.Client(verify=context, trust_env=False, follow_redirects=False, proxy=proxy or None, timeout=left)
    with client, _cut_off(client, left), client.stream("GET", url, headers=_headers(authorization)) as response:
        return _answer(url, response, _body(response, url, end), authorization.rpartition(" ")[2])


def _headers(authorization: str) -> dict[str, str]:
    """An answer that comes compressed is no JSON to us: what it unfolds to could not be bounded before it is read."""
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "pharos-hpc"}
    return {**headers, "Authorization": authorization} if authorization else headers


@contextmanager
def _cut_off(client: "httpx.Client", seconds: float) -> Iterator[None]:
    """Close the connection some time after the deadline: httpx's own bounds each wait, not the sum of all."""
    import threading

    timer = threading.Timer(seconds + GRACE, client.close)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # no thread is left, so that forking stays safe


def _answer(url: str, response: "httpx.Response", data: bytes, secret: str) -> Answer:
    """Return what was said, without the secret that we came with."""
    header = {name: _shown(response.headers.get(name, ""), secret) for name in ("content-type", "location", "date")}
    kind = header["content-type"]
    body = _json(data.replace(secret.encode(), OURS.encode()) if secret else data)
    return Answer(
        url,
        response.status_code,
        kind,
        body if kind.startswith("application/json") else None,
        header["location"],
        header["date"],
        len(data),
    )


def _shown(value: str, secret: str) -> str:
    """A header that can be printed on a terminal."""
    told = value.replace(secret, OURS) if secret else value
    return "".join(sign if sign.isprintable() else "?" for sign in told[:HEADER])


def _body(response: "httpx.Response", url: str, end: float) -> bytes:
    data = bytearray()
    for chunk in response.iter_raw(65536):
        data += chunk
        if len(data) > BODY:
            raise _unbounded(f"'{url}' answered with more than {BODY} bytes", url, TOO_LARGE)
        if time.monotonic() > end:
            raise _endless(url)
    return bytes(data)


def _endless(url: str) -> Unhealthy:
    return _unbounded(f"'{url}' did not end its answer in time", url, ENDLESS)


def _unbounded(message: str, url: str, cause: str) -> Unhealthy:
    return Unhealthy(message, hint=HINTS[cause], facts={"url": url, "cause": cause})


def _json(data: bytes) -> object | None:
    try:
        found: object = jsontext.loads(data)
    except ValueError:
        return None
    return found

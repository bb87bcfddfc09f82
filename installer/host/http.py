"""One question over HTTPS: the configured CA only, no redirect, no proxy it was not told of, bounded in every way."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from installer import jsontext
from states.errors import Unhealthy

if TYPE_CHECKING:
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


def get_json(url: str, *, token: str | None, ca: Path, proxy: str | None = None, seconds: float = 10) -> Answer:
    """Return the answer to a GET, whatever its status; `seconds` bound the whole exchange.

    Raises:
        Unhealthy: no connection, a certificate that does not verify, no end in time, too large a body.

    """
    import httpx

    end = time.monotonic() + seconds
    headers = {"Accept": "application/json", "User-Agent": "pharos-hpc"}
    if token is not None:
        headers["Authorization"] = f"Token {token}"
    for attempt in range(TRIES):
        try:
            return _ask(url, headers, (ca, proxy), end)
        except httpx.ConnectError as error:
            if attempt + 1 == TRIES or "CERTIFICATE" in str(error).upper() or time.monotonic() > end:
                raise _silent(url, error) from error
        except (httpx.HTTPError, OSError, ValueError) as error:
            raise _silent(url, error) from error
    raise AssertionError("internal error: the last try either answered or raised")


def _ask(url: str, headers: dict[str, str], way: tuple[Path, str | None], end: float) -> Answer:
    import ssl

    import httpx

    ca, proxy = way
    context = ssl.create_default_context(cafile=str(ca))
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
            raise Unhealthy(f"'{url}' answered with more than {BODY} bytes", facts={"url": url})
        if time.monotonic() > end:
            raise Unhealthy(f"'{url}' did not end its answer in time", facts={"url": url})
    return bytes(data)


def _json(data: bytes) -> object | None:
    try:
        found: object = jsontext.loads(data)
    except ValueError:
        return None
    return found


def _silent(url: str, error: Exception) -> Unhealthy:
    why = str(error) or type(error).__name__
    hint = "compare the CA file with the certificate that the server shows" if "CERTIFICATE" in why.upper() else ""
    return Unhealthy(f"cannot reach '{url}': {why}", hint=hint, facts={"url": url})

"""What a release was staged from: one number over its manifest and its site.env, and what differs when it does."""

import hashlib
from collections.abc import Iterator

NAME = "fingerprint"


def fingerprint(manifest: bytes, site_env: bytes) -> str:
    """Return the hex SHA-256 over both files, one after the other: `cat manifest site.env | sha256sum` gives it too."""
    return hashlib.sha256(manifest + site_env).hexdigest()


def changed_keys(before: bytes, after: bytes, separator: str) -> tuple[str, ...]:
    """Return the keys whose lines differ between two files of `key<separator>value` lines, sorted."""
    old, new = set(_lines(before, separator)), set(_lines(after, separator))
    return tuple(sorted({key for key, _ in old ^ new}))


def _lines(data: bytes, separator: str) -> Iterator[tuple[str, str]]:
    for line in data.decode("utf-8", "replace").splitlines():
        key, found, value = line.partition(separator)
        if found and not key.startswith("#"):
            yield key, value

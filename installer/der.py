"""As much of X.690 (DER) and RFC 5280 as it takes to see what a certificate says of itself as an authority."""

from collections.abc import Iterator
from typing import Final

import attrs

BASIC_CONSTRAINTS: Final = bytes.fromhex("551d13")  # 2.5.29.19
KEY_USAGE: Final = bytes.fromhex("551d0f")  # 2.5.29.15
SUBJECT_KEY_ID: Final = bytes.fromhex("551d0e")  # 2.5.29.14
_SEQUENCE: Final = 0x30
_BOOLEAN: Final = 0x01
_EXTENSIONS: Final = 0xA3  # [3] of TBSCertificate
_CERT_SIGN: Final = 0x04  # bit 5 of the first byte of keyUsage
_LONG: Final = 0x80


@attrs.frozen
class Extension:
    """One extension: its value is the DER inside its OCTET STRING."""

    critical: bool
    value: bytes


def extensions(certificate: bytes) -> dict[bytes, Extension]:
    """Return the extensions of a certificate by the DER of their identifiers; ValueError if it is not DER."""
    (_, whole), *_ = items(certificate)
    (_, signed), *_ = items(whole)
    wrapped = [content for tag, content in items(signed) if tag == _EXTENSIONS]
    if not wrapped:
        return {}
    (_, listed), *_ = items(wrapped[0])
    return dict(_extension(content) for _, content in items(listed))


def is_authority(value: bytes) -> bool:
    """Return whether a basicConstraints value says CA:TRUE."""
    (_, content), *_ = items(value)
    return any(tag == _BOOLEAN and flag != b"\x00" for tag, flag in items(content))


def may_sign(value: bytes) -> bool:
    """Return whether a keyUsage value holds keyCertSign."""
    (_, bits), *_ = items(value)
    return len(bits) > 1 and bool(bits[1] & _CERT_SIGN)


def items(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield tag and content of each value that `data` holds, one after the other; ValueError if it is not DER."""
    at = 0
    while at < len(data):
        start, size = _length(data, at)
        if start + size > len(data):
            raise ValueError("a value is longer than what holds it")
        yield data[at], data[start : start + size]
        at = start + size


def _length(data: bytes, at: int) -> tuple[int, int]:
    """Return where the content of the value at `at` starts, and how long it is."""
    if at + 2 > len(data):
        raise ValueError("a value has no length")
    first = data[at + 1]
    if first < _LONG:
        return at + 2, first
    start = at + 2 + first - _LONG
    return start, int.from_bytes(data[at + 2 : start])


def _extension(content: bytes) -> tuple[bytes, Extension]:
    parts = list(items(content))
    return parts[0][1], Extension(any(tag == _BOOLEAN for tag, _ in parts[1:-1]), parts[-1][1])

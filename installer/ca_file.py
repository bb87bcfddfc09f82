"""What a CA file must hold: certificates of authorities, in PEM, valid now, and fit for the agents' strict TLS.

Python 3.13 verifies with VERIFY_X509_STRICT: an authority without keyUsage, which curl takes, is refused by the agents.
"""

import re
from collections.abc import Iterator
from typing import Final

from installer import der

_BLOCK: Final = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----\r?\n(.*?)-----END \1-----", re.DOTALL)


def ca_faults(data: bytes, now: float) -> Iterator[str]:
    """Yield what is wrong with the bytes of a CA file at `now` (seconds since the epoch), one sentence each."""
    blocks = _BLOCK.findall(data.decode("latin-1"))
    if any("PRIVATE KEY" in kind for kind, _ in blocks):
        yield "holds a private key, and would be published"
    certificates = [text for kind, text in blocks if kind == "CERTIFICATE"]
    if not certificates or data.count(b"-----BEGIN") != len(blocks):
        yield "holds no whole PEM certificate" if not certificates else "holds a PEM block that does not end"
    for number, text in enumerate(certificates, start=1):
        which = f"certificate {number} " if len(certificates) > 1 else "its certificate "
        yield from (which + fault for fault in _certificate_faults(text, now))


def _certificate_faults(text: str, now: float) -> Iterator[str]:
    import base64
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        certificate = base64.b64decode("".join(text.split()), validate=True)
        context.load_verify_locations(cadata=certificate)
        strictness = tuple(_strictness(der.extensions(certificate)))
        authorities = context.get_ca_certs()
    except (ValueError, IndexError, ssl.SSLError):  # binascii.Error is a ValueError
        yield "cannot be parsed"
        return
    yield from strictness
    for authority in authorities:
        yield from _dates(str(authority["notBefore"]), str(authority["notAfter"]), now)


def _strictness(found: dict[bytes, der.Extension]) -> Iterator[str]:
    """What VERIFY_X509_STRICT requires of an authority (RFC 5280, sections 4.2.1.2, 4.2.1.3, 4.2.1.9)."""
    constraints, usage = found.get(der.BASIC_CONSTRAINTS), found.get(der.KEY_USAGE)
    if constraints is None or not der.is_authority(constraints.value):
        yield "is not an authority's (basicConstraints CA:TRUE)"
        return
    if not constraints.critical:
        yield "has basicConstraints that are not critical"
    if usage is None or not der.may_sign(usage.value):
        yield "may not sign certificates (keyUsage keyCertSign)"
    if der.SUBJECT_KEY_ID not in found:
        yield "has no subjectKeyIdentifier"


def _dates(first: str, last: str, now: float) -> Iterator[str]:
    import ssl

    try:
        begins, ends = ssl.cert_time_to_seconds(first), ssl.cert_time_to_seconds(last)
    except ValueError:  # OpenSSL prints what is no time as 'Bad time value'
        yield "has dates that are none"
        return
    if ends <= now:
        yield f"expired on {last}"
    if begins > now:
        yield f"is not valid before {first}"

"""What is known of an archive's origin, apart from its integrity: `signature.json` of a release (spec 04)."""

import json
from typing import Any, Final

import attrs

from installer import jsontext

NAME: Final = "signature.json"
VERIFIED: Final = "verified"
PINNED: Final = "digest-pinned"
NOT_CHECKED: Final = "not-checked"
REFUSED: Final = "refused"
ERROR: Final = "error"
STATES: Final = (VERIFIED, PINNED, NOT_CHECKED, REFUSED, ERROR)
WORKFLOW: Final = "https://github.com/pharos-hpc/pharos-hpc/.github/workflows/release.yml@refs/tags/v{release}"
ISSUER: Final = "https://token.actions.githubusercontent.com"


@attrs.frozen
class Signature:
    """`sha256` is the archive's digest; `identity` and `issuer` of who signed it, `by` what checked it, `at` when."""

    state: str = NOT_CHECKED
    sha256: str = ""
    identity: str = ""
    issuer: str = ""
    by: str = ""
    at: str = ""

    def told(self) -> str:
        """Return the state in words."""
        if self.state == VERIFIED:
            return f"verified by {self.by} at {self.at}: {self.identity}"
        if self.state == PINNED:
            return f"digest-pinned at {self.at}: sha256 {self.sha256}"
        return self.state

    def fulfils(self, wanted: str | None) -> bool:
        """Return whether it is at least what the site wants (ARCHIVE_TRUST)."""
        return wanted is None or self.state == VERIFIED or (self.state == PINNED == wanted)


def identity_of(release: str) -> str:
    """Return the workflow identity that signs this release."""
    return WORKFLOW.format(release=release)


def render(signature: Signature) -> bytes:
    """Return the bytes of the file."""
    return (json.dumps(attrs.asdict(signature)) + "\n").encode()


def parse(data: bytes) -> Signature:
    """Return the signature of the file's bytes; what is none says so: not checked."""
    try:
        values: dict[str, Any] = dict(jsontext.loads(data))
    except (ValueError, TypeError):
        return Signature()
    known = {field.name for field in attrs.fields(Signature)}
    good = set(values) == known and all(isinstance(value, str) for value in values.values())
    return Signature(**values) if good and values["state"] in STATES else Signature()

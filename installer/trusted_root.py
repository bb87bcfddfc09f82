"""Whose keys count when an archive's signature is verified: the pinned public ones, or a site's own.

The verifier's own idea of them is never asked for: sigstore would write a cache below HOME, and believe an older one.
"""

import json
from typing import Any, Final

from installer import jsontext
from installer.host.reading import read_small
from installer.paths import Paths
from states.errors import Refused

KIND: Final = "application/vnd.dev.sigstore.trustedroot+json;version=0.1"
CONFIG: Final = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
SIGNING: Final = "application/vnd.dev.sigstore.signingconfig.v0.2+json"


def trusted_root(paths: Paths) -> bytes:
    """Return the root as JSON (Sigstore's TrustedRoot).

    Raises:
        Refused: the site has a file of its own that is none.

    """
    own = paths.sigstore_trust
    if own.exists() or own.is_symlink():
        return _checked(read_small(own), str(own))
    from installer.public_good import TRUSTED_ROOT

    return TRUSTED_ROOT.encode()


def client_config(root: bytes) -> bytes:
    """Return what sigstore(1) takes as --trust-config: the root, and nothing to sign with."""
    signing = {"mediaType": SIGNING, "rekorTlogConfig": {"selector": "ANY"}, "tsaConfig": {"selector": "ANY"}}
    values: dict[str, Any] = {"mediaType": CONFIG, "trustedRoot": jsontext.loads(root), "signingConfig": signing}
    return json.dumps(values).encode()


def _checked(data: bytes, name: str) -> bytes:
    try:
        good = jsontext.loads(data)["mediaType"] == KIND
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        raise Refused(f"cannot use '{name}': it is no Sigstore root of trust", hint="take Sigstore's trusted_root.json")
    return data

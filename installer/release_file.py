"""What an activation must know of an installed release: `release.json`, made from the manifest once, at install.

Reading it needs no parser of manifests, so that `status` starts fast; SHA256SUMS covers it like every other file.
"""

import hashlib
import json
from collections.abc import Mapping

from installer.manifest import Manifest
from states.errors import Refused
from states.plan import Component, Release

NAME = "release.json"


def release_of(manifest: Manifest, unit_files: Mapping[str, bytes]) -> Release:
    """Return the release that a manifest describes, given the bytes of its unit files."""
    parts = tuple(Component(each.name, each.settle_seconds, each.proof or "") for each in manifest.components)
    return described(manifest.release, parts, unit_files)


def described(release: str, components: tuple[Component, ...], unit_files: Mapping[str, bytes]) -> Release:
    """Return a release of these components and unit files."""
    return Release(release, components, {name: hashlib.sha256(data).hexdigest() for name, data in unit_files.items()})


def render(release: Release) -> bytes:
    """Return the release as the bytes of its file."""
    components = [{"name": c.name, "settle": c.settle, "proof": c.proof} for c in release.components]
    return (
        json.dumps({"id": release.id, "components": components, "unit_files": dict(release.unit_files)}) + "\n"
    ).encode()


def parse(data: bytes, name: str) -> Release:
    """Return the release of the file `name`; raise `Refused` when it is none."""
    try:
        values = json.loads(data)
        components = tuple(Component(c["name"], float(c["settle"]), c["proof"]) for c in values["components"])
        return Release(str(values["id"]), components, {str(k): str(v) for k, v in values["unit_files"].items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused(
            f"cannot read '{name}': it does not describe a release", hint="install the release again"
        ) from error

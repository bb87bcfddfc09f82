"""What an activation must know of an installed release: `release.json`, made from the manifest once, at install.

Reading it needs no parser of manifests, so that `status` starts fast; SHA256SUMS covers it like every other file.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from installer import jsontext
from states.errors import Refused
from states.plan import Component, Release

if TYPE_CHECKING:
    from installer.manifest import Manifest

NAME: Final = "release.json"


def components_of(manifest: "Manifest") -> tuple[Component, ...]:
    """Return the components that a manifest describes."""
    return tuple(Component(each.name, each.settle_seconds, each.proof or "") for each in manifest.components)


def render(release: str, components: tuple[Component, ...]) -> bytes:
    """Return the bytes of the file for a release of these components."""
    rows = [{"name": each.name, "settle": each.settle, "proof": each.proof} for each in components]
    return (json.dumps({"id": release, "components": rows}) + "\n").encode()


def parse(data: bytes, name: str, unit_files: Mapping[str, bytes]) -> Release:
    """Return the release of the file `name`, with its unit files' bytes; raise `Refused` when it is none."""
    try:
        values = jsontext.loads(data)
        components = tuple(Component(c["name"], float(c["settle"]), c["proof"]) for c in values["components"])
        return Release(str(values["id"]), components, unit_files)
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(
            f"cannot read '{name}': it does not describe a release", hint="install the release again"
        ) from error

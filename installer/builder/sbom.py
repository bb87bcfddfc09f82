"""The bill of materials: CycloneDX 1.6, every wheel of a release with its hash and licence."""

import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from installer.builder.wheels import Wheel
from installer.version import VERSION

SCHEMA: Final = "http://cyclonedx.org/schema/bom-1.6.schema.json"
VENDORED: Final = "pharos-hpc"  # the part that carries the vendored wheels


def render(release: str, parts: dict[str, tuple[Wheel, ...]], epoch: int) -> bytes:
    """Return the bill of a release, given the wheels of each part (component, or program), dated `epoch` (seconds)."""
    every = {wheel.pin: wheel for wheels in parts.values() for wheel in wheels}
    root = f"pkg:generic/pharos-hpc@{release}"
    document: dict[str, Any] = {
        "$schema": SCHEMA,
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": _metadata(root, release, epoch),
        "components": [*map(_part, sorted(parts)), *(_component(every[pin]) for pin in sorted(every))],
        "dependencies": [{"ref": root, "dependsOn": [f"part:{name}" for name in sorted(parts)]}, *_dependencies(parts)],
    }
    unique = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    return (json.dumps({**document, "serialNumber": f"urn:uuid:{unique}"}, indent=2, sort_keys=True) + "\n").encode()


def _metadata(root: str, release: str, epoch: int) -> dict[str, Any]:
    tool = {"type": "application", "name": "pharos-hpc-release", "version": VERSION}
    return {
        "timestamp": datetime.fromtimestamp(epoch, UTC).isoformat().replace("+00:00", "Z"),
        "tools": {"components": [tool]},
        "component": {"type": "application", "bom-ref": root, "name": "pharos-hpc", "version": release, "purl": root},
    }


def _part(name: str) -> dict[str, Any]:
    return {"type": "application", "bom-ref": f"part:{name}", "name": name}


def _component(wheel: Wheel) -> dict[str, Any]:
    pin = wheel.pin
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": _reference(wheel),
        "name": pin.name,
        "version": pin.version,
        "purl": f"pkg:pypi/{pin.name}@{pin.version}",
        "hashes": [{"alg": "SHA-256", "content": pin.sha256}],
        "properties": [{"name": "pharos-hpc:file", "value": wheel.path.name}],
    }
    if wheel.expression:
        found["licenses"] = [{"expression": wheel.expression}]
    elif wheel.licence:
        found["licenses"] = [{"license": {"name": wheel.licence}}]
    return found


def _reference(wheel: Wheel) -> str:
    return f"wheel:{wheel.path.name}"


def _dependencies(parts: dict[str, tuple[Wheel, ...]]) -> Iterable[dict[str, Any]]:
    for name in sorted(parts):
        yield {"ref": f"part:{name}", "dependsOn": sorted(_reference(wheel) for wheel in parts[name])}

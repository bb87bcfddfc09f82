"""The provenance beside an archive: in-toto v1 with SLSA's v1 predicate, the same bytes for the same inputs.

Who ran the build and when is not in it: the signature's certificate says that, and says it proven.
"""

import json
from typing import Any, Final

from installer.builder import bytecode
from installer.builder.archive import top
from installer.builder.release import Contents, Order
from installer.builder.wheels import Wheel

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://slsa.dev/provenance/v1"
REPOSITORY: Final = "https://github.com/pharos-hpc/pharos-hpc"
BUILD_TYPE: Final = f"{REPOSITORY}/blob/main/.ci/release"
BUILDER: Final = f"{REPOSITORY}/.github/workflows/release.yml"


def render(order: Order, what: Contents, sha256: str) -> bytes:
    """Return the statement about the archive whose digest is `sha256` (hexadecimal)."""
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": f"{top(order)}.tar.gz", "digest": {"sha256": sha256}}],
        "predicateType": PREDICATE,
        "predicate": {"buildDefinition": _definition(order, what), "runDetails": {"builder": {"id": BUILDER}}},
    }
    return (json.dumps(statement, indent=2, sort_keys=True) + "\n").encode()


def _definition(order: Order, what: Contents) -> dict[str, Any]:
    return {
        "buildType": BUILD_TYPE,
        "externalParameters": {"release": order.release, "mode": order.mode, "settle": dict(order.settle)},
        "internalParameters": {"epoch": order.epoch, "interpreters": bytecode.versions()},
        "resolvedDependencies": [_source(order), *(_wheel(wheel) for wheel in _every(what))],
    }


def _source(order: Order) -> dict[str, Any]:
    source: dict[str, Any] = {"uri": f"git+{REPOSITORY}", "name": "source"}
    known = order.revision != "unknown"
    return {**source, "digest": {"gitCommit": order.revision}} if known else source


def _every(what: Contents) -> list[Wheel]:
    wheels = {wheel.path.name: wheel for part in what.parts.values() for wheel in part} | {what.pip.path.name: what.pip}
    return [wheels[name] for name in sorted(wheels)]


def _wheel(wheel: Wheel) -> dict[str, Any]:
    uri = f"pkg:pypi/{wheel.pin.name}@{wheel.pin.version}"
    return {"name": wheel.path.name, "uri": uri, "digest": {"sha256": wheel.pin.sha256}}

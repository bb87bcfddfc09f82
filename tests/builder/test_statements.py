"""What is said about an archive: the bill of materials against CycloneDX's own schema, and the provenance beside it."""

import importlib.metadata
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry
from referencing.jsonschema import DRAFT7

from installer.builder import provenance, release
from installer.builder.__main__ import main
from installer.builder.single_file import REPOSITORY
from installer.signature import ISSUER, identity_of

pytestmark = pytest.mark.slow
SCHEMAS = ("bom-1.6.SNAPSHOT.schema.json", "spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json")


def validator() -> Draft7Validator:
    """Return CycloneDX 1.6's own schema, as a package on PyPI brings it."""
    files = importlib.metadata.files("cyclonedx-python-lib") or []
    found = {path.name: json.loads(path.read_text()) for path in files if path.name in SCHEMAS}
    resources = [(schema["$id"], DRAFT7.create_resource(schema)) for schema in found.values()]
    return Draft7Validator(found[SCHEMAS[0]], registry=Registry().with_resources(resources))


def test_the_bill_of_materials_is_cyclonedx_1_6(unpacked: Path) -> None:
    bill = json.loads((unpacked / "sbom.cdx.json").read_text())
    assert [error.message for error in validator().iter_errors(bill)] == []
    assert list(validator().iter_errors({**bill, "specVersion": 7, "components": [{}]})), "and the schema can say no"


def test_the_provenance_names_the_archive_and_all_that_went_into_it(order: release.Order) -> None:
    what = release.contents(order)
    statement: dict[str, Any] = json.loads(provenance.render(order, what, "a" * 64))
    assert (statement["_type"], statement["predicateType"]) == (provenance.STATEMENT, provenance.PREDICATE)
    assert statement["subject"] == [{"name": "pharos-hpc-2026.12.1.tar.gz", "digest": {"sha256": "a" * 64}}]
    definition = statement["predicate"]["buildDefinition"]
    assert definition["externalParameters"]["mode"] == order.mode
    wheels = {wheel.path.name for part in what.parts.values() for wheel in part} | {what.pip.path.name}
    listed = {row["name"]: row["digest"] for row in definition["resolvedDependencies"] if row["name"] != "source"}
    assert set(listed) == wheels
    assert all(len(digest["sha256"]) == 64 for digest in listed.values())


def test_a_build_writes_the_provenance_beside_the_archive(metallo: Path, cache: Path, tmp_path: Path) -> None:
    words = ["build", "--release", "2026.12.1", "--mode", "index", "--metallo-wheel", str(metallo)]
    assert main([*words, "--output", str(tmp_path), "--cache", str(cache), "--revision", "b" * 40]) == 0
    statement = json.loads((tmp_path / "pharos-hpc-2026.12.1.tar.gz.intoto.json").read_text())
    sources = [
        row for row in statement["predicate"]["buildDefinition"]["resolvedDependencies"] if row["name"] == "source"
    ]
    assert sources[0]["digest"] == {"gitCommit": "b" * 40}
    from installer.builder.downloads import sha256

    assert statement["subject"][0]["digest"]["sha256"] == sha256(tmp_path / statement["subject"][0]["name"])


def test_the_release_script_builds_twice_the_same_and_stops_before_what_only_a_workflow_can(
    metallo: Path, tmp_path: Path
) -> None:
    words = ["bash", ".ci/release", "2026.12.1", str(metallo), str(tmp_path)]
    environment = {**os.environ, "SIGN": "no"}
    done = subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    name = "pharos-hpc-2026.12.1.tar.gz"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SHA256SUMS", name, f"{name}.intoto.json"]
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_the_release_script_signs_and_verifies_with_the_identity_that_sites_pin(metallo: Path, tmp_path: Path) -> None:
    log, programs = tmp_path / "log", tmp_path / "bin"
    programs.mkdir()
    (programs / "sigstore").write_text(f'#!/bin/sh\necho "$@" >>{log}\n')
    (programs / "sigstore").chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    words = ["bash", ".ci/release", "2026.12.1", str(metallo), str(tmp_path / "out")]
    subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, check=True)
    calls = log.read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["sign", "verify"] * 2
    pinned = f"--cert-identity {identity_of('2026.12.1')} --cert-oidc-issuer {ISSUER} "
    assert all(pinned in call for call in calls if call.startswith("verify"))


def test_the_release_workflow_runs_nothing_that_could_change_under_it() -> None:
    text = (REPOSITORY / ".github/workflows/release.yml").read_text()
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", each) for each in used)
    assert "pip install" not in text, "programs come from the lock, with their hashes"
    assert ".ci/release " in text

"""The manifest: every rule of every key, and that a release's description survives being written and read."""

import subprocess
import sys
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from installer.manifest import BadManifest, Manifest, read_manifest, render
from installer.rules import Fault
from states.errors import Refused
from tests.installer.site_values import MANIFEST, line_of, manifests, with_value, without

REFUSED: dict[str, tuple[str, str, str]] = {
    "a_format_of_the_future": ("format", "2", "cannot use '2'"),
    "a_format_with_a_zero": ("format", "01", "cannot use '01'"),
    "a_release_that_is_a_directory_above": ("release", "..", "cannot use '..'"),
    "a_release_that_is_a_dot": ("release", ".", "cannot use '.'"),
    "a_release_that_is_hidden": ("release", ".x", "cannot use '.x'"),
    "a_release_with_a_slash": ("release", "a/b", "cannot use 'a/b'"),
    "a_release_that_is_an_option": ("release", "-rf", "cannot use '-rf'"),
    "a_release_too_long": ("release", "a" * 65, f"cannot use '{'a' * 48}...'"),
    "a_release_of_other_letters": ("release", "\u0430", "cannot use '\u0430'"),
    "a_release_called_current": ("release", "current", "cannot use 'current': it is the name of a link"),
    "a_release_called_previous": ("release", "previous", "cannot use 'previous': it is the name of a link"),
    "another_dependency_mode": ("dependency_mode", "both", "cannot use 'both'"),
    "the_runtime_as_component": (
        "components",
        "site-agent ssh-access pharos-slurm-runtime",
        "cannot use 'pharos-slurm-runtime'",
    ),
    "a_component_twice": ("components", "site-agent ssh-access site-agent", "names something twice"),
    "another_python": ("python_requires", "~=3.13", "cannot use '~=3.13'"),
    "python_2": ("python_requires", ">=2.7", "cannot use '>=2.7'"),
    "a_short_revision": ("source_revision", "0123456", "cannot use '0123456'"),
    "a_pip_elsewhere": ("pip_wheel", "pip-26.3-py3-none-any.whl", "cannot use"),
    "a_pip_that_is_another_package": ("pip_wheel", "wheels/evil-1-py3-none-any.whl", "cannot use"),
    "an_absolute_requirements_file": ("site-agent.requirements", "/etc/requirements.txt", "cannot use"),
    "requirements_above": ("site-agent.requirements", "requirements/../x.txt", "cannot use"),
    "requirements_elsewhere": ("site-agent.requirements", "wheels/x.txt", "cannot use"),
    "requirements_that_are_hidden": ("site-agent.requirements", "requirements/.txt", "cannot use"),
    "an_absolute_wheel": ("site-agent.wheels", "/wheels/a.whl", "cannot use '/wheels/a.whl'"),
    "a_wheel_above": ("site-agent.wheels", "wheels/../../a.whl", "cannot use 'wheels/../../a.whl'"),
    "a_wheel_not_normalised": ("site-agent.wheels", "wheels//a.whl", "cannot use 'wheels//a.whl'"),
    "a_wheel_with_a_dot": ("site-agent.wheels", "wheels/./a.whl", "cannot use 'wheels/./a.whl'"),
    "a_source_distribution": ("site-agent.wheels", "wheels/a.tar.gz", "cannot use 'wheels/a.tar.gz'"),
    "a_wheel_twice": ("site-agent.wheels", "wheels/a.whl wheels/a.whl", "names something twice"),
    "a_unit_that_is_not_ours": ("units", "sshd.service", "cannot use 'sshd.service'"),
    "a_unit_of_another_directory": ("site-agent.units", "../waldur-site-agent@.service", "cannot use"),
    "a_unit_of_two_owners": (
        "ssh-access.units",
        "waldur-site-agent@.service",
        "names 'waldur-site-agent@.service', which 'site-agent.units' has already",
    ),
    "an_instance_for_a_unit_file": ("site-agent.units", "waldur-site-agent@report.service", "cannot use"),
    "a_settle_window_too_long": ("site-agent.settle_seconds", "601", "cannot use '601'"),
    "a_settle_window_with_a_fraction": ("site-agent.settle_seconds", "1.5", "cannot use '1.5'"),
    "a_proof_too_long": ("site-agent.proof", "x" * 201, "cannot use"),
}


def problems_of(data: bytes) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(BadManifest) as caught:
        read_manifest(data, "manifest")
    return [(problem.line, problem.key, problem.message) for problem in caught.value.problems]


def test_a_manifest_is_read_with_its_types() -> None:
    manifest = read_manifest(MANIFEST.encode(), "manifest")
    assert (manifest.release, manifest.format_version, manifest.minimum_python) == ("2026.12.1", 1, (3, 13))
    agent, access = manifest.components
    assert manifest.component("site-agent") is agent
    assert agent.wheels == ("wheels/a-1-py3-none-any.whl", "wheels/b-1-py3-none-any.whl")
    assert (agent.settle_seconds, agent.proof) == (30, "Processing offering")
    assert (access.settle_seconds, access.proof) == (5, None)
    assert sorted(render(manifest).decode().splitlines()) == sorted(MANIFEST.splitlines())


def test_a_component_that_is_not_shipped_is_not_found() -> None:
    with pytest.raises(KeyError):
        read_manifest(MANIFEST.encode(), "manifest").component("pharos-slurm-runtime")


@pytest.mark.parametrize(("key", "value", "message"), REFUSED.values(), ids=REFUSED)
def test_a_value_is_refused_with_its_line_when_it_is(key: str, value: str, message: str) -> None:
    data = with_value(MANIFEST, key, value)
    ((line, found, said),) = problems_of(data)
    assert (line, found) == (line_of(MANIFEST, key), key)
    assert said.startswith(message)


@pytest.mark.parametrize("key", [line.partition(":")[0] for line in MANIFEST.splitlines()])
def test_a_key_that_is_missing_is_named(key: str) -> None:
    if key == "site-agent.proof":
        assert read_manifest(without(MANIFEST, key), "manifest").component("site-agent").proof is None
    else:
        assert problems_of(without(MANIFEST, key)) == [(None, key, "is missing")]


def test_a_release_in_index_mode_may_carry_no_wheels_of_a_component() -> None:
    data = without(MANIFEST.replace("wheelhouse", "index"), "ssh-access.wheels")
    assert read_manifest(data, "manifest").component("ssh-access").wheels == ()


def test_keys_of_a_component_that_is_not_listed_are_refused() -> None:
    found = problems_of(with_value(MANIFEST, "components", "site-agent"))
    assert {(key, message) for _, key, message in found} == {
        (f"ssh-access.{key}", "is not a known key") for key in ("requirements", "wheels", "units", "settle_seconds")
    }


def test_an_unknown_key_is_refused_with_its_line() -> None:
    assert problems_of(MANIFEST.encode() + b"colour: blue\n") == [(18, "colour", "is not a known key")]


def test_all_faults_of_a_manifest_are_in_one_report() -> None:
    text = with_value(MANIFEST, "release", "..").decode().replace("settle_seconds: 5", "settle_seconds: x")
    found = problems_of(b"# ours\n" + without(text, "pip_wheel") + b"format: 1\n")
    assert [(line, key) for line, key, _ in found] == [
        (1, None),
        (3, "release"),
        (17, "ssh-access.settle_seconds"),
        (18, "format"),
        (None, "pip_wheel"),
    ]


def test_a_manifest_that_is_too_large_is_one_problem() -> None:
    assert problems_of(b"a" * 70_000) == [(None, None, "has 70000 bytes")]


def test_an_empty_manifest_misses_its_keys() -> None:
    assert ("components", "is missing") in {(key, message) for _, key, message in problems_of(b"")}


def test_a_bad_manifest_is_refused_before_anything_changed() -> None:
    assert issubclass(BadManifest, Refused)


@pytest.mark.parametrize(("name", "value"), [("release", "a\nb: c"), ("release", "current"), ("units", ["x"])])
def test_a_manifest_cannot_be_made_with_a_value_that_breaks_its_rule(name: str, value: Any) -> None:
    with pytest.raises(Fault):
        attrs.evolve(read_manifest(MANIFEST.encode(), "manifest"), **{name: value})


@given(st.binary(max_size=400))
def test_no_bytes_crash_the_reader_of_manifests(data: bytes) -> None:
    with pytest.raises(BadManifest):
        read_manifest(data, "manifest")


@settings(max_examples=200)
@given(st.sampled_from([line.partition(":")[0] for line in MANIFEST.splitlines()]), st.text(max_size=40))
def test_no_value_crashes_the_reader_and_what_is_accepted_survives_rendering(key: str, value: str) -> None:
    try:
        manifest = read_manifest(with_value(MANIFEST, key, value), "manifest")
    except BadManifest:
        return
    assert read_manifest(render(manifest), "again") == manifest


@settings(max_examples=100, deadline=None)
@given(manifests())
def test_every_valid_manifest_survives_being_written_and_read(manifest: Manifest) -> None:
    assert read_manifest(render(manifest), "manifest") == manifest


def test_importing_the_reader_imports_no_cattrs() -> None:
    program = "import installer.manifest, sys; sys.exit('cattrs' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

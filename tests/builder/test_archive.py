import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import attrs
import pytest

from installer.archive import open_archive
from installer.builder import release, words
from installer.builder.__main__ import main
from installer.builder.locks import read_lock
from installer.site_env_text import example
from states.errors import Refused
from states.unit import UNIT_FILES

pytestmark = pytest.mark.slow


def test_the_installer_takes_the_archive_for_whole(unpacked: Path) -> None:
    assert open_archive(unpacked).damage() == ()
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=unpacked, check=True, timeout=60)


def test_the_manifest_says_what_is_in_the_archive(unpacked: Path, order: release.Order) -> None:
    manifest = open_archive(unpacked).manifest
    assert (manifest.release, manifest.dependency_mode) == ("2026.12.1", order.mode)
    carried = {wheel for each in manifest.components for wheel in each.wheels} | {manifest.pip_wheel}
    assert carried == {f"wheels/{path.name}" for path in (unpacked / "wheels").iterdir()}
    assert [each.settle_seconds for each in manifest.components] == [2, release.SETTLE["ssh-access"]]
    assert {path.name for path in (unpacked / "units").iterdir()} == set(UNIT_FILES)
    assert (unpacked / "site.env.example").read_bytes() == example()


def test_index_mode_carries_only_what_no_index_has(unpacked: Path, order: release.Order) -> None:
    names = {path.name.split("-")[0] for path in (unpacked / "wheels").iterdir()}
    if order.mode == "index":
        assert names == {"docopt", "metallo_ssh_access", "pip", "pyyaml"}
    else:
        assert len(names) == len(read_lock("site-agent.lock")) + 2


def test_every_requirement_has_its_hash_and_every_wheel_is_required(unpacked: Path) -> None:
    required = "".join(path.read_text() for path in (unpacked / "requirements").iterdir())
    assert all(" --hash=sha256:" in line for line in required.splitlines())
    for wheel in (unpacked / "wheels").iterdir():
        assert hashlib.sha256(wheel.read_bytes()).hexdigest() in required or wheel.name.startswith("pip-")


def test_the_wheelhouse_alone_satisfies_every_requirement(unpacked: Path, order: release.Order, tmp_path: Path) -> None:
    if order.mode == "index":
        return  # needs one
    subprocess.run([sys.executable, "-I", "-m", "venv", "--without-pip", tmp_path / "v"], check=True, timeout=60)
    manifest = open_archive(unpacked).manifest
    for each in manifest.components:
        pip: list[str | Path] = [
            tmp_path / "v/bin/python",
            "-I",
            unpacked / manifest.pip_wheel / "pip",
            "--isolated",
            "install",
            "--dry-run",
        ]
        words: list[str | Path] = [
            "--no-index",
            "--require-hashes",
            "--only-binary=:all:",
            "--find-links",
            unpacked / "wheels",
        ]
        done = subprocess.run(
            [*pip, *words, "-r", unpacked / each.requirements], check=False, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr  # with dependencies: nothing of the closure is missing either


def test_the_program_of_the_archive_starts(unpacked: Path) -> None:
    done = subprocess.run(
        [sys.executable, unpacked / "pharos-hpc", "--help"], check=True, capture_output=True, text=True, timeout=60
    )
    assert "activate" in done.stdout


def test_the_bill_of_materials_lists_every_wheel_with_hash_and_licence(unpacked: Path) -> None:
    bill = json.loads((unpacked / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    libraries = [each for each in bill["components"] if each["type"] == "library"]
    assert all(each["licenses"] for each in libraries)
    listed = {each["hashes"][0]["content"] for each in libraries}
    locked = {
        pin.sha256 for name in ("runtime", "site-agent", "ssh-access", "pip") for pin in read_lock(f"{name}.lock")
    }
    assert locked <= listed
    assert {hashlib.sha256(path.read_bytes()).hexdigest() for path in (unpacked / "wheels").iterdir()} <= listed
    references = {each["bom-ref"] for each in bill["components"]}
    assert {name for each in bill["dependencies"] for name in each["dependsOn"]} <= references


def test_the_man_page_tells_every_command_and_troff_finds_no_fault(unpacked: Path) -> None:
    page = unpacked / "man/pharos-hpc.1"
    text = page.read_text()
    assert all(f".SS {verb.name}" in text for verb in words.verbs())
    if shutil.which("groff"):
        command: list[str | Path] = ["groff", "-man", "-Tutf8", "-ww", page]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        assert done.stderr == ""


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("st", {"status", "states", "stop"}), ("activate --r", {"--release"}), ("activate si", {"site-agent"})],
)
def test_bash_completes_commands_options_and_components(unpacked: Path, typed: str, expected: set[str]) -> None:
    line = ["pharos-hpc", *typed.split()]
    script = (
        f"source completions/pharos-hpc.bash; COMP_WORDS=({' '.join(line)}); COMP_CWORD={len(line) - 1}; _pharos_hpc"
    )
    command = ["bash", "-c", script + '; echo "${COMPREPLY[@]}"']
    done = subprocess.run(command, cwd=unpacked, check=True, capture_output=True, text=True, timeout=60)
    assert (set(done.stdout.split()), done.stderr) == (expected, "")


def test_a_wheel_without_the_agents_program_is_not_taken_for_metallos(order: release.Order, tmp_path: Path) -> None:
    wheel = tmp_path / "other-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("other-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    with pytest.raises(Refused, match="no console script 'pharos-ssh-access-agent'"):
        release.contents(attrs.evolve(order, metallo=wheel))


@pytest.mark.parametrize(
    ("option", "value"),
    [("--release", "current"), ("--release", "../x"), ("--revision", "v1"), ("--settle", "site-agent=601")],
)
def test_what_no_site_would_read_is_refused_before_anything_is_fetched(
    option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = {
        "--release": "1",
        "--mode": "index",
        "--metallo-wheel": str(tmp_path / "none.whl"),
        "--revision": "unknown",
    }
    words = [word for pair in {**plain, option: value}.items() for word in pair]
    assert main(["build", *words, "--output", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")]) == 1
    assert f"pharos-hpc-release: {option}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_output_that_cannot_be_written_is_named(
    metallo: Path, tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("a file\n")
    words = ["--release", "1", "--mode", "index", "--metallo-wheel", str(metallo), "--output", str(tmp_path / "out")]
    assert main(["build", *words, "--cache", str(cache)]) == 1
    assert f"cannot use '{tmp_path}/out'" in capsys.readouterr().err

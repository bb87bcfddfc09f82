"""Where the single file's code comes from: itself and the interpreter's own library, whatever lies elsewhere."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fixtures.sandbox import Sandbox
from installer.builder import bytecode, downloads, locks
from installer.builder.single_file import vendored

PYTHONS = bytecode.interpreters()
HOSTILE = "import os\nos.write(2, b'hostile')\nos._exit(99)\n"
CODE = re.compile(r'"([^"]+\.(?:py|pyc|so|pth)[^"/]*)", O_RDONLY[^=]*= [0-9]')


def names(cache: Path) -> set[str]:
    """Return the name of every package or module that the file carries, its own among them."""
    return {path.split("/")[0].removesuffix(".py") for path in vendored(cache) if path.endswith(".py")} | {
        "installer",
        "states",
    }


def plant(directory: Path, cache: Path) -> None:
    """Put a hostile module of each such name, and of some that Python itself looks for, into a directory."""
    for name in names(cache) | {"usercustomize", "enum", "re", "json", "ssl", "subprocess", "argparse", "hashlib"}:
        (directory / f"{name}.py").write_text(HOSTILE)


@pytest.mark.parametrize("python", PYTHONS.values(), ids=str)
def test_a_hostile_site_packages_changes_nothing(program: Path, python: Path, cache: Path, tmp_path: Path) -> None:
    subprocess.run([python, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True, timeout=120)
    (packages,) = (tmp_path / "venv/lib").glob("python*/site-packages")
    for name in names(cache):
        (packages / f"{name}.py").write_text(HOSTILE)
    command: list[str | Path] = [tmp_path / "venv/bin/python", program, "check", "--json"]
    environment = {"PHAROS_HPC_ROOT": str(tmp_path / "root")}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, ""), "findings, as on every empty host"
    shown = subprocess.run([tmp_path / "venv/bin/python", "-c", "import transitions"], check=False, capture_output=True)
    assert shown.returncode == 99, "and the trap does work"


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not here")
@pytest.mark.parametrize("python", PYTHONS.values(), ids=str)
@pytest.mark.parametrize("words", [("check", "--json"), ("status",), ("install", "--plan"), ("states",)], ids=" ".join)
def test_all_code_is_of_the_file_or_of_the_interpreters_library(
    program: Path, python: Path, words: tuple[str, ...], cache: Path, sandbox: Sandbox, tmp_path: Path
) -> None:
    plant(tmp_path, cache)
    trace = sandbox.root / "trace"
    environment = {"PHAROS_HPC_ROOT": str(sandbox.root), "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    strace: list[str | Path] = ["strace", "-o", trace, "-e", "trace=open,openat", python, "-I", "-S", program, *words]
    done = subprocess.run(
        strace, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True, timeout=60
    )
    assert "hostile" not in done.stderr
    ask = "import sysconfig; print(sysconfig.get_path('stdlib'), sysconfig.get_config_var('LIBDIR'))"
    library = subprocess.run([python, "-I", "-S", "-c", ask], check=True, capture_output=True, text=True).stdout.split()
    opened = set(CODE.findall(trace.read_text()))
    system = ("/lib/", "/usr/lib/x86_64-linux-gnu/", "/etc/ld.so", "/usr/lib/lib")
    assert not [path for path in opened if not path.startswith((*library, *system))]
    assert not [path for path in opened if "site-packages" in path or "dist-packages" in path]


def test_every_library_in_it_has_its_licence_and_is_in_the_bill(program: Path, cache: Path) -> None:
    with zipfile.ZipFile(program) as file:
        licences = {name.split("/")[1] for name in file.namelist() if name.startswith("licences/") and "/" in name[9:]}
    for pin in locks.read_lock("runtime.lock"):
        wheel = downloads.fetch([pin], cache)[pin]
        assert wheel.name.split("-")[0].lower() in {name.split("-")[0].lower() for name in licences}, pin.name


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs root to mount")
def test_it_works_from_a_read_only_file_system_that_runs_nothing(program: Path, tmp_path: Path) -> None:
    script = """\
mount -t tmpfs -o size=64m none "$2" && cp "$1" "$2/pharos-hpc" && mount -o remount,ro,noexec "$2" || exit 50
"$2/pharos-hpc" --version 2>/dev/null && exit 51
cd "$2" && "$3" pharos-hpc states >/dev/null || exit 52
sh pharos-hpc states >/dev/null || [ -z "$4" ] || exit 53
"""
    listed = "yes" if any(Path(f"/usr/bin/python3.{minor}").exists() for minor in (11, 12, 13)) else ""
    command: list[str | Path] = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        script,
        "sh",
        program,
        tmp_path,
        sys.executable,
        listed,
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())

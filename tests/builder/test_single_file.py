import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fixtures.sandbox import Sandbox
from installer.builder import bytecode
from installer.builder.single_file import REPOSITORY
from installer.version import VERSION

MODERN = bytecode.interpreters()
OLD = sorted(
    path
    for version in ("2.7", "3.6", "3.7", "3.8", "3.9", "3.10")
    for path in Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python")
)
IN_LIST = any(Path(f"/usr/bin/python3.{minor}").exists() for minor in (11, 12, 13))
HOSTILE = "import os\nos.write(2, b'hostile')\nraise SystemExit(99)\n"


def run(
    argv: Sequence[str | Path], *, cwd: Path = Path("/"), env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": os.defpath, **(env or {})}
    return subprocess.run(argv, cwd=cwd, env=clean, check=False, capture_output=True, text=True, timeout=60)


def hostile(directory: Path, names: Sequence[str]) -> Path:
    directory.mkdir()
    for name in names:
        (directory / f"{name}.py").write_text(HOSTILE)
    return directory


@pytest.mark.parametrize("python", MODERN.values(), ids=str)
@pytest.mark.parametrize("words", [("--version",), ("--help",), ("states",)])
def test_it_runs_on_each_python_it_carries_bytecode_for(program: Path, python: Path, words: tuple[str, ...]) -> None:
    done = run([python, program, *words])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("python", OLD, ids=lambda path: path.parts[-3])
def test_an_old_python_is_told_what_is_needed_in_one_sentence(program: Path, python: Path) -> None:
    done = run([python, program, "status"])
    assert done.returncode == 69
    assert done.stderr.startswith("pharos-hpc: needs Python 3.11 or newer, but ")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_ends_a_command_that_only_reads_without_a_trace(program: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    sandbox.wrap("systemctl", f"touch {begun}; exec sleep 60")
    environment = {"PATH": os.defpath, "PHAROS_HPC_ROOT": str(sandbox.root)}
    words = [sys.executable, str(program), "status"]
    child = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not begun.exists():
        assert child.poll() is None
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does, the whole group
    _, told = child.communicate(timeout=30)
    assert (child.returncode, told) == (-signal.SIGINT, "")


@pytest.mark.skipif(not IN_LIST, reason="this machine has none of the listed Pythons")
def test_it_starts_itself_with_a_python_of_its_fixed_list_whatever_path_says(program: Path) -> None:
    done = run([program, "--version"], env={"PATH": "/nonexistent"})
    assert (done.returncode, done.stdout) == (0, f"pharos-hpc {VERSION}\n")


def test_without_any_python_of_the_list_it_says_so_in_one_sentence(program: Path, tmp_path: Path) -> None:
    copy = tmp_path / "pharos-hpc"
    copy.write_bytes(
        program.read_bytes().replace(b"/usr/bin/python", b"/nothing/python").replace(b"/usr/local/bin/", b"/none/")
    )
    copy.chmod(0o755)
    done = run([copy, "status"])
    assert done.returncode == 69
    assert done.stderr.startswith("pharos-hpc: needs Python 3.11 or newer, and neither")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("python", MODERN.values(), ids=str)
def test_modules_beside_it_and_in_the_working_directory_have_no_influence(
    python: Path, program: Path, tmp_path: Path
) -> None:
    trap = hostile(tmp_path / "trap", ("transitions", "enum", "attrs", "installer", "sitecustomize", "re"))
    copy = shutil.copy(program, trap / "pharos-hpc")
    done = run([python, "-I", copy, "states"], cwd=trap)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not IN_LIST, reason="this machine has none of the listed Pythons")
def test_the_callers_python_settings_have_no_influence(program: Path, tmp_path: Path) -> None:
    trap = hostile(tmp_path / "trap", ("transitions", "enum", "attrs", "sitecustomize", "usercustomize", "re"))
    settings = {"PYTHONPATH": str(trap), "PYTHONHOME": "/nonexistent", "PYTHONSTARTUP": str(trap / "re.py")}
    done = run([program, "states"], cwd=trap, env=settings)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("python", MODERN.values(), ids=str)
def test_pythonpath_cannot_replace_its_libraries_when_a_python_is_named(
    python: Path, program: Path, tmp_path: Path
) -> None:
    trap = hostile(tmp_path / "trap", ("transitions", "attrs", "installer", "six"))
    done = run([python, program, "states"], env={"PYTHONPATH": str(trap)})
    assert (done.returncode, done.stderr) == (0, "")


def test_another_python_runs_the_sources(program: Path, tmp_path: Path) -> None:
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}".encode()
    data = program.read_bytes()
    tags = b" ".join(f"cp{major}{minor}".encode() for major, minor in MODERN)
    assert tags in data
    copy = tmp_path / "pharos-hpc"
    copy.write_bytes(data.replace(tags, tags.replace(tag, b"cp000")))
    done = run([sys.executable, "-I", "-S", "-W", "error", copy, "states"])
    assert done.returncode == 0, done.stderr


def test_the_same_sources_give_the_same_bytes_from_another_path_umask_and_hash_seed(
    program: Path, cache: Path, tmp_path: Path
) -> None:
    for name in ("installer", "states"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "LICENSE", tmp_path)
    other = tmp_path / "out/pharos-hpc"
    command = [sys.executable, "-m", "installer.builder", "single-file", str(other), "--cache", str(cache)]
    strange = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PYTHONHASHSEED": "42", "TZ": "America/New_York"}
    subprocess.run(command, cwd=tmp_path, env=strange, umask=0o077, check=True, timeout=120)
    assert other.read_bytes() == program.read_bytes()
    assert other.stat().st_mode & 0o777 == 0o755


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not here")
@pytest.mark.parametrize("python", MODERN.values(), ids=str)
def test_it_writes_nothing_and_reads_no_list_of_authorities(program: Path, python: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(program)
    trace = tmp_path / "trace"
    strace: list[str | Path] = [
        "strace",
        "-f",
        "-o",
        trace,
        "-e",
        "trace=open,openat,creat,mkdir,rename,unlink,symlink",
    ]
    done = run([*strace, python, "-I", "-S", link, "states"])
    assert done.returncode == 0, done.stderr
    calls = [line for line in trace.read_text().splitlines() if "/dev/null" not in line]
    assert calls
    assert not [
        line for line in calls if any(word in line for word in ("O_CREAT", "O_WRONLY", "O_RDWR", "mkdir(", "rename("))
    ]
    assert not [line for line in calls if "cacert" in line or "certs" in line]


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not here")
def test_once_started_it_never_goes_through_the_link_again(program: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(program)
    trace = tmp_path / "trace"
    run(["strace", "-f", "-o", trace, "-e", "trace=openat", sys.executable, "-I", "-S", "-B", link, "states"])
    opened = [line for line in trace.read_text().splitlines() if f'"{link}"' in line or f'"{program}"' in line]
    first = next(number for number, line in enumerate(opened) if f'"{program}"' in line)
    assert not [line for line in opened[first:] if f'"{link}"' in line]


@pytest.mark.skipif(os.geteuid() != 0 or not IN_LIST, reason="needs root to become somebody who cannot write")
def test_it_works_for_somebody_who_can_write_nowhere(program: Path, sandbox_dir: Path) -> None:
    copy = Path(shutil.copy(program, sandbox_dir / "pharos-hpc"))
    sandbox_dir.chmod(0o555)
    done = subprocess.run(
        [copy, "states"],
        cwd="/",
        env={},
        user=65534,
        group=65534,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(os.listdir(sandbox_dir)) == ["pharos-hpc"]


def test_help_and_version_import_nothing_heavy(program: Path) -> None:
    for words in ("--help", "--version"):
        done = run([sys.executable, "-I", "-S", "-B", "-X", "importtime", program, words])
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert not imported & {
            "attr",
            "attrs",
            "cattrs",
            "httpx",
            "structlog",
            "transitions",
            "subprocess",
            "ssl",
            "json",
        }

"""Nothing of the calling environment changes the outcome: umask, locale, variables, directory, handles."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from fixtures import launch
from fixtures.builder import single_file
from installer import exits
from tests.e2e.test_commands import Host, archives, host

__all__ = ["archives", "host"]

ENUM = "raise SystemExit('the working directory was imported')\n"


def hostile(directory: Path) -> Mapping[str, str]:
    """Return an environment in which everything is set that a program might listen to."""
    for name in ("enum.py", "transitions.py", "attrs.py", "sitecustomize.py", "usercustomize.py"):
        (directory / name).write_text(ENUM)
    (directory / "pip.conf").write_text("[global]\nindex-url = https://evil.example/\nno-index = false\n")
    evil = "http://127.0.0.1:9"
    return {
        "PYTHONPATH": str(directory),
        "PYTHONSTARTUP": str(directory / "enum.py"),
        "PYTHONHOME": "",
        "PYTHONWARNINGS": "error",
        "PYTHONOPTIMIZE": "2",
        "PIP_CONFIG_FILE": str(directory / "pip.conf"),
        "PIP_INDEX_URL": "https://evil.example/",
        "PIP_NO_DEPS": "0",
        "PIP_TARGET": str(directory / "target"),
        "HTTP_PROXY": evil,
        "HTTPS_PROXY": evil,
        "ALL_PROXY": evil,
        "SSL_CERT_FILE": "/dev/null",
        "SSL_CERT_DIR": str(directory),
        "REQUESTS_CA_BUNDLE": "/dev/null",
        "SOURCE_DATE_EPOCH": "0",
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "C",
        "TZ": "Pacific/Kiritimati",
        "HOME": str(directory),
        "TMPDIR": "/nonexistent",
        "COLUMNS": "9" * 5000,
        "IFS": "x",
        "BASH_ENV": str(directory / "enum.py"),
        "LD_LIBRARY_PATH": str(directory),
    }


def hostile_run(host: Host, program: Path, *words: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the real single file with umask 077, in a directory that is removed meanwhile, without standard input."""
    gone = directory / "gone"
    gone.mkdir()
    script = f'umask 077; cd {gone}; rmdir {gone}; exec "$@" <&-'
    environment = {**hostile(directory), "PATH": "/usr/bin:/bin", "PHAROS_HPC_ROOT": str(host.sandbox.root)}
    command = ["/bin/sh", "-c", script, "sh", "/bin/sh", str(program), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    words_of_the_shell = "sh: 0: getcwd() failed: No such file or directory\n"
    return subprocess.CompletedProcess(
        command, done.returncode, done.stdout, done.stderr.replace(words_of_the_shell, "")
    )


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return single_file(tmp_path_factory.mktemp("program"))


def placed(host: Host, program: Path, archive: str) -> Path:
    """Put the real single file into an archive, and return it."""
    from fixtures.archive import write_archive_sums

    path = host.archives / archive / "pharos-hpc"
    path.write_bytes(program.read_bytes())
    path.chmod(0o755)
    write_archive_sums(host.archives / archive)
    return path


def tree(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return mode, owner and bytes of everything installed; bytecode holds times of its sources."""
    found = {}
    for path in sorted(directory.rglob("*")):
        stat = path.lstat()
        data = os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        if path.suffix != ".pyc" and path.name not in {"SHA256SUMS", "RECORD"}:
            found[str(path.relative_to(directory))] = (stat.st_mode, stat.st_uid, data)
    return found


def test_a_hostile_caller_gets_the_same_installation(host: Host, program: Path, tmp_path: Path) -> None:
    path = placed(host, program, "A")
    (tmp_path / "hostile").mkdir()
    done = hostile_run(host, path, "install", directory=tmp_path / "hostile")
    assert done.returncode == exits.DONE, done.stdout + done.stderr
    hostile_tree = tree(host.paths.release("A"))
    subprocess.run(["rm", "-rf", str(host.paths.releases)], check=True)
    assert launch.run(host.sandbox.root, path, "install").returncode == exits.DONE
    assert tree(host.paths.release("A")) == hostile_tree
    assert not (tmp_path / "hostile/target").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("--help",),
        ("status",),
        ("status", "--json"),
        ("releases",),
        ("history",),
        ("states",),
        ("check", "site.env", "archive", "inputs"),
        ("install", "--plan"),
        ("configure", "--plan"),
        ("activate", "--plan"),
        ("rollback", "--plan"),
        ("stop", "--plan"),
        ("prune", "--keep", "1", "--plan"),
        ("activate",),
        ("rollback",),
        ("stop",),
        ("recover",),
        ("follow",),
        ("activate", "--no-such-option"),
    ],
    ids=" ".join,
)
def test_a_hostile_caller_gets_the_same_answer(
    host: Host, program: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = placed(host, program, "A")
    (tmp_path / "hostile").mkdir()
    told = hostile_run(host, path, *words, directory=tmp_path / "hostile")
    plain = {"PATH": "/usr/bin:/bin", "PHAROS_HPC_ROOT": str(host.sandbox.root)}
    calm = subprocess.run(["/bin/sh", str(path), *words], env=plain, capture_output=True, text=True, check=False)
    assert told.returncode == calm.returncode
    assert "Traceback" not in told.stdout + told.stderr
    assert len(told.stdout.splitlines()) >= len(calm.stdout.splitlines()) - 1
    assert told.stderr.splitlines()[:1] == calm.stderr.splitlines()[:1]

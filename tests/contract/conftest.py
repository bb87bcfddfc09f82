"""Which service managers the contract is held against: the stand-in, and with --real-systemd systemd itself."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.sandbox import Sandbox, make_sandbox
from tests.contract.systemd import NAME, Systemd


def real(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=60)


def clear(systemd: Systemd) -> None:
    names = [path.name for path in systemd.units.glob(f"{NAME}*")]
    loaded = systemd("list-units", "--all", "--plain", "--no-legend", f"{NAME}*").stdout.split("\n")
    units = [line.split()[0] for line in loaded if line]
    if units:
        systemd("stop", *units)
    for path in (*systemd.units.glob(f"{NAME}*"), *systemd.units.glob(f"*.wants/{NAME}*")):
        for inner in path.glob("*") if path.is_dir() and not path.is_symlink() else ():
            inner.unlink()
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    systemd("daemon-reload")
    if names or units:
        systemd("reset-failed", f"{NAME}*")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test against the stand-in; against the machine's own systemd too when asked to."""
    if "systemd" in metafunc.fixturenames:
        kinds = ["stand-in", "systemd"] if metafunc.config.getoption("--real-systemd") else ["stand-in"]
        metafunc.parametrize("systemd", kinds, indirect=True)


@pytest.fixture
def systemd(request: pytest.FixtureRequest) -> Iterator[Systemd]:
    """Give a service manager with nothing of ours in it; `--real-systemd` needs root on a host booted with systemd."""
    if request.param == "systemd":
        machine = Systemd(real, Path("/etc/systemd/system"), Path("/"))
        clear(machine)
        yield machine
        clear(machine)
        return
    sandbox: Sandbox = make_sandbox(request.getfixturevalue("sandbox_dir"))
    with sandbox.running():
        yield Systemd(sandbox.run, sandbox.path("/etc/systemd/system"), sandbox.root)

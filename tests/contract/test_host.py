"""The in-memory host and the real adapters keep one contract: the same questions and effects, the same answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fixtures.sandbox import Sandbox
from fixtures.small_release import install_small_release
from installer.host.files import RealFiles
from installer.host.patience import RealPatience
from installer.host.systemd import RealUnits
from installer.paths import Paths
from states.errors import HostError, Refused
from states.host import Host
from states.machine import Activation
from states.observed import Observed, differences, observe
from states.outcome import Recorded
from states.plan import Component, Record, Release
from states.unit import OURS, RECOVER, SITE_AGENT, SSH_ACCESS, instance
from states.verify import verify
from tests.e2e.conftest import python
from tests.memory_host import MemoryHost, host_of
from tests.scenarios import SCENARIOS

__all__ = ["python"]
PARTS = {"A": ("site-agent", "ssh-access"), "B": ("site-agent", "ssh-access"), "C": ("site-agent", "ssh-access")}
EVERY = {**PARTS, "D": ("site-agent",), "E": ("ssh-access",)}
REPORT = instance("report")


@pytest.fixture
def real(sandbox: Sandbox, python: Path) -> Host:
    """The real adapters on a sandbox with five small releases; web, inspection and time are the in-memory host's."""
    paths = Paths(sandbox.root)
    for release, components in EVERY.items():
        install_small_release(paths, release, python, components=components, settle=0)
    for name, number in (("pharos-agent", "61001"), ("pharos-ssh-access", "61002")):
        sandbox.run("groupadd", "--gid", number, name)
        sandbox.run("useradd", "--uid", number, "--gid", number, "--no-create-home", name)
    for path in (paths.etc / "site-agent.env", paths.etc / "ssh-access.env"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("SMALL=1\n")
    paths.secrets.mkdir()
    for name in ("site-agent-config.json", "ssh-access-site-token"):
        (paths.secrets / name).write_text("{}\n")
    rest = host_of(MemoryHost(releases={name: Release(name, (), {}) for name in EVERY}))
    return Host(RealFiles(paths), RealUnits(paths), rest.inspection, rest.web, RealPatience())


@pytest.fixture
def memory() -> Host:
    parts = {name: tuple(Component(each) for each in names) for name, names in EVERY.items()}
    return host_of(MemoryHost(releases={name: Release(name, each, _files(name)) for name, each in parts.items()}))


def _files(release: str) -> dict[str, bytes]:
    components = EVERY[release]
    names = [RECOVER] + [SITE_AGENT] * ("site-agent" in components) + [SSH_ACCESS] * ("ssh-access" in components)
    return {name: f"{name} of {release}".encode() for name in names}


@pytest.fixture(params=["memory", "real"])
def host(request: pytest.FixtureRequest) -> Host:
    found: Host = request.getfixturevalue(request.param)
    return found


def placed(host: Host, release: str) -> None:
    host.files.point("current", release)
    for component in EVERY[release]:
        host.files.expose(component)
    for name in host.files.release(release).unit_files:
        host.units.place(release, name)
    host.units.reload()


def state(host: Host, unit: str) -> Any:
    (found,) = host.units.states([unit])
    return found


def test_a_link_names_what_it_was_pointed_at_or_is_absent(host: Host) -> None:
    assert host.files.link("current") is None
    host.files.point("current", "A")
    host.files.point("current", "B")
    host.files.point("current", "B")
    assert host.files.link("current") == "B"
    host.files.point("current", None)
    host.files.point("current", None)
    assert host.files.link("current") is None


def test_a_component_is_exposed_until_it_is_hidden(host: Host) -> None:
    host.files.expose("site-agent")
    host.files.expose("site-agent")
    assert set(host.files.exposed()) == {"site-agent"}
    host.files.hide("site-agent")
    host.files.hide("site-agent")
    assert not host.files.exposed()


def test_the_record_is_what_was_committed_last(host: Host) -> None:
    assert host.files.record() is None
    first = Record("A", None, ("site-agent",), (REPORT,), True, "then", "operator", "1")
    second = Record("B", "A", (), (), False, "now", "öperator", "2")
    host.files.commit(first)
    host.files.commit(second)
    assert host.files.record() == second
    host.files.commit(None)
    host.files.commit(None)
    assert host.files.record() is None


def test_only_an_installed_release_is_one(host: Host) -> None:
    assert host.files.release("A").id == "A"
    assert set(host.files.release("E").unit_files) == {RECOVER, SSH_ACCESS}
    with pytest.raises(Refused):
        host.files.release("Z")


def test_a_settled_host_has_no_leftovers(host: Host) -> None:
    placed(host, "A")
    assert host.files.leftovers() == ()
    host.files.sweep()
    assert host.files.damage("A") == ()


def test_a_unit_file_stands_until_it_is_removed(host: Host) -> None:
    host.units.place("A", RECOVER)
    assert dict(host.units.on_disk()) == {RECOVER: host.files.release("A").unit_files[RECOVER]}
    host.units.place("B", RECOVER)
    assert dict(host.units.on_disk()) == {RECOVER: host.files.release("B").unit_files[RECOVER]}
    host.units.remove(RECOVER)
    host.units.remove(RECOVER)
    assert not host.units.on_disk()


def test_a_changed_unit_file_is_stale_until_systemd_has_loaded_it(host: Host) -> None:
    placed(host, "A")
    host.units.restart([SSH_ACCESS])
    host.units.place("B", SSH_ACCESS)
    assert state(host, SSH_ACCESS).stale
    host.units.reload()
    assert not state(host, SSH_ACCESS).stale


def test_a_unit_is_enabled_until_it_is_disabled(host: Host) -> None:
    placed(host, "A")
    assert not state(host, REPORT).enabled
    host.units.enable([REPORT, SSH_ACCESS])
    host.units.enable([REPORT])
    assert state(host, REPORT).enabled
    host.units.disable([REPORT])
    host.units.disable([REPORT])
    assert not state(host, REPORT).enabled
    assert state(host, SSH_ACCESS).enabled


def test_a_unit_without_a_file_cannot_be_enabled_or_started(host: Host) -> None:
    with pytest.raises(HostError):
        host.units.enable([SSH_ACCESS])
    with pytest.raises(HostError):
        host.units.restart([SSH_ACCESS])


def test_a_unit_without_a_file_can_be_asked_stopped_disabled_and_reset(host: Host) -> None:
    assert state(host, SSH_ACCESS).active == "inactive"
    host.units.stop([SSH_ACCESS])
    host.units.disable([SSH_ACCESS])
    host.units.reset_failed([SSH_ACCESS])


def test_a_restarted_unit_is_another_process_of_the_release_that_current_names(host: Host) -> None:
    placed(host, "A")
    host.units.restart([REPORT, SSH_ACCESS])
    first = state(host, REPORT)
    assert first.runs("A")
    host.files.point("current", "B")
    assert state(host, REPORT).runs("A"), "it keeps what it was started from"
    host.units.restart([REPORT, SSH_ACCESS])
    second = state(host, REPORT)
    assert second.runs("B")
    assert (second.invocation, second.pid) != (first.invocation, first.pid)


def test_a_stopped_unit_runs_from_nothing(host: Host) -> None:
    placed(host, "A")
    host.units.restart([REPORT])
    host.units.stop([REPORT])
    host.units.stop([REPORT])
    stopped = state(host, REPORT)
    assert (stopped.active, stopped.release, stopped.pid) == ("inactive", None, 0)


def test_the_journal_holds_what_this_invocation_wrote(host: Host) -> None:
    placed(host, "A")
    host.units.restart([REPORT])
    lines: tuple[str, ...] = ()
    while not any("Processing offering" in line for line in lines):  # written by another process, in its own time
        lines = host.units.journal(state(host, REPORT))
    assert len(lines) < 5


def told(seen: Observed, record: Record | None) -> dict[str, Any]:
    """What of an observation both hosts must agree on: names and releases, not bytes, pids and times."""
    return {
        "links": (seen.current, seen.previous),
        "exposed": seen.exposed,
        "files": sorted(seen.unit_files),
        "units": [(each.name, each.active, each.enabled, each.release, each.stale) for each in seen.units],
        "left": differences(record, seen),
    }


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_ends_alike_on_both_hosts(name: str, real: Host) -> None:
    scenario = SCENARIOS[name]
    model = scenario.make()
    for ask in (*scenario.past, scenario.ask):
        assert isinstance(Activation(real, verify(ask.request(), real)).run(), Recorded)
    scenario.ask.run(model)
    seen, expected = observe(real, real.files.record()), observe(host_of(model), model.committed)
    assert told(seen, real.files.record()) == told(expected, model.committed)
    assert {unit.name for unit in seen.units} == set(OURS)

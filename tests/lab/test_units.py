"""Units under a real systemd: what arrives in the agent's sandbox, and what it cannot do from within."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from fixtures.lab.small_site import LIBRARY, SmallSite
from fixtures.site import ACCOUNTS
from tests.lab.running import AGENTS
from tests.lab.waiting import until

Qualified = Callable[[int, str, str], None]
CODE = f"sys.path.insert(0, {LIBRARY!r}); from fixtures.lab import attempts; attempts.main()"
ACCOUNT = {unit: "pharos-ssh-access" if "ssh" in unit else "pharos-agent" for unit in AGENTS}


CONTAINER = {"write /proc/sys"}  # what the machine, being a container, refuses even to root


def told(site: SmallSite, unit: str) -> dict[str, Any]:
    """Return what the agent of a unit told of its attempts."""
    lines = until(lambda: site.machine.run("journalctl", "-u", unit, "-o", "cat", "--grep", '"attempts"').stdout)
    answer: dict[str, Any] = json.loads(lines.splitlines()[-1])["told"]
    return answer


def assert_confined(unit: str, found: dict[str, Any]) -> None:
    done = [name for name, error in found["attempts"].items() if not error]
    assert done == [], f"{unit} could: {done}"
    capabilities = [found["status"][name] for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb")]
    assert {int(each, 16) for each in capabilities} == {0}
    assert (found["status"]["NoNewPrivs"], found["status"]["Seccomp"]) == ("1", "2")
    number = ACCOUNTS[ACCOUNT[unit]]
    assert found["identity"] in ([number, number, [number]], [number, number, []])


def assert_equipped(unit: str, found: dict[str, Any]) -> None:
    assert found["environment"]["SSL_CERT_FILE"].startswith("/etc/pharos-hpc/")
    assert {"PYTHONPATH", "HTTP_PROXY", "SSL_CERT_DIR"} & set(found["environment"]) == set()
    (credential,) = found["credentials"].items()
    assert credential[0] == ("ssh-access-site-token" if "ssh" in unit else "site-agent-config.json")
    assert credential[1] > 10


def test_an_agent_cannot_leave_its_sandbox_and_finds_what_it_needs(site: SmallSite, qualified: Qualified) -> None:
    site.install_small("trying", "trying", 2, CODE, "")
    site.activate("trying")
    found = {unit: told(site, unit) for unit in AGENTS}
    for unit in AGENTS:
        assert_confined(unit, found[unit])
        assert_equipped(unit, found[unit])
    tried = sum(len(each["attempts"]) for each in found.values())
    qualified(4, "attempts from within the agents' sandboxes", f"{tried} refused of {tried}")
    qualified(4, "credential and environment file arrive", f"in {len(AGENTS)} of {len(AGENTS)} units")


def test_the_same_attempts_succeed_without_the_sandbox(site: SmallSite, qualified: Qualified) -> None:
    """So that a refusal above is the sandbox's doing, as far as a container can tell."""
    command = ("systemd-run", "--pipe", "--wait", "--quiet", site.outside.python, "-c", f"import sys; {CODE}")
    found = json.loads(site.machine.check(*command).splitlines()[-1])["told"]["attempts"]
    refused = sorted(name for name, error in found.items() if error)
    qualified(
        4, "the same attempts as root without the sandbox", f"{len(found) - len(refused)} of {len(found)} succeed"
    )
    assert set(refused) <= CONTAINER, {name: found[name] for name in refused}


def test_unit_files_are_clean(site: SmallSite, qualified: Qualified) -> None:
    done = site.machine.run(
        "systemd-analyze verify /etc/systemd/system/*pharos* /etc/systemd/system/waldur-site-agent@.service"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    qualified(4, "systemd-analyze verify", "nothing found")


@pytest.mark.parametrize("unit", AGENTS)
def test_exposure_is_below_two(site: SmallSite, qualified: Qualified, unit: str) -> None:
    line = site.machine.check("systemd-analyze", "security", "--no-pager", unit).strip().splitlines()[-1]
    level = float(line.split(":")[1].split()[0])
    assert level < 2.0
    qualified(4, f"systemd-analyze security {unit}", str(level))

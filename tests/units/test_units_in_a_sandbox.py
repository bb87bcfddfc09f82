"""The final unit files at work: started as they are, in a sandbox, with a stand-in of each agent's program."""

import json
import os
import shutil
from pathlib import Path

import pytest

from fixtures.sandbox import Sandbox

UNITS = Path(__file__).parents[2] / "units"
ACCOUNTS = {"pharos-agent": "70011", "pharos-ssh-access": "70012"}
CONFIG = '{"secret": "inline"}'
SITE_AGENT = """#!/bin/sh
echo "arguments $1 $2 $3"
echo "config $(cat "$4")"
touch "$WALDUR_SITE_AGENT_HEARTBEAT_PATH" "$STATE_DIRECTORY/$2"
env
echo end
exec sleep 1000
"""
SSH_ACCESS = """#!/bin/sh
echo "token $(cat "$CREDENTIALS_DIRECTORY/ssh-access-site-token")"
env
echo end
exec sleep 1000
"""
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: the agents run as their own accounts")


@pytest.fixture
def site(sandbox: Sandbox) -> Sandbox:
    for name, number in ACCOUNTS.items():
        sandbox.run("groupadd", "--gid", number, name)
        sandbox.run("useradd", "--uid", number, "--gid", number, "--no-create-home", name)
    write(sandbox.path("/opt/pharos-hpc/site-agent/bin/waldur_site_agent"), SITE_AGENT, 0o755)
    write(sandbox.path("/opt/pharos-hpc/ssh-access/bin/pharos-ssh-access-agent"), SSH_ACCESS, 0o755)
    write(sandbox.path("/etc/pharos-hpc/secrets/site-agent-config.json"), CONFIG, 0o400)
    write(sandbox.path("/etc/pharos-hpc/secrets/ssh-access-site-token"), "psb_token", 0o640)
    sandbox.path("/etc/pharos-hpc/secrets").chmod(0o700)
    write(sandbox.path("/etc/pharos-hpc/site-agent.env"), "SSL_CERT_FILE=/ca.crt\n", 0o644)
    write(sandbox.path("/etc/pharos-hpc/ssh-access.env"), "HTTPS_PROXY=http://proxy.site:3128\n", 0o644)
    for unit in UNITS.glob("*.service"):
        shutil.copy(unit, sandbox.path("/etc/systemd/system"))
    return sandbox


def write(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def said(site: Sandbox, unit: str) -> list[str]:
    while "end" not in (lines := site.run("journalctl", "-u", unit, "-o", "cat").stdout.splitlines()):
        assert site.systemctl("is-active", unit).returncode == 0, lines
    return lines


def test_each_mode_runs_with_the_private_configuration_and_a_heartbeat_of_its_own(site: Sandbox) -> None:
    modes = ("order_process", "membership_sync", "report")
    units = [f"waldur-site-agent@{mode}.service" for mode in modes]
    assert site.systemctl("start", *units).returncode == 0
    for mode, unit in zip(modes, units, strict=True):
        lines = said(site, unit)
        assert f"arguments -m {mode} -c" in lines
        assert f"config {CONFIG}" in lines
        assert site.path(f"/run/waldur-site-agent/{mode}/heartbeat").stat().st_uid == 70011
        assert site.path(f"/var/lib/waldur-site-agent/{mode}").stat().st_mode & 0o777 == 0o600


def test_no_secret_is_in_an_agents_environment(site: Sandbox) -> None:
    units = ["waldur-site-agent@report.service", "pharos-ssh-access-agent.service"]
    site.systemctl("start", *units)
    for unit in units:
        pid = site.systemctl("show", "-p", "MainPID", "--value", unit).stdout.strip()
        said(site, unit)
        environment = Path(f"/proc/{pid}/environ").read_text()
        assert json.loads(CONFIG)["secret"] not in environment
        assert "psb_token" not in environment


def test_the_sites_proxy_reaches_an_agent_only_where_there_is_one(site: Sandbox) -> None:
    units = ["waldur-site-agent@report.service", "pharos-ssh-access-agent.service"]
    site.systemctl("start", *units)
    assert "HTTPS_PROXY=" in said(site, units[0])
    assert "SSL_CERT_FILE=/ca.crt" in said(site, units[0])
    assert {"HTTPS_PROXY=http://proxy.site:3128", "token psb_token"} <= set(said(site, units[1]))


def test_an_agent_whose_settings_are_missing_does_not_start(site: Sandbox) -> None:
    site.path("/etc/pharos-hpc/ssh-access.env").unlink()
    unit = "pharos-ssh-access-agent.service"
    assert site.systemctl("start", unit).returncode == 1
    assert "Result=resources" in site.systemctl("show", "-p", "Result", unit).stdout

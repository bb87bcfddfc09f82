"""The final unit files under systemd itself, with every hardening directive in force, in a throwaway machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import machine
from fixtures.machine import Machine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(machine.missing()), reason=f"no machine can be booted here: {machine.missing()}"),
]
REPOSITORY = Path(__file__).parents[2]
AGENTS = [*(f"waldur-site-agent@{mode}.service" for mode in ("order_process", "membership_sync", "report"))]
AGENTS.append("pharos-ssh-access-agent.service")
SETUP = """
for account in pharos-agent:70011 pharos-ssh-access:70012; do
    groupadd --gid ${account#*:} ${account%:*}
    useradd --uid ${account#*:} --gid ${account#*:} --no-create-home --shell /bin/false ${account%:*} 2>/dev/null
done
release=/opt/pharos-hpc/releases/one; secrets=/etc/pharos-hpc/secrets
mkdir -p $release/site-agent/bin $release/ssh-access/bin $secrets
ln -s releases/one /opt/pharos-hpc/current
for component in site-agent ssh-access; do
    ln -s current/$component /opt/pharos-hpc/$component
    echo SSL_CERT_FILE=/ca.crt >/etc/pharos-hpc/$component.env
done
cat >$release/site-agent/bin/waldur_site_agent <<"END"
#!/bin/sh
echo "id $(id)"
[ $# = 0 ] || echo "config $(cat "$4")"
echo "credentials $(ls "$CREDENTIALS_DIRECTORY")"
[ -z "$WALDUR_SITE_AGENT_HEARTBEAT_PATH" ] || touch "$WALDUR_SITE_AGENT_HEARTBEAT_PATH" "$STATE_DIRECTORY/kept"
touch /tmp/mine && echo "temp own"
touch /opt/pharos-hpc/x /etc/x /var/lib/x /var/lib/pharos-hpc/x 2>/dev/null && echo "wrote outside"
cat /etc/pharos-hpc/secrets/site-agent-config.json 2>/dev/null && echo "read the original"
chown 0 /tmp/mine 2>/dev/null && echo "changed an owner"
unshare --user true 2>/dev/null && echo "made a namespace"
echo "proxies:$HTTPS_PROXY$ALL_PROXY$PYTHONPATH"
echo end
exec sleep 1000
END
cp $release/site-agent/bin/waldur_site_agent $release/ssh-access/bin/pharos-ssh-access-agent
cat >$release/pharos-hpc <<"END"
#!/bin/sh
[ "$1" = --version ] && exit 0
echo "$* $(systemctl is-active pharos-ssh-access-agent.service)"
systemctl restart --no-block pharos-ssh-access-agent.service
systemctl daemon-reload
END
chmod 755 $release/*/bin/* $release/pharos-hpc
echo site-configuration >$secrets/site-agent-config.json; echo token >$secrets/ssh-access-site-token
chmod 400 $secrets/*; chmod 700 $secrets
systemctl set-environment ALL_PROXY=evil HTTPS_PROXY=evil PYTHONPATH=/evil
systemctl daemon-reload
"""


@pytest.fixture(scope="module")
def login_node() -> Iterator[Machine]:
    with machine.booted() as booted:
        copied = booted.run("sh", "-c", 'cp "$@" /etc/systemd/system', "sh", *map(str, REPOSITORY.glob("units/*")))
        prepared = booted.run("sh", "-euc", SETUP)
        assert (copied.returncode, prepared.returncode) == (0, 0), prepared.stderr
        yield booted


def systemctl(node: Machine, *words: str) -> str:
    done = node.run("systemctl", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def said(node: Machine, unit: str) -> list[str]:
    invocation = systemctl(node, "show", "-p", "InvocationID", "--value", unit).strip()
    read = 'while :; do journalctl -o cat "$@" | grep -qx end && break; sleep 0.05; done; journalctl -o cat "$@"'
    match = f"_SYSTEMD_INVOCATION_ID={invocation}"
    return node.run("timeout", "20", "sh", "-c", read, "sh", "-u", unit, match).stdout.splitlines()


def test_verification_is_clean_once_the_release_stands(login_node: Machine) -> None:
    units = [f"/etc/systemd/system/{path.name}" for path in REPOSITORY.glob("units/*.service")]
    done = login_node.run("systemd-analyze", "verify", *units)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("unit", AGENTS)
def test_an_agent_can_do_its_work_and_nothing_else(login_node: Machine, unit: str) -> None:
    systemctl(login_node, "restart", unit)
    lines = said(login_node, unit)
    account, number = ("pharos-agent", 70011) if "site" in unit else ("pharos-ssh-access", 70012)
    identity = f"id uid={number}({account}) gid={number}({account}) groups={number}({account})"
    credential = "site-agent-config.json" if "site" in unit else "ssh-access-site-token"
    own = ["config site-configuration"] if "site" in unit else []
    assert lines == [identity, *own, f"credentials {credential}", "temp own", "proxies:", "end"]


def test_stopping_one_mode_leaves_the_others_their_heartbeat(login_node: Machine) -> None:
    systemctl(login_node, "restart", *AGENTS)
    for unit in AGENTS:
        said(login_node, unit)
    systemctl(login_node, "stop", AGENTS[0])
    found = login_node.run("sh", "-c", "cd /run/waldur-site-agent; echo */heartbeat").stdout
    assert found == "membership_sync/heartbeat report/heartbeat\n"


def test_recovery_before_the_agents_does_not_wait_for_what_waits_for_it(login_node: Machine) -> None:
    systemctl(login_node, "stop", *AGENTS)
    done = login_node.run("timeout", "60", "systemctl", "start", "pharos-hpc-recover.service", AGENTS[-1])
    assert done.returncode in {0, 1}, "1: the start was replaced by recovery's own restart"
    assert login_node.run("journalctl", "-o", "cat", "-t", "sh").stdout == "recover --boot inactive\n"
    waiting = "until systemctl -q is-active pharos-ssh-access-agent.service; do sleep 0.05; done"
    assert login_node.run("timeout", "20", "sh", "-c", waiting).returncode == 0

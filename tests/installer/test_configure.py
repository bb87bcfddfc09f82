"""`configure` as an operator runs it: on a host with a release, against a Waldur over real TLS."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.sandbox import Sandbox
from installer import exits
from installer.components import Access, reconcile
from installer.configure import targets
from installer.host import handover
from installer.host.commit import is_configured
from states.errors import PharosError
from tests.events import parsed
from tests.installer.configuring import FAILING, LOADER, RELEASE, Ready, ready

ROOT = os.geteuid() == 0
COMPONENTS = "/api/marketplace-provider-offerings/"
REAL = os.environ.get("PHAROS_TEST_SITE_AGENT", "")
ENTRY_POINT = "from waldur_site_agent.common.utils import load_offering_components as load\nload()\n"


@pytest.fixture
def host(sandbox: Sandbox, tmp_path: Path, python: Path) -> Iterator[Ready]:
    with ready(sandbox, tmp_path, python) as made:
        yield made
        assert not handover.place(made.paths).exists(), "secrets handed over are always taken back"


def configured(host: Ready, *words: str, code: int = exits.DONE) -> dict[str, Any]:
    """Configure, and return the last event; no secret was told to anybody."""
    done = host.run("configure", *words)
    told = done.stdout + done.stderr + host.paths.step_log.read_text()
    assert done.returncode == code, told
    assert [secret for secret in host.secrets if secret in told] == []
    return parsed(done.stdout.splitlines())[-1]


def test_every_file_gets_its_bytes_mode_and_owner(host: Ready) -> None:
    configured(host, str(host.tokens))
    tree = host.tree()
    public, secret = {0o644: (0, 0)}, {0o400: (0, 0)}
    for name in ("site-agent.env", "ssh-access.env", "site-agent-ca.crt", "site-api-ca.crt", "configured"):
        assert tree[name][0] in public, name
    for name in ("site-agent-token", "site-agent-ldap-password", "site-agent-config.json"):
        assert tree[f"secrets/{name}"][0] in secret, name
    assert tree["secrets/ssh-access-site-token"][0] == 0o640
    assert tree["secrets"][0] == 0o700
    if ROOT:
        assert tree["secrets/ssh-access-site-token"][1:3] == (0, 61002)
        assert {entry[1:3] for name, entry in tree.items() if "ssh-access-site-token" not in name} == {(0, 0)}
    for path in host.tokens.iterdir():
        assert tree[f"secrets/{path.name}"][3] == path.read_bytes()
    assert tree["site-api-ca.crt"][3] == host.central.site_api_ca_file.read_bytes()
    assert is_configured(host.paths) == ()


def test_the_component_is_made_and_read_back_as_the_service_identity(host: Ready) -> None:
    configured(host, str(host.tokens))
    (node,) = host.central.components()
    assert (node["type"], node["billing_type"], node["measured_unit"]) == ("node", "limit", "node-hours")
    assert (node["limit_period"], node["limit_amount"]) == ("total", None)
    asked = [row for row in host.central.requests("waldur") if row["method"] == "GET"]
    assert all("field=" in row["query"] for row in asked)


def test_the_loader_has_a_private_copy_and_a_clean_environment(host: Ready) -> None:
    host.loader(LOADER + "\nsys.exit(1)\n")
    failed = configured(host, str(host.tokens), code=exits.REFUSED)
    (line,) = [line for line in failed["error"]["tail"] if '"as"' in line]
    assert '"mode": "0o400"' in line
    assert '"directory": "0o700"' in line
    assert '["HOME", "LC_ALL", "PATH", "SSL_CERT_FILE", "TZ"]' in line
    if ROOT:
        assert '"uid": 61001' in line


def test_a_second_run_changes_nothing(host: Ready) -> None:
    configured(host, str(host.tokens))
    before = host.tree()
    assert "nothing had to be changed" in configured(host)["message"]
    assert host.tree() == before
    assert len(host.central.components()) == 1


def test_a_changed_token_is_one_run(host: Ready) -> None:
    configured(host, str(host.tokens))
    told = configured(host, str(host.tokens_of("staff")))["message"]
    assert "secrets/site-agent-token" in told
    assert "secrets/site-agent-config.json" in told
    assert "ssh-access" not in told
    assert host.tree()["secrets/site-agent-token"][3] == host.central.tokens["staff"].encode()


@pytest.mark.parametrize(
    ("user", "words"),
    [("expired", "status 401"), ("unprivileged", "status 404"), ("offering_manager_only", "component 'node'")],
)
def test_a_refused_token_leaves_the_working_configuration_in_place(host: Ready, user: str, words: str) -> None:
    configured(host, str(host.tokens))
    before = host.tree()
    host.central.hold("OFFERING.MANAGER", "OFFERING.UPDATE_COMPONENTS", held=False)
    host.central.world.offering["components"].clear()
    failed = configured(host, str(host.tokens_of(user)), code=exits.REFUSED)
    assert words in failed["message"]
    assert host.tree() == before


def test_what_the_agent_said_of_a_refusal_is_told_without_its_secrets(host: Ready) -> None:
    host.central.hold("CUSTOMER.OWNER", "OFFERING.UPDATE_COMPONENTS", held=False)
    failed = configured(host, str(host.tokens), code=exits.REFUSED)
    assert "it does not exist" in failed["message"]
    tail = "\n".join(failed["error"]["tail"])
    assert "HTTP Error 403" in tail
    assert "(a line that may hold a secret is not shown)" in tail


@pytest.mark.parametrize("status", [500, 502])
def test_a_waldur_that_fails_is_said_to_fail(host: Ready, status: int) -> None:
    host.central.fail_with_page("waldur", COMPONENTS, status)
    failed = configured(host, str(host.tokens), code=exits.REFUSED)
    assert f"status {status}" in failed["message"]
    assert failed["hint"] == "ask Waldur's operators"
    assert not host.paths.secrets.exists()


def test_a_redirect_is_never_followed(host: Ready) -> None:
    host.central.redirect("waldur", COMPONENTS, f"{host.central.site_api_url}/login", 301)
    assert "redirects to" in configured(host, str(host.tokens), code=exits.REFUSED)["message"]
    assert host.central.requests("site-api") == []


def test_a_sign_in_page_is_no_api(host: Ready) -> None:
    host.central.answer_html("waldur", COMPONENTS)
    assert "a page, not with JSON" in configured(host, str(host.tokens), code=exits.REFUSED)["message"]


@pytest.mark.parametrize("certificate", ["expired", "wrong-host", "foreign-ca", "self-signed"])
def test_a_server_that_the_configured_authority_does_not_vouch_for_gets_no_token(host: Ready, certificate: str) -> None:
    host.central.present("waldur", certificate)
    assert "cannot reach" in configured(host, str(host.tokens), code=exits.REFUSED)["message"]
    assert host.central.requests("waldur") == []


def test_missing_inputs_are_all_told_before_anything_is_asked_or_changed(host: Ready) -> None:
    (host.tokens / "site-agent-token").unlink()
    (host.tokens / "site-api-ca.crt").unlink()
    failed = configured(host, str(host.tokens), code=exits.REFUSED)
    assert len(failed["error"]["faults"]) == 2
    assert host.central.requests() == []
    assert set(host.tree()) == {"site.env"}


def test_without_a_directory_nor_adopted_inputs_it_is_refused(host: Ready) -> None:
    assert "secrets" in configured(host, code=exits.REFUSED)["message"]


def test_a_loader_that_fails_after_its_work_is_a_failure(host: Ready) -> None:
    host.loader(FAILING)
    assert "ended with 1" in configured(host, str(host.tokens), code=exits.REFUSED)["message"]
    assert not host.paths.secrets.exists()


def test_a_site_of_ssh_access_alone_needs_no_waldur(host: Ready) -> None:
    host.write_site_env(ACTIVATION_COMPONENTS="ssh-access")
    for name in ("site-agent-token", "site-agent-ldap-password", "site-agent-ca.crt"):
        (host.tokens / name).unlink()
    configured(host, str(host.tokens))
    assert host.central.requests() == []
    assert "secrets/site-agent-config.json" not in host.tree()


def test_a_release_that_is_not_installed_is_refused(host: Ready) -> None:
    (host.paths.release(RELEASE) / "SHA256SUMS").unlink()
    assert "is not installed" in configured(host, str(host.tokens), code=exits.REFUSED)["message"]


def test_a_plan_names_what_would_be_written_and_changes_nothing(host: Ready) -> None:
    done = host.run("configure", "--plan", str(host.tokens))
    assert done.returncode == exits.DONE
    assert f"new       0400 {host.paths.secrets}/site-agent-token" in done.stdout
    assert (set(host.tree()), host.central.requests()) == ({"site.env"}, [])
    configured(host, str(host.tokens))
    planned = host.run("configure", "--plan", str(host.tokens_of("staff"))).stdout
    assert f"replaced  0400 {host.paths.secrets}/site-agent-token\n" in planned
    assert f"unchanged 0640 {host.paths.secrets}/ssh-access-site-token\n" in planned
    assert [secret for secret in host.secrets if secret in done.stdout + planned] == []


def test_what_a_killed_run_handed_over_is_cleared_by_the_next(host: Ready) -> None:
    left = handover.place(host.paths)
    left.mkdir(parents=True)
    (left / "config.json").write_text("{}")
    configured(host, str(host.tokens))


@pytest.mark.parametrize("name", ["site-agent.env", "configured", "secrets/site-agent-token", "site-api-ca.crt"])
def test_a_directory_in_the_place_of_a_file_is_refused_before_anything_is_asked(host: Ready, name: str) -> None:
    (host.paths.etc / name / "mine").mkdir(parents=True)
    refused = configured(host, str(host.tokens), code=exits.REFUSED)
    assert f"'{host.paths.etc / name}' is a directory" in refused["message"]
    assert host.central.requests() == []
    assert (host.paths.etc / name / "mine").is_dir()


def test_a_file_in_the_place_of_the_secrets_directory_is_refused(host: Ready) -> None:
    host.paths.secrets.write_text("")
    refused = configured(host, str(host.tokens), code=exits.REFUSED)
    assert f"'{host.paths.secrets}' is no directory" in refused["message"]


def test_every_file_that_is_written_is_one_that_check_looks_at(host: Ready) -> None:
    configured(host, str(host.tokens))
    written = {path for path in host.paths.etc.rglob("*") if path.is_file() and path != host.paths.site_env}
    assert written == set(targets(host.paths))


@pytest.mark.parametrize("words", [("prune", "--keep", "0"), ("recover",)])
def test_what_was_decided_and_cannot_be_put_into_place_strands_until_it_can(
    host: Ready, words: tuple[str, ...]
) -> None:
    target = host.paths.etc / "site-agent.env"
    (host.paths.etc / ".committed").mkdir()
    (host.paths.etc / ".committed/site-agent.env").write_text("decided")
    (target / "mine").mkdir(parents=True)
    done = host.run(*words)
    assert done.returncode == exits.STRANDED
    assert f"cannot finish what a stopped 'configure' left: '{target}'" in done.stdout
    (target / "mine").rmdir()
    target.rmdir()
    assert host.run("recover").returncode == exits.DONE
    assert target.read_text() == "decided"


@pytest.mark.parametrize("place", ["etc/pharos-hpc/.staged", "etc/pharos-hpc/.committed", "run/pharos-hpc/handover"])
@pytest.mark.parametrize("kind", ["file", "link", "dangling"])
def test_anything_with_the_name_of_a_leftover_is_removed_and_nothing_behind_it(
    host: Ready, tmp_path: Path, place: str, kind: str
) -> None:
    left, kept = host.paths.root / place, tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    left.parent.mkdir(parents=True, exist_ok=True)
    if kind == "file":
        left.touch()
    else:
        left.symlink_to(kept if kind == "link" else "nowhere")
    configured(host, str(host.tokens))
    assert not os.path.lexists(left)
    assert (kept / "file").exists()


def test_nothing_shows_a_secret_by_itself(host: Ready) -> None:
    token = host.central.tokens["owner"]
    access = Access(token, token.encode(), b"", (token,))
    assert token not in repr(access)
    with pytest.raises(PharosError) as caught:
        reconcile(host.paths, host.site, RELEASE, access)
    assert token not in repr(caught.value) + repr(caught.value.facts)


@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="PHAROS_TEST_SITE_AGENT is not set")
def test_the_real_agent_makes_the_component(host: Ready) -> None:
    """By its modules: the interpreter of a virtual environment in a test may be closed to service accounts."""
    (packages,) = Path(REAL).glob("lib/python3.*/site-packages")
    host.loader(f"import sys\nsys.path.append({str(packages)!r})\n{ENTRY_POINT}")
    configured(host, str(host.tokens))
    (node,) = host.central.components()
    assert (node["type"], node["billing_type"], node["limit_amount"]) == ("node", "limit", None)
    host.central.hold("CUSTOMER.OWNER", "OFFERING.UPDATE_COMPONENTS", held=False)
    node["limit_period"] = "month"
    failed = configured(host, code=exits.REFUSED)
    assert "limit_period is 'month', required is 'total'" in failed["message"]
    assert "Unable to create or update a component" in "\n".join(failed["error"]["tail"])

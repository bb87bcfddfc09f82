"""The agent's configuration: nothing left to upstream's defaults that would hurt, no secret where it could leak."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from installer.agent_config import agent_config
from installer.env_files import env_files
from installer.paths import Paths
from installer.site_env import SiteEnv, read_site_env
from tests.installer.site_values import SITE, sites, with_value

TOKEN, PASSWORD = "0123456789012345678901234567890123456789", "pä$$ 😀 \\\"'#{}"
VENV = os.environ.get("PHAROS_TEST_SITE_AGENT", "")
SHOWN = 60  # characters of each end of a refused mapping that pydantic shows, and some


def site(key: str = "SITE_NAME", value: str = "icarus") -> SiteEnv:
    return read_site_env(with_value(SITE, key, value), "site.env")


def rendered(values: SiteEnv) -> dict[str, Any]:
    found = json.loads(agent_config(values, TOKEN, PASSWORD))
    assert isinstance(found, dict)
    return found


def mappings(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from mappings(part)


@given(sites(), st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=8))
def test_no_secret_stands_at_an_end_of_its_mapping(values: SiteEnv, password: str) -> None:
    data = json.loads(agent_config(values, TOKEN, password))
    (offering,) = data["offerings"]
    assert (offering["waldur_api_token"], offering["backend_settings"]["ldap"]["bind_password"]) == (TOKEN, password)
    for part in mappings(data):
        keys, text = list(part), repr(part)
        secret = [key for key in keys if TOKEN in repr(part[key]) or key in {"bind_password", "ldap"}]
        assert not {keys[0], keys[-1]} & set(secret)
        assert TOKEN[:4] not in text[:SHOWN] or TOKEN not in text
        assert "bind_password" not in text[:SHOWN] + text[-SHOWN:]


def test_what_upstream_would_choose_badly_is_chosen() -> None:
    data = rendered(site())
    (offering,) = data["offerings"]
    slurm, ldap = offering["backend_settings"], offering["backend_settings"]["ldap"]
    assert data["expose_backend_error_details"] is False
    assert offering["verify_ssl"] is True
    assert offering["preserve_unmanaged_backend_users"] is True
    assert offering["stomp_enabled"] is False
    assert slurm["enable_user_homedir_account_creation"] is False
    assert ldap["user_group_object_classes"] == ldap["project_group_object_classes"] == ["posixGroup", "top"]
    (node,) = offering["backend_components"].items()
    assert node == (
        "node",
        {
            "label": "Node",
            "measured_unit": "node-hours",
            "accounting_type": "limit",
            "unit_factor": 60,
            "limit_period": "total",
        },
    )


def test_only_the_projects_range_is_written() -> None:
    text = agent_config(site(), TOKEN, PASSWORD).decode()
    ldap = rendered(site())["offerings"][0]["backend_settings"]["ldap"]
    assert (ldap["gid_range_start"], ldap["gid_range_end"]) == (5550000, 5599999)
    for number in ("5000000", "5499999", "5500000", "5549999"):
        assert number not in text


def test_members_are_not_tied_to_one_partition() -> None:
    assert "default_partition" not in rendered(site())["offerings"][0]["backend_settings"]


def test_a_proxy_is_told_to_the_agent_and_to_nobody_without_one() -> None:
    assert "global_proxy" not in rendered(site())
    proxied = site("OUTBOUND_PROXY_URL", "http://proxy.example.org:3128")
    assert rendered(proxied)["global_proxy"] == "http://proxy.example.org:3128"
    for data in env_files(proxied, Paths(Path("/"))).values():
        assert b"HTTPS_PROXY=http://proxy.example.org:3128\n" in data
    for data in env_files(site(), Paths(Path("/"))).values():
        assert b"PROXY" not in data


def test_the_environment_files_say_where_the_published_authorities_are() -> None:
    files = env_files(site(), Paths(Path("/tmp/x")))
    assert b"\nSSL_CERT_FILE=/tmp/x/etc/pharos-hpc/site-agent-ca.crt\n" in files["site-agent.env"]
    assert files["ssh-access.env"].decode().splitlines()[1:] == [
        "SITE_API_URL=https://site.example.org",
        "SSL_CERT_FILE=/tmp/x/etc/pharos-hpc/site-api-ca.crt",
        "LDAP_URI=ldapi:///",
        "LDAP_BASE_DN=ou=pharos,dc=example,dc=org",
    ]


def test_a_name_with_a_backslash_survives_the_service_manager() -> None:
    values = site("NATIVE_LDAP_BASE_DN", r"ou=a\,b c,dc=example")
    assert rb'LDAP_BASE_DN="ou=a\\,b c,dc=example"' in env_files(values, Paths(Path("/")))["ssh-access.env"]


@pytest.mark.slow
@pytest.mark.skipif(not VENV, reason="PHAROS_TEST_SITE_AGENT is not set")
@pytest.mark.parametrize("missing", ["", "root_account", "waldur_offering_uuid", "customer_prefix", "backend_type"])
def test_the_real_agent_reads_it_and_never_shows_a_secret(tmp_path: Path, missing: str) -> None:
    data = rendered(site())
    (offering,) = data["offerings"]
    for part in (offering, offering["backend_settings"]):
        part.pop(missing, None)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(data, ensure_ascii=False))
    code = (
        "import sys; from waldur_site_agent.common.utils import load_configuration as load;"
        "found = load(sys.argv[1]).waldur_offerings[0];"
        "print(ascii((found.backend_settings['ldap']['bind_password'], found.api_token)))"
    )
    done = subprocess.run(
        [f"{VENV}/bin/python", "-c", code, str(path)], capture_output=True, text=True, check=False, timeout=120, env={}
    )
    if missing:
        assert TOKEN[:8] not in done.stderr
        assert PASSWORD[:4] not in done.stderr
    else:
        assert done.stdout.strip().endswith(ascii((PASSWORD, TOKEN))), done.stderr

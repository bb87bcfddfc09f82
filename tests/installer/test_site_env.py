"""site.env: every rule of every key, the rules between keys, and the texts made from the class."""

from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from installer.manifest import read_manifest
from installer.rules import Fault, IdRange, Rule, rule_of
from installer.site_env import (
    CLASHES,
    FIELDS,
    KEYS,
    REQUIRED,
    BadSiteEnv,
    SiteEnv,
    check_against_manifest,
    read_site_env,
)
from installer.site_env_text import example, reference, render
from installer.structure import converter, fields_of
from states.errors import Refused
from tests.installer.site_values import MANIFEST, SITE, line_of, sites, with_value, without

URL_KEYS = (
    "PYTHON_INDEX_URL",
    "CENTRAL_WALDUR_API_URL",
    "CENTRAL_SITE_API_URL",
    "OUTBOUND_PROXY_URL",
    "NATIVE_SLURMRESTD_URL",
    "NATIVE_SITE_AGENT_LDAP_URI",
)
ENDING = {"CENTRAL_WALDUR_API_URL": "/api/"}
SCHEME = {"NATIVE_SITE_AGENT_LDAP_URI": "ldap"}

REFUSED: dict[str, tuple[str, str, str]] = {
    "a_site_name_with_a_dot": ("SITE_NAME", "a.b", "cannot use 'a.b'"),
    "a_site_name_of_other_letters": ("SITE_NAME", "\u0456carus", "cannot use '\u0456carus'"),
    "a_site_name_that_begins_with_a_hyphen": ("SITE_NAME", "-a", "cannot use '-a'"),
    "a_site_name_too_long": ("SITE_NAME", "a" * 64, f"cannot use '{'a' * 48}...'"),
    "components_with_two_blanks": (
        "ACTIVATION_COMPONENTS",
        "site-agent  ssh-access",
        "has more than one blank between words",
    ),
    "components_with_commas": ("ACTIVATION_COMPONENTS", "site-agent,ssh-access", "cannot use 'site-agent,ssh-access'"),
    "a_component_twice": ("ACTIVATION_COMPONENTS", "site-agent site-agent", "names something twice"),
    "a_relative_python": ("HOST_PYTHON", "python3.13", "is not an absolute path"),
    "a_python_with_dots": ("HOST_PYTHON", "/opt/../usr/bin/python3.13", "is not normalised"),
    "a_python_with_two_slashes": ("HOST_PYTHON", "/opt//python", "is not normalised"),
    "a_python_with_a_blank": ("HOST_PYTHON", "/opt/my python", "holds a character that paths here may not have"),
    "a_python_too_long": ("HOST_PYTHON", "/" + "a" * 1024, "has 1025 characters"),
    "a_directory_with_a_slash_at_the_end": ("NATIVE_SLURM_BIN_DIR", "/usr/bin/", "is not normalised"),
    "the_root_as_directory": ("NATIVE_SLURM_BIN_DIR", "/", "is not normalised"),
    "a_relative_directory": ("NATIVE_SLURM_BIN_DIR", "bin", "is not an absolute path"),
    "a_plaintext_index": ("PYTHON_INDEX_URL", "http://packages.example.org/", "is not an https:// URL"),
    "a_plaintext_waldur": ("CENTRAL_WALDUR_API_URL", "http://waldur.example.org/api/", "is not an https:// URL"),
    "a_waldur_without_api": ("CENTRAL_WALDUR_API_URL", "https://waldur.example.org/", "does not end in '/api/'"),
    "a_waldur_without_the_last_slash": (
        "CENTRAL_WALDUR_API_URL",
        "https://w.example.org/api",
        "does not end in '/api/'",
    ),
    "a_waldur_that_only_looks_like_api": (
        "CENTRAL_WALDUR_API_URL",
        "https://w.example.org/myapi/",
        "does not end in '/api/'",
    ),
    "a_plaintext_site_api": ("CENTRAL_SITE_API_URL", "http://site.example.org", "is not an https:// URL"),
    "a_site_api_with_a_slash": ("CENTRAL_SITE_API_URL", "https://site.example.org/", "has a path"),
    "a_site_api_with_a_path": ("CENTRAL_SITE_API_URL", "https://site.example.org/v1/site", "has a path"),
    "a_proxy_of_another_kind": (
        "OUTBOUND_PROXY_URL",
        "socks5://proxy.example.org:1080",
        "is not an http:// URL or an https:// URL",
    ),
    "a_proxy_with_a_path": ("OUTBOUND_PROXY_URL", "http://proxy.example.org:3128/", "has a path"),
    "an_archive_trust_of_another_word": ("ARCHIVE_TRUST", "none", "cannot use 'none'"),
    "a_uuid_with_hyphens": ("CENTRAL_OFFERING_UUID", "01234567-89ab-cdef-0123-456789abcdef", "cannot use"),
    "a_uuid_in_capitals": ("CENTRAL_OFFERING_UUID", "0123456789ABCDEF0123456789ABCDEF", "cannot use"),
    "a_uuid_too_short": ("CENTRAL_OFFERING_UUID", "0" * 31, "cannot use"),
    "an_unknown_mode": ("SITE_AGENT_MODES", "report event_process", "cannot use 'event_process'"),
    "modes_without_report": ("SITE_AGENT_MODES", "order_process membership_sync", "does not have 'report'"),
    "a_mode_twice": ("SITE_AGENT_MODES", "report report", "names something twice"),
    "a_system_uid": ("SITE_AGENT_UID", "999", "cannot use '999'"),
    "root": ("SITE_AGENT_UID", "0", "cannot use '0'"),
    "a_negative_gid": ("SSH_ACCESS_GID", "-1", "cannot use '-1'"),
    "a_uid_with_a_leading_zero": ("SITE_AGENT_UID", "061001", "cannot use '061001'"),
    "a_uid_with_an_underscore": ("SITE_AGENT_UID", "61_001", "cannot use '61_001'"),
    "a_uid_in_other_digits": ("SITE_AGENT_UID", "\uff16\uff11\uff10\uff10\uff11", "cannot use"),
    "a_uid_in_hexadecimal": ("SITE_AGENT_UID", "0xee49", "cannot use '0xee49'"),
    "a_gid_beyond_31_bits": ("SITE_AGENT_GID", "2147483648", "cannot use '2147483648'"),
    "nobody": ("SSH_ACCESS_UID", "65534", "is in 65534-65535, which the system keeps for itself"),
    "a_uid_of_systemd": ("SSH_ACCESS_UID", "61184", "is in 61184-65519, which the system keeps for itself"),
    "a_range_of_one_number": ("MEMBER_UID_RANGE", "5000000", "cannot use '5000000'"),
    "a_range_with_blanks": ("MEMBER_UID_RANGE", "5000000 - 5499999", "cannot use '5000000 - 5499999'"),
    "a_range_with_a_dash": ("MEMBER_UID_RANGE", "5000000\u20135499999", "cannot use"),
    "a_range_the_wrong_way": (
        "MEMBER_UID_RANGE",
        "5499999-5000000",
        "begins with 5499999 and ends before it, with 5000000",
    ),
    "a_range_that_starts_among_system_ids": ("MEMBER_GID_RANGE", "500-5549999", "reaches outside 1000-2147483647"),
    "a_range_that_ends_too_high": ("PROJECT_GID_RANGE", "5550000-4294967295", "reaches outside 1000-2147483647"),
    "a_site_agent_ldap_elsewhere": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://ldap.example.org", "is not on loopback"),
    "a_site_agent_ldap_at_an_address": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://192.0.2.1:389", "is not on loopback"),
    "a_site_agent_ldap_at_a_name_like_loopback": (
        "NATIVE_SITE_AGENT_LDAP_URI",
        "ldap://127.0.0.1.example.org",
        "is not on loopback",
    ),
    "a_site_agent_ldap_at_a_mapped_address": (
        "NATIVE_SITE_AGENT_LDAP_URI",
        "ldap://[::ffff:127.0.0.1]",
        "is not on loopback",
    ),
    "a_site_agent_ldap_over_tls": ("NATIVE_SITE_AGENT_LDAP_URI", "ldaps://127.0.0.1", "is not an ldap:// URL"),
    "a_site_agent_ldap_over_a_socket": ("NATIVE_SITE_AGENT_LDAP_URI", "ldapi:///", "is an ldapi:// URI"),
    "a_site_agent_ldap_with_a_slash": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://127.0.0.1:389/", "has a path"),
    "a_site_agent_ldap_with_a_base": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://127.0.0.1/dc=example", "holds"),
    "an_ssh_access_ldap_over_tcp": ("NATIVE_SSH_ACCESS_LDAP_URI", "ldap://127.0.0.1", "is not an ldapi:// URI"),
    "an_ssh_access_ldap_over_tls": ("NATIVE_SSH_ACCESS_LDAP_URI", "ldaps://ldap.example.org", "is not an ldapi:// URI"),
    "a_socket_that_is_not_encoded": (
        "NATIVE_SSH_ACCESS_LDAP_URI",
        "ldapi:///run/slapd/ldapi",
        "is not an ldapi:// URI",
    ),
    "a_socket_without_a_path": ("NATIVE_SSH_ACCESS_LDAP_URI", "ldapi://", "is not an ldapi:// URI"),
    "a_relative_socket": ("NATIVE_SSH_ACCESS_LDAP_URI", "ldapi://run%2Fldapi", "is not an absolute path"),
    "a_socket_with_dots": ("NATIVE_SSH_ACCESS_LDAP_URI", "ldapi://%2Frun%2F..%2Fldapi", "is not normalised"),
    "a_dn_without_a_type": ("NATIVE_LDAP_BASE_DN", "example", "is not a distinguished name"),
    "a_dn_without_a_value": ("NATIVE_LDAP_BASE_DN", "ou=,dc=org", "is not a distinguished name"),
    "a_dn_with_blanks": ("NATIVE_LDAP_BASE_DN", "ou=pharos, dc=org", "has a blank after ',' or '+'"),
    "a_dn_with_an_end_missing": ("NATIVE_LDAP_BASE_DN", "ou=pharos,", "is not a distinguished name"),
    "a_dn_with_semicolons": ("NATIVE_SITE_AGENT_LDAP_BIND_DN", "cn=a;dc=org", "is not a distinguished name"),
    "a_dn_with_a_wrong_escape": ("NATIVE_SITE_AGENT_LDAP_BIND_DN", r"cn=a\zb", "is not a distinguished name"),
    "a_dn_with_half_an_octet": ("NATIVE_SITE_AGENT_LDAP_BIND_DN", "cn=#123", "is not a distinguished name"),
    "a_dn_with_an_odd_type": ("NATIVE_SITE_AGENT_LDAP_BIND_DN", "2.05=a", "is not a distinguished name"),
    "a_dn_too_long": ("NATIVE_LDAP_BASE_DN", "ou=" + "a" * 1022, "has 1025 characters"),
    "a_cluster_with_a_blank": ("NATIVE_SLURM_CLUSTER", "a b", "cannot use 'a b'"),
    "an_account_that_is_an_option": ("NATIVE_SLURM_ACCOUNT", "-i", "cannot use '-i'"),
    "a_partition_list": ("NATIVE_COMPUTE_PARTITION", "a,b", "cannot use 'a,b'"),
    "a_plaintext_slurmrestd_elsewhere": (
        "NATIVE_SLURMRESTD_URL",
        "http://slurm.example.org:6820",
        "is plaintext to another host",
    ),
    "a_plaintext_slurmrestd_on_any_address": (
        "NATIVE_SLURMRESTD_URL",
        "http://0.0.0.0:6820",
        "is plaintext to another host",
    ),
}

DOUBTFUL_URLS: dict[str, tuple[str, str]] = {
    "with_credentials": ("{s}://user:s3cr3t@h.example.org", "holds '@'"),
    "with_a_user": ("{s}://s3cr3t@h.example.org", "holds '@'"),
    "with_a_query": ("{s}://h.example.org/?s3cr3t", "holds a query"),
    "with_a_fragment": ("{s}://h.example.org/#s3cr3t", "holds a fragment"),
    "with_a_blank": ("{s}://h.example.org/a b", "holds white space"),
    "with_other_letters": ("{s}://h\u0430.example.org", "holds white space, a control or a non-ASCII"),
    "with_a_wide_slash": ("{s}://127.0.0.1\uff0f.example.org", "holds white space, a control or a non-ASCII"),
    "with_a_wide_dot": ("{s}://h\u3002example.org", "holds white space, a control or a non-ASCII"),
    "with_a_backslash": ("{s}://127.0.0.1\\.example.org", "holds a character that URLs"),
    "with_an_escape": ("{s}://h.example.org/%2e%2e/", "holds a character that URLs"),
    "with_a_scheme_in_capitals": ("{S}://h.example.org", "is not "),
    "without_a_scheme": ("h.example.org", "is not "),
    "of_a_file": ("file:///etc/passwd", "is not "),
    "without_slashes": ("{s}:h.example.org", "is not "),
    "with_three_slashes": ("{s}:///h.example.org", "has no host"),
    "without_a_host": ("{s}://:443", "has no host"),
    "with_an_underscore": ("{s}://h_1.example.org", "has a host that is no DNS name"),
    "with_an_empty_label": ("{s}://h..example.org", "has a host that is no DNS name"),
    "with_a_dot_at_the_end": ("{s}://h.example.org.", "has a host that is no DNS name"),
    "with_a_hyphen_at_the_end": ("{s}://h-.example.org", "has a host that is no DNS name"),
    "with_a_label_too_long": ("{s}://" + "a" * 64 + ".org", "has a host that is no DNS name"),
    "with_a_name_too_long": ("{s}://" + "abcdefghi." * 26 + "org", "has a host that is no DNS name"),
    "with_a_short_address": ("{s}://127.1", "has a host that is no IP address"),
    "with_an_address_as_a_number": ("{s}://2130706433", "has a host that is no IP address"),
    "with_an_octal_address": ("{s}://0177.0.0.1", "has a host that is no IP address"),
    "with_a_hexadecimal_address": ("{s}://0x7f.0.0.0x1", "has a host that is no IP address"),
    "with_half_a_bracket": ("{s}://[::1", "is not "),
    "with_nothing_in_brackets": ("{s}://[]", "has a host that is no IP address"),
    "with_a_name_in_brackets": ("{s}://[127.0.0.1]", "has a host that is no IP address"),
    "with_port_0": ("{s}://127.0.0.1:0", "has a port that is none"),
    "with_port_65536": ("{s}://127.0.0.1:65536", "has a port that is none"),
    "with_port_0443": ("{s}://127.0.0.1:0443", "has a port that is none"),
    "with_an_empty_port": ("{s}://127.0.0.1:", "has a port that is none"),
    "with_two_ports": ("{s}://127.0.0.1:1:2", "has a port that is none"),
    "with_a_signed_port": ("{s}://127.0.0.1:+443", "has a port that is none"),
    "with_dots": ("{s}://127.0.0.1/a/../b", "has a path that is not normalised"),
    "with_two_slashes_inside": ("{s}://127.0.0.1//a", "has a path that is not normalised"),
}

ACCEPTED: dict[str, tuple[str, str]] = {
    "one_component": ("ACTIVATION_COMPONENTS", "ssh-access"),
    "report_alone": ("SITE_AGENT_MODES", "report"),
    "loopback_of_ipv6": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://[::1]:389"),
    "loopback_of_ipv6_at_length": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://[0:0:0:0:0:0:0:1]"),
    "all_of_127": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://127.255.0.9"),
    "localhost": ("NATIVE_SITE_AGENT_LDAP_URI", "ldap://localhost:3389"),
    "a_socket": ("NATIVE_SSH_ACCESS_LDAP_URI", "ldapi://%2Fvar%2Frun%2Fslapd%2Fldapi"),
    "a_port": ("CENTRAL_SITE_API_URL", "https://127.0.0.1:65535"),
    "a_waldur_below_a_path": ("CENTRAL_WALDUR_API_URL", "https://h.example.org/waldur/api/"),
    "a_slurmrestd_elsewhere_over_tls": ("NATIVE_SLURMRESTD_URL", "https://slurm.example.org:6820"),
    "a_slurmrestd_on_ipv6": ("NATIVE_SLURMRESTD_URL", "http://[::1]:6820"),
    "a_proxy_over_tls": ("OUTBOUND_PROXY_URL", "https://proxy.example.org"),
    "a_pinned_archive": ("ARCHIVE_TRUST", "digest-pinned"),
    "an_index": ("PYTHON_INDEX_URL", "https://nexus.example.org/repository/pypi_all/simple"),
    "a_dn_with_escapes": ("NATIVE_LDAP_BASE_DN", r"ou=a\,b\2C\+c,o=\ x\ ,dc=#04024869"),
    "a_dn_with_numbers": ("NATIVE_LDAP_BASE_DN", "2.5.4.11=a+cn=b=c,dc=org"),
    "a_dn_of_other_letters": ("NATIVE_LDAP_BASE_DN", "o=\u00c5bo Akademi,c=FI"),
    "the_highest_id": ("SITE_AGENT_UID", "2147483647"),
    "a_range_of_one": ("MEMBER_UID_RANGE", "5000000-5000000"),
}

CLASHING: dict[str, tuple[str, str, str]] = {
    "member_ranges_overlap": ("MEMBER_GID_RANGE", "5499999-5549999", "overlaps MEMBER_UID_RANGE (5000000-5499999)"),
    "projects_overlap_member_groups": (
        "PROJECT_GID_RANGE",
        "5549999-5599999",
        "overlaps MEMBER_GID_RANGE (5500000-5549999)",
    ),
    "projects_overlap_member_uids": (
        "PROJECT_GID_RANGE",
        "4000000-5000000",
        "overlaps MEMBER_UID_RANGE (5000000-5499999)",
    ),
    "the_uids_are_one": ("SSH_ACCESS_UID", "61001", "is SITE_AGENT_UID too"),
    "the_gids_are_one": ("SSH_ACCESS_GID", "61001", "is SITE_AGENT_GID too"),
    "a_uid_is_a_members": ("SITE_AGENT_UID", "5000000", "is inside MEMBER_UID_RANGE (5000000-5499999)"),
    "a_uid_is_a_member_groups": ("SITE_AGENT_UID", "5500000", "is inside MEMBER_GID_RANGE (5500000-5549999)"),
    "a_gid_is_a_member_groups": ("SSH_ACCESS_GID", "5549999", "is inside MEMBER_GID_RANGE (5500000-5549999)"),
    "a_gid_is_a_projects": ("SITE_AGENT_GID", "5599999", "is inside PROJECT_GID_RANGE (5550000-5599999)"),
    "the_partitions_are_one": ("NATIVE_STAGING_PARTITION", "compute", "is NATIVE_COMPUTE_PARTITION too"),
}


def problems_of(data: bytes) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(BadSiteEnv) as caught:
        read_site_env(data, "site.env")
    return [(problem.line, problem.key, problem.message) for problem in caught.value.problems]


@pytest.mark.parametrize(("key", "value", "message"), REFUSED.values(), ids=REFUSED)
def test_a_value_is_refused_with_its_line_when_it_is(key: str, value: str, message: str) -> None:
    data = with_value(SITE, key, value)
    ((line, found, said),) = problems_of(data)
    assert (line, found) == (line_of(data.decode(), key), key)
    assert said.startswith(message)


@pytest.mark.parametrize("key", URL_KEYS)
@pytest.mark.parametrize(("url", "message"), DOUBTFUL_URLS.values(), ids=DOUBTFUL_URLS)
def test_a_url_is_refused_and_not_shown_when_it_is(key: str, url: str, message: str) -> None:
    scheme = SCHEME.get(key, "https")
    data = with_value(SITE, key, url.format(s=scheme, S=scheme.upper()))
    with pytest.raises(BadSiteEnv) as caught:
        read_site_env(data, "site.env")
    (problem,) = caught.value.problems
    assert problem.message.startswith(message)
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(("key", "value"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_site_may_have(key: str, value: str) -> None:
    site = read_site_env(with_value(SITE, key, value), "site.env")
    assert f"{key}={value}\n" in render(site).decode()


@pytest.mark.parametrize(("key", "value", "message"), CLASHING.values(), ids=CLASHING)
def test_two_keys_are_refused_together_when(key: str, value: str, message: str) -> None:
    assert [said for _, _, said in problems_of(with_value(SITE, key, value))] == [message]


@pytest.mark.parametrize("key", REQUIRED)
def test_a_key_that_is_missing_is_named(key: str) -> None:
    assert problems_of(without(SITE, key)) == [(None, key, "is missing")]


def test_a_missing_optional_key_is_no_value() -> None:
    site = read_site_env(SITE.encode(), "site.env")
    optional = {name: getattr(site, name) for name, field in FIELDS.items() if field.metadata["optional"]}
    assert optional.keys() == {"python_index_url", "outbound_proxy_url", "archive_trust", "native_slurmrestd_url"}
    assert set(optional.values()) == {None}


@pytest.mark.parametrize("end", ["BIND_DN", "BIND_PASSWORD", "PASSWORD", "CA", "CA_FILE"])
def test_a_bind_of_the_ssh_access_agent_is_refused_with_the_reason(end: str) -> None:
    key = f"NATIVE_SSH_ACCESS_LDAP_{end}"
    data = SITE.encode() + f"{key}=s3cr3t\n".encode()
    ((line, found, message),) = problems_of(data)
    assert (line, found) == (line_of(data.decode(), key), key)
    assert message == "is refused: the SSH access agent binds by its Unix identity, without DN, password or CA"


@pytest.mark.parametrize("key", ["SITE_AGENT_TOKEN", "NATIVE_SITE_AGENT_LDAP_PASSWORD", "CLIENT_SECRET"])
def test_a_secret_in_site_env_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(BadSiteEnv) as caught:
        read_site_env(SITE.encode() + f"{key}=s3cr3t\n".encode(), "site.env")
    (problem,) = caught.value.problems
    assert problem.message == "looks like a secret"
    assert "s3cr3t" not in str(caught.value)
    assert "s3cr3t" not in str(caught.value.facts)


def test_an_unknown_key_is_refused_and_the_nearest_known_one_offered() -> None:
    with pytest.raises(BadSiteEnv) as caught:
        read_site_env(SITE.encode() + b"SITE_AGENT_UIDS=1\nQQQQ=1\n", "site.env")
    assert [problem.remedy for problem in caught.value.problems] == [
        "did you mean 'SITE_AGENT_UID'?",
        "delete the line",
    ]


def test_all_faults_of_a_file_are_in_one_report_in_the_order_of_its_lines() -> None:
    text = "".join(f"{line}\n" for line in SITE.splitlines() if line and not line.startswith("#"))
    data = without(text, "SITE_NAME").decode().replace("-5549999", "-5550000") + "export X='y' \nSITE_AGENT_UID=61009\n"
    data = with_value(data, "NATIVE_LDAP_BASE_DN", "nothing").decode()
    found = problems_of(data.encode())
    lines = [line_of(data, key) for key in ("PROJECT_GID_RANGE", "NATIVE_LDAP_BASE_DN")]
    last = len(data.splitlines())
    assert [line for line, _, _ in found] == [*lines, last - 1, last - 1, last - 1, last - 1, last, None]
    assert found[-1] == (None, "SITE_NAME", "is missing")


def test_a_file_that_is_too_large_is_one_problem() -> None:
    assert problems_of(b"#" * 70_000) == [(None, None, "has 70000 bytes")]


def test_an_empty_file_misses_every_required_key() -> None:
    assert [key for _, key, _ in problems_of(b"")] == list(REQUIRED)


def test_a_bad_site_env_is_refused_before_anything_changed() -> None:
    assert issubclass(BadSiteEnv, Refused)


@given(st.binary(max_size=400))
def test_no_bytes_crash_the_reader_of_site_env(data: bytes) -> None:
    with pytest.raises(BadSiteEnv):
        read_site_env(data, "site.env")


@settings(max_examples=200)
@given(st.sampled_from(sorted(KEYS.values())), st.text(max_size=40))
def test_no_value_crashes_the_reader_and_what_is_accepted_survives_rendering(key: str, value: str) -> None:
    try:
        site = read_site_env(with_value(SITE, key, value), "site.env")
    except BadSiteEnv:
        return
    assert read_site_env(render(site), "again") == site


@settings(max_examples=100, deadline=None)
@given(sites())
def test_every_valid_site_survives_being_written_and_read(site: SiteEnv) -> None:
    assert read_site_env(render(site), "site.env") == site


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("site_name", "a\nB=c"),
        ("site_agent_uid", "61009"),
        ("site_agent_uid", True),
        ("member_uid_range", IdRange(2, 1)),
    ],
)
def test_a_site_cannot_be_made_with_a_value_that_breaks_its_rule(name: str, value: Any) -> None:
    site = read_site_env(SITE.encode(), "site.env")
    with pytest.raises(Fault):
        attrs.evolve(site, **{name: value})


def test_a_site_cannot_be_made_with_two_values_that_clash() -> None:
    with pytest.raises(Fault, match="SSH_ACCESS_UID is SITE_AGENT_UID too"):
        attrs.evolve(read_site_env(SITE.encode(), "site.env"), ssh_access_uid=61001)


def test_every_field_carries_a_rule_a_comment_and_an_example_that_obeys() -> None:
    assert fields_of(SiteEnv) == attrs.fields(SiteEnv)
    for field in FIELDS.values():
        rule = rule_of(field)
        assert isinstance(rule, Rule)
        assert field.metadata["comment"].endswith(".")
        assert rule.read(field.metadata["example"]) is not None


@pytest.mark.parametrize("kind", [str, int, float, bool])
def test_a_primitive_is_never_coerced(kind: type) -> None:
    with pytest.raises(Fault):
        converter().structure(7, kind)
    with pytest.raises(Fault):
        converter().structure(7, FIELDS["site_name"].type)  # type: ignore[arg-type]


def test_every_clash_is_between_known_fields() -> None:
    assert {name for rule in CLASHES for name in (rule.first, rule.second)} <= FIELDS.keys()
    assert len(CLASHES) == 3 + 2 + 12 + 1


def test_the_example_reads_and_names_every_key_once() -> None:
    read_site_env(example(), "site.env.example")
    lines = example().decode().splitlines()
    assert [
        line.lstrip("#").partition("=")[0] for line in lines if "=" in line and line.lstrip("#")[0].isupper()
    ] == list(KEYS.values())


def test_the_reference_page_is_what_the_class_says() -> None:
    assert Path("docs/site-env.md").read_text(encoding="utf-8") == reference()


def fit(site_value: tuple[str, str] | None, mode: str, components: str = "site-agent ssh-access") -> list[str]:
    data = with_value(SITE, *site_value) if site_value else SITE.encode()
    manifest = MANIFEST.replace("wheelhouse", mode).replace(
        "components: site-agent ssh-access", f"components: {components}"
    )
    if "ssh-access" not in components:
        manifest = "".join(f"{line}\n" for line in manifest.splitlines() if not line.startswith("ssh-access"))
    found = check_against_manifest(read_site_env(data, "site.env"), read_manifest(manifest.encode(), "manifest"))
    return [f"{problem.key} {problem.message}" for problem in found]


def test_a_wheelhouse_release_fits_a_site_without_an_index() -> None:
    assert fit(None, "wheelhouse") == []


def test_an_index_release_fits_a_site_with_an_index() -> None:
    assert fit(("PYTHON_INDEX_URL", "https://packages.example.org/"), "index") == []


def test_an_index_release_needs_an_index() -> None:
    assert fit(None, "index") == ["PYTHON_INDEX_URL is missing, and the release is in index mode"]


def test_a_wheelhouse_release_refuses_an_index() -> None:
    found = fit(("PYTHON_INDEX_URL", "https://packages.example.org/"), "wheelhouse")
    assert found == ["PYTHON_INDEX_URL is set, and the release is in wheelhouse mode"]


def test_a_component_that_the_release_does_not_ship_cannot_be_activated() -> None:
    assert fit(None, "wheelhouse", "site-agent") == ["ACTIVATION_COMPONENTS names 'ssh-access'"]
    runtime = ("ACTIVATION_COMPONENTS", "site-agent pharos-slurm-runtime")
    assert fit(runtime, "wheelhouse") == ["ACTIVATION_COMPONENTS names 'pharos-slurm-runtime'"]

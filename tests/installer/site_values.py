"""Strategies that make valid sites and releases, and a valid text to break."""

from typing import Any, Final

from hypothesis import strategies as st

from installer.keyvalue import Entry
from installer.manifest import COMPONENTS, Component, Manifest
from installer.rules import FIRST_ID, IdRange
from installer.site_env import SiteEnv
from installer.site_env_text import example
from states.unit import MODES, RECOVER, SITE_AGENT, SSH_ACCESS

SITE: Final = example().decode()

MANIFEST: Final = """\
format: 1
release: 2026.12.1
dependency_mode: wheelhouse
components: site-agent ssh-access
python_requires: >=3.13
source_revision: 0123456789abcdef0123456789abcdef01234567
pip_wheel: wheels/pip-26.3-py3-none-any.whl
units: pharos-hpc-recover.service
site-agent.requirements: requirements/site-agent.txt
site-agent.wheels: wheels/a-1-py3-none-any.whl wheels/b-1-py3-none-any.whl
site-agent.units: waldur-site-agent@.service
site-agent.settle_seconds: 30
site-agent.proof: Processing offering
ssh-access.requirements: requirements/ssh-access.txt
ssh-access.wheels: wheels/b-1-py3-none-any.whl
ssh-access.units: pharos-ssh-access-agent.service
ssh-access.settle_seconds: 5
"""


def line_of(text: str, key: str) -> int:
    """Return the number of the line in which `key` stands."""
    lines = text.split("\n")
    return next(number for number, line in enumerate(lines, start=1) if line.split("=")[0].split(":")[0] == key)


def with_value(text: str, key: str, value: str) -> bytes:
    """Return the text with another value of a key; an optional key that is commented out comes to life."""
    for mark in ("=", ": "):
        for start in (f"\n{key}{mark}", f"\n#{key}{mark}"):
            before, found, after = f"\n{text}".partition(start)
            if found:
                rest = after.partition("\n")[2]
                return f"{before}\n{key}{mark}{value}\n{rest}"[1:].encode()
    raise AssertionError(key)


def without(text: str, key: str) -> bytes:
    """Return the text without the line of a key."""
    return "".join(f"{line}\n" for line in text.splitlines() if not line.startswith((f"{key}=", f"{key}:"))).encode()


def texts(entries: tuple[Entry, ...]) -> dict[str, str]:
    """Return the values by key."""
    return {entry.key: entry.value for entry in entries}


_labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
_hosts = st.builds("{}.example.org".format, _labels) | st.sampled_from(["192.0.2.7", "[2001:db8::1]", "localhost"])
_ports = st.just("") | st.integers(1, 65535).map(":{}".format)
_paths = st.lists(st.from_regex("[A-Za-z0-9_-]{1,8}", fullmatch=True), max_size=3).map(
    lambda p: "".join(f"/{x}" for x in p)
)
_loopback = st.sampled_from(["127.0.0.1", "127.8.8.8", "[::1]", "localhost"])
_names = st.from_regex("[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}", fullmatch=True)
_dns = st.lists(
    st.tuples(
        st.sampled_from(["cn", "ou", "2.5.4.11"]), st.from_regex(r"[a-z\u00e9](\\,|[a-z0-9 =])*[a-z]", fullmatch=True)
    ),
    min_size=1,
    max_size=4,
).map(lambda parts: ",".join(f"{kind}={value}" for kind, value in parts))
_sockets = st.sampled_from(["ldapi:///", "ldapi://%2Frun%2Fslapd%2Fldapi", "ldapi://%2frun%2fldapi/"])


def _subset(words: tuple[str, ...], needed: tuple[str, ...] = ()) -> st.SearchStrategy[tuple[str, ...]]:
    chosen = st.permutations(words).flatmap(lambda order: st.integers(1, len(order)).map(lambda n: tuple(order[:n])))
    return chosen.map(lambda found: (*found, *(word for word in needed if word not in found)))


@st.composite
def _numbers(draw: st.DrawFn) -> dict[str, Any]:
    """Three ranges apart, and four ids below them."""
    cuts = sorted(draw(st.lists(st.integers(70_000, 2**31 - 1), min_size=6, max_size=6, unique=True)))
    ids = st.lists(st.integers(FIRST_ID, 61_183), min_size=2, max_size=2, unique=True)
    ranges = draw(st.permutations([IdRange(cuts[0], cuts[1]), IdRange(cuts[2], cuts[3]), IdRange(cuts[4], cuts[5])]))
    uids, gids = draw(ids), draw(ids)
    return {
        "member_uid_range": ranges[0],
        "member_gid_range": ranges[1],
        "project_gid_range": ranges[2],
        "site_agent_uid": uids[0],
        "ssh_access_uid": uids[1],
        "site_agent_gid": gids[0],
        "ssh_access_gid": gids[1],
    }


@st.composite
def sites(draw: st.DrawFn) -> SiteEnv:
    """Any valid site."""
    partitions = draw(st.lists(_names, min_size=2, max_size=2, unique=True))
    values: dict[str, st.SearchStrategy[Any]] = {
        "site_name": st.from_regex("[A-Za-z0-9][A-Za-z0-9-]{0,62}", fullmatch=True),
        "activation_components": _subset(COMPONENTS),
        "host_python": _paths.map("/opt{}/python3.13".format),
        "python_index_url": st.none() | st.builds("https://{}{}{}/".format, _hosts, _ports, _paths),
        "central_waldur_api_url": st.builds("https://{}{}{}/api/".format, _hosts, _ports, _paths),
        "central_offering_uuid": st.from_regex("[0-9a-f]{32}", fullmatch=True),
        "central_site_api_url": st.builds("https://{}{}".format, _hosts, _ports),
        "outbound_proxy_url": st.none() | st.builds("http://{}{}".format, _hosts, _ports),
        "archive_trust": st.sampled_from([None, "verified", "digest-pinned"]),
        "site_agent_modes": _subset(MODES, ("report",)),
        "native_site_agent_ldap_uri": st.builds("ldap://{}{}".format, _loopback, _ports),
        "native_site_agent_ldap_bind_dn": _dns,
        "native_ldap_base_dn": _dns,
        "native_ssh_access_ldap_uri": _sockets,
        "native_slurm_cluster": _names,
        "native_slurm_account": _names,
        "native_slurm_bin_dir": _paths.map("/opt{}/bin".format),
        "native_slurmrestd_url": st.none() | st.builds("http://{}{}{}".format, _loopback, _ports, _paths),
        "native_compute_partition": st.just(partitions[0]),
        "native_staging_partition": st.just(partitions[1]),
    }
    return SiteEnv(**draw(st.fixed_dictionaries(values)), **draw(_numbers()))


_files = st.from_regex("[A-Za-z0-9][A-Za-z0-9._+-]{0,20}", fullmatch=True)
_wheels = st.lists(_files.map("wheels/{}.whl".format), min_size=1, max_size=4, unique=True).map(tuple)


def _component(name: str, unit: str) -> st.SearchStrategy[Component]:
    proofs = st.none() | st.from_regex("[A-Za-z0-9]([A-Za-z0-9 .]{0,40}[A-Za-z0-9])?", fullmatch=True)
    return st.builds(
        Component,
        name=st.just(name),
        requirements=_files.map("requirements/{}.txt".format),
        wheels=_wheels,
        units=st.just((unit,)),
        settle_seconds=st.integers(0, 600),
        proof=proofs,
    )


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    """Any valid release."""
    components = (draw(_component("site-agent", SITE_AGENT)), draw(_component("ssh-access", SSH_ACCESS)))
    releases = st.from_regex("[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)
    return Manifest(
        release=draw(releases.filter(lambda name: name not in {"current", "previous"})),
        dependency_mode=draw(st.sampled_from(["index", "wheelhouse"])),
        components=draw(st.sampled_from([components, components[::-1], components[:1], components[1:]])),
        python_requires=draw(st.integers(0, 999).map(">=3.{}".format)),
        source_revision=draw(st.just("unknown") | st.from_regex("[0-9a-f]{40}", fullmatch=True)),
        pip_wheel=draw(_files.map("wheels/pip-{}.whl".format)),
        units=(RECOVER,),
    )

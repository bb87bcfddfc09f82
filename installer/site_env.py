"""The site's values: one class is the only source of site.env's keys, types, rules, comments and examples."""

# ruff: noqa: RUF009 -- `setting` gives an attrs field, which attrs reads once and no instance shares

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import attrs

from installer import keyvalue, rules, urls
from installer.distinguished import DN
from installer.keyvalue import BadLines, Problem
from installer.rules import Fault, IdRange
from states.unit import MODES

if TYPE_CHECKING:
    from installer.manifest import Manifest

REPORT_WHY: Final = "only the periodic report brings consumption to Waldur"
COMPONENT_LIST: Final = rules.words("different components with one blank between", "[a-z][a-z0-9-]{0,63}")
MODE_LIST: Final = rules.words(
    f"different modes of {' '.join(MODES)} with one blank between, report among them",
    "[a-z_]+",
    MODES,
    needed="report",
    why=REPORT_WHY,
)
ARCHIVE_TRUST: Final = rules.one_of("verified", "digest-pinned")


class BadSiteEnv(BadLines):
    """A site.env cannot be used; `problems` are all its faults."""


def setting(comment: str, example: str, *, optional: bool = False) -> Any:  # noqa: ANN401, attrs.field does the same
    """Return a field of SiteEnv: what site.env.example says of it, and the example's value there."""
    metadata = {"comment": comment, "example": example, "optional": optional}
    default = None if optional else attrs.NOTHING
    return attrs.field(default=default, validator=rules.obeys, metadata=metadata)


@attrs.frozen(kw_only=True)
class SiteEnv:
    """What the site chose. One cannot be made with a value that breaks its rule (Fault), by reading or otherwise.

    A field's key is its name in capitals. Ids are numbers, lists are tuples, URLs and names are text as written.
    """

    site_name: Annotated[str, rules.SITE_NAME] = setting("Name of the site, in messages and logs.", "icarus")
    activation_components: Annotated[tuple[str, ...], COMPONENT_LIST] = setting(
        "Components that activate starts when it is given none; each must be among the manifest's components.",
        "site-agent ssh-access",
    )
    host_python: Annotated[str, rules.PATH] = setting(
        "The site's Python, 3.13 or later. Both service identities must reach and execute it.",
        "/opt/python/3.13/bin/python3.13",
    )
    python_index_url: Annotated[str | None, urls.INDEX] = setting(
        "Approved package index. Required when the release's dependency_mode is index, refused when wheelhouse.",
        "https://packages.example.org/pypi/simple/",
        optional=True,
    )
    central_waldur_api_url: Annotated[str, urls.WALDUR_API] = setting(
        "Waldur's API.", "https://waldur.example.org/api/"
    )
    central_offering_uuid: Annotated[str, rules.UUID] = setting(
        "UUID of this site's offering in Waldur, without '-'.", "0123456789abcdef0123456789abcdef"
    )
    central_site_api_url: Annotated[str, urls.SITE_API] = setting(
        "Origin of the Site API; the agents append /v1/site/... themselves.", "https://site.example.org"
    )
    outbound_proxy_url: Annotated[str | None, urls.PROXY] = setting(
        "HTTPS proxy towards Waldur, the Site API and the package index. Proxies of the environment are not used.",
        "http://proxy.example.org:3128",
        optional=True,
    )
    archive_trust: Annotated[str | None, ARCHIVE_TRUST] = setting(
        "What the next archive must be before it is installed: signature verified, or at least digest-pinned.",
        "verified",
        optional=True,
    )
    site_agent_modes: Annotated[tuple[str, ...], MODE_LIST] = setting(
        f"Modes of the site agent, a unit each. report is required: {REPORT_WHY}.", " ".join(MODES)
    )
    site_agent_uid: Annotated[int, rules.ID] = setting("User id of pharos-agent.", "61001")
    site_agent_gid: Annotated[int, rules.ID] = setting("Group id of pharos-agent.", "61001")
    ssh_access_uid: Annotated[int, rules.ID] = setting("User id of pharos-ssh-access.", "61002")
    ssh_access_gid: Annotated[int, rules.ID] = setting("Group id of pharos-ssh-access.", "61002")
    member_uid_range: Annotated[IdRange, rules.ID_RANGE] = setting(
        "User ids of members, from Waldur's pool.", "5000000-5499999"
    )
    member_gid_range: Annotated[IdRange, rules.ID_RANGE] = setting(
        "Primary group ids of members, from Waldur's pool.", "5500000-5549999"
    )
    project_gid_range: Annotated[IdRange, rules.ID_RANGE] = setting(
        "Group ids of projects; the site agent gives them, and only this range is in its configuration.",
        "5550000-5599999",
    )
    native_site_agent_ldap_uri: Annotated[str, urls.LDAP_LOOPBACK] = setting(
        "LDAP for the site agent: loopback only, because its simple bind sends the password in clear.",
        "ldap://127.0.0.1:389",
    )
    native_site_agent_ldap_bind_dn: Annotated[str, DN] = setting(
        "The site agent's restricted bind; its password is the file site-agent-ldap-password.",
        "cn=pharos-agent,ou=services,dc=example,dc=org",
    )
    native_ldap_base_dn: Annotated[str, DN] = setting("Where members and groups stand.", "ou=pharos,dc=example,dc=org")
    native_ssh_access_ldap_uri: Annotated[str, urls.LDAPI] = setting(
        "LDAP for the SSH access agent: ldapi only, where SASL EXTERNAL proves the Unix identity.", "ldapi:///"
    )
    native_slurm_cluster: Annotated[str, rules.NAME] = setting("Slurm's ClusterName.", "icarus")
    native_slurm_account: Annotated[str, rules.NAME] = setting(
        "Slurm account that is the root of the Pharos tree; pharos-agent coordinates it.", "pharos"
    )
    native_slurm_bin_dir: Annotated[str, rules.PATH] = setting("Directory that holds sacctmgr and sacct.", "/usr/bin")
    native_slurmrestd_url: Annotated[str | None, urls.SLURMRESTD] = setting(
        "slurmrestd, if the site has one; http on loopback only.", "http://127.0.0.1:6820", optional=True
    )
    native_compute_partition: Annotated[str, rules.NAME] = setting("Partition of the offline compute nodes.", "compute")
    native_staging_partition: Annotated[str, rules.NAME] = setting(
        "Partition whose nodes reach the Internet, for stage-in and stage-out.", "staging"
    )

    def __attrs_post_init__(self) -> None:
        for problem in clashes(attrs.asdict(self, recurse=False), {}):
            raise Fault(f"{problem.key} {problem.message}", problem.remedy)


@attrs.frozen
class Clash:
    """A rule between two keys: the values of the fields `first` and `second` may not `collide`."""

    first: str
    second: str
    collide: Callable[[Any, Any], bool]
    message: str
    required: str
    remedy: str


def _clash_table() -> Iterator[Clash]:
    ranges = ("member_uid_range", "member_gid_range", "project_gid_range")
    for first, second in ((ranges[0], ranges[1]), (ranges[0], ranges[2]), (ranges[1], ranges[2])):
        required, remedy = "ranges without a common number", "choose another range"
        yield Clash(first, second, IdRange.overlaps, "overlaps {key} ({value})", required, remedy)
    for kind in ("uid", "gid"):
        required = "another number for each service account"
        yield Clash(
            f"site_agent_{kind}", f"ssh_access_{kind}", _same, "is {key} too", required, "choose another number"
        )
        for owner in ("site_agent", "ssh_access"):
            for taken in ranges:
                required = "a number outside every member range"
                message, remedy = "is inside {key} ({value})", "choose another number"
                yield Clash(taken, f"{owner}_{kind}", IdRange.__contains__, message, required, remedy)
    required = "different partitions: compute nodes are offline, staging nodes are not"
    first, second = "native_compute_partition", "native_staging_partition"
    yield Clash(first, second, _same, "is {key} too", required, "name the two partitions")


def _same(first: object, second: object) -> bool:
    return first == second


CLASHES: Final = tuple(_clash_table())
FIELDS: Final = attrs.fields_dict(SiteEnv)
KEYS: Final = {name: name.upper() for name in FIELDS}
REQUIRED: Final = tuple(KEYS[name] for name, field in FIELDS.items() if not field.metadata["optional"])


def clashes(values: dict[str, Any], places: dict[str, int]) -> Iterator[Problem]:
    """Yield a problem for each two of the given values that collide; `places` gives the line of each key."""
    for rule in CLASHES:
        if {rule.first, rule.second} <= values.keys() and rule.collide(values[rule.first], values[rule.second]):
            key = KEYS[rule.second]
            message = rule.message.format(key=KEYS[rule.first], value=values[rule.first])
            yield Problem(places.get(key), key, message, rule.required, rule.remedy)


def read_site_env(data: bytes, name: str) -> SiteEnv:
    """Return the values of a site.env whose bytes are `data`; `name` is what messages call the file (spec 03).

    Raises BadSiteEnv with every problem of the file: of its lines, its keys, its values, and between values.
    """
    from installer.structure import values

    lines = keyvalue.read(data, keyvalue.SITE_ENV)
    texts = {entry.key: entry.value for entry in lines.entries}
    right, wrong = values(SiteEnv, texts, KEYS, lines.places)
    problems = [*lines.problems, *wrong, *clashes(right, lines.places)]
    if lines.places or not problems:  # a file that is too large was not read: nothing is known of its keys
        problems += [*_unknown(lines), *keyvalue.missing(lines, REQUIRED, "site.env")]
    if problems:
        raise BadSiteEnv(name, problems)
    return SiteEnv(**right)


_SSH_LDAP: Final = "NATIVE_SSH_ACCESS_LDAP_"
_SECRET_WORDS: Final = ("PASSWORD", "PASSWD", "TOKEN", "SECRET", "CREDENTIAL")


def _unknown(lines: keyvalue.Lines) -> Iterator[Problem]:
    """Yield the unknown keys; those that people try for a reason get that reason."""
    for problem in keyvalue.unknown(lines, KEYS.values(), "site.env"):
        key = problem.key or ""
        if key.startswith(_SSH_LDAP):
            message = "is refused: the SSH access agent binds by its Unix identity, without DN, password or CA"
            remedy = "delete the line; grant the agent's uid and gid in the directory's own rules"
            yield attrs.evolve(problem, message=message, required=f"only {_SSH_LDAP}URI for it", remedy=remedy)
        elif any(word in key for word in _SECRET_WORDS):
            required = "secrets as files below /etc/pharos-hpc/secrets"
            remedy = "delete the line, give the file to 'pharos-hpc configure', and replace the secret if it was real"
            yield attrs.evolve(problem, message="looks like a secret", required=required, remedy=remedy)
        else:
            yield problem


def check_against_manifest(site: SiteEnv, manifest: "Manifest") -> tuple[Problem, ...]:
    """Return what in `site` does not fit the release that `manifest` describes; lines are not known any more."""
    shipped = [component.name for component in manifest.components]
    required = f"components of release {manifest.release}: {' '.join(shipped)}"
    absent = [
        Problem(None, "ACTIVATION_COMPONENTS", f"names {rules.shown(each)}", required, "delete the word")
        for each in site.activation_components
        if each not in shipped
    ]
    return (*absent, *_index_problem(site, manifest.dependency_mode))


def _index_problem(site: SiteEnv, mode: str) -> Iterator[Problem]:
    required = "an index in dependency_mode index, none in dependency_mode wheelhouse"
    if mode == "index" and site.python_index_url is None:
        remedy = "add the https URL of the approved index, or use the wheelhouse release"
        yield Problem(None, "PYTHON_INDEX_URL", "is missing, and the release is in index mode", required, remedy)
    if mode == "wheelhouse" and site.python_index_url is not None:
        remedy = "delete the line: the release carries every package itself"
        yield Problem(None, "PYTHON_INDEX_URL", "is set, and the release is in wheelhouse mode", required, remedy)

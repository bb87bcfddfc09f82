"""Area `slurm`: the commands, the cluster, the account and its operator, the partitions; asked, never changed."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from installer.checks.rule import Finding, Rule
from installer.checks.subject import Subject
from installer.host.process import run
from installer.site_env import SiteEnv
from states.errors import HostError

ADMIN: Final = "ask Slurm's administrators"
COMMANDS: Final = Rule(
    "PH-SLURM-01", "Slurm's commands are there", "sacctmgr, sacct, sinfo and scancel", "correct NATIVE_SLURM_BIN_DIR"
)
ANSWERS: Final = Rule("PH-SLURM-02", "Slurm answers", "sacctmgr and sinfo end with 0 within 20 s", ADMIN)
CLUSTER: Final = Rule("PH-SLURM-03", "the cluster is known", "NATIVE_SLURM_CLUSTER", "correct the key")
ACCOUNT: Final = Rule(
    "PH-SLURM-04", "the account is known", "NATIVE_SLURM_ACCOUNT", "sacctmgr add account NAME, or correct the key"
)
OPERATOR: Final = Rule(
    "PH-SLURM-05",
    "pharos-agent may administer it",
    "admin level Operator or higher, or coordinator of the account",
    "sacctmgr modify user pharos-agent set adminlevel=Operator",
)
PARTITIONS: Final = Rule(
    "PH-SLURM-06", "both partitions exist", "NATIVE_COMPUTE_PARTITION and NATIVE_STAGING_PARTITION", "correct the keys"
)
# The agent adds a member with DefaultAccount=. In the lab sacctmgr 22.05 refuses that to a coordinator, while 24.11
# does not; what lies between was not tried, and is not refused here.
COORDINATOR: Final = Rule(
    "PH-SLURM-07",
    "a coordinator may add members",
    "Slurm 23.02 or newer, or admin level Operator",
    OPERATOR.remedy,
)
RULES: Final = (COMMANDS, ANSWERS, CLUSTER, ACCOUNT, OPERATOR, PARTITIONS, COORDINATOR)
REFUSING: Final = (22, 5)  # the newest that is known to refuse it
PROGRAMS: Final = ("sacctmgr", "sacct", "sinfo", "scancel")
AGENT: Final = "pharos-agent"
POWERFUL: Final = frozenset({"operator", "administrator"})
SECONDS: Final = 20.0


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what the site agent would miss of Slurm."""
    site = subject.site
    if site is None or "site-agent" not in site.activation_components:
        return
    directory = Path(site.native_slurm_bin_dir)
    if missing := [name for name in PROGRAMS if not (directory / name).is_file()]:
        yield COMMANDS.broken(f"'{directory}' has no {', '.join(missing)}")
        return
    try:
        yield from _accounting(site, directory)
        yield from _partitions(site, directory)
    except HostError as error:
        yield ANSWERS.broken(error.message)


def _accounting(site: SiteEnv, directory: Path) -> Iterator[Finding]:
    clusters = [row[0] for row in _shown(directory, "cluster", "cluster")]
    if site.native_slurm_cluster not in clusters:
        yield CLUSTER.broken(f"the clusters are {', '.join(clusters) or 'none'}")
    accounts = [row[0] for row in _shown(directory, "account", "account")]
    if site.native_slurm_account not in accounts:
        yield ACCOUNT.broken(f"there is no account '{site.native_slurm_account}'")
        return
    users = {row[0]: row for row in _shown(directory, "user", "user,adminlevel,coordinators", "withcoord")}
    user = users.get(AGENT, [AGENT, "None", ""])
    if user[1].lower() in POWERFUL:
        return
    if site.native_slurm_account not in user[2].split(","):
        known = "" if AGENT in users else ", and Slurm does not know it"
        yield OPERATOR.broken(f"'{AGENT}' has admin level {user[1]}{known}")
    else:
        yield from _coordinator(directory)


def _coordinator(directory: Path) -> Iterator[Finding]:
    told = " ".join(_ran([str(directory / "sacctmgr"), "--version"]))  # "slurm 24.05.4", Debian: "slurm-wlm 22.05.8"
    number = re.search(r" (\d+)\.(\d+)", told)
    if number and (int(number[1]), int(number[2])) <= REFUSING:
        yield COORDINATOR.broken(f"'{AGENT}' is a coordinator without an admin level, and this is {told}")


def _partitions(site: SiteEnv, directory: Path) -> Iterator[Finding]:
    found = _ran([str(directory / "sinfo"), "--noheader", "--format=%R"])
    for name in (site.native_compute_partition, site.native_staging_partition):
        if name not in found:
            yield PARTITIONS.broken(f"there is no partition '{name}'")


def _shown(directory: Path, entity: str, columns: str, *more: str) -> list[list[str]]:
    """Return the rows of `sacctmgr show` (sacctmgr(1), -n: no header, -P: columns with |)."""
    words = [str(directory / "sacctmgr"), "-n", "-P", "show", entity, *more, f"format={columns}"]
    return [line.split("|") for line in _ran(words)]


def _ran(words: list[str]) -> list[str]:
    done = run(words, seconds=SECONDS)
    if done.status:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise HostError(
            f"'{' '.join(words)}' ended with status {done.status}: {said[0] if said else 'it said nothing'}"
        )
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]

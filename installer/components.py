"""The offering's component `node`: reconciled by the agent's own entry point, then read back, since that never fails.

`waldur_site_load_components` ends with 0 when Waldur refused it: only what Waldur says afterwards counts.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from installer.agent_config import BILLING, COMPONENT, PERIOD, UNIT
from installer.host.accounts import ACCOUNT_OF, RealAccounts, acting_as
from installer.host.handover import handed_over
from installer.host.http import get_json, trusting
from installer.host.process import Completed, Identity, run
from installer.paths import Paths
from installer.redaction import redacted
from installer.site_env import SiteEnv
from installer.waldur_answers import refusal
from states.errors import HostError, Refused, Unhealthy

SECONDS: Final = 120.0  # the loader imports for 9 s on a quiet node
OK: Final = 200
TAIL: Final = 10  # lines
CONFIG: Final = "config.json"
CA: Final = "ca.crt"
REQUIRED: Final[Mapping[str, object]] = {
    "type": COMPONENT,
    "billing_type": BILLING,
    "measured_unit": UNIT,
    "limit_period": PERIOD,
    "limit_amount": None,
}


@attrs.frozen
class Access:
    """What it takes to speak to Waldur as the agent does: the rendered configuration, its secrets, and the CA."""

    token: str = attrs.field(repr=False)
    config: bytes = attrs.field(repr=False)
    ca: bytes = attrs.field(repr=False)
    secrets: tuple[str, ...] = attrs.field(repr=False)


def reconcile(paths: Paths, site: SiteEnv, release: str, access: Access) -> None:
    """Make the offering's component what the configuration says, as the site agent's own identity.

    Raises:
        PharosError: Waldur does not answer, or refuses the token: in the words of waldur_answers.
        Unhealthy: the component still differs; what the agent logged about it is in facts["tail"].
        HostError: the agent's program cannot be run.

    """
    identity = service_identity(paths, site)
    with handed_over(paths, {CONFIG: access.config, CA: access.ca}, identity) as directory:
        _components(site, access, directory / CA)  # a refused token is known within a second, not after the import
        done = _load(paths.release(release), directory, identity)
        found = _components(site, access, directory / CA)
    said = redacted(_lines(done), access.secrets)[-TAIL:]
    if done.status != 0:
        raise HostError(
            f"cannot reconcile the offering's components: 'waldur_site_load_components' ended with {done.status}",
            hint="pharos-hpc check",
            facts={"status": done.status, "tail": said},
        )
    if faults := tuple(_differences(found)):
        raise _different(site, faults, said)


def service_identity(paths: Paths, site: SiteEnv) -> Identity | None:
    """Return the site agent's identity; None, the caller's own, for whoever may not take another."""
    name = ACCOUNT_OF["site-agent"]
    account = RealAccounts(paths).find_user(name)
    if account is None or (account.uid, account.gid) != (site.site_agent_uid, site.site_agent_gid):
        wrong = "does not exist" if account is None else "has other numbers than site.env says"
        raise Refused(f"cannot act as account '{name}': it {wrong}", hint="pharos-hpc install")
    return acting_as(account.uid, account.gid)


def _load(release: Path, directory: Path, identity: Identity | None) -> Completed:
    programs = release / "site-agent/bin"
    loader = programs / "waldur_site_load_components"
    words: list[str | Path] = [programs / "python", "-I", loader, "-c", directory / CONFIG]
    return run(words, seconds=SECONDS, identity=identity, environment={"SSL_CERT_FILE": str(directory / CA)})


def _lines(done: Completed) -> list[str]:
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]


def _components(site: SiteEnv, access: Access, ca: Path) -> list[object]:
    """Return the offering's components as Waldur has them; always with fields, else the answer holds secrets."""
    route = f"marketplace-provider-offerings/{site.central_offering_uuid}/?field=uuid&field=components"
    url = site.central_waldur_api_url + route
    answer = get_json(url, authorization=f"Token {access.token}", trust=trusting(ca), proxy=site.outbound_proxy_url)
    found = answer.body.get("components") if answer.status == OK and isinstance(answer.body, dict) else None
    if not isinstance(found, list):
        raise refusal(answer)
    return found


def _differences(found: list[object]) -> Iterator[str]:
    nodes = [row for row in found if isinstance(row, dict) and row.get("type") == COMPONENT]
    if not nodes:
        yield "it does not exist"
    for key, required in REQUIRED.items():
        if nodes and nodes[0].get(key) != required:
            yield f"{key} is {nodes[0].get(key)!r}, required is {required!r}"


def _different(site: SiteEnv, faults: tuple[str, ...], said: list[str]) -> Unhealthy:
    offering = site.central_offering_uuid
    return Unhealthy(
        f"the agent could not reconcile component '{COMPONENT}' of offering '{offering}': {'; '.join(faults)}",
        hint="the token's user needs CUSTOMER.OWNER on the provider organisation, and the offering may not be archived",
        facts={"faults": list(faults), "tail": said},
    )

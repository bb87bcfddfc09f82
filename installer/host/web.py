"""The web port: is the offering Active, and does the Site API itself answer (spec 06, Health)."""

from pathlib import Path
from typing import Final

import attrs

from installer.host.http import Answer, get_json, trusting
from installer.host.reading import read_small
from installer.paths import Paths
from installer.site_env import SiteEnv
from states.errors import Unhealthy

SSH_ACCESS_ROUTE: Final = "/v1/site/ssh-access/"
OK: Final = 200
NO_CONTENT: Final = 204
ANSWERS: Final = frozenset(
    {200, NO_CONTENT, 400, 401, 403, 405}
)  # the Site API's own; 404, 5xx or a page are a gateway's


@attrs.frozen
class RealWeb:
    """The two questions, for one site."""

    paths: Paths
    site: SiteEnv

    def offering(self) -> None:
        """Return when the offering reads Active through the agent's own token and CA."""
        base = self.site.central_waldur_api_url
        url = f"{base}marketplace-provider-offerings/{self.site.central_offering_uuid}/?field=uuid&field=state"
        ca = self.paths.etc / "site-agent-ca.crt"
        token = read_small(self.paths.secrets / "site-agent-token").decode().strip()
        answer = get_json(url, authorization=f"Token {token}", trust=trusting(ca), proxy=self.site.outbound_proxy_url)
        state = answer.body.get("state") if answer.status == OK and isinstance(answer.body, dict) else None
        if state is None:
            raise _refusal(answer)
        if state != "Active":
            hint = "the provider's owner activates the offering in Waldur"
            raise Unhealthy(
                f"the offering reads '{state}', not 'Active'", hint=hint, facts={"url": url, "state": state}
            )

    def site_api(self) -> None:
        """Return when the Site API answers over verified TLS."""
        site_api(self.site, self.paths.etc / "site-api-ca.crt")


def site_api(site: SiteEnv, ca: Path) -> None:
    """Return when the Site API itself answers; without a grant, 401 is an answer."""
    url = site.central_site_api_url.rstrip("/") + SSH_ACCESS_ROUTE
    answer = get_json(url, trust=trusting(ca), proxy=site.outbound_proxy_url)
    if answer.status not in ANSWERS or not (answer.is_json or answer.status == NO_CONTENT):
        kind = answer.content_type or "no type"
        what = kind if answer.is_json or not kind.startswith("application/json") else f"{kind} that is none"
        raise Unhealthy(
            f"'{url}' was not answered by the Site API: status {answer.status}, {what}",
            hint="the edge must route /v1/site/ to the Site API",
            facts={"url": url, "status": answer.status},
        )


def _refusal(answer: Answer) -> Unhealthy:
    from installer.waldur_answers import refusal

    error = refusal(answer)
    return Unhealthy(error.message, hint=error.hint, facts=error.facts)

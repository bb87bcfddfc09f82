"""The rules that every server is held to, whoever it is: reached, verified, answering itself, within bounds."""

from collections.abc import Mapping
from typing import Final

import attrs

from installer.checks.rule import Finding, Rule
from installer.host import unreachable
from installer.host.http import Answer
from installer.waldur_answers import GATEWAY, REDIRECTS
from states.errors import PharosError

FAILURE: Final = 500  # and above


@attrs.frozen
class Transport:
    """The rules of one area's server; the codes end in 01 to 09 in each."""

    reached: Rule
    authority: Rule
    name: Rule
    dates: Rule
    proxy: Rule
    bounded: Rule
    straight: Rule
    itself: Rule
    working: Rule

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return them all, in the order of their codes."""
        return tuple(getattr(self, field.name) for field in attrs.fields(Transport))

    def unreachable(self, error: PharosError) -> Finding:
        """Return the finding for an error of http.get_json, by its cause."""
        by_cause: Mapping[str, Rule] = {
            unreachable.SILENT: self.reached,
            unreachable.AUTHORITY: self.authority,
            unreachable.NAME: self.name,
            unreachable.DATES: self.dates,
            unreachable.PROXY: self.proxy,
            unreachable.TOO_LARGE: self.bounded,
        }
        rule = by_cause.get(str(error.facts.get("cause")), self.reached)
        return rule.broken(error.message, error.hint)

    def answered(self, answer: Answer) -> Finding | None:
        """Return what shows that somebody else answered, or nobody who works; None: the server itself did."""
        where = f"status {answer.status}, '{answer.url}'"
        if answer.status in REDIRECTS:
            return self.straight.broken(f"a redirect to '{answer.location}' ({where})")
        if answer.status >= FAILURE:
            what = "a gateway says that nothing runs behind it" if answer.status in GATEWAY else "it has failed itself"
            return self.working.broken(f"{what} ({where})")
        if not answer.is_json:
            kind = answer.content_type or "an answer without a type"
            return self.itself.broken(f"{kind} where JSON is expected ({where})")
        return None


def transport(area: str, who: str, key: str) -> Transport:
    """Return the rules of the server `who`, whose address is the key `key` of site.env."""
    return Transport(
        reached=Rule(
            f"PH-{area}-01", f"{who} can be reached", "an answer within 10 s", "open the way; OUTBOUND_PROXY_URL"
        ),
        authority=Rule(
            f"PH-{area}-02", f"{who}'s certificate is of a trusted authority", "the CA file's", "compare the CA file"
        ),
        name=Rule(f"PH-{area}-03", f"{who}'s certificate holds its name", f"the host of {key}", f"correct {key}"),
        dates=Rule(f"PH-{area}-04", f"{who}'s certificate is valid now", "not before, not after", "renew it"),
        proxy=Rule(f"PH-{area}-05", "the proxy lets through", "a working OUTBOUND_PROXY_URL", "correct the key"),
        bounded=Rule(
            f"PH-{area}-06", f"{who}'s answers are bounded", "at most 1 MiB, ended within 10 s", "ask its operators"
        ),
        straight=Rule(
            f"PH-{area}-07", f"{who} does not redirect", "an answer; redirects are never followed", f"correct {key}"
        ),
        itself=Rule(
            f"PH-{area}-08", f"{who} itself answers", "JSON, not a page", f"correct {key}, or the edge's route"
        ),
        working=Rule(f"PH-{area}-09", f"{who} works", "no 5xx", "ask its operators"),
    )

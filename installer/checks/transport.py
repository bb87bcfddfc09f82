"""The rules that every server is held to, whoever it is: reached, verified, answering itself, within bounds."""

from typing import Final

import attrs

from installer.checks.rule import Finding, Rule
from installer.host import unreachable
from installer.host.http import Answer
from installer.waldur_answers import GATEWAY, REDIRECTS
from states.errors import PharosError

FAILURE: Final = 500  # and above
RULE_OF: Final = {
    unreachable.SILENT: "reached",
    unreachable.NO_WAY: "way",
    unreachable.NO_TLS: "tls",
    unreachable.AUTHORITY: "authority",
    unreachable.NAME: "name",
    unreachable.DATES: "dates",
    unreachable.PROXY: "proxy",
    unreachable.TOO_LARGE: "bounded",
    unreachable.ENDLESS: "bounded",
    unreachable.CUT: "whole",
}


@attrs.frozen
class Transport:
    """The rules of one area's server; the codes end in 01 to 09 and 70 to 73 in each."""

    reached: Rule
    authority: Rule
    name: Rule
    dates: Rule
    proxy: Rule
    bounded: Rule
    straight: Rule
    itself: Rule
    working: Rule
    said: Rule
    whole: Rule
    tls: Rule
    way: Rule

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return them all, in the order of their codes."""
        return tuple(getattr(self, field.name) for field in attrs.fields(Transport))

    def unreachable(self, error: PharosError) -> Finding:
        """Return the finding for an error of http.get_json, by its cause."""
        rule: Rule = getattr(self, RULE_OF.get(str(error.facts.get("cause")), "reached"))
        return rule.broken(error.message, error.hint)

    def answered(self, answer: Answer) -> Finding | None:
        """Return what shows that somebody else answered, or nobody who works; None: the server itself did."""
        where = f"status {answer.status}, '{answer.url}'"
        if answer.status in REDIRECTS:
            return self.straight.broken(f"a redirect to '{answer.location}' ({where})")
        if answer.status >= FAILURE:
            what = "a gateway says that nothing runs behind it" if answer.status in GATEWAY else "it has failed itself"
            return self.working.broken(f"{what} ({where})")
        return None if answer.is_json else self._no_json(answer, where)

    def _no_json(self, answer: Answer, where: str) -> Finding:
        if not answer.content_type.startswith("application/json"):
            kind = answer.content_type or "an answer without a type"
            return self.itself.broken(f"{kind} where JSON is expected ({where})")
        if answer.size == 0:
            return self.said.broken(f"application/json without a byte of it ({where})")
        return self.whole.broken(f"application/json of {answer.size} bytes that is none, or not all of it ({where})")


def transport(area: str, who: str, key: str) -> Transport:
    """Return the rules of the server `who`, whose address is the key `key` of site.env."""

    def rule(number: int, title: str, required: str, remedy: str) -> Rule:
        return Rule(f"PH-{area}-{number:02}", title, required, remedy)

    operators = "ask its operators"
    return Transport(
        reached=rule(1, f"{who} answers", "an answer within 10 s", f"open the way; compare {key}"),
        authority=rule(2, f"{who}'s certificate is of a trusted authority", "the CA file's", "compare the CA file"),
        name=rule(3, f"{who}'s certificate holds its name", f"the host of {key}", f"correct {key}"),
        dates=rule(4, f"{who}'s certificate is valid now", "not before, not after", "renew it"),
        proxy=rule(5, "the proxy lets through", "a working OUTBOUND_PROXY_URL", "correct the key"),
        bounded=rule(6, f"{who}'s answers are bounded", "at most 1 MiB, ended within 10 s", operators),
        straight=rule(7, f"{who} does not redirect", "an answer; redirects are never followed", f"correct {key}"),
        itself=rule(8, f"{who} itself answers", "JSON, not a page", f"correct {key}, or the edge's route"),
        working=rule(9, f"{who} works", "no 5xx", operators),
        said=rule(70, f"{who}'s answers are not empty", "a body", operators),
        whole=rule(71, f"{who}'s answers are whole", "all of the JSON", operators),
        tls=rule(72, f"{who} speaks TLS", "TLS 1.2 or newer on the port of the address", f"correct {key}"),
        way=rule(
            73,
            f"there is a way to {who}",
            "an address for its name, and a route; or OUTBOUND_PROXY_URL",
            "set OUTBOUND_PROXY_URL where a proxy is the only way out; else correct the name or open the way",
        ),
    )

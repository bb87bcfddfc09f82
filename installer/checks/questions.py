"""Questions to a server, all at once, each asked by a child that is the service identity; secrets stay in memory."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import attrs

from installer.checks.subject import Subject
from installer.host import identity
from installer.host.forked import Forked, fork
from installer.host.http import Answer, all_imported, get_json, trusting
from installer.host.process import Identity
from installer.host.reading import read_small
from installer.site_env import SiteEnv
from states.errors import PharosError


@attrs.frozen
class Question:
    """A GET; `authorization` is the whole header, or empty."""

    url: str
    authorization: str = attrs.field(default="", repr=False)


@attrs.frozen
class Asked:
    """Questions that are under way, by name."""

    children: Mapping[str, Forked[Answer]]

    def answers(self) -> Mapping[str, Answer | PharosError]:
        """Return each answer, or the error in its place, when all have come."""
        return {name: _answer(child) for name, child in self.children.items()}


def ask(subject: Subject, questions: Mapping[str, Question], ca: str) -> Asked:
    """Start all the questions, as the agent that trusts the private input `ca`, and verified against that file.

    Raises:
        PharosError: the file cannot be used.

    """
    assert subject.site is not None
    trust, who = trusting(subject.inputs / ca), service_identity(subject.site, ca)
    all_imported(trust)
    question = partial(get_json, trust=trust, proxy=subject.site.outbound_proxy_url)
    return Asked(
        {
            name: fork(partial(question, each.url, authorization=each.authorization), who)
            for name, each in questions.items()
        }
    )


def secret(path: Path) -> str:
    """Return the secret in a file; raise `Refused` when it cannot be read."""
    return read_small(path).decode("utf-8", "replace").strip()


def service_identity(site: SiteEnv, ca: str) -> Identity | None:
    """Return the identity of the agent that trusts this CA file; None where the caller cannot become another."""
    if not identity.is_root():
        return None
    if ca.startswith("site-agent"):
        return Identity(site.site_agent_uid, site.site_agent_gid)
    return Identity(site.ssh_access_uid, site.ssh_access_gid)


def _answer(child: Forked[Answer]) -> Answer | PharosError:
    try:
        return child.answer()
    except PharosError as error:
        return error

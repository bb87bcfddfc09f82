"""Area `ldap`: the site's directory answers on both ways, by its root DSE alone; nothing is bound to or written."""

from collections.abc import Iterator
from typing import Final

from installer.checks.rule import FACT, Finding, Rule
from installer.checks.subject import Subject
from installer.host.process import find, run
from installer.site_env import SiteEnv
from states.errors import HostError

ADMIN: Final = "start the directory, or correct the key"
AGENT: Final = Rule("PH-LDAP-01", "the directory answers the site agent", "NATIVE_SITE_AGENT_LDAP_URI", ADMIN)
ACCESS: Final = Rule("PH-LDAP-02", "the directory answers the access agent", "NATIVE_SSH_ACCESS_LDAP_URI", ADMIN)
EXTERNAL: Final = Rule(
    "PH-LDAP-03", "ldapi offers SASL EXTERNAL", "supportedSASLMechanisms: EXTERNAL", "the directory's administrators"
)
BASE: Final = Rule(
    "PH-LDAP-04", "the directory holds the site's tree", "a namingContext above NATIVE_LDAP_BASE_DN", "correct the key"
)
ASKED: Final = Rule("PH-LDAP-05", "the directory can be asked", "ldapsearch (ldap-utils)", "-", FACT)
RULES: Final = (AGENT, ACCESS, EXTERNAL, BASE, ASKED)
SECONDS: Final = 20.0
WORDS: Final = ("-x", "-LLL", "-o", "nettimeout=5", "-o", "ldif-wrap=no", "-s", "base", "-b", "")
ATTRIBUTES: Final = ("namingContexts", "supportedSASLMechanisms")


def findings(subject: Subject) -> Iterator[Finding]:
    """Yield what the directory lacks, as far as the host can ask it."""
    if subject.site is None:
        return
    try:
        find(subject.paths, "ldapsearch")
    except HostError:
        yield ASKED.broken("it was not asked: this host has no ldapsearch")
        return
    yield from _agent(subject, subject.site)
    yield from _access(subject, subject.site)


def _agent(subject: Subject, site: SiteEnv) -> Iterator[Finding]:
    if "site-agent" not in site.activation_components:
        return
    try:
        dse = _root(subject, site.native_site_agent_ldap_uri)
    except HostError as error:
        yield AGENT.broken(error.message)
        return
    base = site.native_ldap_base_dn.lower()
    contexts = [value.lower() for value in dse.get("namingcontexts", ())]
    if not any(base == context or base.endswith(f",{context}") for context in contexts):
        yield BASE.broken(f"its contexts are {', '.join(contexts) or 'none'}")


def _access(subject: Subject, site: SiteEnv) -> Iterator[Finding]:
    if "ssh-access" not in site.activation_components:
        return
    try:
        dse = _root(subject, site.native_ssh_access_ldap_uri)
    except HostError as error:
        yield ACCESS.broken(error.message)
        return
    mechanisms = dse.get("supportedsaslmechanisms", [])
    if "EXTERNAL" not in mechanisms:
        yield EXTERNAL.broken(f"it offers {', '.join(mechanisms) or 'none'}")


def _root(subject: Subject, uri: str) -> dict[str, list[str]]:
    """Return the attributes of the root DSE (RFC 4512, 5.1), by name in lower case; anonymous, as everybody may."""
    program = find(subject.paths, "ldapsearch")
    done = run([program, *WORDS, "-H", uri, "(objectClass=*)", *ATTRIBUTES], seconds=SECONDS)
    if done.status:
        said = done.stderr.strip().splitlines()
        raise HostError(f"'{uri}' gives no answer: {said[0] if said else f'status {done.status}'}")
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        name, separator, value = line.partition(": ")
        if separator:
            found.setdefault(name.lower(), []).append(value)
    return found

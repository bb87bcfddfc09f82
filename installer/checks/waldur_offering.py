"""What the offering must be: Active, of the agent's type, with the provider naming the users, with a plan."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from installer.agent_config import BILLING, COMPONENT, PERIOD
from installer.checks.rule import FACT, WARNING, Finding, Rule
from installer.checks.shaped import rows, table

OWNER: Final = "the provider's owner sets it on the offering"
KNOWN: Final = Rule("PH-WALDUR-20", "the offering's state is known", "Active", "see the offering's page in Waldur")
PUBLISHED: Final = Rule(
    "PH-WALDUR-60", "the offering is no draft", "Active", "the provider's owner activates the offering in Waldur"
)
RUNNING: Final = Rule(
    "PH-WALDUR-61", "the offering is not paused", "Active", "the provider's owner ends the pause in Waldur"
)
KEPT: Final = Rule(
    "PH-WALDUR-62", "the offering is not archived", "Active", "name an offering in site.env that is still offered"
)
AVAILABLE: Final = Rule(
    "PH-WALDUR-63", "the offering is available", "Active", "the provider's owner makes it available in Waldur"
)
KIND: Final = Rule(
    "PH-WALDUR-21", "the offering is for a site agent", "type Marketplace.Slurm", "name the right offering in site.env"
)
POLICY: Final = Rule(
    "PH-WALDUR-22",
    "the provider names the users",
    "plugin_options.username_generation_policy is service_provider",
    OWNER,
)
POLICY_SET: Final = Rule(
    "PH-WALDUR-23",
    "that policy is set on the offering itself",
    "plugin_options.username_generation_policy: what is inherited the agent does not read",
    OWNER,
)
POLICY_IN_EFFECT: Final = Rule(
    "PH-WALDUR-24",
    "that policy is in effect",
    "account_settings.username_generation_policy.value is service_provider",
    "Waldur's operators say why another one is in effect",
)
CREATES: Final = Rule(
    "PH-WALDUR-25",
    "the provider may create offering users",
    "plugin_options.service_provider_can_create_offering_user is true",
    OWNER,
)
CREATES_PLACE: Final = Rule(
    "PH-WALDUR-26",
    "that flag stands where the agent reads it",
    "plugin_options.service_provider_can_create_offering_user; before Waldur 8 it was a secret option",
    "the provider's owner sets it in plugin_options too",
)
HAS_PLAN: Final = Rule("PH-WALDUR-27", "the offering has a plan", "at least one plan", "the provider's owner adds one")
NODE: Final = Rule(
    "PH-WALDUR-28", f"the component '{COMPONENT}' exists", "it is made by 'configure'", "pharos-hpc configure", FACT
)
NODE_AS_WANTED: Final = Rule(
    "PH-WALDUR-29",
    f"the component '{COMPONENT}' is billed as the agent's configuration says",
    f"billing_type {BILLING}",
    "'pharos-hpc configure' corrects it",
    WARNING,
)
PERIOD_AS_WANTED: Final = Rule(
    "PH-WALDUR-64",
    f"the component '{COMPONENT}' has the limit period that the agent's configuration says",
    f"limit_period {PERIOD}",
    "'pharos-hpc configure' corrects it",
    WARNING,
)
RULES: Final = (
    KNOWN,
    KIND,
    POLICY,
    POLICY_SET,
    POLICY_IN_EFFECT,
    CREATES,
    CREATES_PLACE,
    HAS_PLAN,
    NODE,
    NODE_AS_WANTED,
    PUBLISHED,
    RUNNING,
    KEPT,
    AVAILABLE,
    PERIOD_AS_WANTED,
)
STATES: Final = {"Draft": PUBLISHED, "Paused": RUNNING, "Archived": KEPT, "Unavailable": AVAILABLE}
WANTED: Final = "service_provider"
FLAG: Final = "service_provider_can_create_offering_user"
FIELDS: Final = (
    "uuid",
    "state",
    "paused_reason",
    "type",
    "customer_uuid",
    "plugin_options",
    "account_settings",
    "components",
    "plans",
)


def findings(offering: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what speaks against the offering, as Waldur shows it to the token's user."""
    if (state := offering.get("state")) != "Active":
        reason = f": {offering['paused_reason']}" if offering.get("paused_reason") else ""
        yield STATES.get(str(state), KNOWN).broken(f"the offering reads '{state}'{reason}")
    if offering.get("type") != "Marketplace.Slurm":
        yield KIND.broken(f"the offering's type is '{offering.get('type')}'")
    yield from _policy(offering)
    yield from _flag(offering)
    if not rows(offering.get("plans")):
        yield HAS_PLAN.broken("the offering has no plan")
    yield from _node(offering)


def _policy(offering: Mapping[str, Any]) -> Iterator[Finding]:
    own = table(offering.get("plugin_options")).get("username_generation_policy")
    effective = table(table(offering.get("account_settings")).get("username_generation_policy")).get("value")
    if own == WANTED:
        if effective is not None and effective != WANTED:
            yield POLICY_IN_EFFECT.broken(f"'{effective}' is in effect")
    elif not own and effective == WANTED:
        yield POLICY_SET.broken("the policy is in effect by inheritance only")
    else:
        yield POLICY.broken(f"the policy is '{own}'" if own else "the offering sets no policy")


def _flag(offering: Mapping[str, Any]) -> Iterator[Finding]:
    """The secret options are never asked for, as they hold passwords; that the shape is old says where the flag is."""
    flag = table(offering.get("plugin_options")).get(FLAG)
    if flag is True:
        return
    if flag is None and "account_settings" not in offering:
        yield CREATES_PLACE.broken("plugin_options lack it, and this Waldur is older than 8")
    else:
        yield CREATES.broken("the flag is not set" if flag is None else f"the flag is {flag!r}")


def _node(offering: Mapping[str, Any]) -> Iterator[Finding]:
    node = next((row for row in rows(offering.get("components")) if row.get("type") == COMPONENT), None)
    if node is None:
        yield NODE.broken(f"the offering has no component '{COMPONENT}' yet")
        return
    if node.get("billing_type") != BILLING:
        yield NODE_AS_WANTED.broken(f"its billing_type is '{node.get('billing_type')}', not '{BILLING}'")
    if node.get("limit_period") != PERIOD:
        yield PERIOD_AS_WANTED.broken(f"its limit_period is '{node.get('limit_period')}', not '{PERIOD}'")

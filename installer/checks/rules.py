"""Every rule of `check`, in one table: docs/checks.md is made from it, and every finding names one."""

from typing import Final

import attrs

ERROR: Final = "error"
WARNING: Final = "warning"
FACT: Final = "fact"  # for a human to decide


@attrs.frozen
class Rule:
    """One rule: `code` is stable; `required` and `remedy` are what an operator reads beside what was found."""

    code: str
    severity: str
    title: str
    required: str
    remedy: str

    @property
    def area(self) -> str:
        """Return the area that the rule belongs to."""
        return AREAS[self.code.split("-")[1]]


AREAS: Final = {
    "ARCHIVE": "archive",
    "SITE": "site.env",
    "INPUT": "inputs",
    "PYTHON": "python",
    "ACCOUNT": "accounts",
    "HOST": "host",
    "UNIT": "units",
    "SPACE": "space",
    "WALDUR": "waldur",
    "EDGE": "edge",
}

_ALL: Final = (
    Rule("PH-ARCHIVE-01", ERROR, "the archive is whole", "every file as SHA256SUMS says", "unpack the archive again"),
    Rule(
        "PH-ARCHIVE-02", ERROR, "the archive has a valid manifest", "a manifest of format 1", "unpack the archive again"
    ),
    Rule("PH-ARCHIVE-03", ERROR, "the release id is free", "the same inputs, or another id", "see the message"),
    Rule("PH-SITE-01", ERROR, "site.env is readable and safe", "a regular file only root can write", "see the message"),
    Rule("PH-SITE-02", ERROR, "every key of site.env is valid", "docs/site-env.md", "correct the line"),
    Rule("PH-SITE-03", ERROR, "site.env fits the archive", "keys as the manifest's mode needs", "correct the key"),
    Rule(
        "PH-INPUT-01",
        ERROR,
        "the private inputs are valid",
        "five files as in spec 03",
        "ask the central step for them",
    ),
    Rule("PH-PYTHON-01", ERROR, "HOST_PYTHON works", "a Python that satisfies python_requires", "install it"),
    Rule(
        "PH-PYTHON-02", ERROR, "both identities reach HOST_PYTHON", "no directory closed to them", "open the way, o+x"
    ),
    Rule(
        "PH-ACCOUNT-01", ERROR, "the identities exist as wanted or not at all", "the numbers of site.env", "see message"
    ),
    Rule("PH-HOST-01", ERROR, "Linux on a supported architecture", "x86_64 Linux", "use a supported host"),
    Rule("PH-HOST-02", ERROR, "systemd runs the host", "systemctl answers", "use a host with systemd 252 or newer"),
    Rule("PH-HOST-03", ERROR, "NSS answers", "getent finds root", "repair /etc/nsswitch.conf"),
    Rule("PH-HOST-04", FACT, "what this host is", "-", "-"),
    Rule(
        "PH-UNIT-01", ERROR, "the unit files are valid", "systemd-analyze verify is silent", "use an undamaged archive"
    ),
    Rule("PH-UNIT-02", ERROR, "no unit of ours is masked", "no mask", "systemctl unmask UNIT"),
    Rule("PH-SPACE-01", ERROR, "the release fits", "bytes and inodes with a reserve", "make room, or prune"),
    Rule("PH-WALDUR-01", ERROR, "Waldur answers", "TLS with the configured CA", "see the message"),
    Rule("PH-WALDUR-02", ERROR, "the token may read the offering", "200 with its fields", "see the message"),
    Rule("PH-WALDUR-03", ERROR, "the offering is Active", "Active", "the provider's owner activates it in Waldur"),
    Rule(
        "PH-WALDUR-04",
        ERROR,
        "the provider names the users",
        "plugin_options.username_generation_policy is service_provider, on the offering itself",
        "the provider's owner sets it on the offering",
    ),
    Rule(
        "PH-WALDUR-05",
        ERROR,
        "the provider may create offering users",
        "plugin_options.service_provider_can_create_offering_user is true",
        "the provider's owner sets it on the offering",
    ),
    Rule(
        "PH-WALDUR-06",
        ERROR,
        "the token's user has the role",
        "an unexpired CUSTOMER.OWNER of the provider, or CUSTOMER.MANAGER on its service provider",
        "the provider's owner grants CUSTOMER.OWNER to the user",
    ),
    Rule(
        "PH-WALDUR-07",
        WARNING,
        "the token does not expire by itself",
        "no token lifetime",
        "use a token without lifetime",
    ),
    Rule(
        "PH-EDGE-01", ERROR, "the Site API answers", "TLS with the configured CA, JSON on its routes", "see the message"
    ),
)

RULES: Final = {rule.code: rule for rule in _ALL}


@attrs.frozen
class Finding:
    """What was found where a rule was broken, or a fact."""

    code: str
    found: str

    @property
    def rule(self) -> Rule:
        """Return the rule."""
        return RULES[self.code]


def reference() -> str:
    """Return docs/checks.md."""
    rows = "\n".join(f"| {r.code} | {r.severity} | {r.title} | {r.required} | {r.remedy} |" for r in _ALL)
    head = "| code | severity | rule | required | remedy |\n| --- | --- | --- | --- | --- |\n"
    return (
        f"# The rules of `check`\n\nMade from `installer/checks/rules.py`; a test compares the two.\n\n{head}{rows}\n"
    )

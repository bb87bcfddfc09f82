"""The offering contract: each cause has a code of its own, in the shape of 8.1.3 over real TLS."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from fixtures.central import Central
from fixtures.sandbox import make_sandbox
from tests.checks.conftest import Checked

OFFERING = "/api/marketplace-provider-offerings/"
ME = "/api/users/me/"
ROLES = "/api/roles/"
PLANS = "/api/marketplace-public-offerings/"
NODE = "PH-WALDUR-28"  # before configure the component is not there, which is a fact
Change = Callable[[Central], object]


def node(**changes: str) -> dict[str, str]:
    return {
        "uuid": "0" * 32,
        "type": "node",
        "name": "Node",
        "billing_type": "limit",
        "limit_period": "total",
        **changes,
    }


def test_a_good_offering_has_no_finding_but_the_fact_about_its_component(site: Checked) -> None:
    assert site.check("waldur")["ok"]
    assert set(site.found("waldur")) <= {NODE}
    site.central.set_offering(components=[node()])
    assert site.found("waldur") == {}


def test_the_token_and_the_secret_options_are_never_asked_for(site: Checked) -> None:
    site.check("waldur")
    asked = [row["path"] + "?" + row.get("query", "") for row in site.central.requests("waldur")]
    assert len(asked) == 5
    for path in asked:
        if "/users/me/" in path or "provider-offerings" in path:
            assert "field=uuid" in path
            assert "secret_options" not in path


@pytest.mark.parametrize(
    ("user", "code", "words"),
    [
        ("unprivileged", "PH-WALDUR-50", "no role at all"),
        ("sp_manager", "PH-WALDUR-51", "404 for CUSTOMER.MANAGER"),
        ("other_owner", "PH-WALDUR-31", "the offering is of"),
        ("expired", "PH-WALDUR-11", "has expired"),
        ("deactivated", "PH-WALDUR-12", "inactive or deleted"),
        ("manager", "PH-WALDUR-34", "CUSTOMER.MANAGER"),
        ("offering_manager_only", "PH-WALDUR-39", "OFFERING.MANAGER"),
        ("support", "PH-WALDUR-38", "of the support"),
        ("staff", "PH-WALDUR-32", "staff"),
    ],
)
def test_each_kind_of_user_is_told_apart(site: Checked, user: str, code: str, words: str) -> None:
    found = site.found("waldur", user=user)
    assert set(found) - {NODE, "PH-WALDUR-35"} == {code}
    assert words in found[code]


def test_an_unknown_token_is_told(site: Checked) -> None:
    (site.inputs() / "site-agent-token").write_text("0" * 40)
    assert set(site.found("waldur")) == {"PH-WALDUR-10"}


def test_a_user_who_may_not_ask_is_told(site: Checked) -> None:
    site.central.fail("waldur", ME, 403, body='{"detail": "You do not have permission to perform this action."}')
    assert "do not have permission" in site.found("waldur")["PH-WALDUR-14"]


REFUSALS = {
    "token-lost": (401, "Authentication credentials were not provided.", "PH-WALDUR-15"),
    "too-often": (429, "Request was throttled.", "PH-WALDUR-16"),
    "unknown-answer": (418, "I am a teapot.", "PH-WALDUR-17"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_each_refusal_has_its_own_code_and_waldurs_own_words(site: Checked, name: str) -> None:
    status, words, code = REFUSALS[name]
    site.central.fail("waldur", ME, status, body=f'{{"detail": "{words}"}}')
    found = site.found("waldur")
    assert set(found) - {NODE} == {code}
    assert words in found[code]


@pytest.mark.parametrize("user", ["owner", "staff", "support"])
def test_an_offering_that_is_not_there_is_told_to_who_would_see_it(site: Checked, user: str) -> None:
    site.configure(CENTRAL_OFFERING_UUID="7" * 32)
    assert set(site.found("waldur", user=user)) - {"PH-WALDUR-35"} == {"PH-WALDUR-13"}


def lifetime(central: Central) -> None:
    central.set_token_lifetime("owner", 3600)


def elsewhere(central: Central) -> None:
    central.set_offering(customer_uuid="f" * 32)
    central.let_provider_managers_see()


CHANGES: dict[str, tuple[Change, str, str]] = {
    "draft": (lambda c: c.set_offering_state("Draft"), "PH-WALDUR-60", "'Draft'"),
    "paused": (lambda c: c.set_offering_state("Paused", "maintenance"), "PH-WALDUR-61", "'Paused': maintenance"),
    "archived": (lambda c: c.set_offering_state("Archived"), "PH-WALDUR-62", "'Archived'"),
    "unavailable": (lambda c: c.set_offering_state("Unavailable"), "PH-WALDUR-63", "'Unavailable'"),
    "type": (lambda c: c.set_offering(type="Marketplace.Basic"), "PH-WALDUR-21", "Marketplace.Basic"),
    "policy": (
        lambda c: c.set_plugin_option("username_generation_policy", "full_name"),
        "PH-WALDUR-22",
        "'full_name'",
    ),
    "policy-inherited": (
        lambda c: c.set_plugin_option("username_generation_policy"),
        "PH-WALDUR-23",
        "by inheritance only",
    ),
    "flag-absent": (
        lambda c: c.set_plugin_option("service_provider_can_create_offering_user"),
        "PH-WALDUR-25",
        "not set",
    ),
    "flag-text": (
        lambda c: c.set_plugin_option("service_provider_can_create_offering_user", "true"),
        "PH-WALDUR-25",
        "'true'",
    ),
    "no-plan": (lambda c: c.set_offering(plans=[]), "PH-WALDUR-27", "no plan"),
    "billing": (
        lambda c: c.set_offering(components=[node(billing_type="usage")]),
        "PH-WALDUR-29",
        "billing_type is 'usage'",
    ),
    "period": (
        lambda c: c.set_offering(components=[node(limit_period="month")]),
        "PH-WALDUR-64",
        "limit_period is 'month'",
    ),
    "role-over": (lambda c: c.expire_role("owner"), "PH-WALDUR-33", "ended at"),
    "no-report": (
        lambda c: c.hold("CUSTOMER.OWNER", "RESOURCE.SET_USAGE", held=False),
        "PH-WALDUR-34",
        "CUSTOMER.OWNER",
    ),
    "lifetime": (lifetime, "PH-WALDUR-35", "3600 s"),
    "plan-404": (lambda c: c.fail("waldur", PLANS, 404, body="", content_type=""), "PH-WALDUR-40", "status 404"),
    "plan-page": (lambda c: c.answer_html("waldur", PLANS), "PH-WALDUR-40", "status 200"),
    "plan-redirect": (lambda c: c.redirect("waldur", PLANS, "/login"), "PH-WALDUR-40", "status 302"),
    "plan-gone": (lambda c: c.drop("waldur", PLANS), "PH-WALDUR-40", "cannot reach"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_fault_of_the_contract_has_its_own_code(site: Checked, name: str) -> None:
    change, code, words = CHANGES[name]
    change(site.central)
    found = site.found("waldur")
    assert set(found) - {NODE} == {code}
    assert words in found[code]


TRANSPORT: dict[str, tuple[Change, str, str]] = {
    "foreign-ca": (lambda c: c.present("waldur", "foreign-ca"), "PH-WALDUR-02", "certificate verify failed"),
    "self-signed": (lambda c: c.present("waldur", "self-signed"), "PH-WALDUR-02", "self-signed"),
    "wrong-host": (lambda c: c.present("waldur", "wrong-host"), "PH-WALDUR-03", "localhost"),
    "expired": (lambda c: c.present("waldur", "expired"), "PH-WALDUR-04", "expired"),
    "not-yet-valid": (lambda c: c.present("waldur", "not-yet-valid"), "PH-WALDUR-04", "not yet valid"),
    "dropped": (lambda c: c.drop("waldur", "/api/"), "PH-WALDUR-01", "cannot reach"),
    "huge": (lambda c: c.answer_json("waldur", "/api/", '"' + "x" * 2_000_000 + '"'), "PH-WALDUR-06", "1048576"),
    "redirect": (lambda c: c.redirect("waldur", "/api/", "/api/login/"), "PH-WALDUR-07", "'/api/login/'"),
    "page": (lambda c: c.answer_html("waldur", "/api/"), "PH-WALDUR-08", "text/html"),
    "empty": (lambda c: c.answer_json("waldur", "/api/", ""), "PH-WALDUR-70", "without a byte"),
    "truncated": (lambda c: c.answer_json("waldur", "/api/", '{"uuid": "0'), "PH-WALDUR-71", "of 11 bytes"),
    "cut": (lambda c: c.cut("waldur", "/api/"), "PH-WALDUR-71", "without sending complete"),
    "nested": (lambda c: c.answer_json("waldur", "/api/", "[" * 100_000), "PH-WALDUR-71", "100000 bytes"),
    "plain": (lambda c: c.speak_plainly("waldur"), "PH-WALDUR-72", "SSL"),
    "drip": (lambda c: c.drip("waldur", "/api/", 30), "PH-WALDUR-06", "in time"),
    "drip-headers": (lambda c: c.drip_headers("waldur", "/api/", 30), "PH-WALDUR-06", "in time"),
    "stall": (lambda c: c.stall("waldur", "/api/", 30), "PH-WALDUR-01", "timed out"),
    "chain-cut": (lambda c: c.present("waldur", "chain-cut"), "PH-WALDUR-02", "local issuer"),
    "database": (lambda c: c.database(up=False), "PH-WALDUR-09", "failed itself"),
    "gateway": (lambda c: c.fail_with_page("waldur", "/api/"), "PH-WALDUR-09", "nothing runs behind it"),
}


@pytest.mark.parametrize("name", TRANSPORT)
def test_each_fault_of_the_way_has_its_own_code_and_is_told_once(site: Checked, name: str) -> None:
    change, code, words = TRANSPORT[name]
    change(site.central)
    found = site.found("waldur")
    assert set(found) == {code}
    assert words in found[code]


@pytest.mark.parametrize("held", ["5", '["x"]', "{}", "null", '[{"role_name": 5, "scope_uuid": []}]'])
def test_roles_of_another_shape_are_roles_that_nobody_has(site: Checked, held: str) -> None:
    site.central.answer_json("waldur", ME, f'{{"uuid": "{"0" * 32}", "permissions": {held}}}')
    assert set(site.found("waldur")) - {NODE} <= {"PH-WALDUR-30", "PH-WALDUR-50"}


@pytest.mark.parametrize("route", [OFFERING, ME, ROLES])
@pytest.mark.parametrize("text", ["5", '"x"', "{}", "true"])
def test_json_that_is_not_what_was_asked_for_is_told_as_such(site: Checked, route: str, text: str) -> None:
    site.central.answer_json("waldur", route, text)
    assert "not what was asked for" in site.found("waldur")["PH-WALDUR-18"]


def test_an_offering_of_a_state_that_nobody_knows_is_told(site: Checked) -> None:
    site.central.set_offering_state("Sleeping")
    assert "'Sleeping'" in site.found("waldur")["PH-WALDUR-20"]


def test_a_token_with_an_end_is_told(site: Checked) -> None:
    body = f'{{"uuid": "{"0" * 32}", "permissions": [], "token_expires_at": "2030-01-01T00:00:00Z"}}'
    site.central.answer_json("waldur", ME, body)
    assert "2030-01-01" in site.found("waldur")["PH-WALDUR-36"]


def test_a_site_without_the_site_agent_has_not_asked_waldur(site: Checked) -> None:
    site.configure(ACTIVATION_COMPONENTS="ssh-access")
    assert set(site.found("waldur")) == {"PH-WALDUR-42"}
    assert site.central.requests("waldur") == []


@pytest.mark.parametrize("route", [OFFERING, ME, ROLES, PLANS])
def test_a_redirect_is_followed_at_no_route(site: Checked, route: str) -> None:
    site.central.redirect("waldur", route, f"{site.central.site_api_url}/login")
    assert any(code.startswith("PH-WALDUR-") for code in site.found("waldur"))
    assert site.central.requests("site-api") == []


def test_a_name_that_nobody_knows_is_told_as_no_way(site: Checked) -> None:
    url = "https://nowhere.invalid"
    site.configure(CENTRAL_WALDUR_API_URL=f"{url}/api/", CENTRAL_SITE_API_URL=url)
    assert set(site.found("waldur", "edge")) == {"PH-WALDUR-73", "PH-EDGE-73"}


def test_a_proxy_that_is_not_there_is_told_as_such(site: Checked) -> None:
    site.configure(OUTBOUND_PROXY_URL="http://127.0.0.1:9")
    assert set(site.found("waldur")) == {"PH-WALDUR-05"}


class Forbidding(BaseHTTPRequestHandler):
    """A proxy that lets nobody through."""

    def do_CONNECT(self) -> None:
        self.send_error(403)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server's name
        """Say nothing."""


def test_a_proxy_that_lets_nobody_through_is_told_as_such(site: Checked) -> None:
    with HTTPServer(("127.0.0.1", 0), Forbidding) as proxy:
        Thread(target=proxy.serve_forever, daemon=True).start()
        site.configure(OUTBOUND_PROXY_URL=f"http://127.0.0.1:{proxy.server_port}")
        assert set(site.found("waldur", "edge")) == {"PH-WALDUR-05", "PH-EDGE-05"}
        proxy.shutdown()


def test_a_ca_file_that_is_missing_is_told_and_nothing_is_asked(site: Checked) -> None:
    (site.inputs() / "site-agent-ca.crt").unlink()
    assert "site-agent-ca.crt" in site.found("waldur")["PH-INPUT-01"]
    assert site.central.requests() == []


def test_the_recorded_shape_of_2024_is_understood(sandbox_dir: Path, tmp_path: Path) -> None:
    with Central.start(tmp_path / "central", "2024-10") as central:
        old = Checked(make_sandbox(sandbox_dir), central, tmp_path)
        old.configure()
        central.set_plugin_option("service_provider_can_create_offering_user")
        assert set(old.found("waldur")) == {"PH-WALDUR-26", NODE}
        central.set_plugin_option("service_provider_can_create_offering_user", True)
        assert old.check("waldur")["ok"]
        assert "PH-WALDUR-34" in old.found("waldur", user="manager")

"""Every recorded answer of a real Waldur goes through the readers of `check`: each has its meaning."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from fixtures.central.recordings import names, recording, rows
from installer.checks import waldur, waldur_offering, waldur_user
from installer.host.http import Answer

NOW = datetime(2024, 10, 25, tzinfo=UTC)


def answer(name: str) -> Answer:
    """Return a recording as the client would have read it."""
    response = recording(name)["response"]
    headers: Mapping[str, str] = {key.lower(): value for key, value in response["headers"].items()}
    kind = headers.get("content-type", "")
    body = response.get("body") if kind.startswith("application/json") else None
    location, date = headers.get("location", ""), headers.get("date", "")
    return Answer(recording(name)["request"]["path"], response["status"], kind, body, location, date)


@pytest.mark.parametrize("name", names())
def test_every_recording_is_an_answer_or_has_a_finding(name: str) -> None:
    found = waldur.of_answer(answer(name))
    assert (found is None) == (answer(name).status == 200 and answer(name).is_json), found
    if found:
        assert found.code in {rule.code for rule in waldur.RULES}
        assert str(answer(name).status) in found.found or found.code == "PH-WALDUR-08"


OFFERINGS = {  # the last two digits of the codes; 28, the component that is still to be made, is in each
    "active.manager": set(),
    "active.offering_manager": set(),
    "active.owner": set(),
    "active.staff": set(),
    "basic_type.owner": {"21"},
    "customer_blocked.owner": {"21", "22", "26", "27"},
    "draft.owner": {"60"},
    "draft.staff": {"60"},
    "field_account_settings_only.owner": set(),
    "field_filter.owner": {"27"},
    "field_secret_only.consumer_member": {"20", "21", "22", "26", "27"},
    "no_create_user.owner": {"25"},
    "options_absent.owner": {"22", "26"},
    "paused.owner": {"61"},
    "paused.staff": {"61"},
    "private.owner": set(),
    "uppercase_uuid.owner": set(),
    "wrong_policy.owner": {"22"},
}


def shown() -> list[str]:
    """Return the names of the recorded offerings that were shown."""
    prefix = "provider_offering."
    return [n.removeprefix(prefix) for n in names() if n.startswith(prefix) and answer(n).status == 200]


def test_every_recorded_offering_is_judged() -> None:
    assert sorted(shown()) == sorted(OFFERINGS)
    for name, codes in OFFERINGS.items():
        body = answer(f"provider_offering.{name}").body
        assert isinstance(body, dict)
        found = {finding.code[-2:] for finding in waldur_offering.findings(body)}
        assert found == codes | {"28"}, name


def test_a_policy_that_is_set_and_overruled_is_told() -> None:
    settings = {"username_generation_policy": {"value": "full_name", "source": "provider"}}
    body = answer("provider_offering.active.owner").body
    assert isinstance(body, dict)
    found = {finding.code for finding in waldur_offering.findings({**body, "account_settings": settings})}
    assert found == {"PH-WALDUR-24", "PH-WALDUR-28"}


USERS = {
    "me.owner": (),
    "me.manager": ("PH-WALDUR-34",),
    "me.sp_manager": ("PH-WALDUR-34",),
    "me.offering_manager": (),
    "me.offering_manager_only": ("PH-WALDUR-39",),
    "me.customer_support": ("PH-WALDUR-30",),
    "me.consumer_member": ("PH-WALDUR-30",),
    "me.owner_revoked": ("PH-WALDUR-50",),
    "me.staff": ("PH-WALDUR-32",),
    "me.support": ("PH-WALDUR-38",),
    "me.unprivileged": ("PH-WALDUR-50",),
}


def judged(user: Mapping[str, Any], now: datetime = NOW) -> tuple[str, ...]:
    offering = recording("provider_offering.active.owner")["response"]["body"]
    found = waldur_user.findings(user, offering, rows("roles.owner"), now)
    return tuple(finding.code for finding in found if finding.code != "PH-WALDUR-35")


@pytest.mark.parametrize("name", USERS)
def test_every_recorded_user_is_judged(name: str) -> None:
    body = answer(name).body
    assert isinstance(body, dict)
    assert judged(body) == USERS[name]


def as_of_8_1_3(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a role in the shape of 8.1.3: the service provider's scope type, and the customer's id everywhere."""
    kind = {"serviceprovider": "service_provider"}.get(row["scope_type"], row["scope_type"])
    customer = row["scope_uuid"] if kind == "customer" else row.get("customer_uuid")
    return {**row, "scope_type": kind, "customer_uuid": customer, "project_uuid": None, "resource_uuid": None}


@pytest.mark.parametrize("name", USERS)
def test_the_same_users_in_the_shape_of_8_1_3_are_judged_alike(name: str) -> None:
    body = answer(name).body
    assert isinstance(body, dict)
    assert judged({**body, "permissions": [as_of_8_1_3(row) for row in body["permissions"]]}) == USERS[name]


def test_a_role_that_has_ended_counts_for_nothing_though_it_is_listed() -> None:
    body = answer("me.owner_expiring").body
    assert isinstance(body, dict)
    (row,) = body["permissions"]
    end = datetime.fromisoformat(row["expiration_time"])
    assert judged(body, end - timedelta(seconds=1)) == ("PH-WALDUR-37",)
    assert judged(body, end) == ("PH-WALDUR-33",)


def test_an_owner_of_another_provider_is_told_apart_from_somebody_without_a_role() -> None:
    row = {"role_name": "CUSTOMER.OWNER", "scope_type": "customer", "scope_uuid": "f" * 32, "scope_name": "Other"}
    assert judged({"uuid": "0" * 32, "permissions": [row]}) == ("PH-WALDUR-31",)


@pytest.mark.parametrize(("seconds", "codes"), [(0, 0), (59, 0), (-59, 0), (61, 1), (-61, 1), (86_400, 1)])
def test_a_clock_more_than_a_minute_off_is_told(seconds: int, codes: int) -> None:
    date = format_datetime(NOW, usegmt=True)
    seen = Answer("https://waldur.example.org/", 200, "application/json", {}, "", date)
    found = list(waldur._clock(seen, NOW + timedelta(seconds=seconds)))
    assert len(found) == codes
    if found:
        assert found[0].code == "PH-WALDUR-41"
        assert ("ahead" if seconds > 0 else "behind") in found[0].found


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 99 Foo 2024"])
def test_a_date_that_is_none_is_no_clock(date: str) -> None:
    seen = Answer("https://waldur.example.org/", 200, "application/json", {}, "", date)
    assert list(waldur._clock(seen, NOW)) == []

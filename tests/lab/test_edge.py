"""The Site API behind a real nginx: the right edge has no finding, and a line of it that is wrong has its code."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from fixtures.central.controls import SITE_API
from fixtures.lab.archives import FIRST
from fixtures.lab.container import container
from fixtures.lab.edge import GRANTS, PORTAL, EdgeSite
from fixtures.lab.site import Outside
from fixtures.lab.store import Store
from tests.lab.running import assert_runs, recorded
from tests.lab.waiting import until

Qualified = Callable[[int, str, str], None]
EDGE = 11
PREVIOUS = 3
QUESTIONS = 3  # without grants: each route, and one with the agent's own
pytestmark = pytest.mark.xdist_group("edge")  # one process has the machine
SSH_ACCESS, COMMANDS = "/v1/site/ssh-access/", "/v1/site/commands/"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA behind-the-edge"
PASSED_ON = "proxy_pass https://site_api;"
INTERCEPTED = f"{PASSED_ON} proxy_intercept_errors on;"
EVERY_GRANT = {20, 21, 22, 23, 24, 25}
UNKNOWN = {21, 22, 23}  # malformed, expired, revoked get 401; another scope gets 403, another site its own name


@attrs.frozen
class Slip:
    """`wrong` in the place of `right` in nginx's configuration; the findings without grants, and what grants add."""

    right: str
    wrong: str
    alone: set[int]
    grants: set[int]
    words: str


SLIPS = {
    "another host's certificate, whatever name is asked for": Slip(
        "server_name site.pharos.test;", "server_name site.pharos.example;", {3}, EVERY_GRANT, "site.pharos.test"
    ),
    "a chain without the intermediate": Slip(
        "ssl_certificate /etc/nginx/edge/site.pem;",
        "ssl_certificate /etc/nginx/edge/cut.pem;",
        {2},
        EVERY_GRANT,
        "unable to get local issuer certificate",
    ),
    "the portal's page on the agents' routes": Slip(
        PASSED_ON, "rewrite ^ /login break; proxy_pass http://portal;", {8}, EVERY_GRANT, "text/html"
    ),
    "the portal's redirect on the agents' routes": Slip(
        PASSED_ON, "proxy_pass http://portal;", {7}, EVERY_GRANT, f"https://{PORTAL}/login"
    ),
    "one of the two routes is the portal's": Slip(
        "location /v1/site/ {", f"location {SSH_ACCESS} {{", {7}, {20, 21, 24}, COMMANDS
    ),
    "a prefix that is cut off": Slip(PASSED_ON, "proxy_pass https://site_api/;", {10}, EVERY_GRANT, "status 404"),
    "a redirect to sign in for each 401": Slip(
        PASSED_ON, f"{INTERCEPTED} error_page 401 =302 https://{PORTAL}/login;", {7}, UNKNOWN, f"https://{PORTAL}/login"
    ),
    "a page for each 401": Slip(PASSED_ON, f"{INTERCEPTED} error_page 401 /refused.html;", {8}, UNKNOWN, "status 401"),
    "a Site API that is down": Slip(
        "server 127.0.0.1:@PORT@;", "server 127.0.0.1:1;", {9}, EVERY_GRANT, "nothing runs behind it (status 502"
    ),
    "the grant taken off": Slip(
        PASSED_ON, f'{PASSED_ON} proxy_set_header Authorization "";', {11}, {20}, "status 401"
    ),
    "a password of its own": Slip(
        PASSED_ON, f'{PASSED_ON} auth_basic "staff"; auth_basic_user_file /dev/null;', {8}, EVERY_GRANT, "status 401"
    ),
    "a redirect to another host": Slip(
        PASSED_ON, "return 308 https://www.pharos.test$request_uri;", {7}, EVERY_GRANT, "https://www.pharos.test/v1/site/"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def edge(machines: Store, outside: Outside, site_layer: Path) -> Iterator[EdgeSite]:
    """Give one machine to all tests here; each starts nginx anew with the configuration that it wants."""
    outside.mend()
    with container(machines, [site_layer], world=outside.world) as machine:
        site = EdgeSite(machine, outside)
        site.set_up()
        yield site


def codes(*numbers: int) -> set[str]:
    return {f"PH-EDGE-{number:02}" for number in numbers}


def test_the_right_edge_has_no_finding_with_any_grant(edge: EdgeSite, qualified: Qualified) -> None:
    edge.serve()
    began = time.monotonic()
    assert edge.check_edge("--grants", GRANTS) == {}
    taken = time.monotonic() - began
    asked = edge.outside.central.requests(SITE_API)
    assert len(asked) == QUESTIONS + 7 + 2
    assert {row["uid"] for row in asked} == {edge.nginx_uid}
    qualified(0, "nginx", edge.nginx_version)
    qualified(EDGE, "right edge: 12 questions, every kind of grant", f"no finding, {taken:.1f} s")


@pytest.mark.parametrize("name", SLIPS)
def test_a_wrong_edge_is_told_by_its_code_alone(edge: EdgeSite, qualified: Qualified, name: str) -> None:
    slip = SLIPS[name]
    edge.serve(slip.right, slip.wrong)
    found = edge.check_edge()
    assert set(found) == codes(*slip.alone)
    assert slip.words in " ".join(found.values())
    assert set(edge.check_edge("--grants", GRANTS)) == codes(*slip.alone, *slip.grants)
    qualified(EDGE, f"wrong edge: {name}", " ".join(sorted(found)))


def test_an_edge_that_answers_from_a_cache_lets_everybody_in_and_is_told(edge: EdgeSite, qualified: Qualified) -> None:
    edge.serve(PASSED_ON, f"{PASSED_ON} proxy_cache answers; proxy_cache_valid 200 1h;")
    for route, grant in ((SSH_ACCESS, "ssh-access"), (COMMANDS, "commands")):
        assert '"site":"icarus"' in edge.ask(route, grant)
    assert set(edge.check_edge()) == codes(10)
    assert set(edge.check_edge("--grants", GRANTS)) == codes(10, 21, 22, 23, 24, 25)
    assert len(edge.outside.central.requests(SITE_API)) == 2  # the rest are the cache's answers
    qualified(EDGE, "wrong edge: a cache that forgets who asked", "PH-EDGE-10")


def test_a_site_api_that_is_slower_than_its_edge_waits_is_told(edge: EdgeSite, qualified: Qualified) -> None:
    edge.serve("proxy_read_timeout 10s;", "proxy_read_timeout 1s;")
    edge.outside.central.stall(SITE_API, "/v1/site/", 2)
    found = edge.check_edge()
    assert set(found) == codes(9)
    assert "status 504" in found["PH-EDGE-09"]
    until(lambda: len(edge.outside.central.requests(SITE_API)) == QUESTIONS)  # so that none is told of later
    qualified(EDGE, "wrong edge: the Site API is slower than its edge waits", "PH-EDGE-09")


def test_the_real_agents_are_activated_through_the_right_edge_and_a_key_comes_through_it(
    edge: EdgeSite, qualified: Qualified
) -> None:
    edge.serve()
    central, directory = edge.outside.central, edge.outside.directory
    directory.add_person("edge", {"uid": "edge"})
    command = central.deploy_key("edge", [KEY])
    edge.activate(FIRST)
    assert_runs(edge, FIRST)
    until(lambda: central.command(command)["acknowledged"])
    assert (central.command(command)["result"]["outcome"], directory.keys("edge")) == ("applied", [KEY])
    asked = central.requests(SITE_API)
    assert {row["uid"] for row in asked} == {edge.nginx_uid}
    assert {row["user_agent"].partition("/")[0] for row in asked} == {"pharos-hpc", "metallo-ssh-access"}
    qualified(EDGE, "right edge: the real agents are activated", "a key is pulled, applied, acknowledged")


def test_a_wrong_edge_brings_the_previous_release_back(edge: EdgeSite, qualified: Qualified) -> None:
    edge.serve()
    before = recorded(edge.machine)
    edge.install_small("behind-a-wrong-edge")
    slip = SLIPS["a page for each 401"]
    edge.serve(slip.right, slip.wrong)
    done = edge.activate("behind-a-wrong-edge", expect=PREVIOUS)
    assert "was not answered by the Site API: status 401, text/html" in done.stdout + done.stderr
    assert_runs(edge, before)
    qualified(6, "an edge that answers 401 with a page", "previous release runs")

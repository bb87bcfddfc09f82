"""Whatever answers in the place of Waldur or the Site API: `configure` and `activate` say so, and nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixtures.central import Central
from fixtures.sandbox import Sandbox
from fixtures.site import Site
from installer import exits
from tests.e2e.test_activate import activated, events, status
from tests.installer.configuring import Ready, ready

FAULTS: dict[str, Callable[[Central, str], object]] = {
    "another-authority": lambda central, server: central.present(server, "foreign-ca"),
    "another-host": lambda central, server: central.present(server, "wrong-host"),
    "cut": lambda central, server: central.cut(server, "/"),
    "drips": lambda central, server: central.drip(server, "/", 30),
    "drips-headers": lambda central, server: central.drip_headers(server, "/", 30),
    "empty": lambda central, server: central.answer_json(server, "/", ""),
    "expired": lambda central, server: central.present(server, "expired"),
    "gateway": lambda central, server: central.fail_with_page(server, "/"),
    "huge": lambda central, server: central.answer_json(server, "/", '"' + "x" * 2_000_000 + '"'),
    "nested": lambda central, server: central.answer_json(server, "/", "[" * 100_000),
    "no-tls": lambda central, server: central.speak_plainly(server),
    "page": lambda central, server: central.answer_html(server, "/"),
    "redirect": lambda central, server: central.redirect(server, "/", "https://login.example.org/"),
    "self-signed": lambda central, server: central.present(server, "self-signed"),
    "silent": lambda central, server: central.drop(server, "/"),
    "stalls": lambda central, server: central.stall(server, "/", 30),
    "truncated": lambda central, server: central.answer_json(server, "/", '{"uuid": "0'),
}
SHAPES = ("5", "[]", "{}", "null", '{"state": ["Active"], "components": {"type": "node"}}')


@pytest.fixture
def host(sandbox: Sandbox, tmp_path: Path, python: Path) -> Iterator[Ready]:
    with ready(sandbox, tmp_path, python) as made:
        yield made


@pytest.mark.parametrize("name", FAULTS)
def test_configure_is_refused_and_leaves_what_was_configured(host: Ready, name: str) -> None:
    assert host.run("configure", str(host.tokens)).returncode == exits.DONE
    before = host.tree()
    FAULTS[name](host.central, "waldur")
    _refused(host, before)


@pytest.mark.parametrize("text", SHAPES)
def test_configure_is_refused_by_json_that_says_something_else(host: Ready, text: str) -> None:
    assert host.run("configure", str(host.tokens)).returncode == exits.DONE
    before = host.tree()
    host.central.answer_json("waldur", "/", text)
    _refused(host, before)


def _refused(host: Ready, before: object) -> None:
    done = host.run("configure", str(host.tokens_of("staff")))
    assert done.returncode == exits.REFUSED, done.stdout
    last = events(done.stdout)[-1]
    assert "internal error" not in last["message"]
    assert last["hint"]
    assert host.tree() == before


@pytest.mark.parametrize("server", ["waldur", "site-api"])
@pytest.mark.parametrize("name", FAULTS)
def test_an_activation_comes_back(site: Site, name: str, server: str) -> None:
    activated(site, "A")
    site.install("B")
    FAULTS[name](site.central, server)
    _came_back(site)


@pytest.mark.parametrize("text", SHAPES[::2])
def test_an_activation_comes_back_from_json_that_says_something_else(site: Site, text: str) -> None:
    activated(site, "A")
    site.install("B")
    site.central.answer_json("waldur", "/", text)
    _came_back(site)


def _came_back(site: Site) -> None:
    done = site.run("activate", "--release", "B")
    assert done.returncode == exits.PREVIOUS, done.stdout
    last = events(done.stdout)[-1]
    assert last["outcome"] == "previous-release"
    assert last["error"]["message"]
    assert last["hint"]
    answer = status(site)
    assert (answer["release"], answer["running"], answer["consistent"]) == ("A", True, True)

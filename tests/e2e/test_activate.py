"""The program in a real process, on real files, with really running agents."""

import json
import os
from typing import Any

import pytest

from fixtures.site import Site
from fixtures.small_release import damage_release
from installer import exits
from tests.events import parsed


def status(site: Site) -> dict[str, Any]:
    answer = json.loads(site.run("status", "--json").stdout)
    assert isinstance(answer, dict)
    return answer


def events(text: str) -> list[dict[str, Any]]:
    return parsed(text.splitlines())


def activated(site: Site, release: str) -> None:
    site.install(release)
    done = site.run("activate", "--release", release)
    assert done.returncode == exits.DONE, done.stdout + done.stderr


def test_an_activation_is_recorded_and_every_agent_runs_from_the_release(site: Site) -> None:
    activated(site, "A")
    answer = status(site)
    assert answer["consistent"], answer["differences"]
    assert answer["release"] == "A"
    running = {unit["unit"]: unit["release"] for unit in answer["units"] if unit["state"] == "active"}
    assert len(running) == 4
    assert set(running.values()) == {"A"}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("activate", "weather", "--release", "A"), exits.REFUSED),
        (("activate", "--release", "../A"), exits.REFUSED),
        (("activate", "--release", ""), exits.REFUSED),
        (("rollback", "none"), exits.REFUSED),
        (("rollback", "x" * 300), exits.REFUSED),
        (("activate", "--release", "\udcff"), exits.REFUSED),
        (("rollback", "../../etc"), exits.REFUSED),
        (("activate", "--wait", "nan", "--release", "A"), exits.USAGE),
        (("activate", "--wait", "-1", "--release", "A"), exits.USAGE),
        (("history", "--lines", "0"), exits.USAGE),
        (("history", "--lines", "-1"), exits.USAGE),
        (("history", "--lines", "x"), exits.USAGE),
    ],
    ids=str,
)
def test_a_word_that_an_operator_mistypes_changes_nothing(site: Site, words: tuple[str, ...], code: int) -> None:
    activated(site, "A")
    before = status(site)
    done = site.run(*words)
    assert done.returncode == code, done.stdout + done.stderr
    assert "internal error" not in done.stdout + done.stderr
    after = status(site)
    assert {key: after[key] for key in after if key != "history"} == {k: before[k] for k in before if k != "history"}


@pytest.mark.parametrize("name", ["history", "step_log"])
def test_something_else_in_the_place_of_a_log_stops_nothing(site: Site, name: str) -> None:
    activated(site, "A")
    path = getattr(site.paths, name)
    path.unlink()
    path.mkdir()
    assert site.run("status").returncode == exits.DONE
    assert site.run("stop").returncode == exits.DONE
    path.rmdir()


def test_a_link_that_names_no_release_is_put_right(site: Site) -> None:
    activated(site, "A")
    current = site.paths.opt / "current"
    current.unlink()
    current.symlink_to("A")
    assert site.run("status").returncode == exits.STRANDED
    assert site.run("recover").returncode == exits.DONE
    assert os.readlink(current) == "releases/A"
    assert status(site)["consistent"]


def test_past_runs_of_any_shape_are_shown(site: Site) -> None:
    activated(site, "A")
    with site.paths.history.open("a") as file:
        file.write('{"at": 5, "command": 7, "outcome": null}\n[]\n7\n')
    for words in (("history",), ("history", "--json"), ("status",)):
        assert site.run(*words).returncode == exits.DONE


def test_an_upgrade_keeps_the_outgoing_release_as_previous(site: Site) -> None:
    activated(site, "A")
    activated(site, "B")
    answer = status(site)
    assert (answer["release"], answer["previous"], answer["consistent"]) == ("B", "A", True)


@pytest.mark.parametrize("behaviour", ["dies", "dies-late", "errors"])
def test_a_sick_release_brings_the_previous_one_back(site: Site, behaviour: str) -> None:
    activated(site, "A")
    site.install("B", behaviour=behaviour, settle=3)
    done = site.run("activate", "--release", "B")
    assert done.returncode == exits.PREVIOUS, done.stdout
    last = events(done.stdout)[-1]
    assert (last["outcome"], last["release"]) == ("previous-release", "A")
    answer = status(site)
    assert answer["consistent"], answer["differences"]
    assert {unit["release"] for unit in answer["units"] if unit["state"] == "active"} == {"A"}


def test_a_paused_offering_brings_the_previous_release_back(site: Site) -> None:
    activated(site, "A")
    site.install("B")
    site.central.set_offering_state("Paused")
    done = site.run("activate", "--release", "B")
    assert done.returncode == exits.PREVIOUS
    assert "'Paused'" in events(done.stdout)[-1]["error"]["message"]
    assert status(site)["consistent"]


def test_a_damaged_release_is_refused_and_nothing_is_changed(site: Site) -> None:
    activated(site, "A")
    site.install("B")
    damage_release(site.paths, "B")
    done = site.run("activate", "--release", "B")
    assert done.returncode == exits.REFUSED
    assert "waldur_site_agent" in events(done.stdout)[-1]["message"]
    assert status(site)["consistent"]


def test_rollback_stop_and_activate_again(site: Site) -> None:
    activated(site, "A")
    activated(site, "B")
    assert site.run("rollback").returncode == exits.DONE
    assert status(site)["release"] == "A"
    assert site.run("stop").returncode == exits.DONE
    stopped = status(site)
    assert not stopped["running"]
    assert stopped["consistent"], stopped["differences"]
    assert site.run("status").returncode == exits.PREVIOUS
    assert site.run("activate", "--release", "B").returncode == exits.DONE
    assert status(site)["running"]


def test_a_plan_changes_nothing(site: Site) -> None:
    activated(site, "A")
    site.install("B")
    done = site.run("activate", "--release", "B", "--plan")
    assert done.returncode == exits.DONE, done.stderr
    assert "current -> B" in done.stdout
    assert status(site)["release"] == "A"

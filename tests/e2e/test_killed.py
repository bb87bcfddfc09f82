"""A real process, killed with SIGKILL at each of its effects, on real files with really running agents."""

import signal
import subprocess
import sys

from fixtures.site import REPOSITORY, Site
from installer import exits
from tests.e2e.test_activate import activated, status

MOST = 400  # effects of one activation, never reached


def killed_at(site: Site, number: int, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fixtures.killed", str(number), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=REPOSITORY,
        env=site.environment,
        stdin=subprocess.DEVNULL,
    )


def settled(site: Site, number: int) -> str:
    """Recover in a fresh process; return the release that is active, after everything was compared."""
    done = site.run("recover")
    assert done.returncode == exits.DONE, f"killed at {number}: {done.stdout}"
    answer = status(site)
    assert answer["consistent"], f"killed at {number}: {answer['differences']}"
    running = {unit["release"] for unit in answer["units"] if unit["state"] == "active"}
    assert running <= {answer["release"]}, f"killed at {number}: {answer}"
    return str(answer["release"])


def enumerate_kills(site: Site, first: str, second: str) -> int:
    """Kill an activation of whichever is not active, at every effect; return how many points there were."""
    release = first
    for number in range(MOST):
        other = second if release == first else first
        done = killed_at(site, number, "activate", "--release", other)
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == exits.DONE, done.stdout
            return number
        release = settled(site, number)
        assert release in {first, second}
    raise AssertionError("an activation has no end")


def test_an_upgrade_killed_at_any_effect_ends_in_one_release_or_the_other(site: Site) -> None:
    activated(site, "A")
    site.install("B", settle=0)
    points = enumerate_kills(site, "A", "B")
    print(f"killed at {points} effects")
    assert points > 20


def test_a_first_activation_killed_at_any_effect_ends_in_it_or_in_nothing(site: Site) -> None:
    site.install("A", settle=0)
    for number in range(0, MOST, 3):
        done = killed_at(site, number, "activate", "--release", "A")
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == exits.DONE
            return
        assert site.run("recover").returncode == exits.DONE
        answer = status(site)
        assert answer["consistent"], answer["differences"]
        assert answer["release"] is None, "it was committed only at the end"


def test_a_stop_killed_at_any_effect_ends_running_or_stopped(site: Site) -> None:
    activated(site, "A")
    for number in range(MOST):
        done = killed_at(site, number, "stop")
        settled(site, number)
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == exits.DONE
            return
        if not status(site)["running"]:
            assert site.run("activate", "--release", "A").returncode == exits.DONE


def test_the_next_changing_command_walks_back_first(site: Site) -> None:
    activated(site, "A")
    site.install("B")
    site.install("C")
    site.sandbox.wrap("systemctl", 'case "$*" in *restart*) kill -9 $PPID;; esac; exec "$real" "$@"')
    assert site.run("activate", "--release", "B").returncode == -signal.SIGKILL
    site.sandbox.unwrap("systemctl")
    assert site.run("status").returncode == exits.STRANDED
    done = site.run("activate", "--release", "C")
    assert done.returncode == exits.DONE
    assert '"interrupted.found"' in done.stdout
    answer = status(site)
    assert (answer["release"], answer["previous"], answer["consistent"]) == ("C", "A", True)

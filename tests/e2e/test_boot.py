"""Cut, boot, cut, boot: the unit of the boot brings the host to what is recorded, and never loops."""

import json
import os
import signal
from itertools import count

import pytest

from fixtures.cut import boot, bring
from fixtures.site import Site
from installer import exits
from states.unit import RECOVER
from tests.e2e.test_activate import status
from tests.e2e.test_killed import killed_at

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: the unit of the boot runs as root")


def begun(site: Site, **how: object) -> None:
    """A is active; B is installed; each brings its own program."""
    site.install("A", settle=0)
    site.install("B", settle=0, **how)
    for name in ("A", "B"):
        bring(site.paths, name)
    assert site.run("activate", "--release", "A").returncode == exits.DONE


def cut_in_the_middle(site: Site, begin: int = 20) -> None:
    """Cut the power in the middle of an activation of B, some effects after `current` moved."""
    for number in range(begin, 200, 5):
        done = killed_at(site, number, "activate", "--release", "B")
        assert done.returncode == -signal.SIGKILL, done.stdout
        if status_of_links(site)[0] == "B":
            break
    site.sandbox.power_cut()


def status_of_links(site: Site) -> tuple[str | None, str | None]:
    opt = site.paths.opt
    names = [os.readlink(opt / name)[9:] if (opt / name).is_symlink() else None for name in ("current", "previous")]
    return names[0], names[1]


def settled(site: Site, release: str) -> None:
    answer = status(site)
    assert answer["consistent"], answer["differences"]
    assert answer["release"] == release
    assert {unit["release"] for unit in answer["units"] if unit["state"] == "active"} == {release}
    shown = site.sandbox.systemctl("show", "-p", "Result", "-p", "NRestarts", RECOVER).stdout.split()
    assert set(shown) == {"Result=success", "NRestarts=0"}


def test_a_boot_cut_at_any_effect_of_its_recovery_is_recovered_by_the_next_boot(site: Site) -> None:
    begun(site)
    points = 0
    for number in count(0, 4):
        cut_in_the_middle(site)
        recoveries = boot(site.sandbox, [number])
        settled(site, "A")
        if recoveries == 1:
            break
        points += 1
    print(f"{points} boots cut")
    assert points > 2


def test_a_boot_cut_again_and_again_ends_there_too(site: Site) -> None:
    begun(site)
    cut_in_the_middle(site)
    cuts = [6, 1, 4, 0, 0, 9, 2, 3]
    assert boot(site.sandbox, cuts) == len(cuts) + 1
    settled(site, "A")


def test_a_power_cut_after_the_commit_boots_into_the_new_release(site: Site) -> None:
    begun(site)
    assert site.run("activate", "--release", "B").returncode == exits.DONE
    site.sandbox.power_cut()
    assert boot(site.sandbox, []) == 1
    settled(site, "B")


def test_a_recovery_that_cannot_succeed_is_tried_once_a_boot_and_the_boot_goes_on(site: Site) -> None:
    begun(site)
    cut_in_the_middle(site)
    kept = site.paths.releases / "A"
    kept.rename(site.sandbox.root / "kept")
    assert boot(site.sandbox, []) == 1
    assert "Result=exit-code" in site.sandbox.systemctl("show", "-p", "Result", RECOVER).stdout
    assert not json.loads(site.run("status", "--json").stdout)["consistent"]
    (site.sandbox.root / "kept").rename(kept)
    assert site.run("recover").returncode == exits.DONE
    assert status(site)["consistent"]


def test_a_damaged_program_is_passed_over_for_the_previous_releases(site: Site) -> None:
    begun(site)
    cut_in_the_middle(site)
    program = site.paths.release(status_of_links(site)[0] or "") / "pharos-hpc"
    program.chmod(0o755)
    program.write_text("#!/bin/sh\nexit 9\n")
    assert boot(site.sandbox, []) == 1
    settled(site, "A")

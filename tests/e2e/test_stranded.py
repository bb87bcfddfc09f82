"""A host that cannot be walked back is no dead end: what helps is not refused because the host needs help."""

import signal

from fixtures.site import Site
from fixtures.small_release import damage_release, install_small_release, remove_release
from installer import exits
from installer.host.files import RealFiles
from tests.e2e.test_activate import activated, events, status


def cut_in_the_middle(site: Site) -> None:
    """A runs and is recorded; the activation of B was killed while it started its agents."""
    activated(site, "A")
    site.install("B")
    site.install("C")
    site.sandbox.wrap("systemctl", 'case "$*" in *restart*) kill -9 $PPID;; esac; exec "$real" "$@"')
    assert site.run("activate", "--release", "B").returncode == -signal.SIGKILL
    site.sandbox.unwrap("systemctl")


def test_a_recorded_release_that_is_gone_is_said_and_put_back_by_installing_it(site: Site) -> None:
    cut_in_the_middle(site)
    remove_release(site.paths, "A")
    done = site.run("recover")
    assert done.returncode == exits.STRANDED
    last = events(done.stdout)[-1]
    assert "the record names release 'A'" in last["message"]
    assert last["hint"] == "install that release again, then run recover"
    install_small_release(site.paths, "A", site.python)
    assert site.run("recover").returncode == exits.DONE
    assert (status(site)["release"], status(site)["consistent"]) == ("A", True)


def test_without_its_way_back_a_stranded_host_can_be_brought_forward_when_that_is_wanted(site: Site) -> None:
    cut_in_the_middle(site)
    remove_release(site.paths, "A")
    assert site.run("activate", "--release", "C").returncode == exits.STRANDED, "not unasked"
    done = site.run("activate", "--release", "C", "--no-way-back")
    assert done.returncode == exits.DONE, done.stdout
    answer = status(site)
    assert (answer["release"], answer["consistent"]) == ("C", True), answer["differences"]


def test_a_stop_without_its_release_says_how_it_is_done_by_hand(site: Site) -> None:
    activated(site, "A")
    remove_release(site.paths, "A")
    refused = site.run("stop")
    assert refused.returncode == exits.REFUSED
    last = events(refused.stdout)[-1]
    assert "cannot stop: release 'A' is not installed" in last["message"]
    assert "systemctl disable --now waldur-site-agent@" in last["hint"]


def test_a_record_that_is_a_directory_is_told_with_what_to_do(site: Site) -> None:
    site.paths.record.mkdir(parents=True)
    refused = site.run("activate", "--release", "A")
    assert refused.returncode == exits.REFUSED
    last = events(refused.stdout)[-1]
    assert "active-release': Is a directory" in last["message"]
    assert "move it away" in last["hint"]


def test_a_mask_made_by_hand_counts_before_systemd_was_told(site: Site) -> None:
    activated(site, "A")
    site.install("B")
    for name in ("waldur-site-agent@report.service", "pharos-ssh-access-agent.service"):
        path = site.paths.units / name
        before = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        path.symlink_to("/dev/null")
        refused = site.run("activate", "--release", "B")
        assert refused.returncode == exits.REFUSED
        assert f"unit '{name}' is masked" in events(refused.stdout)[-1]["message"]
        assert path.is_symlink()
        path.unlink()
        if before is not None:
            path.write_bytes(before)


def test_a_component_that_is_named_twice_is_recorded_once(site: Site) -> None:
    site.install("A")
    done = site.run("activate", "ssh-access", "ssh-access", "--release", "A")
    assert done.returncode == exits.DONE, done.stdout
    record = RealFiles(site.paths).record()
    assert record is not None
    assert record.components == ("ssh-access",)


def test_a_rollback_without_its_way_back_is_refused_unless_asked_for(site: Site) -> None:
    activated(site, "A")
    activated(site, "B")
    damage_release(site.paths, "B")
    refused = site.run("rollback")
    assert refused.returncode == exits.REFUSED
    assert "no way back: " in events(refused.stdout)[-1]["message"]
    assert (status(site)["release"], status(site)["running"]) == ("B", True)
    assert site.run("rollback", "--no-way-back").returncode == exits.DONE
    assert (status(site)["release"], status(site)["consistent"]) == ("A", True)


def test_an_outgoing_interpreter_that_no_longer_works_is_no_way_back(site: Site) -> None:
    activated(site, "A")
    site.install("B")
    python = site.paths.release("A") / "ssh-access/bin/python"
    python.unlink()
    refused = site.run("activate", "--release", "B")
    assert refused.returncode == exits.REFUSED
    assert "no way back: " in events(refused.stdout)[-1]["message"]
    assert site.run("status").returncode == exits.DONE, "nothing was changed"


def test_a_release_that_is_gone_is_no_way_back_unless_that_is_wanted(site: Site) -> None:
    activated(site, "A")
    site.install("B")
    remove_release(site.paths, "A")
    refused = site.run("activate", "--release", "B")
    assert refused.returncode == exits.REFUSED
    assert "no way back" in events(refused.stdout)[-1]["message"]
    done = site.run("activate", "--release", "B", "--no-way-back")
    assert done.returncode == exits.DONE
    answer = status(site)
    assert (answer["release"], answer["consistent"]) == ("B", True), answer["differences"]

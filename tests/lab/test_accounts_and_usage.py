"""An order at Waldur becomes a real Slurm account and directory entries, and a finished job comes back as usage."""

import time
from collections.abc import Callable

from fixtures.lab.native import NativeSite
from tests.lab.waiting import until

Qualified = Callable[[int, str, str], None]
PROJECTS = range(5550000, 5600000)  # PROJECT_GID_RANGE of the example
JOB_SECONDS = 40  # usage is told in hundredths of a node-hour: 36 s


def test_an_order_becomes_accounts_and_its_jobs_come_back_as_usage(native: NativeSite, qualified: Qualified) -> None:
    began = time.monotonic()
    order = native.order("alloc", "alice")
    until(lambda: ["a_alloc", "aexample", ""] in native.accounts("a_alloc"))
    until(lambda: native.outside.central.order(order)["state"] == "done")
    assert native.accounts("a_alloc")[0] == ["a_alloc", "", "node=6000"]
    qualified(
        8, "an order becomes a Slurm account with its limit", f"{time.monotonic() - began:.1f} s after it was made"
    )
    group = until(lambda: native.search("(&(cn=a_alloc)(memberUid=aexample))", "gidNumber"))
    assert int(group["gidNumber"][0]) in PROJECTS
    qualified(8, "an order becomes a POSIX group in PROJECT_GID_RANGE", group["gidNumber"][0])
    began = time.monotonic()
    job = native.machine.start("runuser", "-u", "aexample", "--", *SBATCH)
    _new_member(native, qualified)
    assert job.wait(JOB_SECONDS + 60) == 0, job.communicate()
    native.restart("report")
    usages = until(native.outside.central.usages)
    assert [(row["type"], row["usage"], row["resource_name"]) for row in usages] == [("node", "0.01", "alloc")]
    qualified(8, f"a finished job of {JOB_SECONDS} s becomes a component usage", "0.01 node-hours")


SBATCH = ("sbatch", "-Q", "-W", "-A", "a_alloc", "-D", "/", "-o", "/dev/null", "--wrap", f"sleep {JOB_SECONDS}")


def _new_member(native: NativeSite, qualified: Qualified) -> None:
    """A member who comes later, by the membership mode alone."""
    began = time.monotonic()
    native.outside.central.add_member("bob")
    native.restart("membership_sync")
    until(lambda: ["a_alloc", "bexample", ""] in native.accounts("a_alloc"))
    person = native.search("(&(objectClass=posixAccount)(uid=bexample))", "mail")
    assert person["mail"] == ["bob@example.org"]
    assert native.machine.check("id", "-un", "bexample") == "bexample\n"
    qualified(8, "a member becomes a directory account that NSS knows", f"{time.monotonic() - began:.1f} s")

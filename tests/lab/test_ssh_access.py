"""A public key deployed through the Site API lets its member log in by ssh, and no longer once it is revoked."""

import time
from collections.abc import Callable

from fixtures.lab.native import NativeSite
from tests.lab.waiting import until

Qualified = Callable[[int, str, str], None]
SECONDS = 120.0  # within which a key is to work, and to be refused
OPTIONS = ("BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null")


def test_a_deployed_key_opens_the_door_and_a_revoked_one_does_not(native: NativeSite, qualified: Qualified) -> None:
    native.order("alloc", "alice")
    until(lambda: native.search("(uid=aexample)", "uid"))
    native.machine.check("ssh-keygen -q -t ed25519 -N '' -f /root/key && ssh-keygen -q -t ed25519 -N '' -f /root/other")
    assert not _logs_in(native, "key")
    deployed = _seconds_until(native, [native.machine.path("/root/key.pub").read_text().strip()], opens=True)
    assert not _logs_in(native, "other")
    revoked = _seconds_until(native, [], opens=False)
    assert native.search("(uid=aexample)", "sshPublicKey").keys() == {"dn"}
    qualified(9, "a key deployed through the Site API lets its member log in", f"after {deployed:.1f} s")
    qualified(9, "a revoked key is refused, with a cache of 60 s in SSSD", f"after {revoked:.1f} s")


def _seconds_until(native: NativeSite, keys: list[str], *, opens: bool) -> float:
    """Ask for these keys, and return when the key does what it should; the Site API must have heard so too."""
    began = time.monotonic()
    command = native.outside.central.deploy_key("aexample", keys)
    until(lambda: _logs_in(native, "key") == opens, SECONDS)
    taken = time.monotonic() - began
    assert native.outside.central.command(command)["result"]["outcome"] == "applied"
    return taken


def _logs_in(native: NativeSite, key: str) -> bool:
    options = [word for option in OPTIONS for word in ("-o", option)]
    done = native.machine.run("ssh", "-i", f"/root/{key}", *options, "aexample@127.0.0.1", "id -un")
    assert done.returncode in (0, 255), done.stderr
    assert done.returncode or done.stdout == "aexample\n"
    return done.returncode == 0

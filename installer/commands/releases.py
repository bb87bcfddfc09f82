"""`releases`: the installed releases, and which of them the links name."""

from argparse import Namespace

from installer import exits
from installer.answer import say
from installer.environment import Caller
from installer.host.files import RealFiles
from installer.releases import installed


def main(args: Namespace, caller: Caller) -> int:
    """Print the installed releases, oldest installation first."""
    files = RealFiles(caller.paths)
    links = {name: files.link(name) for name in ("current", "previous")}
    found = {each.id: [name for name, to in links.items() if to == each.id] for each in installed(caller.paths)}
    lines = [f"{release:<24} {' '.join(names)}".rstrip() for release, names in found.items()]
    answer = [{"release": release, "links": names} for release, names in found.items()]
    say(args, {"releases": answer}, lines or ["no release is installed"])
    return exits.DONE

"""The words of the command line: one parser, from which help, completions and the man page are made."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from installer import exits
from installer.host.stream import Stream

if TYPE_CHECKING:
    from pathlib import Path

DESCRIPTION: Final = """\
Install, configure and activate this site's provisioning agents, and keep them on a known-good release.
"""
EXAMPLES: Final = """\
examples:
  sudo ./pharos-hpc check                           what would fail, and what to do; changes nothing
  sudo ./pharos-hpc install                         service identities and one immutable release; starts nothing
  sudo ./pharos-hpc configure /root/tokens          configuration, secrets, public CAs, offering components
  sudo ./pharos-hpc activate site-agent ssh-access  link, units, start, health, record - or back
  pharos-hpc status                                 what is recorded, what really runs

exit codes:
"""
CHANGING: Final = ("install", "configure", "activate", "rollback", "stop", "prune")
UNITS: Final = ("configure", "activate", "rollback", "stop")  # they outlive the terminal (following.py)


class Parser(argparse.ArgumentParser):
    """argparse, with our exit code and our sentence for a wrong command line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and exit with the code for usage."""
        Stream(2).write(f"pharos-hpc: cannot understand the command line: {message}\n  hint: {self.prog} --help")
        raise SystemExit(exits.USAGE)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    codes = "\n".join(f"  {code:<3} {meaning}" for code, meaning in exits.MEANINGS.items())
    top = Parser(
        "pharos-hpc",
        description=DESCRIPTION,
        epilog=EXAMPLES + codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="store_true", help="print the version")
    verbs = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    _check(verbs)
    _install_and_configure(verbs)
    _activation(verbs)
    _reading(verbs)
    return top


def parse(argv: Sequence[str], program: str) -> argparse.Namespace:
    """Return the parsed command line, with `program` (the path of this program's file) added."""
    args = parser().parse_args(argv)
    args.program = _path(program).resolve()
    return args


def _path(text: str) -> "Path":
    from pathlib import Path

    return Path(text)


def _seconds(text: str) -> float:
    """Return a time to wait."""
    if not text.isascii() or not text.replace(".", "", 1).isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds")
    return float(text)


def _count(text: str) -> int:
    """Return how many, at least one."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"'{text}' is not 1 or more")
    return int(text)


def _verb(verbs: "argparse._SubParsersAction[Parser]", name: str, text: str) -> Parser:
    verb = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    verb.add_argument("--json", action="store_true", help="answer in JSON")
    if name in CHANGING:
        verb.add_argument("--plan", action="store_true", help="print what would change, and change nothing")
    if name in (*CHANGING, "recover"):
        verb.add_argument(
            "--wait", type=_seconds, default=0, metavar="SECONDS", help="wait for another run that holds the lock"
        )
    if name in UNITS:
        verb.add_argument(
            "--foreground", action="store_true", help="run in this terminal, not as a unit that outlives it"
        )
    return verb


def _check(verbs: "argparse._SubParsersAction[Parser]") -> None:
    verb = _verb(verbs, "check", "report everything that would make install, configure or activate fail; read-only")
    verb.add_argument(
        "areas", nargs="*", metavar="AREA", help="only these areas, e.g. site.env waldur (all by default)"
    )
    verb.add_argument(
        "--tokens", type=_path, metavar="TOKEN_DIRECTORY", help="check the private inputs in this directory"
    )
    _of_an_archive(verb, "judge this archive, which is not unpacked yet, instead of this host")
    verb.add_argument(
        "--grants",
        type=_path,
        metavar="DIRECTORY",
        help="qualify the Site API's edge with the grants in this directory",
    )


def _install_and_configure(verbs: "argparse._SubParsersAction[Parser]") -> None:
    verb = _verb(verbs, "install", "create the service identities and stage this archive's release; starts nothing")
    _of_an_archive(verb, "the archive that this was unpacked from: what is known of its origin is recorded")
    verb = _verb(verbs, "configure", "write the agents' configuration, adopt the secrets, reconcile the components")
    verb.add_argument(
        "tokens", nargs="?", type=_path, metavar="TOKEN_DIRECTORY", help="directory of new private inputs"
    )


def _of_an_archive(verb: Parser, text: str) -> None:
    verb.add_argument("--archive", type=_path, metavar="FILE", help=text)
    verb.add_argument("--bundle", type=_path, metavar="FILE", help="the archive's Sigstore bundle")
    verb.add_argument("--expect-sha256", metavar="HEX", default="", help="the archive's digest, noted elsewhere")
    verb.add_argument("--allow-downgrade", action="store_true", help="even if it is older than the active release")


def _activation(verbs: "argparse._SubParsersAction[Parser]") -> None:
    verb = _verb(verbs, "activate", "link, units, start, health, record - or back to the previous release")
    verb.add_argument("components", nargs="*", metavar="COMPONENT", help="components (default: ACTIVATION_COMPONENTS)")
    verb.add_argument("--release", metavar="RELEASE_ID", help="an installed release (default: this program's own)")
    _no_way_back(verb)
    verb = _verb(verbs, "rollback", "the same towards the previous release, or a named installed one")
    verb.add_argument(
        "release", nargs="?", metavar="RELEASE_ID", help="an installed release (default: the previous one)"
    )
    _no_way_back(verb)
    _verb(verbs, "stop", "stop and disable this site's agents; keep releases, configuration and secrets")
    verb = _verb(verbs, "recover", "make the host what the record says; a no-op when it is")
    verb.add_argument("--boot", action="store_true", help="at boot: queue the agents' start, do not wait for it")


def _no_way_back(verb: Parser) -> None:
    verb.add_argument(
        "--no-way-back", action="store_true", help="even if the outgoing release could not be brought back"
    )


def _reading(verbs: "argparse._SubParsersAction[Parser]") -> None:
    verb = _verb(verbs, "status", "what is recorded, what really runs, and whether they agree")
    verb.add_argument("--full", action="store_true", help="also compare the active release's files with SHA256SUMS")
    verb = _verb(verbs, "history", "past runs with outcome and duration")
    verb.add_argument("--lines", type=_count, default=20, metavar="N", help="at most N runs (20)")
    _verb(verbs, "follow", "show the run that is under way, from any terminal; leaving does not end it")
    _verb(verbs, "releases", "the installed releases")
    verb = _verb(verbs, "prune", "remove releases that are neither current nor previous")
    verb.add_argument("--keep", type=int, required=True, metavar="N", help="keep the N newest of them")
    verb = _verb(verbs, "selftest", "cut the power of file systems made for it, at every call of an activation")
    verb.add_argument("--power-cut", type=_path, required=True, metavar="DIR", help="make them in files in DIR")
    verb = _verb(verbs, "states", "the state graph, from the table that runs")
    verb.add_argument("--format", choices=("mermaid", "dot"), default="mermaid", help="mermaid (default) or dot")

"""What was staged is tried once as the identity that will run it, before it is called a release."""

from pathlib import Path
from typing import Final

from installer.host.process import Identity, must, run
from installer.host.reach import closed_to
from states.errors import HostError

SECONDS: Final = 300.0  # the site agent imports 3,600 modules; 20 s of CPU on a slow node


def try_program(program: Path, account: str, identity: Identity | None) -> None:
    """Run `program --help` as the service identity: its interpreter, its shebang and all that it imports.

    Raises:
        HostError: it does not work; the hint names a directory on the way that is closed to the identity.

    """
    try:
        must(run([program, "--help"], seconds=SECONDS, identity=identity), f"run '{program}' as '{account}'")
    except HostError as error:
        if identity and (closed := closed_to(program, identity)):
            error.hint = f"'{account}' may not enter '{closed}': chmod o+x {closed}"
        raise

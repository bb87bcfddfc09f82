"""`history`: past runs with outcome and duration."""

from argparse import Namespace

from installer import exits
from installer.answer import say
from installer.environment import Caller
from installer.host.history import read


def main(args: Namespace, caller: Caller) -> int:
    """Print the past runs, oldest first."""
    runs = list(read(caller.paths))[-args.lines :]
    text = [
        f"{run.get('at')}  {run.get('command')!s:<10} {run.get('outcome')!s:<17} {run.get('release') or '-'!s:<16} "
        f"{run.get('duration_s')} s  {run.get('operator')}"
        for run in runs
    ]
    say(args, {"history": runs}, text or ["nothing has been done yet"])
    return exits.DONE

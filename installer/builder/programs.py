"""Runs the builder's programs: pip and interpreters, with nothing of the caller but the way to the network."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from installer.host import process

SECONDS: Final = 1200.0  # one download of a whole closure, over a slow line
NETWORK: Final = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR")
EPOCH: Final = 1_700_000_000  # seconds since 1970; SOURCE_DATE_EPOCH of all that is built


def run(what: str, argv: Sequence[str | Path], **environment: str) -> str:
    """Run a program to `what`, with these variables added, and return its standard output.

    Raises:
        HostError: it cannot be started, or fails; its output is in the message.

    """
    network = {name: os.environ[name] for name in NETWORK if name in os.environ}
    fixed = {"SOURCE_DATE_EPOCH": str(EPOCH), "PYTHONHASHSEED": "0", "PIP_CONFIG_FILE": os.devnull}
    done = process.run(argv, seconds=SECONDS, environment={**network, **fixed, **environment})
    return process.must(done, what).stdout

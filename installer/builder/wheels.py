"""What a wheel says of itself: name, version and licence (core metadata, PEP 639 and before)."""

import configparser
import email
import zipfile
from email.message import Message
from pathlib import Path
from typing import Final

import attrs

from installer.builder import downloads
from installer.builder.locks import Pin, normalised
from states.errors import Refused

_CLASSIFIER: Final = "License :: "
_LINE: Final = 100  # characters; older packages have the whole text of the licence there


@attrs.frozen
class Wheel:
    """One wheel file; `expression` is its licence's SPDX expression, `licence` its name where there is none.

    `scripts` are the names of its console scripts.
    """

    path: Path
    pin: Pin
    expression: str
    licence: str
    scripts: tuple[str, ...]

    @property
    def archived(self) -> str:
        """Return where it lies in an archive."""
        return f"wheels/{self.path.name}"


def read_wheel(path: Path) -> Wheel:
    """Return what the wheel says; raise `Refused` when it is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            metadata = email.message_from_bytes(archive.read(name))
            scripts = _scripts(archive, name.replace("METADATA", "entry_points.txt"))
    except (OSError, zipfile.BadZipFile, StopIteration) as error:
        raise Refused(f"cannot read '{path}': it is not a wheel") from error
    pin = Pin(normalised(metadata["Name"]), metadata["Version"], downloads.sha256(path))
    return Wheel(path, pin, metadata.get("License-Expression", ""), _licence(metadata), scripts)


def _scripts(archive: zipfile.ZipFile, name: str) -> tuple[str, ...]:
    if name not in archive.namelist():
        return ()
    points = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    points.read_string(archive.read(name).decode())
    return tuple(points["console_scripts"]) if points.has_section("console_scripts") else ()


def _licence(metadata: Message) -> str:
    text = str(metadata.get("License", "")).strip()
    if text and text != "UNKNOWN" and "\n" not in text and len(text) <= _LINE:
        return text
    classifiers = (str(each) for each in metadata.get_all("Classifier", []))
    named = (each.rpartition(" :: ")[2] for each in classifiers if each.startswith(_CLASSIFIER))
    return "; ".join(named) or "not stated"

"""An unpacked archive, and the inputs that an installed release stands for: its manifest and the site's site.env."""

from pathlib import Path

import attrs

from installer import fingerprint
from installer.host import tree
from installer.host.reading import read_small
from installer.manifest import Manifest, read_manifest
from installer.paths import Paths
from installer.signature import Signature
from states.errors import Refused


@attrs.frozen
class Archive:
    """An unpacked archive: its directory, its manifest and the manifest's bytes, and what is known of its origin."""

    directory: Path
    manifest: Manifest
    data: bytes
    signature: Signature = attrs.field(factory=Signature)

    @property
    def release(self) -> str:
        """Return the id of the release that it holds."""
        return self.manifest.release

    @property
    def unit_files(self) -> tuple[str, ...]:
        """Return the names of all unit files, sorted."""
        manifest = self.manifest
        return tuple(sorted([*manifest.units, *(unit for each in manifest.components for unit in each.units)]))

    def damage(self) -> tuple[str, ...]:
        """Return one sentence for each file that is not as it was packed.

        Raises:
            Refused: it cannot be read.

        """
        try:
            return tree.damage(self.directory, owned=False)
        except OSError as error:
            raise Refused(f"cannot read the archive '{self.directory}': {error.strerror}") from error


def open_archive(directory: Path) -> Archive:
    """Return the archive that was unpacked to `directory`; raise `Refused` when there is none."""
    path = directory / "manifest"
    data = read_small(path, hint="run the pharos-hpc of an unpacked archive")
    return Archive(directory, read_manifest(data, str(path)), data)


def is_staged(paths: Paths, archive: Archive, site_env: bytes) -> bool:
    """Return whether this very release is installed, made from these inputs; only two small files are read.

    Raises:
        Refused: its id stands for other inputs; the message names the keys that differ.

    """
    directory = paths.release(archive.release)
    if not tree.complete(directory):
        return False
    before = read_small(directory / fingerprint.NAME).decode("ascii", "replace").strip()
    if before == fingerprint.fingerprint(archive.data, site_env):
        return True
    keys = _differing(directory, archive, site_env)
    message = f"cannot install release '{archive.release}': it is installed already, with other {', '.join(keys)}"
    hint = "a release is immutable: restore what differs, or install an archive of another release id"
    raise Refused(message, hint=hint, facts={"keys": list(keys)})


def _differing(directory: Path, archive: Archive, site_env: bytes) -> tuple[str, ...]:
    of_manifest = fingerprint.changed_keys(read_small(directory / "manifest"), archive.data, ": ")
    of_site = fingerprint.changed_keys(read_small(directory / "site.env"), site_env, "=")
    return (*of_manifest, *of_site) or ("comments in site.env",)

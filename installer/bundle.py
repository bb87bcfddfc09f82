"""The release that this program came with: the directory in which its file lies."""

from pathlib import Path


def own_release(program: Path) -> str:
    """Return the id of the release whose directory `program` lies in: an unpacked archive, or an installed release.

    Raises:
        Refused: there is no manifest beside it.

    """
    from installer.host.reading import read_small
    from installer.manifest import read_manifest

    path = program.parent / "manifest"
    data = read_small(path, hint="run the pharos-hpc of an unpacked archive or of an installed release")
    return read_manifest(data, str(path)).release

"""An archive becomes an immutable release of this host: whole, tried and listed - or nothing that looks like one."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from installer import release_file, releases, signature
from installer.archive import Archive
from installer.fingerprint import NAME, fingerprint
from installer.host import parallel, seal, shelf, tree, venv
from installer.host.accounts import ACCOUNT_OF, acting_as
from installer.host.trial import try_program
from installer.identities import wanted
from installer.paths import Paths
from installer.site_env import SiteEnv
from states.errors import HostError, PharosError

PROGRAM_OF: Final = {"site-agent": "waldur_site_agent", "ssh-access": "pharos-ssh-access-agent"}
PROGRAM: Final = "pharos-hpc"

Report: TypeAlias = Callable[[str], AbstractContextManager[None]]


@attrs.frozen
class Order:
    """What is to be staged, from where, for whom."""

    paths: Paths
    site: SiteEnv
    archive: Archive
    site_env: bytes

    @property
    def directory(self) -> Path:
        """Return where the release will be: nothing of it is ever moved."""
        return self.paths.release(self.archive.release)

    @property
    def components(self) -> tuple[str, ...]:
        """Return the names of the release's components."""
        return tuple(each.name for each in self.archive.manifest.components)

    @property
    def environments(self) -> tuple[Path, ...]:
        """Return the virtual environment of each component."""
        return tuple(self.directory / name for name in self.components)

    @property
    def python(self) -> Path:
        """Return the site's interpreter."""
        return Path(self.site.host_python)


def stage(paths: Paths, site: SiteEnv, archive: Archive, site_env: bytes, report: Report) -> Path:
    """Stage the archive as an installed release, and return its directory.

    `site` is what the bytes `site_env` say. `archive.is_staged` and `stageable.faults` have been asked before. `report`
    is entered around each step; what it raises ends the run. A run that fails removes what it made; one that is
    killed leaves it, marked, to the next run: without SHA256SUMS it is no release.

    Raises:
        HostError: a step failed; its output is in the message.

    """
    order = Order(paths, site, archive, site_env)
    with report("what interrupted runs left"):
        shelf.clear(paths, releases.in_use(paths))
    shelf.begin(paths, archive.release)
    with _nothing_half_left(order):
        _build(order, report)
    return order.directory


def _build(order: Order, report: Report) -> None:
    """Make the release at its final path; SHA256SUMS, written last, makes it one."""
    with report(f"environments of {' and '.join(order.components)}"):
        parallel.every([_environment(order, name) for name in order.components])
    with report("byte-compilation"):
        venv.compile_all(order.python, order.environments)
    with report("seal"):
        _own_files(order)
        seal.seal(order.directory)
    with report("one try as the service identities"):
        parallel.every([_trial(order, name) for name in order.components])
    with report("checksums"):
        tree.write_sums(order.directory)
        seal.shut(order.directory)
        shelf.finish(order.paths, order.archive.release)


@contextmanager
def _nothing_half_left(order: Order) -> Iterator[None]:
    """Remove what a failed run made; should that fail too, the next run does it."""
    try:
        yield
    except BaseException as error:
        with suppress(PharosError):
            shelf.remove(order.paths, order.archive.release)
        if isinstance(error, OSError):
            path = str(error.filename or order.directory)
            raise HostError(f"cannot stage '{path}': {error.strerror}", facts={"path": path}) from error
        raise


def _environment(order: Order, name: str) -> parallel.Task[None]:
    archive, directory = order.archive, order.directory / name
    index = order.site.python_index_url if archive.manifest.dependency_mode == "index" else None
    source = venv.Source(archive.directory / "wheels", index, order.site.outbound_proxy_url)
    requirements = archive.directory / archive.manifest.component(name).requirements

    def make() -> None:
        venv.make(order.python, directory)
        venv.fill(directory, archive.directory / archive.manifest.pip_wheel, source, requirements)

    return make


def _own_files(order: Order) -> None:
    """Copy what the host needs beside the environments: this program, the unit files, and what it was made from."""
    archive, directory = order.archive, order.directory
    for path in (PROGRAM, "manifest", *(f"units/{name}" for name in archive.unit_files)):
        seal.copy(archive.directory / path, directory / path)
    components = release_file.components_of(archive.manifest)
    seal.write(directory / release_file.NAME, release_file.render(archive.release, components))
    seal.write(directory / signature.NAME, signature.render(archive.signature))
    seal.write(directory / "site.env", order.site_env)
    seal.write(directory / NAME, f"{fingerprint(archive.data, order.site_env)}\n".encode())


def _trial(order: Order, name: str) -> parallel.Task[None]:
    account = ACCOUNT_OF[name]
    each = next(each for each in wanted(order.site) if each.name == account)
    program = order.directory / name / "bin" / PROGRAM_OF[name]
    return lambda: try_program(program, account, acting_as(each.uid, each.gid))

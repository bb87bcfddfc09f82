"""`configure`, the use case: everything is read and judged, then Waldur is asked, and only then are files replaced."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from installer import env_files
from installer.agent_config import agent_config
from installer.host import standing
from installer.host.commit import CONFIGURED, Staged, commit, configured, obstacle
from installer.host.files import RealFiles
from installer.paths import Paths
from installer.private_inputs import (
    AGENT_CA,
    CONFIG,
    LDAP_PASSWORD,
    SITE_API_CA,
    SITE_TOKEN,
    TOKEN,
    PrivateInputs,
    read_inputs,
)
from installer.site_env import SiteEnv
from states.errors import Refused

if TYPE_CHECKING:
    from installer.components import Access

Report: TypeAlias = Callable[[str], AbstractContextManager[None]]

PUBLIC: Final = 0o644
SECRET: Final = 0o400
MODES: Final = {TOKEN: SECRET, LDAP_PASSWORD: SECRET, SITE_TOKEN: 0o640, AGENT_CA: PUBLIC, SITE_API_CA: PUBLIC}
ROOT: Final = 0


@attrs.frozen
class Rendered:
    """What is to be configured: `files` in the order of their listing, `access` to Waldur for the site agent."""

    files: tuple[Staged, ...]
    access: "Access | None"


def configure(
    paths: Paths, site: SiteEnv, site_bytes: bytes, release: str, tokens: Path | None, report: Report
) -> tuple[str, ...]:
    """Configure the activated components; return the names of the files that changed, below /etc/pharos-hpc.

    `tokens` is the directory of new private inputs; without one, those adopted before are used again. `report` tells
    of what takes a while.

    Raises:
        PharosError: the working configuration is untouched.

    """
    with report("private inputs"):
        rendered = render(paths, site, site_bytes, release, tokens)
    if rendered.access is not None and "site-agent" in site.activation_components:
        from installer.components import reconcile

        with report("offering components"):
            reconcile(paths, site, release, rendered.access)
    changed = tuple(name for name, how in _changes(paths, rendered) if how != standing.UNCHANGED)
    if changed:
        with report("configuration files"):
            commit(paths, rendered.files)
    return changed


def plan_configure(
    paths: Paths, site: SiteEnv, site_bytes: bytes, release: str, tokens: Path | None
) -> tuple[str, ...]:
    """Return a line for each thing that `configure` would do; nothing is changed, and nobody is asked."""
    rendered = render(paths, site, site_bytes, release, tokens)
    modes = {_name(paths, file): file.mode for file in rendered.files}
    files = tuple(f"{how:<9} {modes[name]:04o} {paths.etc / name}" for name, how in _changes(paths, rendered))
    if "site-agent" not in site.activation_components:
        return files
    return (f"reconcile component 'node' of offering '{site.central_offering_uuid}'", *files)


def render(paths: Paths, site: SiteEnv, site_bytes: bytes, release: str, tokens: Path | None) -> Rendered:
    """Return what the site's files will be; raise `Refused` when an input, or the release, cannot be used."""
    _usable(paths, site, release)
    inputs = read_inputs(tokens or paths.secrets, site.activation_components)
    access = _access(site, inputs)
    files = tuple(_files(paths, site, inputs, access))
    marker = Staged(paths.etc / CONFIGURED, configured(site_bytes, files, paths), PUBLIC, ROOT, ROOT)
    _placeable(file.path for file in (*files, marker))
    return Rendered((*files, marker), access)


def targets(paths: Paths) -> tuple[Path, ...]:
    """Return every file that `configure` may write."""
    below = (*env_files.NAMES, *(name for name, mode in MODES.items() if mode == PUBLIC), CONFIGURED)
    secrets = (*MODES, CONFIG)
    return (*(paths.etc / name for name in below), *(paths.secrets / name for name in secrets))


def _placeable(files: Iterable[Path]) -> None:
    if faults := [fault for fault in map(obstacle, files) if fault]:
        hint = "it is none of ours; move it away"
        raise Refused(f"cannot configure: {faults[0]}", hint=hint, facts={"faults": faults})


def _usable(paths: Paths, site: SiteEnv, release: str) -> None:
    shipped = {component.name for component in RealFiles(paths).release(release).components}
    if absent := [name for name in site.activation_components if name not in shipped]:
        raise Refused(
            f"cannot configure '{absent[0]}': release '{release}' does not ship it",
            hint="correct ACTIVATION_COMPONENTS in site.env",
        )


def _access(site: SiteEnv, inputs: PrivateInputs) -> "Access | None":
    """Return how the site agent reaches Waldur; None when the site has no inputs for it, and does not activate it."""
    from installer.components import Access

    if not {TOKEN, LDAP_PASSWORD, AGENT_CA} <= inputs.files.keys():
        return None
    secrets = (inputs.text(TOKEN), inputs.text(LDAP_PASSWORD))
    return Access(secrets[0], agent_config(site, *secrets), inputs.files[AGENT_CA], secrets)


def _files(paths: Paths, site: SiteEnv, inputs: PrivateInputs, access: "Access | None") -> Iterator[Staged]:
    for name, data in env_files.env_files(site, paths).items():
        yield Staged(paths.etc / name, data, PUBLIC, ROOT, ROOT)
    for name, data in inputs.files.items():
        group = site.ssh_access_gid if name == SITE_TOKEN else ROOT
        yield Staged(paths.secrets / name, data, MODES[name], ROOT, group)
        if MODES[name] == PUBLIC:  # again where the agents, who cannot read the secrets' directory, find it
            yield Staged(paths.etc / name, data, PUBLIC, ROOT, ROOT)
    if access is not None:
        yield Staged(paths.secrets / CONFIG, access.config, SECRET, ROOT, ROOT)


def _changes(paths: Paths, rendered: Rendered) -> Iterator[tuple[str, str]]:
    for file in rendered.files:
        yield _name(paths, file), standing.of(file)


def _name(paths: Paths, file: Staged) -> str:
    return str(file.path.relative_to(paths.etc))

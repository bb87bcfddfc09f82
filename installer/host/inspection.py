"""The inspection port: programs are started for every question, files are hashed meanwhile, then all is gathered."""

from collections.abc import Collection, Mapping

import attrs

from installer.host.accounts import RealAccounts
from installer.host.files import RealFiles
from installer.host.systemd import start_lint
from installer.paths import Paths


@attrs.frozen
class RealInspection:
    """Releases below `paths`."""

    paths: Paths

    def faults(self, releases: Mapping[str, Collection[str]]) -> Mapping[str, tuple[str, ...]]:
        """Return what speaks against each release: files, unit files, interpreters as the service identities."""
        accounts, files = RealAccounts(self.paths), RealFiles(self.paths)
        started = {
            release: [
                start_lint(self.paths, self.paths.release(release) / "units"),
                *accounts.start_trials(release, components),
            ]
            for release, components in releases.items()
        }
        damage = {release: files.damage(release) for release in releases}
        asked = {release: tuple(fault for ended in started[release] for fault in ended()) for release in releases}
        return {release: (*damage[release], *asked[release]) for release in releases}

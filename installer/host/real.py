"""The composition root: the real host behind the ports."""

from collections.abc import Collection, Mapping

import attrs

from installer.host.files import RealFiles
from installer.host.patience import RealPatience
from installer.host.stopwatch import Stopwatch, TimedUnits
from installer.paths import Paths
from states.host import Host, Web


def real_host(paths: Paths, patience: RealPatience, watch: Stopwatch, *, at_boot: bool = False) -> Host:
    """Return the host below `paths`; at boot, jobs of systemd are queued and not waited for."""
    return Host(
        files=RealFiles(paths),
        units=TimedUnits(paths, at_boot, watch),
        inspection=LazyInspection(paths),
        web=LazyWeb(paths),
        patience=patience,
    )


@attrs.frozen
class LazyInspection:
    """The inspection port; a walk back inspects nothing, and need not import it."""

    paths: Paths

    def faults(self, releases: Mapping[str, Collection[str]]) -> Mapping[str, tuple[str, ...]]:
        """Inspect the releases."""
        from installer.host.inspection import RealInspection

        return RealInspection(self.paths).faults(releases)


@attrs.frozen
class LazyWeb:
    """The web port; it reads site.env and imports its client at the first question: a walk back asks none."""

    paths: Paths

    def offering(self) -> None:
        """Ask Waldur."""
        self._web().offering()

    def site_api(self) -> None:
        """Ask the Site API."""
        self._web().site_api()

    def _web(self) -> Web:
        from installer.host.web import RealWeb
        from installer.site import load_site

        return RealWeb(self.paths, load_site(self.paths))

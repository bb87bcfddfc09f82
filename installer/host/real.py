"""The composition root: the real host behind the ports."""

import attrs

from installer.host.files import RealFiles
from installer.host.patience import RealPatience
from installer.host.stopwatch import Stopwatch, TimedUnits
from installer.paths import Paths
from states.host import Accounts, Host, Web


def real_host(paths: Paths, patience: RealPatience, watch: Stopwatch, *, at_boot: bool = False) -> Host:
    """Return the host below `paths`; at boot, jobs of systemd are queued and not waited for."""
    return Host(
        files=RealFiles(paths),
        units=TimedUnits(paths, at_boot, watch),
        accounts=_accounts(paths),
        web=LazyWeb(paths),
        patience=patience,
    )


def _accounts(paths: Paths) -> Accounts:
    from installer.host.accounts import RealAccounts

    return RealAccounts(paths)


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

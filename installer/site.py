"""The site's configuration as it lies on the host."""

from installer.host.reading import read_small
from installer.paths import Paths
from installer.site_env import SiteEnv, read_site_env


def load_site(paths: Paths) -> SiteEnv:
    """Return the parsed site.env; raise `Refused` with all of its errors."""
    return read_site_env(load_site_bytes(paths), str(paths.site_env))


def load_site_bytes(paths: Paths) -> bytes:
    """Return the bytes of site.env; raise `Refused` when it is no plain file of sane size that others cannot write."""
    return read_small(paths.site_env, hint="copy site.env.example there and fill it in")

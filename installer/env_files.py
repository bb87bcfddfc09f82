"""The agents' environment files: what the final units read of the site's choices (systemd.exec(5), EnvironmentFile)."""

import re
from collections.abc import Mapping
from typing import Final

from installer.paths import Paths
from installer.site_env import SiteEnv

NAMES: Final = ("site-agent.env", "ssh-access.env")
_PLAIN: Final = r"[A-Za-z0-9_.,:/@%+=\[\]~-]*"


def env_files(site: SiteEnv, paths: Paths) -> dict[str, bytes]:
    """Return the bytes of `site-agent.env` and `ssh-access.env`, both public (0644)."""
    proxy = {"HTTPS_PROXY": site.outbound_proxy_url} if site.outbound_proxy_url else {}
    agent = {"SSL_CERT_FILE": str(paths.etc / "site-agent-ca.crt"), **proxy}
    access = {
        "SITE_API_URL": site.central_site_api_url,
        "SSL_CERT_FILE": str(paths.etc / "site-api-ca.crt"),
        "LDAP_URI": site.native_ssh_access_ldap_uri,
        "LDAP_BASE_DN": site.native_ldap_base_dn,
        **proxy,
    }
    return dict(zip(NAMES, (_rendered(agent), _rendered(access)), strict=True))


def _rendered(values: Mapping[str, str]) -> bytes:
    lines = (f"{key}={_quoted(value)}\n" for key, value in values.items())
    return ("# Written by 'pharos-hpc configure' from site.env; changes here are lost.\n" + "".join(lines)).encode()


def _quoted(value: str) -> str:
    r"""Quote only what needs it: a backslash outside of quotes would be taken away, `\,` of a DN would become `,`."""
    if re.fullmatch(_PLAIN, value):
        return value
    return '"' + re.sub(r'([\\"`$])', r"\\\1", value) + '"'

"""The upstream site agent's configuration, as JSON: it reads YAML, of which JSON is the part that guesses no types.

The agent ignores unknown keys, never validates its LDAP block, and prints both ends of a mapping that it refuses: so
every key that matters is written, with its type, and no secret (nor what holds one) is first or last in its mapping.
"""

import json
from typing import Final, TypeAlias

from installer.site_env import SiteEnv

COMPONENT: Final = "node"
UNIT: Final = "node-hours"
BILLING: Final = "limit"
PERIOD: Final = "total"
MINUTES: Final = 60  # Slurm counts node-minutes (GrpTRESMins), the offering node-hours

Json: TypeAlias = dict[str, object]


def agent_config(site: SiteEnv, token: str, ldap_password: str) -> bytes:
    """Return the configuration file of all three modes; it holds both secrets (0400, spec 06)."""
    root: Json = {"timezone": "UTC", "log_level": "INFO"}
    if site.outbound_proxy_url:
        root["global_proxy"] = site.outbound_proxy_url
    root["offerings"] = [_offering(site, token, ldap_password)]
    root["expose_backend_error_details"] = False  # true, the default, sends tracebacks to Waldur
    root["reporting_periods"] = 2
    # As it is, not as \u escapes: in YAML two escapes of a surrogate pair are not one character.
    return (json.dumps(root, indent=2, ensure_ascii=False) + "\n").encode()


def _offering(site: SiteEnv, token: str, ldap_password: str) -> Json:
    slurm = dict.fromkeys(("order_processing_backend", "membership_sync_backend", "reporting_backend"), "slurm")
    return {
        "name": site.site_name,
        "waldur_api_url": site.central_waldur_api_url,
        "waldur_offering_uuid": site.central_offering_uuid,
        "waldur_api_token": token,
        "verify_ssl": True,
        "backend_type": "slurm",
        **slurm,
        "username_management_backend": "ldap",
        "backend_settings": _slurm(site, ldap_password),
        "backend_components": {COMPONENT: _node()},
        "stomp_enabled": False,  # true makes the polling modes skip the offering
        "preserve_unmanaged_backend_users": True,  # false removes every Slurm user that Waldur does not know
    }


def _slurm(site: SiteEnv, ldap_password: str) -> Json:
    """No default_partition: it would tie members to one, and their stage-in jobs run in another (design, section 6)."""
    return {
        "default_account": site.native_slurm_account,
        "root_account": site.native_slurm_account,
        "ldap": _ldap(site, ldap_password),
        "customer_prefix": "c_",
        "project_prefix": "p_",
        "allocation_prefix": "a_",
        "cluster_name": site.native_slurm_cluster,
        "slurm_bin_path": site.native_slurm_bin_dir,
        "enable_user_homedir_account_creation": False,  # true, the default, runs mkhomedir_helper, which needs root
    }


def _ldap(site: SiteEnv, password: str) -> Json:
    """Of the site's ranges only the projects' is given: members' numbers are Waldur's (design, section 5)."""
    return {
        "uri": site.native_site_agent_ldap_uri,
        "bind_dn": site.native_site_agent_ldap_bind_dn,
        "base_dn": site.native_ldap_base_dn,
        "people_ou": "ou=people",
        "groups_ou": "ou=groups",
        "bind_password": password,  # far from both ends, however short the site's own values are
        "use_starttls": False,  # it would begin after the bind
        "gid_range_start": site.project_gid_range.low,
        "gid_range_end": site.project_gid_range.high,
        "default_login_shell": "/bin/bash",
        "default_home_base": "/home",
        "username_format": "first_initial_lastname",
        "remove_user_on_deactivate": False,
        # ldapPublicKey: else the SSH access agent, which may write keys only, could not add one.
        "user_object_classes": [
            "inetOrgPerson",
            "organizationalPerson",
            "person",
            "posixAccount",
            "ldapPublicKey",
            "top",
        ],
        "user_group_object_classes": ["posixGroup", "top"],  # the default is 389DS's; OpenLDAP refuses it
        "project_group_object_classes": ["posixGroup", "top"],
    }


def _node() -> Json:
    """Without `limit`: each order carries its own quantity."""
    return {
        "label": "Node",
        "measured_unit": UNIT,
        "accounting_type": BILLING,
        "unit_factor": MINUTES,  # has no default where limits are computed
        "limit_period": PERIOD,
    }

"""A host ready to be configured: accounts, site.env, the embedded Waldur, a release whose loader is small."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from fixtures import launch
from fixtures.central import Central
from fixtures.sandbox import Sandbox
from fixtures.site import ACCOUNTS, site_env
from fixtures.small_release import install_small_release
from installer.paths import Paths
from installer.site_env import SiteEnv, read_site_env
from tests.installer.site_values import MANIFEST

RELEASE = "2026.12.1"
PASSWORD = "pä$$w0rd-of-ldap 😀"
LOADER = """\
import json, os, ssl, sys, urllib.request, urllib.error

assert sys.argv[1] == "-c" and len(sys.argv) == 3, "the arguments hold a path only"
config = json.load(open(sys.argv[2], encoding="utf-8"))
(offering,) = config["offerings"]
base = offering["waldur_api_url"] + "marketplace-provider-offerings/" + offering["waldur_offering_uuid"] + "/"
trust = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])

def ask(route, body=None):
    headers = {"Authorization": "Token " + offering["waldur_api_token"], "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(base + route, data, headers), context=trust) as answer:
        return json.loads(answer.read() or b"null")

print(json.dumps({"event": "as", "uid": os.getuid(), "mode": oct(os.stat(sys.argv[2]).st_mode & 0o7777),
                  "directory": oct(os.stat(os.path.dirname(sys.argv[2])).st_mode & 0o7777),
                  "environment": sorted(os.environ)}))
there = {row["type"]: row for row in ask("?field=components")["components"]}
for kind, part in offering["backend_components"].items():
    body = {"type": kind, "name": part["label"], "billing_type": part["accounting_type"], "limit_amount": None,
            "measured_unit": part["measured_unit"], "limit_period": part["limit_period"]}
    try:
        if kind in there:
            ask("update_offering_component/", {"uuid": there[kind]["uuid"], **body})
        else:
            ask("create_offering_component/", body)
    except urllib.error.HTTPError as error:
        print(json.dumps({"level": "error", "event": "Unable to create or update a component: %s" % error}))
        print("input_value={'token': '" + offering["waldur_api_token"][:12] + "...'}", file=sys.stderr)
"""
FAILING = LOADER + "\nsys.exit(1)\n"


@attrs.frozen
class Ready:
    """What a test configures."""

    sandbox: Sandbox
    central: Central
    tokens: Path

    @property
    def paths(self) -> Paths:
        return Paths(self.sandbox.root)

    @property
    def site_env(self) -> bytes:
        return self.paths.site_env.read_bytes()

    @property
    def site(self) -> SiteEnv:
        return read_site_env(self.site_env, "site.env")

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return every secret there is, each also by its beginning and its end."""
        whole = (*self.central.tokens.values(), *self.central.grants.values(), PASSWORD)
        return (*whole, *(text[:12] for text in whole), *(text[-12:] for text in whole))

    def write_site_env(self, **keys: str) -> None:
        self.paths.etc.mkdir(parents=True, exist_ok=True)
        self.paths.site_env.write_bytes(site_env(self.central, **keys))

    def tokens_of(self, user: str) -> Path:
        """Give a token directory of another user."""
        return self.central.write_inputs(self.tokens.with_name(f"tokens-of-{user}"), user, PASSWORD)

    def loader(self, text: str) -> None:
        path = self.paths.release(RELEASE) / "site-agent/bin/waldur_site_load_components"
        path.write_text(text)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the program as the one of the installed release."""
        return launch.run(self.sandbox.root, self.paths.release(RELEASE) / "pharos-hpc", *words)

    def tree(self) -> dict[str, tuple[int, int, int, bytes]]:
        """Return everything below /etc/pharos-hpc: mode, owner and bytes."""
        found = {}
        for path in sorted(self.paths.etc.rglob("*")):
            stat = path.lstat()
            data = path.read_bytes() if path.is_file() else b""
            found[str(path.relative_to(self.paths.etc))] = (stat.st_mode & 0o7777, stat.st_uid, stat.st_gid, data)
        return found


@contextmanager
def ready(sandbox: Sandbox, private: Path, python: Path) -> Iterator[Ready]:
    """Give a host ready to be configured; tokens and the outside world are below `private`."""
    for name, number in ACCOUNTS.items():
        sandbox.run("groupadd", "--gid", str(number), name)
        sandbox.run("useradd", "--uid", str(number), "--gid", str(number), "--no-create-home", name)
    with Central.start(private / "central") as central:
        made = Ready(sandbox, central, central.write_inputs(private / "tokens", ldap_password=PASSWORD))
        made.write_site_env()
        install_small_release(made.paths, RELEASE, python)
        (made.paths.release(RELEASE) / "manifest").write_text(MANIFEST)
        made.loader(LOADER)
        yield made

"""A site in a sandbox whose `check` is run as a real process."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from jsonschema import validate

from fixtures import launch
from fixtures.central import Central
from fixtures.sandbox import Sandbox, make_sandbox
from fixtures.site import site_env
from installer import exits
from installer.paths import Paths

SCHEMA = Path(__file__).parents[2] / "installer/check.schema.json"


@attrs.frozen
class Checked:
    """A host, the world outside, and the private inputs that are checked."""

    sandbox: Sandbox
    central: Central
    directory: Path

    def configure(self, **keys: str) -> None:
        paths = Paths(self.sandbox.root)
        paths.etc.mkdir(parents=True, exist_ok=True)
        paths.site_env.write_bytes(site_env(self.central, **keys))

    def inputs(self, user: str = "owner") -> Path:
        """Give the directory of the private inputs, with the token of `user`; what a test changed in it stays."""
        directory = self.directory / f"tokens-{user}"
        return directory if directory.exists() else self.central.write_inputs(directory, user)

    def check(self, *words: str, user: str = "owner") -> Mapping[str, Any]:
        """Return the answer of `check WORDS --json`, with the token of `user`; no secret is in it."""
        tokens = self.inputs(user)
        program = self.directory / "archive/pharos-hpc"
        done = launch.run(self.sandbox.root, program, "check", *words, "--json", "--tokens", str(tokens))
        assert done.returncode in {exits.DONE, exits.REFUSED}, done.stderr
        secrets = (*self.central.tokens.values(), *self.central.grants.values())
        assert not [secret for secret in secrets if secret in done.stdout + done.stderr]
        answer: dict[str, Any] = json.loads(done.stdout)
        validate(answer, json.loads(SCHEMA.read_text()))
        assert answer["ok"] == (done.returncode == exits.DONE)
        return answer

    def found(self, *words: str, user: str = "owner") -> dict[str, str]:
        """Return what was found, by code."""
        return {row["code"]: row["found"] for row in self.check(*words, user=user)["findings"]}


@pytest.fixture
def site(sandbox_dir: Path, tmp_path: Path) -> Iterator[Checked]:
    with Central.start(tmp_path / "central") as central:
        made = Checked(make_sandbox(sandbox_dir), central, tmp_path)
        made.configure()
        yield made

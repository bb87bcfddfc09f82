"""The private inputs: adopted byte for byte, every fault of every file in one report, no value ever shown."""

import os
import re
import ssl
import time
from pathlib import Path

import pytest

from installer.ca_file import ca_faults
from installer.private_inputs import NAMES, PrivateInputs, read_inputs
from states.errors import Refused
from tests.installer.authorities import authority, private_key

CANARY = "c4n4ry-in-the-coal-mine"
SECRETS = [name for name in NAMES if not name.endswith(".crt")]


def changed(pem: bytes, pattern: bytes, replacement: bytes) -> bytes:
    """Return the certificate with bytes of its DER replaced."""
    der = re.sub(pattern, replacement, ssl.PEM_cert_to_DER_cert(pem.decode()), flags=re.DOTALL)
    return ssl.DER_cert_to_PEM_cert(der).encode()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "tokens"
    made.mkdir(mode=0o700)
    for name in NAMES:
        (made / name).write_bytes(authority() if name.endswith(".crt") else f"{CANARY}-{name}".encode())
        (made / name).chmod(0o600)
    return made


def faults(directory: Path, *components: str) -> list[str]:
    with pytest.raises(Refused) as caught:
        read_inputs(directory, *([components] if components else []))
    found = caught.value.facts["faults"]
    assert isinstance(found, list)
    assert found[0] in caught.value.message
    assert CANARY not in repr(caught.value) + repr(found) + caught.value.hint
    return found


def test_the_files_are_read_byte_for_byte_and_never_shown(directory: Path) -> None:
    (directory / SECRETS[0]).write_bytes(f"{CANARY}\n".encode())
    inputs = read_inputs(directory)
    assert inputs.files == {name: (directory / name).read_bytes() for name in NAMES}
    assert inputs.text(SECRETS[0]) == CANARY
    assert CANARY not in repr(inputs)


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
        (b"  \n", "is empty"),
        (CANARY.encode() * 400, "at most 4096"),
        (f"{CANARY}\n{CANARY}".encode(), "more than one line"),
        (f"{CANARY}\n\n".encode(), "more than one line"),
        (f"{CANARY}\r\n".encode(), "carriage return"),
        (f"{CANARY}\0".encode(), "NUL"),
        (CANARY.encode() + b"\xff", "a character"),
        (f"\ufeff{CANARY}".encode(), "a character"),
        (f"{CANARY}\x1b[2J".encode(), "a character"),
    ],
)
def test_a_secret_that_is_not_one_line_is_refused(directory: Path, name: str, data: bytes, fault: str) -> None:
    (directory / name).write_bytes(data)
    (found,) = faults(directory)
    assert str(directory / name) in found
    assert fault in found


def test_a_password_may_have_blanks_and_letters_of_any_language_a_token_may_not(directory: Path) -> None:
    (directory / "site-agent-ldap-password").write_text("grüße an alle")
    assert read_inputs(directory).text("site-agent-ldap-password") == "grüße an alle"
    (directory / "site-agent-token").write_text("grüße")
    (directory / "ssh-access-site-token").write_text("two words")
    assert len(faults(directory)) == 2


def test_every_fault_of_every_file_is_reported_at_once(directory: Path) -> None:
    (directory / "site-agent-token").unlink()
    (directory / "site-agent-ldap-password").write_bytes(b"")
    (directory / "site-agent-ca.crt").write_bytes(b"no certificate")
    (directory / "site-agent-token.txt").write_text(CANARY)
    found = faults(directory)
    assert [word for fault in found for word in ("missing", "empty", "PEM", "unknown") if word in fault] == [
        "missing", "unknown", "empty", "PEM",
    ]  # fmt: skip


def test_links_directories_pipes_and_files_of_everybody_are_refused(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(CANARY)
    (directory / "site-agent-token").unlink()
    (directory / "site-agent-token").symlink_to(tmp_path / "elsewhere")
    (directory / "site-agent-ldap-password").unlink()
    (directory / "site-agent-ldap-password").mkdir()
    (directory / "ssh-access-site-token").unlink()
    os.mkfifo(directory / "ssh-access-site-token")
    (directory / "site-api-ca.crt").chmod(0o666)
    found = faults(directory)
    kinds = sorted(word for fault in found for word in ("symbolic link", "regular", "others") if word in fault)
    assert kinds == ["others", "regular", "regular", "symbolic link"]


def test_a_directory_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot read the directory"):
        read_inputs(tmp_path / "absent")


def test_only_the_activated_components_need_their_inputs(directory: Path) -> None:
    for name in ("site-agent-token", "site-agent-ldap-password", "site-agent-ca.crt"):
        (directory / name).unlink()
    assert set(read_inputs(directory, ("ssh-access",)).files) == {"ssh-access-site-token", "site-api-ca.crt"}
    assert len(faults(directory, "site-agent")) == 3


def test_our_own_file_beside_the_adopted_ones_is_known(directory: Path) -> None:
    (directory / "site-agent-config.json").write_text("{}")
    assert isinstance(read_inputs(directory), PrivateInputs)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (authority(-30, -1), "expired on"),
        (authority(2, 30), "not valid before"),
        (authority(ca=False), "not an authority's"),
        (authority(ca=None), "not an authority's"),
        (authority(use=""), "keyCertSign"),
        (authority(use="digital_signature"), "keyCertSign"),
        (authority(critical=False), "not critical"),
        (authority(key_id=False), "subjectKeyIdentifier"),
        (authority() + private_key(), "private key"),
        (authority()[:-30], "PEM"),
        (authority() + authority()[:-30], "does not end"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "cannot be parsed"),
        (b"-----BEGIN CERTIFICATE-----\n****\n-----END CERTIFICATE-----\n", "cannot be parsed"),
        (b"hello", "no whole PEM"),
        (changed(authority(), rb"\x17\x0d[0-9]{12}Z", b"\x17\x0d999999999999Z"), "dates that are none"),
        (changed(authority(), rb"\x30\x03\x01\x01\xff", b"\x30\x09\x01\x01\xff"), "cannot be parsed"),
    ],
)
def test_a_ca_file_that_the_agents_would_refuse_is_refused(data: bytes, fault: str) -> None:
    found = list(ca_faults(data, time.time()))
    assert any(fault in each for each in found), found


def test_of_several_authorities_the_wrong_one_is_named() -> None:
    found = list(ca_faults(b"# comment\n" + authority() + authority(-30, -1), time.time()))
    assert len(found) == 1
    assert found[0].startswith("certificate 2 expired")
    assert not list(ca_faults(authority().replace(b"\n", b"\r\n"), time.time()))

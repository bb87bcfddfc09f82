"""Which of an administrator's drop-ins make a unit of ours run another program, as systemd.unit(5) reads them."""

from pathlib import Path

import pytest

from installer.host.dropins import replacing

UNIT = "waldur-site-agent@report.service"
OURS = "/opt/pharos-hpc/site-agent/bin/waldur_site_agent -m %i"
OTHER = "[Service]\nExecStart=\nExecStart=/usr/bin/sleep 1000\n"


def put(units: Path, owner: str, name: str, text: str) -> Path:
    path = units / f"{owner}.d" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_without_drop_ins_nothing_is_replaced(tmp_path: Path) -> None:
    assert replacing(tmp_path / "none", UNIT) == ""


@pytest.mark.parametrize("owner", ["waldur-site-agent@.service", UNIT])
def test_another_program_is_found_at_the_instance_and_at_its_template(tmp_path: Path, owner: str) -> None:
    path = put(tmp_path, owner, "10.conf", OTHER)
    assert replacing(tmp_path, UNIT) == str(path)
    other = "waldur-site-agent@order_process.service"
    assert bool(replacing(tmp_path, other)) == (owner != UNIT)


@pytest.mark.parametrize(
    "text",
    [
        "[Service]\nEnvironment=A=1\nExecStartPre=/bin/true\n",
        f"[Service]\nExecStart=\nExecStart=/usr/bin/nice {OURS}\n",
        f"[Service]\nExecStart =\nExecStart = /usr/bin/nice \\\n {OURS}\n",
        "# ExecStart=\n",
        "",
    ],
)
def test_what_runs_our_program_is_left_to_the_administrator(tmp_path: Path, text: str) -> None:
    put(tmp_path, UNIT, "10.conf", text)
    assert replacing(tmp_path, UNIT) == ""


def test_no_program_at_all_is_a_replacement(tmp_path: Path) -> None:
    path = put(tmp_path, UNIT, "10.conf", "[Service]\nExecStart=\n")
    assert replacing(tmp_path, UNIT) == str(path)


def test_the_last_file_by_name_decides(tmp_path: Path) -> None:
    put(tmp_path, UNIT, "10.conf", OTHER)
    put(tmp_path, "waldur-site-agent@.service", "20.conf", f"[Service]\nExecStart=\nExecStart={OURS}\n")
    assert replacing(tmp_path, UNIT) == ""
    last = put(tmp_path, UNIT, "30.conf", OTHER)
    assert replacing(tmp_path, UNIT) == str(last)


def test_an_instances_file_counts_instead_of_the_templates_of_that_name(tmp_path: Path) -> None:
    put(tmp_path, "waldur-site-agent@.service", "10.conf", OTHER)
    (tmp_path / f"{UNIT}.d").mkdir()
    (tmp_path / f"{UNIT}.d/10.conf").symlink_to("/dev/null")  # how an administrator takes one back
    assert replacing(tmp_path, UNIT) == ""

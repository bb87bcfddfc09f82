"""The lab's machines: one store for each test process, one machine for each test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.lab.archives import FIRST, archives
from fixtures.lab.container import Container, container
from fixtures.lab.host import missing
from fixtures.lab.image import DEBIAN_13, Debian, image
from fixtures.lab.native import NativeSite
from fixtures.lab.site import Outside
from fixtures.lab.small_site import SmallSite, bring_library, make_layer
from fixtures.lab.store import Store, store
from fixtures.lab.world import World
from tests.lab.table import PROPERTY, show


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """These tests are run where they are asked for."""
    return None if config.getoption("--lab") else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip with the reason where the lab cannot be had; image and machines take their time."""
    reason = missing() if config.getoption("--lab") else ""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(600))
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Have one process run all of Debian 12, whose site takes long to make; all else goes to whoever is free."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file, _, _ = nodeid.partition("::")
            return file if file.endswith("test_debian_12.py") else nodeid

    return Scheduling(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was qualified, with its figures."""
    reports = [report for some in terminalreporter.stats.values() for report in some]
    show(reports, terminalreporter.write_line, terminalreporter.config.getoption("--lab-page"))


@pytest.fixture(scope="session")
def machines() -> Iterator[Store]:
    with store() as made:
        yield made


@pytest.fixture(scope="session")
def debian(request: pytest.FixtureRequest) -> Debian:
    """Give the Debian of all machines of a test; a module that wants another one has it as a parameter."""
    given: Debian = getattr(request, "param", DEBIAN_13)
    return given


@pytest.fixture
def machine(machines: Store, debian: Debian) -> Iterator[Container]:
    """Give a machine with nothing of ours on it."""
    with container(machines, base=image(debian)) as made:
        yield made


@pytest.fixture(scope="session")
def outside(machines: Store, debian: Debian) -> Iterator[Outside]:
    """Give the embedded world; what a test changed in it is undone by `plain` and `site`."""
    made = Outside(World(machines), debian)
    yield made
    made.end()
    made.world.end()


@pytest.fixture
def plain(machines: Store, debian: Debian, outside: Outside) -> Iterator[Container]:
    """Give a machine in the embedded world's network, with nothing of ours on it."""
    outside.mend()
    with container(machines, base=image(debian), world=outside.world) as made:
        yield made


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Give the two archives."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    base = tmp_path_factory.getbasetemp()
    return archives(base.parent / f"archives-{run}" if run else base / "archives")


@pytest.fixture(scope="session")
def site_layer(machines: Store, debian: Debian, outside: Outside, releases: dict[str, Path]) -> Path:
    """Give the disk of a machine with a configured site on which the release GOOD is active."""
    bring_library(outside)
    machine = Container(machines, base=image(debian), world=outside.world)
    machine.boot()
    make_layer(machine, outside, releases[FIRST])
    return machine.disk


@pytest.fixture
def site(machines: Store, debian: Debian, outside: Outside, site_layer: Path) -> Iterator[SmallSite]:
    """Give a configured site of its own to a test; the small release GOOD is active, and was started at boot."""
    outside.mend()
    with container(machines, [site_layer], base=image(debian), world=outside.world) as made:
        yield SmallSite(made, outside)


@pytest.fixture
def native(machines: Store, debian: Debian, releases: dict[str, Path]) -> Iterator[NativeSite]:
    """Give a site with real Slurm, directory and logins on which the real release is active; a world of its own."""
    outside = Outside(World(machines), debian)
    try:
        with container(machines, base=image(debian), world=outside.world) as made:
            site = NativeSite(made, outside)
            site.activate(FIRST, releases[FIRST])
            yield site
    finally:
        outside.end()
        outside.world.end()


@pytest.fixture
def qualified(record_property: Callable[[str, object], None], debian: Debian) -> Callable[[int, str, str], None]:
    """Give what puts a row into the table at the end: item of the qualification, what was shown, its figure."""

    def row(item: int, what: str, figure: str) -> None:
        record_property(PROPERTY, [item, debian.number, what, figure])

    return row

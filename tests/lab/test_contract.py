"""The contract of the service manager, which the other tests' stand-in keeps, held against the machine's systemd."""

from collections.abc import Callable

from fixtures.lab.container import Container
from fixtures.lab.image import Debian
from fixtures.lab.small_site import bring

Qualified = Callable[[int, str, str], None]
OURS = ("fixtures", "installer", "states", "tests", "units")
PYTEST = ("_pytest", "pytest", "py.py", "pluggy", "iniconfig", "packaging", "pygments", "attr", "attrs")
LIBRARY = "/outside/contract"
# In the place of ours, which needs more than pytest.
CONFTEST = 'def pytest_addoption(parser):\n    parser.addoption("--real-systemd", action="store_true")\n'
RUN = f"-m pytest -q -p no:cacheprovider --import-mode=importlib --rootdir={LIBRARY} --real-systemd"


def test_systemd_keeps_the_contract_that_the_stand_in_keeps(
    machine: Container, debian: Debian, qualified: Qualified
) -> None:
    library = machine.world.outside / "contract"
    bring(library, OURS, PYTEST)
    (library / "tests/conftest.py").write_text(CONFTEST)
    files = [f"{LIBRARY}/tests/contract/{path.name}" for path in library.glob("tests/contract/test_service_manager*")]
    ours = {"PYTHONPATH": LIBRARY, "PYTHONDONTWRITEBYTECODE": "1"}
    told = machine.check(debian.python, *RUN.split(), "-k", "not stand-in", *files, environment=ours, seconds=300)
    passed, word, *_ = told.splitlines()[-1].split()
    assert word == "passed,"
    qualified(
        4, "the contract that the other tests' stand-in for systemd keeps", f"{passed} of {passed} held by systemd"
    )

"""Fixtures every test may use."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.examples import load_profile, repetitive, slow
from tests.harness_objects import share_harness_objects
from tests.postgres_server import Server, missing
from tests.supervisor_forks import fork_supervisors

GOLDEN = Path(__file__).parent / "golden"

# A shell's background job ignores Ctrl-C, and so would all the programs that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing")
    parser.addoption("--all", action="store_true", help="slow tests too, and all examples of properties")
    parser.addoption("--slow", action="store_true", help="only slow tests, with as many examples as without it")


def pytest_configure(config: pytest.Config) -> None:
    every = config.getoption("--all")
    load_profile(every)
    share_harness_objects(quick=not every)
    if not every:
        fork_supervisors()


def pytest_collection() -> None:
    """Collected tests are no garbage: to look for some among them takes a third of the collection."""
    gc.disable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Slow tests run with --all, --slow, -m, and by their own name."""
    if config.getoption("--all") or config.option.markexpr or any("::" in name for name in config.args):
        return
    repeated = repetitive(items)
    candidates = [item for item in items if item not in repeated]
    slow_items = slow(candidates)
    selected = {item for item in candidates if (item in slow_items) == config.getoption("--slow")}
    config.hook.pytest_deselected(items=[item for item in items if item not in selected])
    items[:] = [item for item in items if item in selected]


def pytest_collection_finish() -> None:
    """The collector of garbage need not look at all tests again and again."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A report is sent from process to process as UTF-8: bytes of names that are none stand in it as escapes."""
    report = yield
    if report.longrepr is not None and not str(report.longrepr).isascii():
        report.longrepr = str(report.longrepr).encode("utf-8", "backslashreplace").decode()
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report


@pytest.fixture
def default_hangup() -> Iterator[None]:
    """SIGHUP ends a process, as it does under a terminal: `nohup`, which may run the tests, leaves it ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server; the test is skipped with the reason where there can be none."""
    if missing():
        pytest.skip(missing())
    server = Server()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres_server: Server) -> str:
    """The URL of a new, empty database."""
    return postgres_server.database()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("c/bad_param.txt", text)` compares `text` with tests/golden/c/bad_param.txt, or writes it."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"no golden file {path}; run pytest --update-golden and read what it wrote"
        assert text == path.read_text()

    return check

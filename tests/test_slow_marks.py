"""Which tests `make test` leaves to `make test-slow`."""

from __future__ import annotations

import pytest

from tests.examples import slow

pytest_plugins = ["pytester"]

MARKED = """
import pytest

@pytest.mark.slow
def test_whole(): ...

@pytest.mark.parametrize("n", range(5))
@pytest.mark.slow_but(2)
def test_cases(n): ...

@pytest.mark.slow_tests("exhaust", "replay")
class TestContract:
    def test_exhausts_a_space(self): ...
    def test_one_suggestion(self): ...

def test_plain(): ...
"""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnknownMarkWarning")
def test_marked_tests_are_slow_and_no_others(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MARKED)
    items, _ = pytester.inline_genitems("-p", "no:randomly", "-p", "no:cacheprovider")
    names = {item.name for item in slow(items)}
    assert names == {"test_whole", "test_cases[1]", "test_cases[3]", "test_exhausts_a_space"}
    assert len(items) == 9

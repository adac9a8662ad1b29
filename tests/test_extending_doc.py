"""The examples of docs/extending.md keep the contract of the role they extend."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.evaluator import EvaluatorContract
from tests.contracts.strategy import Build, StrategyContract
from tunepass.evaluators.base import Evaluator
from tunepass.space.configuration import Configuration

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"


@cache
def names_of(heading: str) -> dict[str, object]:
    """What the Python block under a heading defines once it has run."""
    (block,) = re.findall(rf"^## {heading}\n.*?^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(block, names)  # noqa: S102 (this repository's own page)
    return names


class TestStrategy(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return names_of("A strategy")["HillClimber"]  # type: ignore[return-value]


class TestEvaluator(EvaluatorContract):
    @pytest.fixture
    def evaluator(self) -> Evaluator:
        names = names_of("An evaluator")
        return names["Interpreter"](names["PROGRAM"])  # type: ignore[no-any-return, operator]

    @pytest.fixture
    def good(self) -> Configuration:
        return Configuration({"block": 16})

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({"block": 4096})

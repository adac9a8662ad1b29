"""The examples of docs/extending.md keep the contract of the role they extend."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tunepass import registry
from tunepass.diagnostics import Source
from tunepass.evaluators.base import Evaluator
from tunepass.frontends.base import Frontend
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.testing.backend import BackendContract
from tunepass.testing.evaluator import EvaluatorContract
from tunepass.testing.frontend import FrontendContract
from tunepass.testing.strategy import Build, StrategyContract

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"


@cache
def names_of(heading: str) -> dict[str, object]:
    """What the Python block under a heading defines once it has run, as a module of its own."""
    (block,) = re.findall(rf"^## {heading}\n.*?^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    module = ModuleType(heading.replace(" ", "_"))
    sys.modules[module.__name__] = module  # where the registry finds what the block adds to its tables
    exec(block, vars(module))  # noqa: S102 (this repository's own page)
    return vars(module)


@pytest.fixture(scope="module")
def language() -> Iterator[dict[str, object]]:
    """The names of the language's block, which adds to the registry while they are used."""
    before = registry.FRONTENDS, registry.BACKENDS
    yield names_of("A language")
    registry.FRONTENDS, registry.BACKENDS = before


class TestFrontend(FrontendContract):
    @pytest.fixture
    def frontend(self, language: dict[str, object]) -> Frontend:
        return language["PlanFrontend"]()  # type: ignore[no-any-return, operator]

    @pytest.fixture
    def source(self, language: dict[str, object]) -> Source:
        return Source("copy.plan", str(language["TEXT"]))


class TestBackend(BackendContract):
    @pytest.fixture
    def kernel(self, language: dict[str, object]) -> Kernel:
        return language["kernel"]  # type: ignore[return-value]


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

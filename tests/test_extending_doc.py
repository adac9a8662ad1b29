"""The examples of docs/extending.md run, and keep the contract of the role they extend."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import tunepass as tp
from tunepass import extension, registry
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.capabilities import EVALUATOR_CAPABILITIES
from tunepass.plugins import GROUP
from tunepass.space.configuration import Configuration
from tunepass.study.capabilities import PRIOR_MEAN_CAPABILITIES, STRATEGY_CAPABILITIES
from tunepass.surrogates.base import Surrogate
from tunepass.testing.evaluator import EvaluatorContract
from tunepass.testing.strategy import Build, StrategyContract

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "extending.md"


@cache
def names_of(heading: str) -> dict[str, object]:
    """What the Python block under a heading defines once it has run, as a module of its own."""
    (block,) = re.findall(rf"^## {heading}\n.*?^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    module = ModuleType(heading.replace(" ", "_"))
    sys.modules[module.__name__] = module
    exec(block, vars(module))  # noqa: S102 (this repository's own page)
    return vars(module)


def test_every_role_is_listed_with_its_entry_point_group() -> None:
    groups = re.findall(rf"^\| .* \| `{re.escape(GROUP)}(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert sorted(groups) == sorted(registry.ROLES)


def test_the_entry_points_are_those_of_the_sample() -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert block in (ROOT / "samples" / "plugin" / "pyproject.toml").read_text()


def test_public_names_of_extensions_load() -> None:
    assert all(getattr(extension, name) is not None for name in extension.__all__)
    named = set(re.findall(r"`(?:tp|extension)\.(\w+)[`(]", PAGE.read_text()))
    assert named <= {*tp.__all__, *extension.__all__}


def test_a_marked_language_and_a_surrogate_run() -> None:
    assert names_of("A language")["Weave"] and issubclass(names_of("A surrogate")["Linear"], Surrogate)  # type: ignore[arg-type]


class TestPatient(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return names_of("The contracts")["Patient"]  # type: ignore[return-value]


class TestBackwards(StrategyContract):
    @pytest.fixture
    def build(self) -> Build:
        return names_of("A strategy")["Backwards"]  # type: ignore[return-value]


class TestEvaluator(EvaluatorContract):
    @pytest.fixture
    def evaluator(self) -> Evaluator:
        names = names_of("An evaluator")
        make: Callable[[object], Evaluator] = names["Interpreter"]  # type: ignore[assignment]
        return make(names["PROGRAM"])

    @pytest.fixture
    def good(self) -> Configuration:
        return Configuration({"block": 16})

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({"block": 4096})


class TestWrapper(EvaluatorContract):
    @pytest.fixture
    def evaluator(self) -> Evaluator:
        inner, outer = names_of("An evaluator"), names_of("Capabilities and wrappers")
        return outer["Journal"](inner["Interpreter"](inner["PROGRAM"]))  # type: ignore[no-any-return, operator]

    @pytest.fixture
    def good(self) -> Configuration:
        return Configuration({"block": 16})

    @pytest.fixture
    def bad(self) -> Configuration:
        return Configuration({"block": 4096})


def test_the_table_has_every_capability() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (evaluator|strategy|prior mean) \| ", PAGE.read_text(), re.MULTILINE)
    tables = {
        "evaluator": EVALUATOR_CAPABILITIES,
        "strategy": STRATEGY_CAPABILITIES,
        "prior mean": PRIOR_MEAN_CAPABILITIES,
    }
    assert {kind.__name__ for kinds in tables.values() for kind in kinds} <= set(extension.__all__)
    assert sorted(rows) == sorted((kind.__name__, role) for role, kinds in tables.items() for kind in kinds)

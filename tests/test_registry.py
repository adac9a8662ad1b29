"""Every name in the tables loads; an unknown one is a diagnostic that names the nearest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tunepass import registry
from tunepass.diagnostics import TunepassError
from tunepass.exact.base import ExactSolver, solver
from tunepass.pruning import base as pruning


@pytest.mark.parametrize("name", sorted(registry.STRATEGIES))
def test_strategies_load(name: str) -> None:
    assert callable(registry.find("strategies", name))


@pytest.mark.parametrize("name", sorted(registry.EXACT_SOLVERS))
def test_exact_solvers_load(name: str) -> None:
    assert isinstance(solver(name), ExactSolver)


@pytest.mark.parametrize("name", sorted(registry.PRUNING_SOLVERS))
def test_pruning_solvers_load(name: str) -> None:
    assert isinstance(pruning.solver(name), pruning.Solver)


@pytest.mark.parametrize("suffix", sorted(registry.FRONTENDS))
def test_frontends_load(suffix: str) -> None:
    assert callable(registry.find("frontends", suffix))


def test_unknown_name_gives_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "STRATEGIES", {"random": "fractions:Fraction", "bayesian": "decimal:Decimal"})
    with pytest.raises(TunepassError, match=r"no strategy 'baysian'; known: bayesian, random(.|\n)*mean 'bayesian'"):
        registry.find("strategies", "baysian")
    assert registry.find("strategies", "random").__name__ == "Fraction"  # type: ignore[attr-defined]


def test_contributors_are_told_of_every_table() -> None:
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
    told = re.findall(r"^\|.*?\|.*?\| `([A-Z_]+)` \| `([\w/.]+)` \|$", text, re.MULTILINE)
    assert {table for table, _ in told} == {role.upper() for role in registry.ROLES if role != "devices"} | {"MARKED"}
    assert all((Path(__file__).parents[1] / contract).is_file() for _, contract in told)

"""Evaluations by a model."""

from __future__ import annotations

from tunepass.evaluators.model import ModelEvaluator
from tunepass.expr.parser import parse
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer
from tunepass.study.outcome import Infeasible, Measured

PARAMETERS = [Integer("par", 1, 8), Categorical("fast", [False, True])]


def test_values_are_priced_and_limits_are_kept() -> None:
    time, area = (parse(text, {p.name: p.type for p in PARAMETERS}) for text in ("100 // par", "par * if(fast, 9, 4)"))
    run = ModelEvaluator(PARAMETERS, {"time": time}, {"area": (area, 40)})
    assert run(Configuration({"par": 3, "fast": True})).outcome == Measured({"time": 33})
    assert run(Configuration({"par": 5, "fast": True})).outcome == Infeasible("area <= 40")
    assert run(Configuration({"par": 5, "fast": False})).outcome == Measured({"time": 20})
    columns = {p.name: p.column([3, 5, 5] if p.name == "par" else [True, True, False]) for p in PARAMETERS}
    assert run.fits(columns).tolist() == [True, False, True]

"""Branch and bound against brute force; its certificate accounts for every configuration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunepass.diagnostics import SpaceError
from tunepass.exact.branch_and_bound import Certificate, pareto_front
from tunepass.expr import numpy_eval
from tunepass.expr.parser import parse
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter
from tunepass.study.pareto import nondominated

PARAMETERS: list[Parameter] = [
    Ordinal("tile", [4, 8, 16, 32, 64, 96]),
    Integer("par", 1, 24),
    Integer("lanes", 1, 9),
    Categorical("overlap", [False, True]),
]
TILES = "ceildiv(4096, tile)"
TIME = f"if(overlap, max({TILES}, 40) + tile, {TILES} + 40 + tile) * ceildiv(96, par) + 100 // lanes"
AREA = "par * (50 + lanes) + 3 * tile + if(overlap, 40, 0)"


def brute(parameters, objectives, constraints):
    """Every nondominated loss vector, by enumeration."""
    rows = list(itertools.product(*(p.domain for p in parameters)))
    columns = {p.name: p.column([row[i] for row in rows]) for i, p in enumerate(parameters)}
    losses = np.stack(
        [np.asarray(numpy_eval.evaluate(e, columns, len(rows)).values, dtype=float) for e in objectives], axis=1
    )
    keep = np.ones(len(rows), dtype=bool)
    for e in constraints:
        keep &= numpy_eval.satisfied(e, columns, len(rows))
    losses = losses[keep]
    return np.unique(losses[nondominated(losses)], axis=0) if len(losses) else losses


def expressions(*texts):
    names = {p.name: p.type for p in PARAMETERS}
    return [parse(text, names) for text in texts]


def accounted(certificate: Certificate) -> bool:
    c = certificate
    return c.points == c.evaluated + c.bounded + c.infeasible + c.open


@pytest.mark.parametrize("constraints", [(), ("tile * par <= 600",), ("tile % par == 0", "lanes <= par")])
@pytest.mark.parametrize("objectives", [(TIME, AREA), (TIME,), (TIME, AREA, "lanes + par % 5")])
def test_the_front_is_exact(objectives, constraints) -> None:
    wanted, needed = expressions(*objectives), expressions(*constraints)
    front = pareto_front(PARAMETERS, wanted, needed)
    assert np.array_equal(front.values, brute(PARAMETERS, wanted, needed))
    assert front.certificate.exact and accounted(front.certificate)
    for configuration, values in zip(front.configurations, front.values):
        columns = {name: np.array([value]) for name, value in configuration.items()}
        assert [float(numpy_eval.evaluate(e, columns, 1).values[0]) for e in wanted] == values.tolist()


@settings(max_examples=40)
@given(st.lists(st.integers(-9, 9), min_size=6, max_size=6))
def test_the_front_is_exact_for_any_weights(weights) -> None:
    a, b, c, d, e, f = weights
    wanted = expressions(f"{a} * par + {b} * lanes * par + {c} * tile", f"{d} * par - {e} * tile + {f} * lanes ** 2")
    assert np.array_equal(pareto_front(PARAMETERS, wanted).values, brute(PARAMETERS, wanted, ()))


def test_nothing_feasible() -> None:
    front = pareto_front(PARAMETERS, expressions(TIME), expressions("par > 24"))
    assert front.configurations == () and front.certificate.infeasible == front.certificate.points


def test_a_budget_leaves_boxes_open_and_says_so() -> None:
    big: list[Parameter] = [Integer("par", 1, 2000), Integer("lanes", 1, 2000), *PARAMETERS[:1], PARAMETERS[3]]
    seen: list[Certificate] = []
    front = pareto_front(big, expressions(TIME, AREA), max_points=1, progress=seen.append)
    assert accounted(front.certificate) and seen[-1] == front.certificate
    assert front.certificate.exact == (front.certificate.open == 0)


def test_strings_have_no_bounds() -> None:
    with pytest.raises(SpaceError, match="needs finite numeric parameters"):
        pareto_front([Categorical("c", ["x", "y"])], expressions("par"))


@pytest.mark.parametrize("most", [1, 40, 200])
def test_the_gap_bounds_what_was_not_looked_at(most: int) -> None:
    wanted = expressions(TIME, AREA)
    stopped = pareto_front(PARAMETERS, wanted, max_points=most)
    best = brute(PARAMETERS, wanted, [])
    assert stopped.gap >= 0 and (stopped.certificate.exact) == (stopped.certificate.open == 0)
    # every point of the true front is no better than (1 + gap) of some known point, in all objectives
    factors = (stopped.values[None] / best[:, None]).max(axis=2).min(axis=1)
    assert (factors <= 1 + stopped.gap + 1e-9).all()


def test_it_stops_when_told_and_keeps_what_it_knows() -> None:
    calls = iter([False, False, True])
    stopped = pareto_front(PARAMETERS, expressions(TIME, AREA), stop=lambda: next(calls))
    assert accounted(stopped.certificate) and len(stopped.values)
    assert pareto_front(PARAMETERS, expressions(TIME, AREA)).gap == 0

"""Answers held against Z3: right ones are proved, wrong ones refuted by a configuration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tunepass.pruning.box_union import BoxUnion
from tunepass.pruning.diagram import DiagramSolver
from tunepass.pruning.intervals import IntervalSolver
from tunepass.pruning.proof import prove
from tunepass.pruning.z3_solver import Z3Solver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Ordinal, Permutation
from tunepass.testing.pruning_solver import CONDITIONS, PARAMETERS, constraints

pytest.importorskip("z3")


@pytest.mark.parametrize("texts", [CONDITIONS[:1], CONDITIONS[:2], CONDITIONS[:4], CONDITIONS, ("1 > 2",), ()])
def test_the_diagrams_answer_is_proved(texts: tuple[str, ...]) -> None:
    asked = constraints(texts)
    proof = prove(PARAMETERS, asked, DiagramSolver().remaining(PARAMETERS, asked))
    assert proof.proved
    assert proof.questions - proof.rounded >= (2 if texts and texts != ("1 > 2",) else 0)


def test_the_answer_in_boxes_is_proved() -> None:
    asked = constraints(CONDITIONS[:2])
    assert prove(PARAMETERS, asked, Z3Solver().remaining(PARAMETERS, asked)).proved


def test_a_configuration_too_many_is_shown() -> None:
    loose = DiagramSolver().remaining(PARAMETERS, constraints(["depth * filters <= 130"]))
    proof = prove(PARAMETERS, constraints(["depth * filters <= 100"]), loose)
    assert not proof.proved and proof.inside and proof.refuted is not None
    assert 100 < proof.refuted["depth"] * proof.refuted["filters"] <= 130  # type: ignore[operator]


def test_a_configuration_too_few_is_shown() -> None:
    asked = constraints(["depth * filters <= 100"])
    whole = Z3Solver().remaining(PARAMETERS, asked)
    assert isinstance(whole, BoxUnion)
    (group,) = whole.groups
    fewer = BoxUnion(PARAMETERS, [replace(group, inside=group.inside[1:])])
    proof = prove(PARAMETERS, asked, fewer)
    assert not proof.proved and not proof.inside and proof.refuted is not None
    assert proof.refuted["depth"] * proof.refuted["filters"] <= 100  # type: ignore[operator]


def test_what_rounding_leaves_open_the_reader_decides() -> None:
    """0.1 + 0.2 is so close to 0.3 that only the doubles say on which side."""
    parameters = (Ordinal("x", [0.1, 0.2, 0.3]), Ordinal("y", [0.1, 0.2, 0.3]))
    asked = [Constraint.parse("x + y <= 0.3", parameters)]
    left = DiagramSolver().remaining(parameters, asked)
    proof = prove(parameters, asked, left)
    assert proof.proved and proof.rounded >= 1
    x, y = np.array([0.1, 0.2, 0.3]), np.array([[0.1], [0.2], [0.3]])
    assert left.count.low == int((x + y <= 0.3).sum())


def test_orders_are_proved() -> None:
    parameters = (Integer("units", 1, 3), Permutation("order", 4))
    asked = [Constraint.parse("pos(order, 0) < units and order[3] != 1", parameters)]
    assert prove(parameters, asked, DiagramSolver().remaining(parameters, asked)).proved
    wrong = DiagramSolver().remaining(parameters, [Constraint.parse("pos(order, 0) < units", parameters)])
    proof = prove(parameters, asked, wrong)
    assert proof.refuted is not None and proof.refuted["order"][3] == 1  # type: ignore[index]


def test_a_group_that_spans_several_conditions_is_proved_with_all_of_them() -> None:
    parameters = (Integer("x", 0, 9), Integer("y", 0, 9), Integer("z", 0, 3))
    together = [Constraint.parse("x <= 2 and y <= 3", parameters)]
    left = DiagramSolver().remaining(parameters, together)
    apart = [Constraint.parse(text, parameters) for text in ("x <= 2", "y <= 3")]
    assert prove(parameters, apart, left).proved
    refuted = prove(parameters, [apart[0], Constraint.parse("y <= 2", parameters)], left)
    assert refuted.inside and refuted.refuted is not None and refuted.refuted["y"] == 3


def test_conditions_that_no_group_knows_of_are_proved_too() -> None:
    parameters = (Integer("x", 0, 9), Integer("y", 0, 9))
    left = DiagramSolver().remaining(parameters, [Constraint.parse("x <= 2", parameters)])
    asked = [Constraint.parse("x <= 2", parameters), Constraint.parse("y <= 8", parameters)]
    proof = prove(parameters, asked, left)
    assert proof.inside and proof.refuted is not None and proof.refuted["y"] == 9


def test_what_is_empty_by_two_conditions_is_proved() -> None:
    parameters = (Integer("x", 0, 9), Integer("y", 0, 9))
    asked = [Constraint.parse(text, parameters) for text in ("x * x > 90", "y < 4")]
    assert prove(parameters, asked, DiagramSolver().remaining(parameters, asked)).proved
    possible = [Constraint.parse(text, parameters) for text in ("x * x > 80", "y < 4")]
    proof = prove(parameters, possible, DiagramSolver().remaining(parameters, asked))
    assert not proof.proved


def test_a_product_of_many_cases_is_proved_box_by_box() -> None:
    """Conditional layers and a maximum over them: Z3 does not settle it whole."""
    parameters = (Integer("depth", 1, 6), Ordinal("width", [8, 16, 32, 64]), Ordinal("batch", [32, 64, 128, 256]))
    alive = ["batch * width * 32"] + [
        f"if(depth > {k}, batch * width * (64 - 8 * {k}) + width ** 2 * {k}, 0)" for k in range(6)
    ]
    asked = [Constraint.parse(f"max({', '.join(alive)}) + depth * width ** 2 <= 600000", parameters)]
    left = DiagramSolver().remaining(parameters, asked)
    assert 0 < left.count.low < 96
    assert prove(parameters, asked, left).proved


def test_an_answer_of_two_numbers_is_not_proved() -> None:
    asked = constraints(CONDITIONS[:1])
    stopped = IntervalSolver().remaining(PARAMETERS, asked, stop=lambda: True)
    proof = prove(PARAMETERS, asked, stopped)
    assert proof.bounded and not proof.proved and not proof.questions


def test_boxes_that_are_not_settled_are_told() -> None:
    asked = constraints(CONDITIONS[:1])
    left, calls = DiagramSolver().remaining(PARAMETERS, asked), iter(range(10))
    proof = prove(PARAMETERS, asked, left, stop=lambda: next(calls) > 2)
    assert not proof.proved and proof.open and 0 < proof.open_volume <= 2 * 96


def test_a_stopped_proof_proves_nothing() -> None:
    asked = constraints(CONDITIONS[:1])
    proof = prove(PARAMETERS, asked, DiagramSolver().remaining(PARAMETERS, asked), stop=lambda: True)
    assert not proof.proved and proof.open and proof.refuted is None

"""Answers held against Z3: right ones are proved, wrong ones refuted by a configuration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.contracts.pruning_solver import CONDITIONS, PARAMETERS, constraints
from tunepass.pruning.box_union import BoxUnion
from tunepass.pruning.diagram import DiagramSolver
from tunepass.pruning.proof import prove
from tunepass.pruning.z3_solver import Z3Solver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Ordinal, Permutation

pytest.importorskip("z3")


@pytest.mark.parametrize("texts", [CONDITIONS[:1], CONDITIONS[:2], CONDITIONS[:4], CONDITIONS, ("1 > 2",), ()])
def test_the_diagrams_answer_is_proved(texts: tuple[str, ...]) -> None:
    asked = constraints(texts)
    proof = prove(PARAMETERS, asked, DiagramSolver().remaining(PARAMETERS, asked))
    assert proof.proved
    assert proof.questions - proof.rounded == (2 if texts and texts != ("1 > 2",) else 0)


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


def test_a_stopped_proof_proves_nothing() -> None:
    asked = constraints(CONDITIONS[:1])
    proof = prove(PARAMETERS, asked, DiagramSolver().remaining(PARAMETERS, asked), stop=lambda: True)
    assert not proof.proved and proof.open and proof.refuted is None

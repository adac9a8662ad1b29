"""Operators applied to nodes: what is told of misfits, conditions that parameters decide, a user's own operators."""

from __future__ import annotations

import pytest

from tests.graphs.layers import amount, applied, numbers
from tests.graphs.models import Builder
from tunepass.diagnostics import Source
from tunepass.expr.nodes import BOOL, INTEGER, Name
from tunepass.expr.python_eval import evaluate
from tunepass.graphs.inference import infer
from tunepass.graphs.table import extended, shipped
from tunepass.graphs.values import GraphError


@pytest.mark.parametrize(
    ("operator", "shapes", "given", "told"),
    [
        ("Dence", [(2, 3)], {"units": 1}, "there is no operator 'Dence'"),
        ("Dense", [(2, 3)], {}, "the attribute 'units' is missing"),
        ("Dense", [(2, 3)], {"unit": 3, "units": 1}, "it has no attribute 'unit'"),
        ("Dense", [], {"units": 1}, "the input 'x' is missing"),
        ("Dense", [(2, 3), (2, 3)], {"units": 1}, "2 inputs, it takes 1"),
        ("Conv", [(2, 3)], {"filters": 1, "kernel": (3, 3)}, "0 are needed"),
        ("Conv", [(2, 5, 5, 3)], {"filters": 4, "kernel": 7}, "has to have elements"),
        ("Conv", [(2, 9, 9, 3)], {"filters": 4, "kernel": 3, "groups": 2}, "groups have to divide"),
        ("Conv", [(2, 9, 9, 3)], {"filters": 4, "kernel": 3, "padding": "full"}, "there is no padding 'full'"),
        ("Conv", [(2, 9, 9, 3)], {"filters": "many", "kernel": 3}, "a number for 'filters'"),
        ("MatMul", [(2, 3, 4), (2, 5, 6)], {}, "the inner sizes of a product"),
        ("Add", [(2, 3), (2, 4)], {}, "do not go together"),
        ("Concatenate", [(2, 3), (3, 3)], {"axis": 1}, "differ besides along axis 1"),
        ("Reshape", [(2, 3)], {"shape": (4, -1)}, "which do not make"),
        ("Transpose", [(2, 3)], {"order": (0, 0)}, "is no order of the 2 axes"),
    ],
)
def test_misfits_are_told(operator: str, shapes: list[tuple[int, ...]], given: dict[str, object], told: str) -> None:
    with pytest.raises(GraphError, match=r"node \(\w+\): ") as error:
        applied(operator, *shapes, **given)  # type: ignore[arg-type]
    assert told in str(error.value)


def test_what_parameters_decide_becomes_a_condition() -> None:
    kernel, groups = Name("kernel", INTEGER), Name("groups", INTEGER)
    b = Builder(2, 8, 8, 6)
    b.add("Conv", "x", filters=6, kernel=kernel, groups=groups)
    conditions = list(infer(b.graph("conv0").inputs, b.nodes, shipped()).conditions())
    holds = [
        all(evaluate(c.holds, {"kernel": k, "groups": g}) for c in conditions)
        for k, g in ((3, 2), (9, 2), (3, 4), (8, 3))
    ]
    assert holds == [True, False, False, True]


def test_a_node_that_is_not_there_has_no_conditions_and_costs_nothing() -> None:
    deep, units = Name("deep", BOOL), Name("units", INTEGER)
    b = Builder(2, 8)
    b.add("Dense", "x", units=units, present=deep)
    costs = infer(b.graph("dense0").inputs, b.nodes, shipped()).nodes[0]
    assert evaluate(costs.resources["weights"], {"deep": False, "units": 0}) == 0
    assert evaluate(costs.resources["weights"], {"deep": True, "units": 3}) == 27
    assert all(evaluate(c.holds, {"deep": False, "units": 0}) for c in costs.conditions)
    assert not all(evaluate(c.holds, {"deep": True, "units": 0}) for c in costs.conditions)


OWN = """
resources:
  lookups: reads of tables
HashEmbedding:
  inputs: [x]
  attributes: {buckets: size, width: size, hashes: size = 2}
  output: (*x, width)
  weights: buckets * width
  lookups: hashes * prod(x)
"""


def test_users_add_operators_and_resources_in_a_file() -> None:
    table = extended(Source("own.yaml", OWN))
    costs = applied("HashEmbedding", (2, 5), table=table, buckets=100, width=8)
    assert numbers(costs) == (2, 5, 8)
    assert (amount(costs), amount(costs, "lookups")) == (800, 20)
    assert amount(applied("Dense", (2, 5), table=table, units=1), "lookups") == 0


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("A:\n  inputs: [x]\n", "own.yaml:2:3", "lacks `output`"),
        ("A:\n  inputs: [x]\n  output: x\n  weihgts: 1\n", "own.yaml:4:3", "did you mean `weights`"),
        ("A:\n  inputs: [x]\n  output: open('f')\n", "own.yaml:3:11", "no function 'open'"),
        ("A:\n  inputs: [x]\n  output: x\n  attributes: {a: number}\n", "own.yaml:4:19", "no kind of attribute"),
        ("A:\n  inputs: [1]\n  output: x\n", "own.yaml:2:12", "names no input"),
        ("A: [", "own.yaml:1:5", "not YAML"),
    ],
)
def test_rows_that_are_none_are_told_at_their_place(text: str, place: str, told: str) -> None:
    with pytest.raises(GraphError) as error:
        extended(Source("own.yaml", text))
    assert place in str(error.value)
    assert told in str(error.value)

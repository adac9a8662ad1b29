"""NNI's search spaces and DnnSAT's constraints."""

from __future__ import annotations

import json

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.interchange.nni import ForeignLimit, is_nni, read_limits, read_search_space
from tunepass.interchange.search_spaces import nni
from tunepass.space.parameter import Integer, Ordinal


def space(**parameters: tuple[str, list[object]]) -> Source:
    written = {name: {"_type": kind, "_value": value} for name, (kind, value) in parameters.items()}
    return Source("search_space.json", json.dumps(written, indent=2))


@pytest.mark.parametrize(
    "kind,value,expected",
    [
        ("choice", [64, 128, 512], "ordinal(64, 128, 512)"),
        ("choice", [0.5, 1], "ordinal(0.5, 1)"),
        ("choice", ["same", 'va"lid'], 'categorical("same", "va\\"lid")'),
        ("choice", [True, False], "categorical(true, false)"),
        ("randint", [1, 8], "integer(1..7)"),
        ("quniform", [2, 10, 5], "ordinal(2, 5, 10)"),
        ("quniform", [0, 1, 0.25], "ordinal(0.0, 0.25, 0.5, 0.75, 1.0)"),
        ("uniform", [0.1, 1], "real(0.1..1.0)"),
        ("loguniform", [0.001, 1], "real(0.001..1.0) log"),
        ("qloguniform", [1, 8, 2], "ordinal(1, 2, 4, 6, 8) log"),
    ],
)
def test_each_kind_is_a_parameter(kind: str, value: list[object], expected: str) -> None:
    assert read_search_space(space(p=(kind, value))) == (f"p: {expected}",)


@pytest.mark.parametrize(
    "kind,value,message,place",
    [
        ("normal", [0, 1], "`normal` is not searched", "3:14"),
        ("chose", [1], "`chose` is not searched", "3:14"),
        ("choice", [], "a choice has at least one value", "4:15"),
        ("choice", [{"name": "conv"}], "a choice that is an object has a `_name`", "5:7"),
        ("randint", [1], r"the `_value` of randint is \[low, high\]", "4:15"),
        ("randint", [8, 1], "low below high", "4:15"),
        ("randint", [0.5, 3], "whole numbers", "4:15"),
        ("quniform", [0, 1, 0], "q is above 0", "4:15"),
        ("loguniform", [0, 1], "the ends of loguniform are above 0", "4:15"),
        ("quniform", [0, 1e9, 1], "4,096 values at most", "4:15"),
        ("uniform", ["a", "b"], "this is a number", "5:7"),
        ("randint", [10**400, 4], "this is a number", "5:7"),
        ("uniform", [0, 10**400], "this is a number", "6:7"),
    ],
)
def test_what_is_not_read_is_told_at_its_place(kind: str, value: list[object], message: str, place: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        read_search_space(space(p=(kind, value)))
    assert str(caught.value.diagnostics[0].span) == f"search_space.json:{place}"


UNNAMED = '{"a b": {"_type": "choice", "_value": [1]}}'


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"a": 1}', UNNAMED, "[" * 99])
def test_what_is_no_search_space_is_one_diagnostic(text: str) -> None:
    with pytest.raises(SourceError):
        read_search_space(Source("a.json", text))
    assert is_nni(Source("a.json", text)) == (text == UNNAMED)


def test_what_is_written_is_read() -> None:
    written = nni([Ordinal("filters", [16, 32]), Integer("depth", 1, 8)])
    assert read_search_space(Source("a.json", json.dumps(written))) == (
        "filters: ordinal(16, 32)",
        "depth: integer(1..8)",
    )


def test_constraints_are_limits() -> None:
    text = '[{"constraint": "weight_size", "max": 10485760, "min": 0}, {"constraint": "FLOPs", "max": 1e9, "min": 5}]'
    limits = read_limits(Source("c.json", text))
    assert limits == (ForeignLimit("weight_byte", 10485760, 0), ForeignLimit("flops", 1e9, 5))
    assert read_limits(Source("c.json", '{"constraint": "memory", "max": 16}')) == (ForeignLimit("memory", 16, 0),)


@pytest.mark.parametrize(
    "text", ['{"constraint": "weights", "max": 1}', '{"max": 1}', '{"constraint": "memory", "max": "1"}']
)
def test_what_is_no_constraint_is_one_diagnostic(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_limits(Source("c.json", text))
    assert len(caught.value.diagnostics) == 1 and caught.value.diagnostics[0].span is not None

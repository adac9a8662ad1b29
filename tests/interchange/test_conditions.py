"""Conditions of parameters in NNI's, ConfigSpace's and Optuna's formats, out and in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tunepass.diagnostics import Source, SourceError, SpaceError
from tunepass.interchange.configspace import is_configspace, read_configspace
from tunepass.interchange.configuration_tables import csv_rows
from tunepass.interchange.nni import read_search_space
from tunepass.interchange.optuna_program import optuna_program
from tunepass.interchange.search_spaces import configspace, nni, optuna
from tunepass.interchange.space_file import read_space, space_json
from tunepass.jobs.configurations import tabled
from tunepass.jobs.importing.nni import imported_model
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Real
from tunepass.space.space import Space

KERNEL = Categorical("kernel", ["linear", "rbf", "poly"])
GAMMA = Ordinal("gamma", [1, 2, 4], when='kernel == "rbf"')
DEGREE = Integer("degree", 2, 4, when='kernel == "poly"')
FAST = Categorical("fast", [False, True], when="degree > 2")
PARAMETERS: tuple[Parameter, ...] = (KERNEL, GAMMA, DEGREE, FAST)
BOTH = Integer("both", 1, 2, when='kernel == "poly" and gamma > 1')


def source(value: object) -> Source:
    return Source("space.json", json.dumps(value))


def test_a_space_of_tunepass_keeps_its_conditions() -> None:
    space = read_space(source(space_json(PARAMETERS, [])))
    assert space.parameters == PARAMETERS and space.size == Space(PARAMETERS).size


def test_nni_nests_choices() -> None:
    kernel, *others = nni(PARAMETERS)["kernel"]["_value"], *list(nni(PARAMETERS))[1:]  # type: ignore[index,call-overload]
    assert not others
    linear, rbf, poly = kernel
    assert linear == {"_name": "linear"}
    assert rbf == {"_name": "rbf", "gamma": {"_type": "choice", "_value": [1, 2, 4]}}
    assert [c["_name"] for c in poly["degree"]["_value"]] == ["2", "3", "4"]
    assert ["fast" in c for c in poly["degree"]["_value"]] == [False, True, True]


def test_nni_has_no_condition_on_two_parameters() -> None:
    with pytest.raises(SpaceError, match="NNI has no such condition: both is active only when"):
        nni((*PARAMETERS, BOTH))


def test_nested_choices_of_nni_are_read() -> None:
    assert read_search_space(source(nni(PARAMETERS))) == (
        'kernel: categorical("linear", "rbf", "poly")',
        'gamma: ordinal(1, 2, 4) when(kernel == "rbf")',
        'degree: categorical("2", "3", "4") when(kernel == "poly")',
        'fast: categorical(false, true) when(degree == "3" or degree == "4")',
    )


@pytest.mark.parametrize("first", [{"_type": "randint", "_value": [1, 3]}, {"_type": "choice", "_value": [1]}])
def test_two_parameters_of_one_name(first: Mapping[str, object]) -> None:
    branches = [{"_name": "a", "x": first}, {"_name": "b", "x": {"_type": "choice", "_value": [7]}}]
    with pytest.raises(SourceError, match="there are two parameters `x`"):
        read_search_space(source({"top": {"_type": "choice", "_value": branches}}))


def test_configspace_has_conditions() -> None:
    written: Any = configspace((*PARAMETERS, BOTH), "svm")
    assert written["conditions"] == [
        {"child": "gamma", "parent": "kernel", "type": "EQ", "value": "rbf"},
        {"child": "degree", "parent": "kernel", "type": "EQ", "value": "poly"},
        {"child": "fast", "parent": "degree", "type": "GT", "value": 2},
        {
            "child": "both",
            "type": "AND",
            "conditions": [
                {"child": "both", "parent": "kernel", "type": "EQ", "value": "poly"},
                {"child": "both", "parent": "gamma", "type": "GT", "value": 1},
            ],
        },
    ]


def test_configspace_has_no_condition_that_compares_two_parameters() -> None:
    with pytest.raises(SpaceError, match="ConfigSpace has no such condition: x is active only when gamma > degree"):
        configspace((*PARAMETERS, Integer("x", 1, 2, when="gamma > degree")), "svm")


def test_a_configspace_is_read_as_it_was_written() -> None:
    written: Any = configspace(PARAMETERS, "svm")
    written["forbiddens"] = [
        {"type": "AND", "clauses": [{"type": "EQUALS", "name": "fast", "value": True},
                                    {"type": "IN", "name": "degree", "values": [4]}]},
        {"type": "EQUALS", "name": "gamma", "value": 4},
    ]  # fmt: skip
    assert is_configspace(source(written))
    params, constraints = read_configspace(source(written))
    assert params == (
        'kernel: categorical("linear", "rbf", "poly") = "linear"',
        'gamma: ordinal(1, 2, 4) = 1 when(kernel == "rbf")',
        'degree: integer(2..4) = 2 when(kernel == "poly")',
        "fast: categorical(false, true) = false when(degree > 2)",
    )
    assert constraints == (
        'not ((kernel == "poly") and (degree > 2) and fast == true and degree in {4})',
        'not ((kernel == "rbf") and gamma == 4)',
    )
    space = Space(PARAMETERS, constraints)
    assert space.size == Space(PARAMETERS).size - 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hyperparameters": [{"name": "x", "type": "normal_float"}]}, "type `normal_float` are not read"),
        ({"hyperparameters": [{"name": "x-y", "type": "constant", "value": 1}]}, "'x-y' is no name of a parameter"),
        ({"conditions": [{"child": "k", "parent": "k", "type": "LIKE", "value": 1}]}, "no condition of type `LIKE`"),
        ({"forbiddens": [{"name": "k", "type": "LIKE"}]}, "no forbidden clause of type `LIKE`"),
        ({"conditions": [{"parent": "k", "type": "EQ"}]}, "this has no `child`"),
    ],
)
def test_what_a_configspace_has_that_is_not_read(change: Mapping[str, object], message: str) -> None:
    plain: dict[str, object] = {"hyperparameters": [{"name": "k", "type": "constant", "value": 1}]}
    with pytest.raises(SourceError, match=message) as error:
        read_configspace(source({**plain, **change}))
    assert error.value.diagnostics[0].span is not None


@pytest.mark.parametrize(
    ("sequence", "kind", "value", "condition"),
    [
        (["low", "mid", "high"], "GT", "low", 'size in {"mid", "high"}'),
        (["low", "mid", "high"], "LT", "high", 'size in {"low", "mid"}'),
        (["low", "mid", "high"], "GT", "high", 'not (size in {"low", "mid", "high"})'),
        ([4, 1, 2], "GT", 4, "size in {1, 2}"),
        ([1, 2, 4], "GT", 1, "size > 1"),
    ],
)
def test_ordinals_of_a_configspace_are_in_the_order_of_their_sequence(
    sequence: list[object], kind: str, value: object, condition: str
) -> None:
    parent = {"name": "size", "type": "ordinal", "sequence": sequence}
    child = {"name": "x", "type": "constant", "value": 1}
    when = {"child": "x", "parent": "size", "type": kind, "value": value}
    params, _ = read_configspace(source({"hyperparameters": [parent, child], "conditions": [when]}))
    assert params[1].endswith(f"when({condition})")


def test_a_value_that_is_not_in_an_ordinals_sequence() -> None:
    parameters = [
        {"name": "size", "type": "ordinal", "sequence": ["a", "b"]},
        {"name": "x", "type": "constant", "value": 1},
    ]
    when = {"child": "x", "parent": "size", "type": "GT", "value": "c"}
    with pytest.raises(SourceError, match='"c" is no value of size'):
        read_configspace(source({"hyperparameters": parameters, "conditions": [when]}))


class Trial:
    """Draws as a trial of Optuna does, and notes what it was asked for."""

    def __init__(self, rng: np.random.Generator):
        self.rng, self.asked = rng, list[str]()

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any:
        self.asked.append(name)
        return choices[self.rng.integers(len(choices))]

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1, log: bool = False) -> int:
        return int(self.suggest_categorical(name, range(low, high + 1, step)))

    def suggest_float(
        self, name: str, low: float, high: float, *, step: float | None = None, log: bool = False
    ) -> float:
        return float(self.suggest_categorical(name, [low, high]))


def test_a_program_for_optuna_asks_for_active_parameters_alone() -> None:
    real = Real("rate", 0.5, 1.0, when="not (kernel in {'linear', 'rbf'})")
    space = Space((FAST, DEGREE, real, GAMMA, KERNEL))
    names: dict[str, Callable[[Trial], dict[str, Any]]] = {}
    exec(optuna_program(space.parameters, "svm"), names)  # noqa: S102
    seen = set()
    for seed in range(300):
        trial = Trial(np.random.default_rng(seed))
        values = names["suggest"](trial)
        assert list(values) == trial.asked and space.contains(values)
        seen.add(Configuration(values))
    assert len(seen) == 4 + 2 * 5


def test_optuna_has_no_conditions_in_json() -> None:
    with pytest.raises(
        SpaceError, match="Optuna's distributions have no conditions: gamma is active only when"
    ) as error:
        optuna(PARAMETERS)
    assert error.value.diagnostics[0].hint == "write NAME.optuna.py, a define-by-run program"


def test_inactive_cells_of_a_table_are_empty() -> None:
    space = Space(PARAMETERS)
    (columns,) = space.enumerate_columns()
    text = "kernel,gamma,degree,fast\n" + csv_rows(PARAMETERS, columns)
    assert "linear,,,\n" in text and "rbf,4,,\n" in text and "poly,,2,\n" in text and "poly,,3,true\n" in text
    assert tabled(Source("t.csv", text), PARAMETERS, space.default) == list(space.enumerate())


WIDTH = {"_type": "choice", "_value": [4, 8]}
NESTED = {"deep": {"_type": "choice", "_value": [{"_name": "no"}, {"_name": "yes", "width": WIDTH}]}}
CONDITIONED = {
    "hyperparameters": [
        {"name": "deep", "type": "categorical", "choices": ["no", "yes"]},
        {"name": "width", "type": "ordinal", "sequence": [4, 8]},
    ],
    "conditions": [{"child": "width", "parent": "deep", "type": "EQ", "value": "yes"}],
    "forbiddens": [{"type": "EQUALS", "name": "width", "value": 8}],
}


@pytest.mark.parametrize(("foreign", "size"), [(NESTED, 3), (CONDITIONED, 2)], ids=["nni", "configspace"])
def test_a_model_is_read_with_the_conditions_of_its_space(foreign: object, size: int, tmp_path: Path) -> None:
    model = tmp_path / "train.py"
    model.write_text(
        "# tunepass input x: float32[1, 8]\nimport torch.nn as nn\n\n"
        "model = nn.Sequential(nn.Linear(8, width if deep == 'yes' else 4))\n"
    )
    imported = imported_model(tmp_path / "space.json", source(foreign), [model])
    assert '# tunepass param width: ordinal(4, 8) when(deep == "yes")\n' in imported.text
    assert Space(imported.kernel.parameters, imported.kernel.constraints).size == size


@pytest.mark.parametrize(
    ("when", "place", "message"),
    [
        ("b ==", '"}]}', "a: the expression ends too early"),
        ("b == 1", "b ==", "a: unknown name `b`"),
        ("a + 1", "a + 1", "a: a condition is true or false"),
        (3, "3}", "`when` is the text of a condition"),
        ('b == "x', '{"name"', 'a: unexpected `"`'),  # escaped in the file
    ],
)
def test_a_wrong_condition_of_a_space_file_is_shown_where_it_stands(when: object, place: str, message: str) -> None:
    parameter = {"name": "a", "kind": "integer", "lo": 1, "hi": 3, "step": 1, "when": when}
    text = json.dumps({"tunepass": 1, "parameters": [parameter]})
    with pytest.raises(SourceError) as raised:
        read_space(Source("space.json", text))
    diagnostic = raised.value.diagnostics[0]
    assert diagnostic.message.startswith(message) and diagnostic.span is not None
    assert diagnostic.span.source.name == "space.json" and text[diagnostic.span.start :].startswith(place)


NUMBER = {"name": "a", "type": "uniform_int", "lower": 1, "upper": 3}


@pytest.mark.parametrize(
    ("fields", "message", "place"),
    [
        ({"conditions": [{"child": "a", "parent": "b ==", "type": "EQ", "value": 1}]}, "`parent` is no", '"b =='),
        ({"conditions": [{"child": "z", "parent": "a", "type": "EQ", "value": 1}]}, "`child` is no", '"z"'),
        ({"conditions": [{"child": "a", "type": "AND", "conditions": []}]}, "a condition of type `AND` has", "{"),
        ({"forbiddens": [{"name": "z", "type": "EQUALS", "value": 1}]}, "`name` is no", '"z"'),
        ({"forbiddens": [{"left": "a", "right": "z", "type": "RELATION_LT"}]}, "`right` is no", '"z"'),
        ({"forbiddens": [{"type": "AND", "clauses": []}]}, "a clause of type `AND` has", "{"),
    ],
)
def test_configspace_names_only_its_own_parameters(fields: Mapping[str, object], message: str, place: str) -> None:
    text = json.dumps({"hyperparameters": [NUMBER], **fields})
    with pytest.raises(SourceError, match=message) as raised:
        read_configspace(Source("space.json", text))
    span = raised.value.diagnostics[0].span
    assert span is not None and text[span.start :].startswith(place)

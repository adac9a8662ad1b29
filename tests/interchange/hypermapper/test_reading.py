"""Scenarios: their fields, parameters and defaults, and mistakes at their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interchange.hypermapper.scenarios import fields, scenario, source
from tunepass.diagnostics import Source, SourceError
from tunepass.interchange.hypermapper.fields import KNOWN, TYPES
from tunepass.interchange.hypermapper.reading import scenario_of, scenario_of_fields
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.prior import Beta


def test_every_field_of_the_schemas_is_known() -> None:
    older = 3  # of BaCO: in no schema
    assert [len(KNOWN[tuner]) for tuner in KNOWN] == [65, 55 + older, 51]


def test_defaults_of_hypermapper() -> None:
    read = scenario()
    assert (read.tuner, read.mode, read.design_size, read.iterations, read.batch) == (
        "HyperMapper 2",
        "default",
        10,
        50,
        1,
    )
    assert read.output == Path("application_output_samples.csv") and read.pareto == Path(
        "application_output_pareto.csv"
    )
    assert read.columns == ("x", "f", "Timestamp") and read.print_best and read.time_budget_s is None


def test_the_object_of_the_feasible_output_has_other_defaults() -> None:
    assert scenario().feasibility.true_value == "True"
    assert scenario(feasible_output={}).feasibility.true_value == "true"
    read = scenario(feasible_output={"enable_feasible_predictor": True, "true_value": "1", "false_value": "0"})
    assert read.columns == ("x", "f", "Valid", "Timestamp")


def test_tuners_are_told_apart() -> None:
    permutation = {"p": {"parameter_type": "permutation", "values": [3]}}
    assert scenario(baco_mode={"mode": "default"}).tuner == "BaCO"
    assert scenario(permutation).tuner == "BaCO"
    assert scenario(permutation, hypermapper_mode={"mode": "default"}).tuner == "HyperMapper 3"
    assert scenario(GP_model="gpy").tuner == "BaCO"
    assert scenario(use_cot=True).tuner == "HyperMapper 3"
    assert scenario(timestamp="T", GP_model="gpy").columns[-1] == "timestamp"


def test_every_field_is_read_or_named() -> None:
    values = {"string": "text", "boolean": True, "integer": 3, "number": 1.5, "array": [1], "string or boolean": True}
    given = {name: values.get(kind, {}) for name, kind in TYPES.items()}
    given |= {"feasible_output": {"feasibility_threshold": 0.1}, **fields(), "baco_mode": {"mode": "default"}}
    read = scenario_of_fields(given)
    effective = set(TYPES) - set(read.without_effect)
    assert "feasible_output.feasibility_threshold" in read.without_effect and "models" in read.without_effect
    assert {"run_directory", "optimization_iterations", "baco_mode", "time_budget"} <= effective
    assert len(effective) == 20


def test_parameters() -> None:
    read = scenario(
        {
            "r": {"parameter_type": "real", "values": [0, 2], "prior": "decay", "transform": "none"},
            "i": {"parameter_type": "integer", "values": [1, 9], "transform": "log"},
            "2-o": {"parameter_type": "ordinal", "values": [8, 2, 4.0], "prior": "gaussian"},
            "c": {"parameter_type": "categorical", "values": ["true", "false"], "prior": [0.25, 0.75]},
            "p": {"parameter_type": "permutation", "values": [3], "parametrization": "Spearman"},
        }
    )
    r, i, o, c, p = (each.parameter for each in read.parameters)
    assert isinstance(r, Real) and r.prior == Beta(0.8, 1.0) and r.default == 1.0
    assert isinstance(i, Integer) and i.log and i.default == 5
    assert isinstance(o, Ordinal) and o.domain == (2, 4, 8) and o.name == "p_2_o"
    assert isinstance(c, Categorical) and c.prior == (0.25, 0.75)
    assert isinstance(p, Permutation) and read.without_effect == ("p.parametrization",)


def test_probabilities_and_normal_densities_become_beta_densities() -> None:
    read = scenario(
        {
            "o": {"parameter_type": "ordinal", "values": [1, 2], "prior": [0.2, 0.8]},
            "r": {
                "parameter_type": "real",
                "values": [0, 10],
                "prior": "custom_gaussian",
                "custom_gaussian_prior_means": [3],
                "custom_gaussian_prior_stds": [1],
            },
        }
    )
    assert read.parameters[0].parameter.masses().tolist() == pytest.approx([0.2, 0.8], abs=0.1)
    real = read.parameters[1].parameter.prior
    assert isinstance(real, Beta) and real.a / (real.a + real.b) == pytest.approx(0.3)


def test_values_as_texts() -> None:
    read = scenario(
        {
            "r": {"parameter_type": "real", "values": [-5, 10], "parameter_default": 0},
            "o": {"parameter_type": "ordinal", "values": [0.5, 1, 2]},
            "c": {"parameter_type": "categorical", "values": ["true", "false"]},
            "p": {"parameter_type": "permutation", "values": [2]},
        }
    )
    r, o, c, p = read.parameters
    assert [r.text(0.0), r.text(1.5), o.text(2.0), o.text(0.5), p.text((0, 1))] == ["0", "1.5", "2", "0.5", "(0, 1)"]
    assert [r.value("2"), o.value("2.0"), c.value("True"), p.value('"(1, 0)"')] == [2.0, 2.0, "true", (1, 0)]
    assert [r.value("nan"), c.value("yes"), p.value("(0, 0)"), o.value("x")] == [None] * 4


@pytest.mark.parametrize(
    "more,message,marked",
    [
        ({"optimization_iteration": 3}, "no field `optimization_iteration`", '"optimization_iteration"'),
        ({"optimization_iterations": "3"}, "of type integer", '"3"'),
        ({"optimization_iterations": -1}, "a whole number from 0", "-1"),
        ({"time_budget": 0}, "minutes above 0", "0"),
        ({"hypermapper_mode": {"mode": "stateless"}}, "`mode` is one of", '"stateless"'),
        ({"design_of_experiment": {"doe_type": "sobol"}}, "`doe_type` is one of", '"sobol"'),
        ({"design_of_experiment": {"number": 3}}, "no field `number`", None),
        ({"hypermapper_mode": {"mode": "exhaustive"}}, "needs `exhaustive_search_file`", None),
        ({"optimization_objectives": []}, "a list of names", "[]"),
        ({"optimization_objectives": ["x"]}, "different names, got `x` twice", None),
        (
            {"input_parameters": {"x": {"parameter_type": "float", "values": [1]}}},
            "parameter_type is one of",
            '"float"',
        ),
        ({"input_parameters": {"x": {"parameter_type": "real", "values": [2, 1]}}}, "x: lo <= hi must hold", None),
        ({"input_parameters": {"x": {"parameter_type": "real"}}}, "lacks `values`", None),
        (
            {"input_parameters": {"x": {"parameter_type": "integer", "values": [0, 10**400]}}},
            "`values` are numbers",
            None,
        ),
        ({"input_parameters": {"x": {"parameter_type": "real", "values": [0, 1e999]}}}, "`values` are numbers", None),
        (
            {"input_parameters": {"x": {"parameter_type": "categorical", "values": ["a,b"]}}},
            "cannot stand in a row",
            None,
        ),
        (
            {"input_parameters": {"x": {"parameter_type": "categorical", "values": ["a\n"]}}},
            "cannot stand in a row",
            None,
        ),
        ({"time_budget": 10**400}, "of type number", None),
        ({"run_directory": "a\0b"}, "of type string", None),
        ({"input_parameters": {"x": {"parameter_type": "ordinal", "values": ["a"]}}}, "`values` are numbers", None),
        ({"input_parameters": {"x y": {"parameter_type": "real", "values": [0, 1]}}}, "letters, digits", None),
    ],
)
def test_mistakes_have_a_place(more: dict[str, object], message: str, marked: str | None) -> None:
    with pytest.raises(SourceError) as caught:
        scenario_of(Source("scenario.json", json.dumps({**fields(), **more}, indent=2)))
    diagnostic = caught.value.diagnostics[0]
    assert message in diagnostic.message and diagnostic.span is not None
    assert marked is None or diagnostic.span.text == marked


def test_text_that_is_no_json() -> None:
    with pytest.raises(SourceError, match=r"scenario\.json:2:1: error: scenario\.json is not JSON"):
        scenario_of(Source("scenario.json", '{"a": 1,\n}'))
    with pytest.raises(SourceError, match="a scenario has `input_parameters`"):
        scenario_of(Source("scenario.json", '{"optimization_objectives": ["f"]}'))
    with pytest.raises(SourceError, match="values of JSON"):
        scenario_of_fields({"optimization_objectives": object()})


def test_tabs_and_keys_twice_are_read_as_json_reads_them() -> None:
    text = source().text.replace("  ", "\t").replace("{", '{"time_budget": 1,\t"time_budget": 2,', 1)
    read = scenario_of(Source("scenario.json", text))
    assert read.time_budget_s == 120 and read.without_effect == ("the first `time_budget`",)

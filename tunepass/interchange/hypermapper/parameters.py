"""Input parameters of a scenario: what their fields say, with the place of each mistake."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import yaml

from tunepass.diagnostics import Span, TunepassError
from tunepass.interchange.conditions import Json
from tunepass.interchange.hypermapper.values import ScenarioParameter, cells_of
from tunepass.interchange.json_nodes import JsonReader
from tunepass.space.parameter import Categorical, Integer, Number, Ordinal, Permutation, Real
from tunepass.space.parameters.checks import RESERVED
from tunepass.space.prior import Beta, cell_edges

KEYS = (
    *("parameter_type", "values", "parameter_default", "prior", "constraints", "dependencies", "transform"),
    *("parametrization", "prior_parameters", "custom_gaussian_prior_means", "custom_gaussian_prior_stds"),
)
# HyperMapper 2, `space.py`: densities on the scaled range.
PRIORS: Mapping[str, Beta | None] = {
    "uniform": None,
    "gaussian": Beta(3.0, 3.0),
    "decay": Beta(0.8, 1.0),
    "exponential": Beta(1.0, 0.8),
}
NAME = re.compile(r"[0-9a-zA-Z_-]+")
LARGEST = 1e300  # number in a scenario


def is_number(value: Json) -> bool:
    """Is it a number, and finite as a double?"""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


class Reports(Protocol):
    """Takes the fields that have no effect."""

    def __call__(self, field: str, /) -> None: ...


def read_parameter(
    reader: JsonReader, name: str, node: yaml.Node, used_names: Collection[str], without_effect: Reports
) -> ScenarioParameter:
    """The parameter that a node of `input_parameters` describes; SourceError at its place."""
    if not NAME.fullmatch(name):
        raise reader.fail(f"a parameter's name is letters, digits, _ and -, got {name!r}", node)
    fields = reader.record(node, f"the parameter {name}", KEYS, ("parameter_type", "values"))
    kind, values = reader.value(fields["parameter_type"]), reader.value(fields["values"])
    if not isinstance(values, list) or not values:
        raise reader.fail(f"{name}: `values` is a list that is not empty", fields["values"])
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise reader.fail(f"{name}: parameter_type is one of {', '.join(_KINDS)}", fields["parameter_type"])
    ours = python_name(name, used_names)
    try:
        return make(_Description(reader, name, ours, fields, values, reader.span(node), without_effect))
    except TunepassError as error:
        if error.diagnostics[0].span is not None and error.diagnostics[0].span != reader.span(node):
            raise
        message = error.diagnostics[0].message
        renamed = message.replace(f"{ours}:", f"{name}:", 1) if message.startswith(f"{ours}:") else message
        raise reader.fail(renamed, fields["values"]) from None


def python_name(name: str, used_names: Collection[str]) -> str:
    """The name of a tunepass parameter: an identifier that is no word of the expression language."""
    ours = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not re.match(r"[A-Za-z_]", ours):
        ours = f"p_{ours}"
    while ours in RESERVED or ours in used_names:
        ours += "_"
    return ours


@dataclass(frozen=True, slots=True)
class _Description:
    """The fields of one parameter."""

    reader: JsonReader
    name: str
    ours: str
    fields: Mapping[str, yaml.Node]
    values: list[Json]
    span: Span
    without_effect: Reports

    def json(self, key: str) -> Json:
        return self.reader.value(self.fields[key]) if key in self.fields else None

    def numbers(self) -> list[Number]:
        for value in self.values:
            if not is_number(value):
                problem = f"{self.name}: `values` are numbers, got {json.dumps(value)[:40]}"
                raise self.reader.fail(problem, self.fields["values"])
        return [value for value in self.values if isinstance(value, int | float)]

    def range(self) -> tuple[Number, Number]:
        numbers = self.numbers()
        if len(numbers) != 2:
            problem = f"{self.name}: `values` are the least and the largest value, got {len(numbers)} values"
            raise self.reader.fail(problem, self.fields["values"])
        return numbers[0], numbers[1]

    def number_default(self) -> Number | None:
        value = self.json("parameter_default")
        if value is not None and not is_number(value):
            problem = f"{self.name}: `parameter_default` is a number"
            raise self.reader.fail(problem, self.fields["parameter_default"])
        return value if isinstance(value, int | float) else None

    def log(self, least: Number) -> bool:
        """Is the scale logarithmic? Not where a value is 0 or less."""
        transform = self.json("transform")
        if transform not in (None, "none", "log"):
            raise self.reader.fail(f"{self.name}: `transform` is none or log", self.fields["transform"])
        if transform == "log" and least <= 0:
            self.without_effect(f"{self.name}.transform")
        return transform == "log" and least > 0

    def beta(self, values: Sequence[Number] = (), *, log: bool = False) -> Beta | None:
        """The prior of numbers. A probability for each of `values`, ascending, becomes the Beta density with their mean
        and variance."""
        prior = self.json("prior")
        if prior is None:
            return None
        if isinstance(prior, str) and prior in PRIORS:
            return PRIORS[prior]
        beta = None
        if isinstance(prior, list) and len(values) > 1:
            scale = np.log(values) if log else np.array(values, dtype=np.float64)
            edges = cell_edges((scale - scale[0]) / (scale[-1] - scale[0]))
            weights, middles = np.array(self.probabilities(prior, len(values))), (edges[1:] + edges[:-1]) / 2
            mean = float(weights @ middles)
            beta = _beta_of_moments(mean, float(weights @ (np.diff(edges) ** 2 / 12 + (middles - mean) ** 2)))
        if beta is None:
            self.without_effect(f"{self.name}.prior")
        return beta

    def probabilities(self, prior: list[Json], count: int) -> list[float]:
        weights = [float(w) for w in prior if isinstance(w, int | float) and is_number(w) and w >= 0]
        if len(weights) != len(prior) or len(weights) != count or not 0 < sum(weights) < math.inf:
            problem = f"{self.name}: `prior` has a probability for each of the {count} values"
            raise self.reader.fail(problem, self.fields["prior"])
        return [w / sum(weights) for w in weights]

    def gaussian(self, lo: Number, hi: Number) -> Beta | None:
        """The prior of a real: also a normal density (`custom_gaussian`) with one mean and deviation."""
        if self.json("prior") != "custom_gaussian":
            return self.beta()
        both = self.json("prior_parameters")
        if not isinstance(both, list):
            both = [_first(self.json("custom_gaussian_prior_means")), _first(self.json("custom_gaussian_prior_stds"))]
        numbers = [float(x) for x in both if isinstance(x, int | float) and is_number(x)]
        width, beta = float(hi - lo), None
        if len(numbers) == 2 and width > 0:
            beta = _beta_of_moments((numbers[0] - lo) / width, (numbers[1] / width) ** 2)
        if beta is None:
            self.without_effect(f"{self.name}.prior")
        return beta


def _first(value: Json) -> Json:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _beta_of_moments(mean: float, variance: float) -> Beta | None:
    """The Beta density of that mean and variance; None where there is none."""
    if not (0 < mean < 1 and 0 < variance < mean * (1 - mean)):
        return None
    strength = mean * (1 - mean) / variance - 1
    return Beta(mean * strength, (1 - mean) * strength)


def _real(d: _Description) -> ScenarioParameter:
    lo, hi = d.range()
    default = d.number_default()
    middle = (lo + hi) / 2 if default is None else default
    parameter = Real(d.ours, lo, hi, log=d.log(lo), default=middle, prior=d.gaussian(lo, hi), span=d.span)
    return ScenarioParameter(d.name, parameter, {} if default is None else {float(default): json.dumps(default)})


def _integer(d: _Description) -> ScenarioParameter:
    lo, hi = (_whole(d, number) for number in d.range())
    default = d.number_default()
    middle = (lo + hi) // 2 if default is None else _whole(d, default)
    return ScenarioParameter(
        d.name, Integer(d.ours, lo, hi, log=d.log(lo), default=middle, prior=d.beta(), span=d.span)
    )


def _whole(d: _Description, number: Number) -> int:
    if not float(number).is_integer():
        raise d.reader.fail(f"{d.name}: an integer parameter has whole numbers, got {number}", d.fields["values"])
    return int(number)


def _ordinal(d: _Description) -> ScenarioParameter:
    numbers = sorted(set(d.numbers()))
    whole = all(float(number).is_integer() for number in numbers)
    values: list[Number] = [int(n) for n in numbers] if whole else [float(n) for n in numbers]
    default = d.number_default()
    middle = values[(len(values) - 1) // 2] if default is None else default
    log = d.log(values[0])
    prior = d.beta(values, log=log)
    parameter = Ordinal(d.ours, values, log=log, default=middle, prior=prior, span=d.span)
    return ScenarioParameter(d.name, parameter, {float(n): str(int(n)) for n in numbers if float(n).is_integer()})


def _categorical(d: _Description) -> ScenarioParameter:
    names = [value if isinstance(value, str) else json.dumps(value) for value in d.values]
    if unfit := [name for name in names if not name.isprintable() or cells_of(name) != [name]]:
        raise d.reader.fail(f"{d.name}: {unfit[0]!r} cannot stand in a row of values", d.fields["values"])
    default, prior = d.json("parameter_default"), d.json("prior")
    weights: list[float] | None = None
    if isinstance(prior, list):
        weights = d.probabilities(prior, len(names))
    elif prior not in (None, "uniform"):
        d.without_effect(f"{d.name}.prior")
    first = default if isinstance(default, str) or default is None else json.dumps(default)
    return ScenarioParameter(d.name, Categorical(d.ours, names, default=first, prior=weights, span=d.span))


def _permutation(d: _Description) -> ScenarioParameter:
    count = d.values[0]
    if len(d.values) != 1 or isinstance(count, bool) or not isinstance(count, int):
        raise d.reader.fail(f"{d.name}: `values` of a permutation is [its length]", d.fields["values"])
    default = d.json("parameter_default")
    if default is not None and not isinstance(default, list):
        raise d.reader.fail(f"{d.name}: `parameter_default` of a permutation is a list", d.fields["parameter_default"])
    order = None if default is None else [item for item in default if isinstance(item, int)]
    if d.json("prior") not in (None, "uniform"):
        d.without_effect(f"{d.name}.prior")
    if "parametrization" in d.fields:
        d.without_effect(f"{d.name}.parametrization")
    return ScenarioParameter(d.name, Permutation(d.ours, count, default=order, span=d.span))


_KINDS = {
    "real": _real,
    "integer": _integer,
    "ordinal": _ordinal,
    "categorical": _categorical,
    "permutation": _permutation,
}

"""A space as a scenario of HyperMapper 2 for a foreign tuner, and the tuner's rows as configurations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SpaceError
from tunepass.interchange.hypermapper.values import cells_of
from tunepass.space.configuration import Configuration, Value, shown
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.space import Space

MOST_ORDERS = 720  # of a permutation, each a category: HyperMapper 2 has no permutations
FEASIBLE = "Valid"
SLACK = 10  # requests for each evaluation: known and infeasible configurations cost none


@dataclass(frozen=True, slots=True)
class TunerParameter:
    """A parameter, its fields in a scenario, and of a category the value of each text."""

    parameter: Parameter
    fields: Mapping[str, object]
    values: Mapping[str, Value] | None = None

    def value(self, text: str) -> Value | None:
        """The value of a cell; None for none of the parameter's."""
        if self.values is not None:
            return self.values.get(text)
        try:
            number = float(text)
        except ValueError:
            return None
        if not math.isfinite(number):
            return None
        plain = int(number) if number.is_integer() and not isinstance(self.parameter, Real) else number
        value = self.parameter.canonical(plain)
        return value if value is not None and self.parameter.admits(value) else None

    def text(self, value: Value) -> str:
        """The cell of a value."""
        if self.values is not None:
            return next(text for text, each in self.values.items() if type(each) is type(value) and each == value)
        return repr(value)


def tuner_parameter(parameter: Parameter) -> TunerParameter:
    """The parameter as HyperMapper 2 has it. SpaceError for a permutation of too many items."""
    match parameter:
        case Real() | Integer():
            kind = "real" if isinstance(parameter, Real) else "integer"
            fields = {"parameter_type": kind, "values": [parameter.lo, parameter.hi]}
            return TunerParameter(parameter, {**fields, "parameter_default": parameter.default})
        case Ordinal():
            fields = {"parameter_type": "ordinal", "values": list(parameter.domain)}
            return TunerParameter(parameter, {**fields, "parameter_default": parameter.default})
        case Permutation():
            domain = _orders(parameter)
        case Categorical():
            domain = list(parameter.domain)
        case _:
            raise SpaceError(f"{parameter.name}: a foreign tuner has no such parameter")
    values = dict(zip(_names(domain), domain))
    one = TunerParameter(parameter, {}, values)
    default = one.text(parameter.default)
    return TunerParameter(
        parameter, {"parameter_type": "categorical", "values": list(values), "parameter_default": default}, values
    )


def _orders(parameter: Permutation) -> list[Value]:
    items = len(parameter.default)
    if math.factorial(items) > MOST_ORDERS:
        raise SpaceError(
            f"{parameter.name}: a foreign tuner searches permutations of up to 6 items, this one has {items}",
            hint="leave out --tuner, or fix the order",
        )
    return list(itertools.permutations(range(items)))


def _names(domain: Sequence[Value]) -> list[str]:
    """A text for each value, which can stand in a row: as people read the value, else its number."""
    texts = ["-".join(map(str, value)) if isinstance(value, tuple) else shown(value) for value in domain]
    fit = len({text.casefold() for text in texts}) == len(texts)
    if fit and all(text and text.isprintable() and text == text.strip() and cells_of(text) == [text] for text in texts):
        return texts
    return [f"value{i}" for i in range(len(texts))]


def scenario_fields(
    space: Space, parameters: Sequence[TunerParameter], objectives: Sequence[str], max_evals: int | None
) -> dict[str, object]:
    """A scenario of HyperMapper 2 whose feasibility column says which configurations broke a constraint or failed."""
    most = 10_000 if max_evals is None else max_evals
    size = space.size if space.finite and space.complete else most
    design = max(1, min(10, most // 2, size))
    return {
        "application_name": "tunepass",
        "optimization_objectives": list(objectives),
        "hypermapper_mode": {"mode": "client-server"},
        "feasible_output": {
            "enable_feasible_predictor": True,
            "name": FEASIBLE,
            "true_value": "True",
            "false_value": "False",
        },
        "design_of_experiment": {"doe_type": "random sampling", "number_of_samples": design},
        "optimization_iterations": SLACK * most,
        "input_parameters": {p.parameter.name: dict(p.fields) for p in parameters},
    }


def configuration_of(space: Space, parameters: Sequence[TunerParameter], cells: Mapping[str, str]) -> Configuration:
    """The configuration of a row, without inactive parameters; feasible or not. SpaceError for a value of none."""
    values: dict[str, Value] = {}
    for p in parameters:
        value = p.value(cells[p.parameter.name])
        if value is None and cells[p.parameter.name] not in (p.values or {}):
            raise SpaceError(f"{p.parameter.name}: {cells[p.parameter.name]!r} is none of its values")
        values[p.parameter.name] = value  # type: ignore[assignment]
    return space.completed(values)

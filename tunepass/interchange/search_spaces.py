"""Parameters in the JSON of other tuners: NNI, Optuna, ConfigSpace.

They have values and ranges, and no constraints: what is written is the smallest box around what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import SpaceError
from tunepass.space.configuration import Value
from tunepass.space.parameter import Integer, Ordinal, Parameter, Permutation, Real

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
MOST_ORDERS = 5040  # orders that are listed, each as a text: those of 7 items
MOST_LISTED = 1 << 16


def nni(parameters: Sequence[Parameter]) -> Json:
    """NNI's search_space.json. The upper end of `randint` is not included."""
    return {p.name: _nni(p) for p in parameters}


def _nni(p: Parameter) -> Json:
    match p:
        case Real(step=None):
            return {"_type": "loguniform" if p.log else "uniform", "_value": [p.lo, p.hi]}
        case Integer(step=1):
            return {"_type": "randint", "_value": [p.lo, p.hi + 1]}
        case _:
            return {"_type": "choice", "_value": listed(p)}


def optuna(parameters: Sequence[Parameter]) -> Json:
    """A distribution each, as `optuna.distributions.json_to_distribution` reads it."""
    return {p.name: _optuna(p) for p in parameters}


def _optuna(p: Parameter) -> Json:
    match p:
        case Real():
            return _distribution("Float", step=None if p.log else p.step, low=p.lo, high=p.hi, log=p.log)
        case Integer():
            return _distribution("Int", log=p.log and p.step == 1, step=p.step, low=p.lo, high=p.hi)
        case _:
            return _distribution("Categorical", choices=listed(p))


def _distribution(kind: str, **attributes: Json) -> Json:
    return {"name": f"{kind}Distribution", "attributes": attributes}


def configspace(parameters: Sequence[Parameter], name: str) -> Json:
    """As `ConfigSpace.ConfigurationSpace.from_json` reads it, format 0.4."""
    return {
        "name": name,
        "hyperparameters": [{**_configspace(p), "name": p.name, "meta": None} for p in parameters],
        "conditions": [],
        "forbiddens": [],
        "format_version": 0.4,
    }


def _configspace(p: Parameter) -> dict[str, Json]:
    match p:
        case Real(step=None) | Integer(step=1):
            kind = "uniform_float" if isinstance(p, Real) else "uniform_int"
            if p.lo == p.hi:
                return {"type": "constant", "value": p.lo}
            return {"type": kind, "lower": p.lo, "upper": p.hi, "default_value": p.default, "log": p.log}
        case Real() | Integer() | Ordinal():
            values = listed(p)
            if len(values) == 1:
                return {"type": "constant", "value": values[0]}
            return {"type": "ordinal", "sequence": values, "default_value": p.default}
        case _:
            prior = None if isinstance(p, Permutation) or p.prior is None else list(p.prior)
            choices = {"type": "categorical", "choices": listed(p), "weights": prior}
            return {**choices, "default_value": plain_value(p.default)}


def listed(p: Parameter) -> list[bool | int | float | str]:
    """All values, orders as texts: `0 2 1`."""
    most = MOST_ORDERS if isinstance(p, Permutation) else MOST_LISTED
    if p.size is None or p.size > most:
        message = f"{p.name} has {p.size:,} values, which this format would have to list"
        raise SpaceError(message, p.span, "write .csv, .parquet or the space of tunepass")
    return [plain_value(value) for value in p.domain]


def plain_value(value: Value) -> bool | int | float | str:
    """A value as other tuners may have it: an order is a text."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else value

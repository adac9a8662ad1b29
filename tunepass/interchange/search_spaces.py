"""Parameters in the JSON of other tuners: NNI, Optuna, ConfigSpace.

They have values and ranges, and no constraints: what is written is the smallest box around what is left. Conditions of
parameters are written where the format has them (tunepass.interchange.conditions).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import SpaceError
from tunepass.interchange.conditions import Activating, Json, activating_values, configspace_conditions, plain_value
from tunepass.space.activity import Activity
from tunepass.space.parameter import Integer, Ordinal, Parameter, Permutation, Real

MOST_ORDERS = 5040  # orders that are listed, each as a text: those of 7 items
MOST_LISTED = 1 << 16


def nni(parameters: Sequence[Parameter], activity: Activity | None = None) -> Json:
    """NNI's search_space.json. The upper end of `randint` is not included.

    A parameter with a condition on one other stands in each choice of that one which makes it active. `activity` has
    the conditions of the parameters before values were left out.
    """
    activating = activating_values(parameters, activity or Activity(parameters), "NNI")
    return {p.name: _nni_tree(p, parameters, activating) for p in parameters if p.name not in activating}


def _nni_tree(p: Parameter, parameters: Sequence[Parameter], activating: Mapping[str, Activating]) -> Json:
    children = [child for child in parameters if child.name in activating and activating[child.name].parent == p.name]
    if not children:
        return _nni(p)
    choices = []
    for value in p.domain:
        active = [child for child in children if value in activating[child.name].values]
        nested = {child.name: _nni_tree(child, parameters, activating) for child in active}
        choices.append({"_name": str(plain_value(value)), **nested})
    return {"_type": "choice", "_value": choices}


def _nni(p: Parameter) -> Json:
    match p:
        case Real(step=None):
            return {"_type": "loguniform" if p.log else "uniform", "_value": [p.lo, p.hi]}
        case Integer(step=1):
            return {"_type": "randint", "_value": [p.lo, p.hi + 1]}
        case _:
            return {"_type": "choice", "_value": listed(p)}


def optuna(parameters: Sequence[Parameter]) -> Json:
    """A distribution each, as `optuna.distributions.json_to_distribution` reads it. They have no conditions."""
    for p in parameters:
        if p.when is not None:
            message = f"Optuna's distributions have no conditions: {p.name} is active only when {p.when}"
            raise SpaceError(message, p.when.span, "write NAME.optuna.py, a define-by-run program")
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


def configspace(parameters: Sequence[Parameter], name: str, activity: Activity | None = None) -> Json:
    """As `ConfigSpace.ConfigurationSpace.from_json` reads it, format 0.4. `activity`: see `nni`."""
    return {
        "name": name,
        "hyperparameters": [{**_configspace(p), "name": p.name, "meta": None} for p in parameters],
        "conditions": configspace_conditions(parameters, activity or Activity(parameters)),
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

"""Parameters as Ax's client takes them, and the space that they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from tunepass.diagnostics import ExpressionError, SpaceError, StudyError
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import Expr
from tunepass.expr.parser import parse
from tunepass.expr.printer import literal
from tunepass.integrations.ax.formulas import renamed
from tunepass.integrations.parameters import Foreign, ForeignParameter, categorical, identifier, place_of
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Integer, Ordinal, Parameter, Real
from tunepass.space.plain_values import as_real, as_scalar, as_whole
from tunepass.space.space import Space
from tunepass.study import validation

KINDS = {"float": float, "int": int, "str": str, "bool": bool}
SCALES = (None, "linear", "log")
MOST_STEPS = 100_000
HINT = "RangeParameterConfig(name, bounds, parameter_type), or ChoiceParameterConfig(name, values, parameter_type)"


@dataclass
class RangeParameterConfig:
    """A range of numbers, as ax.api.configs.RangeParameterConfig.

    Args:
        name: of the parameter.
        bounds: both ends, which belong to it.
        parameter_type: "float" or "int".
        step_size: distance of values; None: every one.
        scaling: "linear" or "log".

    Example:
        >>> RangeParameterConfig(name="rate", bounds=(1e-4, 1.0), parameter_type="float", scaling="log").name
        'rate'
    """

    name: str
    bounds: tuple[float, float]
    parameter_type: Literal["float", "int"]
    step_size: float | None = None
    scaling: Literal["linear", "log"] | None = None


@dataclass
class ChoiceParameterConfig:
    """One of some values, as ax.api.configs.ChoiceParameterConfig.

    Args:
        name: of the parameter.
        values: the choices.
        parameter_type: "float", "int", "str" or "bool".
        is_ordered: whether neighbours are alike; None: numbers are.
        dependent_parameters: by a value, the names of parameters that are there only with it.

    Example:
        >>> ChoiceParameterConfig(name="model", values=["tree", "linear"], parameter_type="str").values[0]
        'tree'
    """

    name: str
    values: Sequence[float] | Sequence[int] | Sequence[str] | Sequence[bool]
    parameter_type: Literal["float", "int", "str", "bool"]
    is_ordered: bool | None = None
    dependent_parameters: Mapping[str | float | int | bool, Sequence[str]] | None = None


@dataclass
class DerivedParameterConfig:
    """A value that follows from others, as ax.api.configs.DerivedParameterConfig.

    Args:
        name: of the value in a trial's parameters.
        expression_str: over the other parameters, in tunepass's language.
        parameter_type: "float", "int", "str" or "bool".

    Example:
        >>> DerivedParameterConfig(name="area", expression_str="x * y", parameter_type="float").name
        'area'
    """

    name: str
    expression_str: str
    parameter_type: Literal["float", "int", "str", "bool"]


Config = RangeParameterConfig | ChoiceParameterConfig | DerivedParameterConfig


@dataclass(frozen=True, slots=True)
class Dimension:
    """A parameter under its name in Ax, whose values have a type there."""

    name: str
    kind: type
    domain: ForeignParameter

    @property
    def parameter(self) -> Parameter:
        return self.domain.parameter

    def foreign(self, value: Value) -> Foreign:
        return self.domain.foreign(value) if self.domain.choices is not None else self.kind(value)

    def native(self, value: Foreign) -> Value:
        number = as_real(value) if self.domain.choices is None else None
        return self.domain.native(value if number is None else number)


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The space of some configs; `derived` are values that follow from a configuration, with their kinds."""

    space: Space
    dimensions: tuple[Dimension, ...]
    derived: Mapping[str, tuple[Expr, type]]

    def parameterization(self, configuration: Configuration) -> dict[str, Foreign]:
        """The active parameters under Ax's names, and what follows from them."""
        parameters = {
            d.name: d.foreign(configuration[d.parameter.name])
            for d in self.dimensions
            if d.parameter.name in configuration
        }
        if self.derived:
            columns = self.space.columns([configuration])
            for name, (expression, kind) in self.derived.items():
                parameters[name] = kind(numpy_eval.evaluate(expression, columns, 1).values[0])
        return parameters

    def configuration(self, parameters: Mapping[str, Foreign]) -> Configuration:
        """The configuration of a parameterization. Raises StudyError for one that is not of the space."""
        if not isinstance(parameters, Mapping):
            raise StudyError(f"a trial's parameters are a mapping of names to values, got {parameters!r}")
        known = {d.name: d for d in self.dimensions}
        unknown = [name for name in parameters if name not in known and name not in self.derived]
        if unknown:
            raise StudyError(f"there is no parameter {unknown[0]!r}", hint=f"there are {', '.join(known)}")
        values = {d.parameter.name: d.native(parameters[name]) for name, d in known.items() if name in parameters}
        return validation.valid_configuration(self.space, values)


def search_space(configs: Sequence[Config], constraints: Sequence[str] | None) -> SearchSpace:
    """The space of parameters and of constraints such as "x1 + x2 <= 2".

    Raises:
        StudyError: a parameter or a constraint that cannot be searched, by its name.
    """
    if isinstance(configs, str | Mapping) or not isinstance(configs, Sequence) or not configs:
        raise StudyError(f"parameters are a list of configs, got {configs!r}", hint=HINT)
    used: dict[str, str] = {}
    for config in configs:
        name = getattr(config, "name", None)
        if not isinstance(name, str) or not name or name in used:
            raise StudyError(f"each parameter has a name of its own, got {config!r}", hint=HINT)
        used[name] = identifier(name, set(used.values()))
    conditions = _conditions(configs, used)
    dimensions = _ordered(
        [_dimension(c, used[c.name], conditions.get(c.name)) for c in configs if not hasattr(c, "expression_str")],
        conditions,
    )
    texts = [renamed(_text(each), used) for each in constraints or ()]
    try:
        space = Space([d.parameter for d in dimensions], texts)
    except (SpaceError, ExpressionError) as error:
        raise StudyError(f"the search space cannot be used: {error.sentence}") from None
    return SearchSpace(space, tuple(dimensions), _derived(configs, used, space))


def _text(constraint: object) -> str:
    if not isinstance(constraint, str):
        raise StudyError(f"a parameter constraint is text such as 'x1 + x2 <= 2', got {constraint!r}")
    return constraint


def _conditions(configs: Sequence[Config], used: Mapping[str, str]) -> dict[str, str]:
    """When a parameter is there, by its name: one that depends on a choice, which may depend on another."""
    parents: dict[str, list[tuple[str, str]]] = {}  # by name: parent and condition
    for config in configs:
        dependent = getattr(config, "dependent_parameters", None) or {}
        values = list(getattr(config, "values", ()))
        for value, names in dependent.items():
            place = place_of(values, value)
            if place is None:
                raise StudyError(f"{config.name}: parameters depend on {value!r}, which is none of its values")
            choice = _native_choice(config, used[config.name], place)
            for name in names:
                if name not in used:
                    raise StudyError(f"{config.name}: there is no parameter {name!r} that could depend on it")
                parents.setdefault(name, []).append((config.name, f"{used[config.name]} == {choice}"))

    def condition(name: str, seen: tuple[str, ...]) -> str:
        if name in seen:
            raise StudyError(f"{name} depends on itself")
        parts = []
        for parent, text in parents[name]:
            parts.append(f"{condition(parent, (*seen, name))} and {text}" if parent in parents else text)
        return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})"

    return {name: condition(name, ()) for name in parents}


def _native_choice(config: Config, plain: str, place: int) -> str:
    value = _dimension(config, plain, None).parameter.domain[place]
    return literal(str(value) if isinstance(value, tuple) else value)


def _ordered(dimensions: list[Dimension], conditions: Mapping[str, str]) -> list[Dimension]:
    """Parents before the parameters that depend on them."""
    depth = {name: text.count(" and ") + 1 for name, text in conditions.items()}
    return sorted(dimensions, key=lambda d: depth.get(d.name, 0))


def _dimension(config: Config, plain: str, when: str | None) -> Dimension:
    kind = KINDS.get(str(getattr(config, "parameter_type", None)))
    try:
        if kind is None:
            raise SpaceError(f"its parameter_type is one of {', '.join(KINDS)}")
        if isinstance(config, DerivedParameterConfig) or not (hasattr(config, "bounds") or hasattr(config, "values")):
            raise SpaceError("it has neither bounds nor values")
        if hasattr(config, "bounds"):
            domain = ForeignParameter(_range(cast(RangeParameterConfig, config), plain, when, kind))
            return Dimension(config.name, kind, domain)
        return _choice(cast(ChoiceParameterConfig, config), plain, when, kind)
    except (SpaceError, TypeError, ValueError) as error:
        reason = error.sentence if isinstance(error, SpaceError) else str(error)
        raise StudyError(f"parameter {config.name}: {reason}", hint=HINT) from None


def _range(config: RangeParameterConfig, name: str, when: str | None, kind: type) -> Parameter:
    low, high = (as_real(end) for end in config.bounds)
    if low is None or high is None or kind not in (int, float) or config.scaling not in SCALES:
        raise SpaceError("a range has two numbers, the type float or int, and the scaling linear or log")
    log = config.scaling == "log"
    if config.step_size is not None:
        return Ordinal(name, _steps(float(low), float(high), config.step_size, kind), log=log, when=when)
    if kind is float:
        return Real(name, float(low), float(high), log=log, when=when)
    ends = [as_whole(end) if as_whole(end) is not None else int(end) for end in (low, high)]
    return Integer(name, int(ends[0] or 0), int(ends[1] or 0), log=log, when=when)


def _steps(low: float, high: float, step: object, kind: type) -> list[float]:
    size = as_real(step)
    if size is None or not size > 0 or not low < high or (high - low) / size > MOST_STEPS:
        raise SpaceError(f"step_size is above 0, and gives {MOST_STEPS:,} values at most")
    count = math.floor((high - low) / size * (1 + 1e-12))
    return [kind(low + place * size) for place in range(count + 1)]


def _choice(config: ChoiceParameterConfig, name: str, when: str | None, kind: type) -> Dimension:
    values = tuple(as_scalar(value) for value in config.values)
    numbers = kind in (int, float) and all(as_real(value) is not None for value in values)
    ordered = numbers and config.is_ordered is not False and len(set(values)) > 1
    parameter = Ordinal(name, list(values), when=when) if ordered else categorical(name, values, when)  # type: ignore[arg-type]
    return Dimension(config.name, kind, ForeignParameter(parameter, values))


def _derived(configs: Sequence[Config], used: Mapping[str, str], space: Space) -> dict[str, tuple[Expr, type]]:
    types = {p.name: p.type for p in space.parameters}
    derived = {}
    for config in configs:
        text = getattr(config, "expression_str", None)
        if text is None:
            continue
        kind = KINDS.get(str(getattr(config, "parameter_type", None)))
        if kind is None:
            raise StudyError(f"parameter {config.name}: its parameter_type is one of {', '.join(KINDS)}")
        try:
            derived[config.name] = (parse(renamed(str(text), used), types), kind)
        except ExpressionError as error:
            raise StudyError(f"parameter {config.name}: {error.sentence}") from None
    return derived

"""A space that the caller states: its configurations as the values that a trial suggests, and back.

A parameter is suggested under its name, by any distribution that has its values. An order is suggested as one choice of
texts (`0 2 1`) or of tuples, or as one choice for each position, under `order[0]`, `order[1]`, ...
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from optuna.distributions import BaseDistribution, CategoricalDistribution

from tunepass.diagnostics import SpaceError, StudyError, spelling_hint
from tunepass.expr.printer import literal
from tunepass.integrations.optuna.distributions import contains, nearest
from tunepass.integrations.parameters import Foreign
from tunepass.space.configuration import Configuration, Value, shown
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.space import Space

POSITION = re.compile(r"(\w+)\[(\d+)\]\Z")


class GivenSpace:
    """Configurations of `space` for values that Optuna has, and back."""

    def __init__(self, space: Space):
        self.space = space
        self._parameters = {p.name: p for p in space.parameters}

    def owns(self, name: str) -> bool:
        """Is it the name of a parameter, or of a position of an order?"""
        return self._position(name) is not None or name in self._parameters

    def configuration(
        self, params: Mapping[str, Foreign], planned: Mapping[str, Value] | None = None
    ) -> Configuration | None:
        """The configuration of a trial's values; None where it is not one of the space's parameters.

        Active parameters that the trial did not suggest have the planned values; without a plan there is none.
        """
        values = dict(planned or {}) | self.values(params)
        named = {name: value for name, value in values.items() if self._parameters[name].canonical(value) is not None}
        named |= {name: None for name, p in self._parameters.items() if values.get(name, 0) is None and p.admits(None)}  # type: ignore[misc]
        completed = self.space.completed(named)
        return completed if completed.keys() <= named.keys() else None

    def values(self, params: Mapping[str, Foreign]) -> dict[str, Value]:
        """The values of the parameters that are whole in `params`; of any that have no such value, what is there."""
        values: dict[str, Value] = {}
        for p in self.space.parameters:
            if isinstance(p, Permutation):
                order = self._order(p, params)
                if order is not None:
                    values[p.name] = order
            elif p.name in params:
                native = p.canonical(params[p.name])
                values[p.name] = params[p.name] if native is None else native  # type: ignore[assignment]
        return values

    def suggested(self, configuration: Configuration, name: str, distribution: BaseDistribution) -> Foreign:
        """The value for a trial that suggests `name` by `distribution`.

        Raises:
            StudyError: the space has no such parameter, it is inactive, or the distribution lacks its value.
        """
        if not self.owns(name):
            known = [p.name if not isinstance(p, Permutation) else f"{p.name}[0]" for p in self.space.parameters]
            raise StudyError(
                f"the trial suggests {name!r}, which the space does not have",
                hint=spelling_hint(
                    name, known, f"it has {', '.join(known)}; add the parameter to the space", quote=repr
                ),
            )
        parameter, place = self._position(name) or (self._parameters[name], None)
        if parameter.name not in configuration:
            raise StudyError(
                f"the trial suggests {name!r}, which is inactive: it is active when {parameter.when}",
                hint="suggest it where its condition holds, or call tunepass.integrations.optuna.suggest(trial, space)",
            )
        value = configuration[parameter.name]
        if place is not None and isinstance(value, tuple):
            value = value[place]
        elif isinstance(value, tuple):
            text = _choice_of(value, distribution)
            if text is not None:
                return text
        if not contains(distribution, value):
            raise StudyError(
                f"the trial suggests {name!r} by {distribution}, which lacks its value {shown(value)}",
                hint=f"in the space it is {parameter}",
            )
        return nearest(distribution, value)

    def agrees(self, configuration: Configuration, params: Mapping[str, Foreign]) -> bool:
        """Has the configuration the values that a trial has so far?"""
        for name, value in params.items():
            position = self._position(name)
            if position is not None:
                parameter, place = position
                order = configuration.get(parameter.name)
                if isinstance(order, tuple) and str(order[place]) != str(value):
                    return False
        return all(configuration.get(name) == value for name, value in self.values(params).items())

    def restricted(self, params: Mapping[str, Foreign]) -> Space:
        """The part of the space that has these values.

        Raises:
            StudyError: no configuration of the space has them.
        """
        fixed = self.values(params)
        parameters = [_only(p, fixed[p.name]) if p.name in fixed else p for p in self.space.parameters]
        constraints: list[Constraint | str] = [*self.space.constraints]
        for name, value in params.items():
            position = self._position(name)
            if position is not None:
                parameter, place = position
                item = next((i for i in parameter.items if str(i) == str(value)), value)
                constraints.append(_guarded(parameter, f"{parameter.name}[{place}] == {literal(item)}"))  # type: ignore[arg-type]
        for p in parameters:
            if p.name in fixed and isinstance(p, Categorical | Permutation):
                constraints += [_guarded(p, text) for text in _equations(p, fixed[p.name])]
        try:
            if self.space.is_table:
                rows = [c for c in self.space.enumerate() if self.agrees(c, params)]
                return Space.from_table(rows, self.space.parameters)
            texts = [c.text if isinstance(c, Constraint) else c for c in constraints]
            return Space(parameters, texts, node_limit=self.space.node_limit)
        except SpaceError as error:
            stated = ", ".join(f"{name}={value!r}" for name, value in params.items())
            raise StudyError(f"no configuration of the space has {stated}: {error.diagnostics[0].message}") from None

    def _position(self, name: str) -> tuple[Permutation, int] | None:
        match = POSITION.match(name)
        parameter = None if match is None else self._parameters.get(match[1])
        if match is None or not isinstance(parameter, Permutation) or int(match[2]) >= len(parameter.items):
            return None
        return parameter, int(match[2])

    def _order(self, p: Permutation, params: Mapping[str, Foreign]) -> tuple[int | str, ...] | None:
        """The order that is whole in `params`; None without one."""
        written: Sequence[object] = [params.get(f"{p.name}[{place}]") for place in range(len(p.items))]
        if p.name in params:
            given = params[p.name]
            written = given.split() if isinstance(given, str) else given if isinstance(given, tuple) else [given]
        item_of = {str(item): item for item in p.items}
        order = tuple(item_of[str(item)] for item in written if str(item) in item_of)
        return order if len(order) == len(written) and p.admits(order) else None


def _choice_of(order: tuple[int | str, ...], distribution: BaseDistribution) -> Foreign | None:
    """The choice that is the order, as a tuple or a text."""
    if isinstance(distribution, CategoricalDistribution):
        texts = [str(item) for item in order]
        choices: Sequence[Foreign] = distribution.choices
        return next((c for c in choices if c == order or (isinstance(c, str) and c.split() == texts)), None)
    return None


def _only(p: Parameter, value: Value) -> Parameter:
    """The parameter with one value.

    Raises:
        SpaceError: it does not have that value.
    """
    p.check(value)
    match p:
        case Real():
            return Real(p.name, float(value), float(value), when=p.when)  # type: ignore[arg-type]
        case Integer():
            return Integer(p.name, int(value), int(value), when=p.when)  # type: ignore[arg-type]
        case Ordinal():
            return Ordinal(p.name, [value], when=p.when)  # type: ignore[list-item]
    return p  # by _equations, so that the types of constraints that read it stay


def _guarded(p: Parameter, text: str) -> str:
    return text if p.when is None else f"not ({p.when}) or {text}"


def _equations(p: Categorical | Permutation, value: Value) -> list[str]:
    """Constraints that leave the parameter this value. Beside None, values compare as texts."""
    if isinstance(value, tuple):
        return [f"{p.name}[{place}] == {literal(item)}" for place, item in enumerate(value)]
    return [f"{p.name} == {literal(str(value) if None in p.domain else value)}"]

"""A space of tunepass for the parameters that the trials of an Optuna study have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import StudyError
from tunepass.expr.printer import literal
from tunepass.integrations.optuna.distributions import Counterpart, counterpart
from tunepass.integrations.optuna.evidence import Condition, InferredParameter, Threshold
from tunepass.integrations.parameters import Foreign
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space


class InferredSpace:
    """Configurations of `space` for values that Optuna has, and back.

    Args:
        parameters: of distributions with more than one value; a parent stands before its children.

    Raises:
        StudyError: none of them has a counterpart.
    """

    def __init__(self, parameters: Sequence[InferredParameter]):
        self.counterparts: dict[str, Counterpart] = {}  # by Optuna's name
        for inferred in parameters:
            used_names = {c.parameter.name for c in self.counterparts.values()}
            condition = inferred.condition
            parent = None if condition is None else self.counterparts.get(condition.parent)
            if condition is not None and parent is None:
                continue
            when = None if condition is None or parent is None else condition_text(condition, parent)
            known_counterpart = counterpart(inferred.name, inferred.distribution, used_names, when)
            if known_counterpart is not None:
                self.counterparts[inferred.name] = known_counterpart
        if not self.counterparts:
            raise StudyError("no distribution of these has a parameter in tunepass")
        self.space = Space([c.parameter for c in self.counterparts.values()])

    def configuration(self, params: Mapping[str, Foreign]) -> Configuration | None:
        """The configuration of these values; None where an active one is missing or is not a value of its parameter."""
        values: dict[str, Value] = {}
        for name, known in self.counterparts.items():
            if name in params:
                native = known.native(params[name])
                if native is None and not known.parameter.admits(None):
                    return None
                values[known.parameter.name] = native  # type: ignore[assignment]
        if not self.space.activity:
            return Configuration(values) if len(values) == len(self.counterparts) else None
        completed = self.space.completed(values)
        return completed if completed.keys() <= values.keys() else None

    def params(self, configuration: Configuration) -> dict[str, Foreign]:
        """The values of the active parameters, as Optuna has them."""
        return {
            name: known.foreign(configuration[known.parameter.name])
            for name, known in self.counterparts.items()
            if known.parameter.name in configuration
        }


def condition_text(condition: Condition, parent: Counterpart) -> str:
    """The condition in the expression language."""
    name = parent.parameter.name
    if isinstance(condition, Threshold):
        number = parent.native(condition.bound)
        bound = number if isinstance(number, int | float) else condition.bound
        return f"{name} {'>=' if condition.above else '<='} {literal(bound)}"
    values = [_value(parent.parameter, parent, value) for value in condition.values]
    return " or ".join(f"{name} == {value}" for value in values)


def _value(parameter: Parameter, parent: Counterpart, value: float) -> str:
    """A value in a condition; beside None, values compare as texts."""
    if not hasattr(parent.distribution, "choices"):
        return literal(parent.native(value))  # type: ignore[arg-type]
    native = parameter.domain[int(value)]
    return literal(str(native) if None in parameter.domain else native)  # type: ignore[arg-type]

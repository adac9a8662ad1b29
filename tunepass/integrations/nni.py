"""tunepass as a tuner of NNI.

    tuner:
      className: tunepass.integrations.nni.TunepassTuner
      classArgs: {optimize_mode: minimize, seed: 0}

Source: `nni.tuner.Tuner` and docs/source/hpo/search_space.rst of NNI 3.0.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tunepass.diagnostics import SpaceError, StudyError
from tunepass.expr.printer import literal
from tunepass.integrations.keyed_trials import KeyedTrials, outcome_of
from tunepass.integrations.packages import package
from tunepass.integrations.parameters import ForeignParameter, categorical, identifier
from tunepass.interchange.nni_ranges import HINT, known_kind, parameter_of_range
from tunepass.space.configuration import Configuration, Value
from tunepass.space.plain_values import as_scalar
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed
from tunepass.study.study import Study
from tunepass.study.task import Factory

if TYPE_CHECKING:
    from nni.tuner import Tuner
else:
    Tuner = package("nni.tuner", extra="nni", door="tunepass.integrations.nni").Tuner

METRIC = "default"  # of a result with several metrics
MODES = ("maximize", "minimize")


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter by its name in a search space, and what each nested choice has inside."""

    name: str
    domain: ForeignParameter
    inside: Mapping[Value, tuple[Choice, ...]] = field(default_factory=dict)

    def all(self) -> Iterator[ForeignParameter]:
        """This one, and those inside."""
        yield self.domain
        for nested in self.inside.values():
            for choice in nested:
                yield from choice.all()

    def foreign(self, configuration: Configuration) -> object:
        value = configuration[self.domain.parameter.name]
        chosen = self.domain.foreign(value)
        if value not in self.inside:
            return chosen
        return {"_name": chosen, **{choice.name: choice.foreign(configuration) for choice in self.inside[value]}}

    def native(self, given: object) -> Iterator[tuple[str, Value]]:
        """The values of this parameter and of those inside its choice."""
        fields = given if isinstance(given, Mapping) and self.inside else {"_name": given}
        value = self.domain.native(fields.get("_name"))
        yield self.domain.parameter.name, value
        if self.inside and value in self.domain.parameter.domain:
            for choice in self.inside.get(value, ()):
                yield from choice.native(fields.get(choice.name))


class TunepassTuner(Tuner):  # type: ignore[misc]
    """Suggests parameters of NNI as a `tp.Study` does; a trial that ends without a result is a failure.

    Args:
        optimize_mode: "maximize", as NNI's tuners have it, or "minimize".
        seed: of every random choice; None: another one each time.
        strategy: of tunepass, by name, or a function of a Task.
        max_evals: how many trials are planned, if that is known.
        constraints: in tunepass's language, over names of the search space: `["tile % unroll == 0"]`.

    Raises:
        StudyError: an argument breaks its rule; by `update_search_space`, a parameter that has no counterpart.

    Example:
        >>> tuner = TunepassTuner("minimize", seed=0)
        >>> tuner.update_search_space({"tile": {"_type": "randint", "_value": [1, 9]}})
        >>> tuner.generate_parameters(0)
        {'tile': 1}
    """

    def __init__(
        self,
        optimize_mode: str = "maximize",
        seed: int | None = None,
        strategy: str | Factory = "auto",
        max_evals: int | None = None,
        constraints: Sequence[str] = (),
    ):
        super().__init__()
        if optimize_mode not in MODES:
            raise StudyError(f"optimize_mode is maximize or minimize, got {optimize_mode!r}")
        self._seed = secrets.randbits(32) if seed is None else validation.valid_seed(seed)
        self._objective = Objective(METRIC, maximise=optimize_mode == MODES[0])
        self._strategy, self._max_evals, self._constraints = strategy, max_evals, list(constraints)
        self._choices: tuple[Choice, ...] = ()
        self._trials: KeyedTrials | None = None

    @property
    def study(self) -> Study:
        """The study that suggests.

        Raises:
            StudyError: NNI has not said the search space yet.
        """
        return self._ready().study

    def update_search_space(self, search_space: Mapping[str, Any]) -> None:
        """Begin with a search space, or go on in another one with the trials that fit it."""
        choices = read_search_space(search_space)
        space = Space([domain.parameter for choice in choices for domain in choice.all()], self._constraints)
        if self._trials is not None:
            study = self._trials.study.with_space(space)
        else:
            options: dict[str, Any] = {"seed": self._seed, "strategy": self._strategy, "max_evals": self._max_evals}
            study = Study(space, [self._objective], repeats=False, **options)
        self._choices, self._trials = choices, KeyedTrials(study)

    def generate_parameters(self, parameter_id: int, **kwargs: Any) -> dict[str, Any]:
        """The parameters of a trial.

        Raises:
            nni.NoMoreTrialError: none is left.
        """
        configuration = self._ready().suggest(parameter_id)
        if configuration is None:
            raise package("nni", extra="nni", door="tunepass.integrations.nni").NoMoreTrialError("no trial is left")
        return {choice.name: choice.foreign(configuration) for choice in self._choices}

    def receive_trial_result(self, parameter_id: int, parameters: Any, value: Any, **kwargs: Any) -> None:
        """Take in the final result of a trial: a number, or metrics of which `default` counts."""
        trials = self._ready()
        if parameter_id in trials.under_evaluation:
            values = value if isinstance(value, Mapping) else {METRIC: value}
            trials.complete(parameter_id, outcome_of(values, (self._objective,), (METRIC,)))

    def trial_end(self, parameter_id: int, success: bool, **kwargs: Any) -> None:
        """A trial that ends without a result is a failure."""
        trials = self._ready()
        if parameter_id in trials.under_evaluation:
            trials.complete(parameter_id, Failed("run", "the trial ended without a result"))

    def import_data(self, data: Sequence[Mapping[str, Any]]) -> None:
        """Take in results from elsewhere: [{"parameter": {...}, "value": ...}].

        Raises:
            StudyError: the data have another form, or parameters are not of the search space; nothing is taken in.
        """
        trials = self._ready()
        if isinstance(data, (str, Mapping)) or not isinstance(data, Sequence) or not all(map(_is_result, data)):
            raise StudyError(f'data are a list of {{"parameter": {{...}}, "value": ...}}, got {data!r}')
        rows = [(self._configuration(row["parameter"]), row["value"]) for row in data]
        for configuration, value in rows:
            values = value if isinstance(value, Mapping) else {METRIC: value}
            trials.observe(configuration, outcome_of(values, (self._objective,), (METRIC,)))

    def _configuration(self, parameters: Mapping[str, Any]) -> Configuration:
        native = {name: value for choice in self._choices for name, value in choice.native(parameters.get(choice.name))}
        return validation.valid_configuration(self.study.space, native)

    def _ready(self) -> KeyedTrials:
        if self._trials is None:
            raise StudyError("there is no search space yet", hint="NNI calls update_search_space first")
        return self._trials


def _is_result(row: object) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("parameter"), Mapping) and "value" in row


def read_search_space(search_space: Mapping[str, Any]) -> tuple[Choice, ...]:
    """The parameters of a search space; those of a nested choice are active while it is chosen.

    Raises:
        StudyError: a parameter that has no counterpart, with its name.
    """
    if not isinstance(search_space, Mapping) or not search_space:
        raise StudyError(f"a search space has parameters, got {search_space!r}", hint=HINT)
    return _choices(search_space, None, set())


def _choices(search_space: Mapping[str, Any], condition: str | None, used: set[str]) -> tuple[Choice, ...]:
    listed = []
    for name, stated in search_space.items():
        if name == "_name":
            continue
        if not isinstance(name, str):
            raise StudyError(f"a parameter's name is text, got {name!r}", hint=HINT)
        if not isinstance(stated, Mapping) or not isinstance(stated.get("_value"), Sequence):
            raise StudyError(f"parameter {name} is {stated!r}", hint=HINT)
        plain = identifier(name, used)
        used.add(plain)
        try:
            listed.append(_choice(name, plain, stated.get("_type"), stated["_value"], condition, used))
        except (SpaceError, ValueError, TypeError) as error:
            reason = error.sentence if isinstance(error, SpaceError) else str(error)
            raise StudyError(f"parameter {name} is {dict(stated)!r}: {reason}", hint=HINT) from None
    return tuple(listed)


def _choice(
    name: str, plain: str, kind: object, values: Sequence[Any], condition: str | None, used: set[str]
) -> Choice:
    if kind != "choice":
        return Choice(name, ForeignParameter(parameter_of_range(plain, known_kind(kind), values, condition)))
    named = [value.get("_name") if isinstance(value, Mapping) else value for value in values]
    choices = tuple(as_scalar(choice) for choice in named)
    parameter = categorical(plain, choices, condition)
    inside: dict[Value, tuple[Choice, ...]] = {}
    for value, option in zip(values, parameter.domain):
        if isinstance(value, Mapping):
            selected = f"{plain} == {literal(str(option) if isinstance(option, tuple) else option)}"
            inside[option] = _choices(value, f"{condition} and {selected}" if condition else selected, used)
    return Choice(name, ForeignParameter(parameter, choices), inside)

"""Settings of scikit-optimize that an optimizer of tunepass takes: some it follows, others it names in a warning."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping

from tunepass.diagnostics import StudyError, spelling_hint
from tunepass.space.plain_values import as_whole
from tunepass.study import validation

WITHOUT_EFFECT = (  # of models, acquisition functions and initial designs, which are the strategy's own
    *("base_estimator", "n_random_starts", "n_initial_points", "initial_point_generator", "init_point_gen_kwargs"),
    *("acq_func", "acq_optimizer", "acq_func_kwargs", "acq_optimizer_kwargs", "avoid_duplicates"),
    *("n_points", "n_restarts_optimizer", "xi", "kappa", "noise", "n_jobs", "model_queue_size"),
)


def check_settings(call: str, given: Mapping[str, object], *, stacklevel: int) -> None:
    """Warn once of the settings that have no effect.

    Raises:
        StudyError: one is not of scikit-optimize.
    """
    for name in given:
        if name not in WITHOUT_EFFECT:
            raise StudyError(f"{call} has no setting {name!r}", hint=spelling_hint(name, WITHOUT_EFFECT))
    if given:
        names = ", ".join(sorted(given))
        warnings.warn(f"without effect: {names}; tunepass's own search suggests the points", stacklevel=stacklevel)


def seed_of(random_state: object) -> int:
    """The seed of a study: a whole number, one drawn from a generator of NumPy, or another one each time for None."""
    if random_state is None:
        return secrets.randbits(32)
    draw = getattr(random_state, "randint", None) or getattr(random_state, "integers", None)
    return validation.valid_seed(draw(1 << 31) if callable(draw) else random_state)


def with_durations(settings: Mapping[str, object]) -> bool:
    """Is each value a pair with the seconds that it took, as for `acq_func="EIps"`?"""
    return str(settings.get("acq_func", "")).endswith("ps")


def initial_points(settings: Mapping[str, object]) -> int:
    """How many points skopt evaluates before its first model: where the models of a result begin.

    Raises:
        StudyError: it is no whole number >= 0.
    """
    given = settings.get("n_random_starts")
    given = settings.get("n_initial_points", 10) if given is None else given
    count = as_whole(given)
    if count is None or count < 0:
        raise StudyError(f"n_initial_points is a whole number >= 0, got {given!r}")
    return max(1, count)

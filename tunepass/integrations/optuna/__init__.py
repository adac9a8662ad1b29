"""tunepass inside Optuna: `TunepassSampler`, `suggest` for whole configurations of a space, and `earlier_trials`."""

from tunepass.integrations.packages import package

package("optuna", extra="optuna", door="tunepass.integrations.optuna")

from tunepass.integrations.optuna.earlier import earlier_trials as earlier_trials  # noqa: E402
from tunepass.integrations.optuna.sampler import TunepassSampler as TunepassSampler  # noqa: E402
from tunepass.integrations.optuna.suggest import suggest as suggest  # noqa: E402

__all__ = ["TunepassSampler", "earlier_trials", "suggest"]

"""tunepass with the shape of scikit-optimize: `Optimizer`, `gp_minimize` and its kin, `BayesSearchCV`.

    from tunepass.integrations.skopt import gp_minimize

Source: the signatures and docstrings of scikit-optimize 0.10.2.
"""

from typing import TYPE_CHECKING

from tunepass.integrations.skopt.minimizers import dummy_minimize as dummy_minimize
from tunepass.integrations.skopt.minimizers import forest_minimize as forest_minimize
from tunepass.integrations.skopt.minimizers import gbrt_minimize as gbrt_minimize
from tunepass.integrations.skopt.minimizers import gp_minimize as gp_minimize
from tunepass.integrations.skopt.optimizer import Optimizer as Optimizer

if TYPE_CHECKING:
    from tunepass.integrations.skopt.search_cv import BayesSearchCV as BayesSearchCV


def __getattr__(name: str) -> object:
    if name != "BayesSearchCV":  # it alone needs scikit-optimize, and scikit-learn
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tunepass.integrations.skopt.search_cv import BayesSearchCV

    return BayesSearchCV

"""tunepass as the search algorithm of Ray Tune: the space has a constraint, which Ray's own spaces cannot state.

pip install 'tunepass[ray]'
python samples/integrations/ray_search.py
"""

from ray import tune

import tunepass as tp
from tunepass.integrations.ray import TunepassSearch

space = tp.Space([tp.Integer("tile", 1, 64), tp.Integer("unroll", 1, 8)], constraints=["tile % unroll == 0"])


def train(config: dict) -> None:
    """A made-up cost, in place of a compiler and a run."""
    tune.report({"seconds": abs(config["tile"] - 24) + 4 / config["unroll"]})


search = TunepassSearch(space, metric="seconds", mode="min", seed=0)  # Ray passes these on with a param_space only
settings = tune.TuneConfig(search_alg=search, metric="seconds", mode="min", num_samples=8)
best = tune.Tuner(train, tune_config=settings).fit().get_best_result()
print(f"best time: {best.metrics['seconds']:.2f} s with {best.config}")

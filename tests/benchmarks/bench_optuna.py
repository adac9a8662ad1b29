"""What tunepass inside Optuna costs beside tunepass alone: milliseconds of CPU a trial, over the same trials.

    python -m tests.benchmarks.bench_optuna [--trials 1000] [--parameters 8] [--storage sqlite]

The strategy is `random`, so that nearly all of the time is book-keeping. `alone` is a tunepass.Study that suggests and
observes; `sampler` is the time within the sampler's methods in `optimize`, without `reads`, in which the storage lists
the study's trials; `overhead` is the difference of the two, and `Optuna` the rest of `optimize`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import optuna

import tunepass as tp
from tunepass.integrations.optuna import TunepassSampler, suggest

METHODS = ("infer_relative_search_space", "sample_relative", "sample_independent", "after_trial", "before_trial")


def timed(owner: object, names: Sequence[str]) -> list[float]:
    """Seconds of each call of the owner's methods from now on."""
    seconds: list[float] = []

    def timing(method):  # type: ignore[no-untyped-def]
        def call(*arguments, **named):  # type: ignore[no-untyped-def]
            start = time.process_time()
            try:
                return method(*arguments, **named)
            finally:
                seconds.append(time.process_time() - start)

        return call

    for name in names:
        setattr(owner, name, timing(getattr(owner, name)))
    return seconds


def value(configuration: tp.Configuration) -> float:
    return sum(float(number) for number in configuration.values())  # type: ignore[arg-type]


def alone(space: tp.Space, trials: int) -> float:
    study = tp.Study(space, [tp.Objective("value")], strategy="random", seed=0)
    start = time.process_time()
    for _ in range(trials):
        (configuration,) = study.suggest()
        study.observe(configuration, tp.Measured({"value": value(configuration)}))
    return time.process_time() - start


def inside(space: tp.Space, trials: int, storage: str | None, given: bool) -> tuple[float, float, float]:
    """Seconds in the sampler, in the storage's reads within it, and in all of `optimize`."""
    sampler = TunepassSampler(space if given else None, seed=0, strategy="random")
    seconds = timed(sampler, METHODS)
    study = optuna.create_study(sampler=sampler, storage=storage)
    reads = timed(study, ["get_trials"])
    start = time.process_time()
    study.optimize(lambda trial: value(suggest(trial, space)), n_trials=trials)
    return sum(seconds) - sum(reads), sum(reads), time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--parameters", type=int, default=8)
    parser.add_argument("--storage", choices=["memory", "sqlite"], default="memory")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = tp.Space([tp.Integer(f"p{i}", 0, 99) for i in range(arguments.parameters)])
    native = alone(space, arguments.trials)
    print(f"{arguments.trials} trials of {arguments.parameters} parameters, {arguments.storage}, ms of CPU a trial")
    print(f"{'space':10}{'alone':>8}{'sampler':>9}{'overhead':>10}{'reads':>7}{'Optuna':>8}")
    for given in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            storage = f"sqlite:///{Path(folder) / 'runs.db'}" if arguments.storage == "sqlite" else None
            sampler, reads, total = inside(space, arguments.trials, storage, given)
        ms = [1000 * s / arguments.trials for s in (native, sampler, sampler - native, reads, total - sampler - reads)]
        print(f"{'given' if given else 'inferred':10}{ms[0]:8.2f}{ms[1]:9.2f}{ms[2]:10.2f}{ms[3]:7.2f}{ms[4]:8.2f}")


if __name__ == "__main__":
    main()

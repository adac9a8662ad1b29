"""Another tuner on the other end of a pipe: asks for values of configurations, and knows nothing of tunepass.

    python peers.py optuna|opentuner SEED

The first line of its input is a JSON object: `parameters`, each `[name, "ordered" | "unordered", number of values]`,
and `first`, the default. A configuration is a JSON object of places among the values, a line. The answer is a value,
`fail`, or `forbidden` where a known constraint forbids it, which costs no evaluation. It goes on until it is ended.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence

Described = Sequence[tuple[str, str, int]]
Places = Mapping[str, int]


def ask(places: Places) -> str:
    print(json.dumps(places), flush=True)
    answer = sys.stdin.readline().strip()
    if not answer:
        raise SystemExit
    return answer


def optuna(parameters: Described, first: Places, seed: int) -> None:
    import optuna as library

    library.logging.set_verbosity(library.logging.ERROR)

    def broken(trial: library.trial.FrozenTrial) -> tuple[float]:
        return (float(trial.user_attrs.get("broken", 0.0)),)

    sampler = library.samplers.TPESampler(seed=seed, multivariate=True, constraints_func=broken)
    study = library.create_study(sampler=sampler)
    study.enqueue_trial(dict(first))
    worst = 0.0
    while True:
        trial = study.ask()
        places = {
            name: trial.suggest_int(name, 0, count - 1)
            if kind == "ordered"
            else trial.suggest_categorical(name, list(range(count)))
            for name, kind, count in parameters
        }
        answer = ask(places)
        if answer in ("fail", "forbidden"):
            trial.set_user_attr("broken", 1.0)
            study.tell(trial, worst or 1e9)
        else:
            trial.set_user_attr("broken", -1.0)
            worst = max(worst, float(answer))
            study.tell(trial, float(answer))


def opentuner(parameters: Described, first: Places, seed: int) -> None:
    import argparse
    import random

    import opentuner as library
    from opentuner.api import TuningRunManager
    from opentuner.measurement.interface import DefaultMeasurementInterface
    from opentuner.resultsdb.models import Result

    random.seed(seed)
    words = argparse.ArgumentParser(parents=library.argparsers()).parse_args([])
    words.no_dups = True
    words.database = f"sqlite:///{tempfile.mkdtemp()}/opentuner.db"
    space = library.ConfigurationManipulator()
    for name, kind, count in parameters:
        if kind == "ordered":
            space.add_parameter(library.IntegerParameter(name, 0, count - 1))
        else:
            space.add_parameter(library.EnumParameter(name, list(range(count))))
    interface = DefaultMeasurementInterface(args=words, manipulator=space, project_name="p", program_name="p")
    manager = TuningRunManager(interface, words)
    ask(first)
    while True:
        desired = manager.get_next_desired_result()
        if desired is None:
            continue
        answer = ask(desired.configuration.data)
        failed = answer in ("fail", "forbidden")
        result = Result(state="ERROR", time=float("inf")) if failed else Result(time=float(answer))
        manager.report_result(desired, result)


if __name__ == "__main__":
    described = json.loads(sys.stdin.readline())
    {"optuna": optuna, "opentuner": opentuner}[sys.argv[1]](
        described["parameters"], described["first"], int(sys.argv[2])
    )

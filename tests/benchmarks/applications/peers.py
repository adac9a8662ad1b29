"""Another tuner on the other end of a pipe: asks for values of configurations, and knows nothing of tunepass.

    python peers.py optuna|opentuner SEED

The first line of its input is a JSON object of parameters: their values, the default first. It writes a configuration a
line; the answer is a value, or `fail`. It goes on until it is ended.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping

Ask = Callable[[Mapping[str, object]], "float | None"]


def ask(configuration: Mapping[str, object]) -> float | None:
    print(json.dumps(configuration), flush=True)
    answer = sys.stdin.readline().strip()
    return None if answer == "fail" else float(answer)


def optuna(parameters: Mapping[str, list[object]], seed: int) -> None:
    import optuna as library

    library.logging.set_verbosity(library.logging.ERROR)
    study = library.create_study(sampler=library.samplers.TPESampler(seed=seed))
    study.enqueue_trial({name: values[0] for name, values in parameters.items()})

    def objective(trial: library.Trial) -> float:
        value = ask({name: trial.suggest_categorical(name, values) for name, values in parameters.items()})
        if value is None:
            raise library.TrialPruned
        return value

    study.optimize(objective)


def opentuner(parameters: Mapping[str, list[object]], seed: int) -> None:
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
    for name, values in parameters.items():
        space.add_parameter(library.EnumParameter(name, list(range(len(values)))))
    interface = DefaultMeasurementInterface(args=words, manipulator=space, project_name="p", program_name="p")
    manager = TuningRunManager(interface, words)
    ask({name: values[0] for name, values in parameters.items()})
    while True:
        desired = manager.get_next_desired_result()
        if desired is None:
            continue
        chosen = desired.configuration.data
        value = ask({name: parameters[name][place] for name, place in chosen.items()})
        result = Result(state="ERROR", time=float("inf")) if value is None else Result(time=value)
        manager.report_result(desired, result)


if __name__ == "__main__":
    described = json.loads(sys.stdin.readline())
    {"optuna": optuna, "opentuner": opentuner}[sys.argv[1]](described, int(sys.argv[2]))

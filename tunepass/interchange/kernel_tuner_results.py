"""Results as Kernel Tuner's cache file and as T4, the output format that Kernel Tuner, KTT and BAT share.

Sources: `kernel_tuner/util.py` of Kernel Tuner 1.5 (cache files), `results-schema.json` 1.0.0 of T4. Times are in
milliseconds in both; T4 has one objective, as its users write it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.trial import Trial

ERRORS = {"compile": "CompilationFailedConfig", "memory": "CompilationFailedConfig"}  # else RuntimeFailedConfig
INVALIDITY = {"compile": "compile", "timeout": "timeout", "wrong_result": "correctness", "out_of_bounds": "correctness"}
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def cache_text(
    name: str, device: str, objective: Objective, trials: Sequence[Trial], problem_size: Sequence[int] = (1,)
) -> str:
    """The trials as a cache file, which `tune_kernel(cache=...)` goes on from.

    Args:
        name: of the kernel.
        device: what measured, in words.
        objective: what was measured; the key of each value.
        trials: of one space without conditions.
        problem_size: as `tune_kernel` is given it, which compares it with the file's.

    Raises:
        StudyError: no trials, a parameter that is not active in all, or a permutation.

    Example:
        >>> from tunepass.interchange.kernel_tuner_results import cache_text
        >>> trial = tp.Trial(0, tp.Configuration({"tile": 8}), tp.Measured({"time": 1.5}))
        >>> cache_text("gemm", "host", tp.Objective("time", unit="ms"), [trial]).count("8")
        3
    """
    names = _names(trials)
    entries = {
        ",".join(str(trial.configuration[name]) for name in names): _cache_entry(trial, objective) for trial in trials
    }
    document = {
        "device_name": device,
        "kernel_name": name,
        "problem_size": problem_size[0] if len(problem_size) == 1 else list(problem_size),
        "tune_params_keys": names,
        "tune_params": {n: list(dict.fromkeys(trial.configuration[n] for trial in trials)) for n in names},
        "objective": objective.name,
        "cache": entries,
    }
    return json.dumps(document, indent=0) + "\n"


def _names(trials: Sequence[Trial]) -> list[str]:
    if not trials:
        raise StudyError("the study has no trials yet: there is nothing to write")
    names = list(trials[0].configuration)
    for trial in trials:
        if list(trial.configuration) != names:
            raise StudyError("a file of Kernel Tuner has a value for every parameter, and this space has conditions")
        if order := next((n for n, v in trial.configuration.items() if isinstance(v, tuple)), None):
            raise StudyError(f"{order}: a file of Kernel Tuner has no permutations")
    return names


def _cache_entry(trial: Trial, objective: Objective) -> dict[str, object]:
    times = {f"{kind}_time": value for kind, value in _milliseconds(trial).items()}
    entry: dict[str, object] = {**trial.configuration, **times, "timestamp": ""}
    match trial.outcome:
        case Measured(values):
            entry[objective.name] = values[objective.name]
            entry["times"] = _runtimes(trial, objective)
        case Infeasible():
            entry[objective.name] = entry["__error__"] = "InvalidConfig"
        case Failed(stage):
            entry[objective.name] = entry["__error__"] = ERRORS.get(stage, "RuntimeFailedConfig")
    return entry


def _milliseconds(trial: Trial) -> dict[str, float]:
    """The cost of a trial by Kernel Tuner's kinds."""
    seconds = trial.seconds
    measured = math.fsum(seconds.get(stage, 0.0) for stage in ("probe", "measure", "rerank"))
    return {
        "compile": 1e3 * seconds.get("compile", 0.0),
        "verification": 1e3 * seconds.get("check", 0.0),
        "benchmark": 1e3 * measured,
        "strategy": 0.0,
        "framework": 0.0,
    }


def _runtimes(trial: Trial, objective: Objective) -> list[float]:
    """The samples, else the one value, of a time in milliseconds; none of another objective."""
    factor = MILLISECONDS.get(objective.unit)
    if factor is None or not isinstance(trial.outcome, Measured):
        return []
    return [factor * x for x in (trial.outcome.samples or (trial.outcome.values[objective.name],))]


def t4_text(objective: Objective, trials: Sequence[Trial]) -> str:
    """The trials as T4.

    Args:
        objective: what was measured.
        trials: of one space.

    Raises:
        StudyError: no trials, a parameter that is not active in all, or a permutation.

    Example:
        >>> from tunepass.interchange.kernel_tuner_results import t4_text
        >>> trial = tp.Trial(0, tp.Configuration({"tile": 8}), tp.Measured({"time": 1.5}))
        >>> '"invalidity": "correct"' in t4_text(tp.Objective("time", unit="ms"), [trial])
        True
    """
    _names(trials)
    results = [_t4_result(trial, objective) for trial in trials]
    document = {"schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"}, "results": results}
    return json.dumps(document, indent=1) + "\n"


def _t4_result(trial: Trial, objective: Objective) -> dict[str, object]:
    costs = _milliseconds(trial)
    times: dict[str, object] = {
        "compilation_time": costs["compile"],
        "benchmark": costs["benchmark"],
        "framework": costs["framework"],
        "search_algorithm": costs["strategy"],
        "validation": costs["verification"],
        "runtimes": _runtimes(trial, objective),
    }
    value: float | None = None
    match trial.outcome:
        case Measured(values):
            invalidity, value = "correct", values[objective.name]
        case Infeasible():
            invalidity = "constraints"
        case Failed(stage):
            invalidity = INVALIDITY.get(stage, "runtime")
    measurements = [{"name": objective.name, "value": value, "unit": objective.unit}] if value is not None else []
    return {
        "configuration": _plain(trial.configuration),
        "times": times,
        "invalidity": invalidity,
        "correctness": 1 if value is not None else 0,
        "objectives": [objective.name],
        "measurements": measurements,
    }


def _plain(configuration: Configuration) -> Mapping[str, Value]:
    return dict(configuration)

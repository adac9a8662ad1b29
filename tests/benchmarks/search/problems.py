"""The recorded problems of the search benchmark, as every tuner is given them.

A complete table answers from its rows, and an absent configuration fails; a sample is searched over its rows alone. The
three sampled CATBench tables that the peers were run on are searched over the space they state instead, and answer by
ExtraTrees (100 trees) of the log time, so that our columns stand beside the peers' recorded ones. A number whose values
span a factor of 8 or more is on the log scale, and no defaults or priors are handed over: the peers had none either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome

Floats = NDArray[np.float64]

DEV = (
    "baco_cot/rise_kmeans", "configurable_systems/dune_mgs", "kernel_tuner/conv_bat-2080Ti",
    "kernel_tuner/convolution-A4000", "kernel_tuner/convolution-MI250X", "kernel_tuner/dedispersion-MI250X",
    "kernel_tuner/gemm-Titan", "ktt/convolution-2080Ti", "catbench/spmm_2630", "catbench/spmv_2630",
    "catbench/ttv_2630",
)  # fmt: skip
MODELLED = frozenset({"catbench/spmm_2630", "catbench/spmv_2630", "catbench/ttv_2630"})
FAILURE = Failed("run", "recorded failure")  # the peers were not told why either


@dataclass(frozen=True, slots=True)
class Problem:
    """`outcome` of a configuration of `space`; `losses` of all measured rows; `optimum` is the least of them."""

    name: str
    space: Space
    objective: Objective
    outcome: Callable[[Configuration], Outcome]
    optimum: float
    losses: Floats


@lru_cache(maxsize=8)
def problem(data: Path, name: str, models: Path) -> Problem:
    """The recorded table `name` of the folder `data`; fitted models are kept in the folder `models`.

    `NAME+right` has parameters whose priors favour the best configuration's values, `NAME+wrong` the worst one's.
    """
    table, _, priors = name.partition("+")
    if priors:
        return _believed(problem(data, table, models), read(data / f"{table}.json"), right=priors == "right")
    recorded = read(data / f"{name}.json", stated_space=name in MODELLED)
    objective = recorded.objectives[0]
    space = _as_given(recorded, name)
    rows = read(data / f"{name}.json") if name in MODELLED else recorded  # also those that break a stated constraint
    known = _losses(rows, objective)
    if name in MODELLED:
        model = ExtraTrees.of(space.parameters, list(known), np.log(list(known.values())), models / f"{name}.npz")

        def outcome(configuration: Configuration) -> Outcome:
            return Measured({objective.name: float(np.exp(model.predict(configuration)))})
    else:

        def outcome(configuration: Configuration) -> Outcome:
            found = known.get(configuration)
            return FAILURE if found is None else Measured({objective.name: objective.value(found)})

    losses = np.array(list(known.values()))
    return Problem(name, space, objective, outcome, float(losses.min()), losses)


def _believed(subject: Problem, recorded: RecordedSpace, *, right: bool) -> Problem:
    known = _losses(recorded, subject.objective)
    (favoured,) = subject.space.configurations(
        subject.space.columns([(min if right else max)(known, key=known.__getitem__)])
    )
    parameters = [_with_prior(p, favoured[p.name]) for p in subject.space.parameters]
    space = Space(parameters, [c.text for c in subject.space.constraints])
    return replace(subject, space=space)


def _with_prior(p: Parameter, value: Value) -> Parameter:
    """A Beta whose mode is the value's place, or odds of 4 to 1 against every other category."""
    if isinstance(p, Categorical):
        odds = [4.0 if v == value else 1.0 for v in p.domain]
        return Categorical(p.name, list(p.domain), prior=[odd / sum(odds) for odd in odds])
    assert isinstance(p, Ordinal)
    place = float(p.unit(p.column([value]))[0])
    return Ordinal(p.name, list(p.domain), log=p.log, prior=(1 + 4 * place, 1 + 4 * (1 - place)))


def _losses(recorded: RecordedSpace, objective: Objective) -> dict[Configuration, float]:
    return {
        c: objective.loss(o.values[objective.name]) for c, o in recorded.outcomes.items() if isinstance(o, Measured)
    }


def _as_given(recorded: RecordedSpace, name: str) -> Space:
    parameters = [_parameter(p) for p in recorded.space.parameters]
    if not recorded.complete:
        return Space.from_table(list(recorded.outcomes), parameters)
    texts = [c.text for c in recorded.space.constraints]
    if name in MODELLED:  # the peers' harness hands over positions, and reads `p[0]` as the position of item 0
        orders = "|".join(p.name for p in parameters if isinstance(p, Permutation))
        texts = [re.sub(rf"\b({orders})\[(\d+)\]", r"pos(\1, \2)", text) for text in texts]
    return Space(parameters, texts)


def _parameter(p: Parameter) -> Parameter:
    if isinstance(p, Categorical):
        return Categorical(p.name, list(p.domain))
    if isinstance(p, Permutation):
        return Permutation(p.name, len(p.items))
    assert isinstance(p, (Ordinal, Integer))
    return Ordinal(p.name, sorted(p.domain), log=_is_wide(p.domain))


def _is_wide(values: Sequence[object]) -> bool:
    numbers = [v for v in values if isinstance(v, (int, float))]
    return len(numbers) > 2 and min(numbers) > 0 and max(numbers) / min(numbers) >= 8


@dataclass(frozen=True, slots=True)
class ExtraTrees:
    """100 trees over positions, codes and (log) numbers: scikit-learn fits them, NumPy asks them."""

    parameters: tuple[Parameter, ...]
    nodes: dict[str, NDArray[np.generic]]

    @classmethod
    def of(cls, parameters: Sequence[Parameter], rows: Sequence[Configuration], y: Floats, kept: Path) -> ExtraTrees:
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            partial = kept.with_name(f"{kept.stem}.{np.random.default_rng().integers(1 << 62)}.npz")
            np.savez(partial, **_fitted(np.array([_features(parameters, row) for row in rows]), y))
            partial.replace(kept)
        with np.load(kept, allow_pickle=False) as stored:
            return cls(tuple(parameters), {key: stored[key] for key in stored.files})

    def predict(self, configuration: Configuration) -> float:
        x = np.array(_features(self.parameters, configuration), dtype=np.float32)
        left, right, at = self.nodes["left"], self.nodes["right"], self.nodes["root"]
        while (inner := left[at] >= 0).any():
            below = x[np.maximum(self.nodes["feature"][at], 0)] <= self.nodes["threshold"][at]
            at = np.where(inner, np.where(below, left[at], right[at]), at)
        return float(self.nodes["value"][at].mean())


def _features(parameters: Sequence[Parameter], row: Configuration) -> list[float]:
    found: list[float] = []
    for p in parameters:
        value = row[p.name]
        if isinstance(p, Permutation):
            assert isinstance(value, tuple)
            found += [float(value.index(item)) for item in p.items]
        elif isinstance(p, Categorical):
            found.append(float(list(p.domain).index(value)))
        else:
            assert isinstance(value, (int, float)) and isinstance(p, (Ordinal, Integer))
            found.append(float(np.log2(value)) if p.log else float(value))
    return found


def _fitted(x: Floats, y: Floats) -> dict[str, NDArray[np.generic]]:
    from sklearn.ensemble import ExtraTreesRegressor

    fitted = ExtraTreesRegressor(100, min_samples_leaf=1, random_state=0, n_jobs=1).fit(x, y)
    trees = [estimator.tree_ for estimator in fitted.estimators_]
    offsets = np.cumsum([0] + [tree.node_count for tree in trees])
    return {
        "root": offsets[:-1],
        "left": np.concatenate([t.children_left + o * (t.children_left >= 0) for t, o in zip(trees, offsets)]),
        "right": np.concatenate([t.children_right + o * (t.children_right >= 0) for t, o in zip(trees, offsets)]),
        "feature": np.concatenate([t.feature for t in trees]),
        "threshold": np.concatenate([t.threshold for t in trees]),
        "value": np.concatenate([t.value.ravel() for t in trees]),
    }


def core(data: Path) -> list[str]:
    """The main set of the developers' tables."""
    stated = json.loads((data / "SPLIT.json").read_text(encoding="utf-8"))
    return [str(name) for name in stated["core_developers"]]


def pairs(data: Path) -> list[tuple[str, str]]:
    """(source, target) of all developers' tables of one kernel on two devices: `suite/kernel-device`, or `_device`."""
    stated = json.loads((data / "SPLIT.json").read_text(encoding="utf-8"))
    kernels: dict[tuple[str, str], list[str]] = {}
    for name in stated["developers"]:
        suite, _, table = str(name).partition("/")
        mark = {"kernel_tuner": "-", "ktt": "-", "catbench": "_"}.get(suite)
        if mark is not None:
            kernels.setdefault((suite, table.rpartition(mark)[0]), []).append(name)
    return [(a, b) for same in kernels.values() for a in same for b in same if a != b]

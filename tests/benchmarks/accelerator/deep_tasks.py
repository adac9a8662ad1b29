"""The tasks of bench_deep.py: what is fitted or searched, with which seeds, and how a stopped run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.benchmarks.accelerator import picture
from tests.benchmarks.accelerator.auto_search import auto_volumes
from tests.benchmarks.accelerator.deep_models import (
    BATCH,
    MODELS,
    TableSearch,
    joint_predictor,
    log_density,
    paper_settings,
    predictor,
)
from tests.benchmarks.accelerator.designs import REFERENCE, DesignTable
from tests.benchmarks.accelerator.orders import ORDER_MODELS, PROBLEMS, TRAINED, order_predictions
from tunepass.space.features.embedding import Embedding
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_energy import DeepEnergy
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.joint_deep_gp import JointDeepProcess
from tunepass.surrogates.sparse_gp import deviation

LEAST_TESTS = 150  # designs of the fifth that no training has
RECORDED_TESTS = 50  # the same of other recorded spaces, which are smaller
STEP_MODELS = (*(name for name in MODELS if name != "joint_deep"), "sampled_deep")
EPOCHS = (2, 10, 50, 100, 200, 500, 1000, 2000)
REFERENCES = {
    "low in both": REFERENCE,
    "high in error": (100.0, REFERENCE[1]),
    "high in power": (REFERENCE[0], 150.0),
    "the largest of each + 1": (0.0, 0.0),  # of the table
}
REFERENCE_MODEL, REFERENCE_LENGTH, REFERENCE_STARTS = "gp matern, MAP", 40, 12
Result = dict[str, float | list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much is run. A search begins with `start` random designs."""

    sizes: tuple[int, ...]
    splits: int
    steps: int  # seeds of the step function and of orders
    iterations: int
    starts: int
    start: int = 30


QUICK = Extent(sizes=(20, 50, 100, 200, 300), splits=4, steps=10, iterations=40, starts=5)
WHOLE = Extent(sizes=(20, 50, 100, 200, 300), splits=100, steps=50, iterations=200, starts=50)
RECORDED = Extent(sizes=(10, 20, 50, 100, 200, 300), splits=20, steps=0, iterations=40, starts=20, start=10)


@dataclass(frozen=True, slots=True)
class Study:
    """What tasks are run on; of another recorded space with its `name`."""

    table: DesignTable
    name: str = ""

    def section(self, name: str) -> str:
        return f"{name}@{self.name}" if self.name else name

    def fitting(self, extent: Extent) -> Extent:
        """The extent with the training sizes that leave enough of the fifth to predict."""
        fifth = len(self.table.losses) // 5
        most = min(fifth // 2, fifth - RECORDED_TESTS) if self.name else fifth - LEAST_TESTS
        return replace(extent, sizes=tuple(size for size in extent.sizes if size <= most))

    def near_optimal(self) -> tuple[Floats, Floats]:
        """Rows and log10 losses of the first fronts, together a fifth of the table."""
        losses, chosen = self.table.losses, np.zeros(0, np.int64)
        left = np.arange(len(losses))
        while len(chosen) < len(losses) // 5:
            front = left[nondominated(losses[left])]
            chosen, left = np.concatenate([chosen, front]), np.setdiff1d(left, front)
        chosen = chosen[: len(losses) // 5]
        space = self.table.space
        rows = Embedding(space.parameters).rows(space.columns([self.table.configurations[i] for i in chosen]))
        return rows, np.log10(losses[chosen])

    def density(self, model: str, size: int, split: int) -> Result:
        x, y = self.near_optimal()
        order = np.random.default_rng([split, size]).permutation(len(x))
        train, test = order[:size], order[size:]
        mean, variance = predictor(model, x[train], y[train])(x[test])
        rmse = np.sqrt(((mean - y[test]) ** 2).mean(axis=0))
        return {"density": log_density(mean, variance, y[test]).tolist(), "rmse": rmse.tolist()}

    def step(self, model: str, seed: int) -> Result:
        (x, y), (new, loss) = picture.step(50, seed), picture.step(200, seed + 1000)
        mean, variance = predictor(model, x, y[:, None])(new)
        return {"density": float(log_density(mean, variance, loss[:, None])[0])}

    def search(self, model: str, start: int, iterations: int, seed: int) -> Result:
        search = TableSearch(self.table, start, iterations)
        tried = search.run(model, seed)
        error, power = search.front(tried).T.tolist()
        return {"volume": search.volumes(tried), "error": error, "power": power}

    def auto(self, start: int, iterations: int, seed: int) -> Result:
        return {"volume": auto_volumes(self.table, start, iterations, seed).tolist()}

    def epochs(self, epochs: int, split: int) -> Result:
        """A joint deep process of 300 designs that is trained for so long."""
        x, y = self.near_optimal()
        order = np.random.default_rng([split, 300]).permutation(len(x))
        train, test = order[:300], order[300:]
        process = JointDeepProcess(DeepSettings(batch=BATCH, steps=epochs * -(-len(train) // BATCH)))
        process.fit_joint(x[train], y[train])
        scaled = (y[train] - y[train].mean(axis=0)) / np.array([deviation(loss) for loss in y[train].T])
        energy = DeepEnergy(x[train], scaled, power=process.settings.power)(process.layers)[0]
        both = [log_density(*joint_predictor(process)(x[rows]), y[rows]).mean() for rows in (train, test)]
        return {"energy": float(energy), "train": float(both[0]), "test": float(both[1])}

    def reference(self, name: str, seed: int) -> Result:
        """The front that a search below another reference point finds: how many designs, and its ends."""
        point = REFERENCES[name] if any(REFERENCES[name]) else tuple((self.table.losses.max(axis=0) + 1).tolist())
        search = TableSearch(replace(self.table, reference=point), 30, REFERENCE_LENGTH)
        front = search.front(search.run(REFERENCE_MODEL, seed))
        inside = front[(front < REFERENCE).all(axis=1)]
        volume = TableSearch(self.table, 0, 0).volume_of(front)
        return {"least": front.min(axis=0).tolist(), "inside": float(len(inside)), "volume": volume}


def timed_training() -> Result:
    """CPU seconds of a training of 300 rows as the paper's, and of a refit to 301 from it."""
    rng = np.random.default_rng(0)
    x = rng.random((301, 8))
    wave, cliff = np.sin(3 * x[:, 0]) + x[:, 1], 1.0 * (x[:, 2] + 0.5 * x[:, 3] > 0.8)
    losses = np.column_stack([wave + 2 * cliff, wave * x[:, 4] + cliff]) + 0.02 * rng.normal(size=(301, 2))
    process, seconds = JointDeepProcess(paper_settings(300)), []
    start = time.process_time()
    process.fit_joint(x[:300], losses[:300])
    seconds.append(time.process_time() - start)
    warm, start = JointDeepProcess(DeepSettings()), time.process_time()
    warm.refit(x, losses, process.layers)
    seconds.append(time.process_time() - start)
    return {"training": seconds[0], "refit": seconds[1]}


Task = tuple[str, Callable[[], Result]]


def tasks(study: Study, extent: Extent, only: Sequence[str]) -> Iterator[Task]:
    """Keys `section/model/size/number` and what gives their results, the number in the outer loop."""
    if "time" in only and not study.name:
        yield "time/joint_deep/300/0", timed_training
    for number in range(max(extent.steps, extent.splits, extent.starts)):
        yield from _models(study, extent, only, number)
        if not study.name:
            yield from _others(study, extent, only, number)


def _models(study: Study, extent: Extent, only: Sequence[str], number: int) -> Iterator[Task]:
    """What is asked of the accelerator's table and of other recorded spaces."""
    density, search = study.section("density"), study.section("search")
    for size in extent.sizes:
        for model in MODELS:
            splits = extent.splits if size < 200 or "deep" not in model else min(20, extent.splits)
            if "density" in only and number < splits:
                yield (
                    f"{density}/{model}/{size}/{number}",
                    lambda m=model, s=size: study.density(m, s, number),  # type: ignore[misc]
                )
    for model in ("random", *MODELS):
        if "search" in only and number < extent.starts:
            yield (
                f"{search}/{model}/{extent.iterations}/{number}",
                lambda m=model: study.search(m, extent.start, extent.iterations, number),  # type: ignore[misc]
            )


def _others(study: Study, extent: Extent, only: Sequence[str], number: int) -> Iterator[Task]:
    for model in STEP_MODELS:
        if "step" in only and number < extent.steps:
            yield f"step/{model}/50/{number}", lambda m=model: study.step(m, number)  # type: ignore[misc]
    for problem in PROBLEMS if "orders" in only and number < extent.steps else ():
        for model in ORDER_MODELS:
            key = f"orders@{problem}/{model}/{TRAINED}/{number}"
            yield key, lambda p=problem, m=model: order_predictions(p, m, number)  # type: ignore[misc]
    if "auto" in only and number < extent.starts:
        length = extent.iterations // 2
        yield f"auto/auto/{length}/{number}", lambda: study.auto(extent.start, length, number)
    for epochs in EPOCHS if "epochs" in only and number < min(3, extent.splits) else ():
        yield f"epochs/joint_deep/{epochs}/{number}", lambda e=epochs: study.epochs(e, number)  # type: ignore[misc]
    for name in REFERENCES if "reference" in only and number < min(REFERENCE_STARTS, extent.starts) else ():
        key = f"reference/{name}/{REFERENCE_LENGTH}/{number}"
        yield key, lambda n=name: study.reference(n, number)  # type: ignore[misc]


def kept(path: Path) -> dict[str, Result]:
    """Results of tasks that ran before."""
    if not path.exists():
        return {}
    return {line["task"]: line["result"] for line in map(json.loads, path.read_text().splitlines())}


def run(study: Study, extent: Extent, only: Sequence[str], path: Path) -> dict[str, Result]:
    """All results, those of `path` and what was lacking."""
    results = kept(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        for task, compute in tasks(study, extent, only):
            if task in results:
                continue
            start = time.process_time()
            results[task] = {**compute(), "seconds": time.process_time() - start}
            file.write(json.dumps({"task": task, "result": results[task]}) + "\n")
            file.flush()
    return results

"""Sparse, deep and joint deep processes on designs of the accelerator: identities, time, predictions and searches.

    python -m tests.benchmarks.bench_deep [--quick] [--results FILE] [--table FILE] [--rows N] [--only NAME,...]
        [--picture FILE] [--fronts FILE] [--geepee FOLDER] [--approxep FOLDER] [--python PYTHON]

`make bench-deep` runs it. Each task's result is a line of FILE (JSON; out/bench_deep.jsonl), and a task whose line is
there is not run again: a stopped run goes on where it stopped. The tables print mean ± standard error over the tasks.

identities   differences that are 0 but for rounding, or small
references   energies and predictions beside those of geepee and deepGP_approxEP, on their examples: --geepee FOLDER,
             --approxep FOLDER and --python PYTHON, which imports their code (checkouts are for Python 2)
time         CPU seconds of a training of two outputs and 300 rows with 30 inducing inputs, 2,000 epochs in batches
             of 50, and of a refit to one row more
step         log density of 200 noisy points of a step function, given 50
density      log density and RMSE, of log10 of error and power, of designs that a model has not seen, on the
             near-optimal fifth of the table (its first fronts), for some training sizes and random splits
search       hypervolume (error 10 %, power 15 mW as reference) of 30 random designs and some that SMSego chooses
auto         the same of these 30 and half as many that `auto` chooses of the space itself, each trained anew;
             `search` chooses among recorded designs
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.benchmarks.accelerator import fronts_picture, identities, picture, references
from tests.benchmarks.accelerator.auto_search import auto_volumes
from tests.benchmarks.accelerator.deep_models import MODELS, TableSearch, log_density, paper_settings, predictor
from tests.benchmarks.accelerator.designs import TABLE, DesignTable, accelerator
from tunepass.space.features.embedding import Embedding
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_training import DeepSettings
from tunepass.surrogates.joint_deep_gp import JointDeepProcess

LEAST_TESTS = 150  # designs of the fifth that no training has
TABLED = {"time", "step", "density", "search", "auto"}  # sections with tasks
Result = dict[str, float | list[float]]
STEP_MODELS = tuple(name for name in MODELS if name != "joint_deep")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much is run."""

    sizes: tuple[int, ...]
    splits: int
    steps: int  # seeds of the step function
    iterations: int
    starts: int


QUICK = Extent(sizes=(20, 50, 100, 200, 300), splits=4, steps=10, iterations=40, starts=5)
WHOLE = Extent(sizes=(20, 50, 100, 200, 300), splits=100, steps=50, iterations=200, starts=50)


@dataclass(frozen=True, slots=True)
class Study:
    """What tasks are run on."""

    table: DesignTable

    def near_optimal(self) -> tuple[Floats, Floats]:
        """Rows and log10 losses of the first fronts, together a fifth of the table."""
        losses, chosen = self.table.losses, np.zeros(0, np.int64)
        left = np.arange(len(losses))
        while len(chosen) < len(losses) // 5:
            front = left[nondominated(losses[left])]
            chosen, left = np.concatenate([chosen, front]), np.setdiff1d(left, front)
        chosen = chosen[: len(losses) // 5]
        space = accelerator()[0]
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

    def search(self, model: str, iterations: int, seed: int) -> Result:
        search = TableSearch(self.table, 30, iterations)
        tried = search.run(model, seed)
        error, power = search.front(tried).T.tolist()
        return {"volume": search.volumes(tried), "error": error, "power": power}

    def auto(self, iterations: int, seed: int) -> Result:
        return {"volume": auto_volumes(self.table, 30, iterations, seed).tolist()}


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


def tasks(study: Study, extent: Extent, only: Sequence[str]) -> Iterator[tuple[str, Callable[[], Result]]]:
    """Keys `section/model/size/number` and what gives their results, the number in the outer loop."""
    if "time" in only:
        yield "time/joint_deep/300/0", timed_training
    for number in range(max(extent.steps, extent.splits, extent.starts)):
        for model in STEP_MODELS:
            if "step" in only and number < extent.steps:
                yield f"step/{model}/50/{number}", lambda m=model, n=number: study.step(m, n)  # type: ignore[misc]
        for size in extent.sizes:
            for model in MODELS:
                splits = extent.splits if size < 200 or "deep" not in model else min(20, extent.splits)
                if "density" in only and number < splits:
                    yield (
                        f"density/{model}/{size}/{number}",
                        lambda m=model, s=size, n=number: study.density(m, s, n),  # type: ignore[misc]
                    )
        for model in ("random", *MODELS):
            if "search" in only and number < extent.starts:
                yield (
                    f"search/{model}/{extent.iterations}/{number}",
                    lambda m=model, n=number: study.search(m, extent.iterations, n),  # type: ignore[misc]
                )
        if "auto" in only and number < extent.starts:
            length = extent.iterations // 2
            yield f"auto/auto/{length}/{number}", lambda i=length, n=number: study.auto(i, n)  # type: ignore[misc]


def run(study: Study, extent: Extent, only: Sequence[str], path: Path) -> dict[str, Result]:
    """All results, those of `path` and what was lacking."""
    results: dict[str, Result] = {}
    if path.exists():
        results = {line["task"]: line["result"] for line in map(json.loads, path.read_text().splitlines())}
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


def mean_and_error(values: Sequence[float]) -> str:
    array = np.array(values)
    error = array.std(ddof=1) / np.sqrt(len(array)) if len(array) > 1 else float("nan")
    return f"{array.mean():.3f} ± {error:.3f}"


def values_of(results: Mapping[str, Result], section: str, model: str, size: int, name: str) -> list[list[float]]:
    """Of each task, in the order of their numbers."""
    prefix = f"{section}/{model}/{size}/"
    chosen = sorted((int(key.removeprefix(prefix)), key) for key in results if key.startswith(prefix))
    return [np.atleast_1d(np.array(results[key][name])).tolist() for _, key in chosen]


def print_tables(results: Mapping[str, Result], extent: Extent, only: Sequence[str]) -> None:
    if "time" in only:
        ((training,), (refit,)) = (values_of(results, "time", "joint_deep", 300, n)[0] for n in ("training", "refit"))
        print(f"\ntime: training {training:.1f} s, warm refit {refit:.2f} s (CPU)")
    if "step" in only:
        print("\n| step function | log density |\n|---|---|")
        for model in STEP_MODELS:
            print(f"| {model} | {mean_and_error([v[0] for v in values_of(results, 'step', model, 50, 'density')])} |")
    for name in ("density", "rmse") if "density" in only else ():
        for output, what in enumerate(("error", "power")):
            print(f"\n| {name}, {what} | {' | '.join(map(str, extent.sizes))} |\n|---|{'---|' * len(extent.sizes)}")
            for model in MODELS:
                sets = [values_of(results, "density", model, size, name) for size in extent.sizes]
                print(f"| {model} | {' | '.join(mean_and_error([v[output] for v in values]) for values in sets)} |")
    searches = [("search", model, extent.iterations) for model in ("random", *MODELS)] if "search" in only else []
    searches += [("auto", "auto", extent.iterations // 2)] if "auto" in only else []
    marks = [0, *(m for m in (10, 20, 40, 100, 200) if m <= extent.iterations)]
    if searches:
        print(f"\n| hypervolume after 30 random and | {' | '.join(map(str, marks))} |\n|---|{'---|' * len(marks)}")
    for section, model, length in searches:
        volumes = values_of(results, section, model, length, "volume")
        shown = [mean_and_error([v[mark] for v in volumes]) if mark <= length else "" for mark in marks]
        print(f"| {model} | {' | '.join(shown)} |")


def fronts_drawn(results: Mapping[str, Result], extent: Extent, table: DesignTable) -> str:
    """The picture of the searches: fronts of the first start, and mean hypervolumes."""
    searches = {}
    for model in fronts_picture.LABELS:
        sets = [values_of(results, "search", model, extent.iterations, name) for name in ("error", "power", "volume")]
        front = np.column_stack([np.array(values[0]) for values in sets[:2]])
        searches[model] = fronts_picture.Searches(front, np.array(sets[2]))
    whole = TableSearch(table, 0, 0).front(list(range(len(table.losses))))
    return fronts_picture.drawn(searches, whole)


def print_hours(results: Mapping[str, Result], extent: Extent, study: Study, only: Sequence[str]) -> None:
    """What ran, and what the whole would take if seconds grow with the rows, and a search's with the squared length."""
    spent = {key: float(np.array(result["seconds"])) for key, result in results.items() if "seconds" in result}
    wanted = [task for task, _ in tasks(study, extent, only)]
    print(f"\nCPU seconds of these {len(wanted)} tasks: {sum(spent.get(task, 0.0) for task in wanted):.0f}")
    total = 0.0
    for task, _ in tasks(study, WHOLE, only):
        section, model, size, _number = task.split("/")
        like = [key for key in spent if key.startswith(f"{section}/{model}/")]
        if like:
            nearest = max(int(key.split("/")[2]) for key in like if int(key.split("/")[2]) <= int(size))
            seconds = np.mean([spent[key] for key in like if int(key.split("/")[2]) == nearest])
            power = 2 if section in ("search", "auto") or model.startswith("gp") else 1
            total += float(seconds) * (int(size) / nearest) ** power
    print(f"The whole (without --quick): about {total / 3600:.0f} hours of one core")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer sizes, splits and iterations: some minutes")
    parser.add_argument("--results", type=Path, default=Path("out/bench_deep.jsonl"))
    parser.add_argument("--table", type=Path, default=TABLE, help="recorded designs (designs.py)")
    parser.add_argument("--rows", type=int, help="only the first designs of the table")
    parser.add_argument("--only", default="identities,references,time,step,density,search,auto")
    parser.add_argument("--picture", type=Path, help="where a picture of a step function's layers goes")
    parser.add_argument("--fronts", type=Path, help="where a picture of the searches' fronts goes")
    parser.add_argument("--geepee", type=Path, help="a checkout of geepee, for `references`")
    parser.add_argument("--approxep", type=Path, help="a checkout of deepGP_approxEP, for `references`")
    parser.add_argument("--python", default=sys.executable, help="a Python that imports both")
    options = parser.parse_args()
    only, extent = options.only.split(","), QUICK if options.quick else WHOLE
    if options.picture:
        options.picture.write_text(picture.drawn())
    if "identities" in only:
        identities.print_all()
    if "references" in only:
        references.print_all({"geepee": options.geepee, "approxep": options.approxep}, options.python)
    if not set(only) & TABLED:
        return
    study = Study(DesignTable.read(options.table).first(options.rows))
    fifth = len(study.table.losses) // 5
    print(f"\n{len(study.table.losses)} recorded designs; the near-optimal fifth has {fifth}")
    extent = replace(extent, sizes=tuple(size for size in extent.sizes if size <= fifth - LEAST_TESTS))
    results = run(study, extent, only, options.results)
    print_tables(results, extent, only)
    if options.fronts and "search" in only:
        options.fronts.write_text(fronts_drawn(results, extent, study.table))
    print_hours(results, extent, study, only)


if __name__ == "__main__":
    main()

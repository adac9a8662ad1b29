"""The tables that bench_deep.py prints: means ± standard errors over tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb

import numpy as np

from tests.benchmarks.accelerator import fronts_picture
from tests.benchmarks.accelerator.deep_models import MODELS, TableSearch
from tests.benchmarks.accelerator.deep_tasks import (
    EPOCHS,
    REFERENCE_LENGTH,
    REFERENCES,
    STEP_MODELS,
    WHOLE,
    Extent,
    Result,
    Study,
    tasks,
)
from tests.benchmarks.accelerator.designs import DesignTable
from tests.benchmarks.accelerator.orders import ORDER_MODELS, PROBLEMS, TRAINED

MARKS = (0, 10, 20, 40, 50, 100, 200)
PAIR_MARKS = (20, 50, 100, 200)
Results = Mapping[str, Result]
LARGE = 1e4  # from which on numbers have four digits


def mean_and_error(values: Sequence[float]) -> str:
    array = np.array(values)
    error = array.std(ddof=1) / np.sqrt(len(array)) if len(array) > 1 else float("nan")
    form = ".3f" if abs(array.mean()) < LARGE else ".4g"
    return f"{array.mean():{form}} ± {error:{form}}"


def values_of(results: Results, section: str, model: str, size: int, name: str) -> list[list[float]]:
    """Of each task, in the order of their numbers."""
    prefix = f"{section}/{model}/{size}/"
    chosen = sorted((int(key.removeprefix(prefix)), key) for key in results if key.startswith(prefix))
    return [np.atleast_1d(np.array(results[key][name])).tolist() for _, key in chosen]


def print_table(title: str, marks: Iterable[object], rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    heads = [str(mark) for mark in marks]
    print(f"\n| {title} | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for name, cells in rows:
        print(f"| {name} | {' | '.join(cells)} |")


def print_tables(results: Results, study: Study, extent: Extent, only: Sequence[str]) -> None:
    if not study.name:
        _print_others(results, only)
    if "density" in only and extent.sizes:
        _print_predictions(results, study, extent)
    if "search" in only or "auto" in only:
        _print_searches(results, study, extent, only)
    if "search" in only:
        _print_pairs(results, study, extent)


def _print_others(results: Results, only: Sequence[str]) -> None:
    if "time" in only:
        ((training,), (refit,)) = (values_of(results, "time", "joint_deep", 300, n)[0] for n in ("training", "refit"))
        print(f"\ntime: training {training:.1f} s, warm refit {refit:.2f} s (CPU)")
    if "step" in only:
        rows = [
            (m, [mean_and_error([v[0] for v in values_of(results, "step", m, 50, "density")])]) for m in STEP_MODELS
        ]
        print_table("step function", ["log density"], rows)
    if "orders" in only:
        columns = [(problem, name) for problem in PROBLEMS for name in ("density", "rmse")]
        rows = []
        for m in ORDER_MODELS:
            sets = [values_of(results, f"orders@{problem}", m, TRAINED, name) for problem, name in columns]
            rows.append((m, [mean_and_error([v[0] for v in values]) for values in sets]))
        names = {"density": "log density", "rmse": "RMSE"}
        print_table("orders", [f"{problem}, {names[name]}" for problem, name in columns], rows)
    if "epochs" in only:
        names = {"energy": "energy", "train": "log density, trained on", "test": "log density, predicted"}
        sets = {n: [values_of(results, "epochs", "joint_deep", e, n) for e in EPOCHS] for n in names}
        rows = [(names[n], [mean_and_error([v[0] for v in values]) for values in sets[n]]) for n in names]
        print_table("joint_deep, 300 designs, after epochs", EPOCHS, rows)
    if "reference" in only:
        rows = []
        for name in REFERENCES:
            least, inside, volume = (
                values_of(results, "reference", name, REFERENCE_LENGTH, n) for n in ("least", "inside", "volume")
            )
            ends = [mean_and_error([v[k] for v in least]) for k in range(2)]
            rows.append((name, [*ends, *(mean_and_error([v[0] for v in values]) for values in (inside, volume))]))
        heads = [
            "least error, %",
            "least power, mW",
            "designs of the front below (10, 15)",
            "hypervolume below (10, 15)",
        ]
        print_table("reference point", heads, rows)


def _print_predictions(results: Results, study: Study, extent: Extent) -> None:
    section = study.section("density")
    for name in ("density", "rmse"):
        for output, what in enumerate(("first loss", "second loss") if study.name else ("error", "power")):
            rows = []
            for model in MODELS:
                sets = [values_of(results, section, model, size, name) for size in extent.sizes]
                rows.append((model, [mean_and_error([v[output] for v in values]) for values in sets]))
            print_table(f"{study.section(name)}, {what}", extent.sizes, rows)
    rows = []
    for model in MODELS:
        spent = [values_of(results, section, model, size, "seconds") for size in extent.sizes]
        rows.append((model, [f"{np.mean(values):.2f}" for values in spent]))
    print_table(f"{study.section('CPU seconds')} of two trainings and their predictions", extent.sizes, rows)


def _print_searches(results: Results, study: Study, extent: Extent, only: Sequence[str]) -> None:
    section = study.section("search")
    searches = [(section, model, extent.iterations) for model in ("random", *MODELS)] if "search" in only else []
    searches += [("auto", "auto", extent.iterations // 2)] if "auto" in only and not study.name else []
    marks, rows = [mark for mark in MARKS if mark <= extent.iterations], []
    for name, model, length in searches:
        volumes = values_of(results, name, model, length, "volume")[: extent.starts]
        shown = [mean_and_error([v[mark] for v in volumes]) if mark <= length else "" for mark in marks]
        rows.append((model, shown))
    print_table(f"{study.section('hypervolume')} after {extent.start} random and", marks, rows)


def _print_pairs(results: Results, study: Study, extent: Extent) -> None:
    """Havasi 2017, Table 4.3: in how many shared starts the first model is ahead, and the second; p is the chance that
    of so many fair coins no more fall for the first."""
    volumes = {
        m: values_of(results, study.section("search"), m, extent.iterations, "volume") for m in ("random", *MODELS)
    }
    marks, rows = [mark for mark in PAIR_MARKS if mark <= extent.iterations], []
    for one, other in combinations(volumes, 2):
        cells = []
        for mark in marks:
            pairs = [(a[mark], b[mark]) for a, b in zip(volumes[one], volumes[other])]
            first, second = sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)
            cells.append(f"{first} : {second}, {sign_p(first, second):.3f}")
        rows.append((f"{one} : {other}", cells))
    print_table(f"{study.section('ahead')} of {len(volumes['random'])} starts, and p, after", marks, rows)


def sign_p(first: int, second: int) -> float:
    """P(K <= `first`) of K ~ Binomial(first + second, 1/2)."""
    return float(sum(comb(first + second, k) for k in range(first + 1)) / 2 ** (first + second))


def fronts_drawn(results: Results, extent: Extent, table: DesignTable) -> str:
    """The picture of the searches: fronts of the first start, and mean hypervolumes."""
    searches = {}
    for model in fronts_picture.LABELS:
        sets = [values_of(results, "search", model, extent.iterations, name) for name in ("error", "power", "volume")]
        front = np.column_stack([np.array(values[0]) for values in sets[:2]])
        searches[model] = fronts_picture.Searches(front, np.array(sets[2]))
    whole = TableSearch(table, 0, 0).front(list(range(len(table.losses))))
    return fronts_picture.drawn(searches, whole)


def print_hours(results: Results, extent: Extent, study: Study, only: Sequence[str]) -> None:
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
    print(f"The whole (without --quick): about {total / 3600:.1f} hours of one core")

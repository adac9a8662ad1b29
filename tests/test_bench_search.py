"""The search benchmark on tables made up here: every table it prints, and what it says when data is missing."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.bench_search import put
from tests.benchmarks.search import (
    fronts,
    panel_batches,
    panel_fidelity,
    panel_noise,
    panel_objectives,
    panel_reals,
    panel_siblings,
    pictures,
    runs,
    single,
    tables,
    transfer,
    variants,
)
from tests.benchmarks.search.problems import pairs, problem
from tests.benchmarks.search.runs import Job, Places, Run
from tunepass.study.outcome import Failed, Measured

NAMES = ("kernel_tuner/toy-A", "kernel_tuner/toy-B")


def write_table(folder: Path, name: str, shift: int) -> None:
    """40 configurations, of which the ones with x * y > 96 fail; the best is 2.0 at x = 16 - shift."""
    xs, ys = [1, 2, 4, 8, 16, 32, 64, 128], [1, 2, 3, 4, 5]
    rows = []
    for x in xs:
        for y in ys:
            fails = x * y > 96
            time = 2.0 + abs(x - 16 - shift) / 4 + (y - 3) ** 2
            rows.append([x, y, "" if fails else time, "" if fails else 50 + x - 3 * y, 0 if fails else 1])
    description = {
        "schema": "tunepass-recorded-space/1", "name": name, "coverage": "complete", "n_rows": len(rows),
        "parameters": [{"name": "x", "kind": "ordinal", "domain": xs}, {"name": "y", "kind": "int", "domain": ys}],
        "objectives": [{"name": n, "direction": "min", "unit": "ms"} for n in ("time", "power")],
    }  # fmt: skip
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(description))
    with gzip.open(path.with_suffix(".csv.gz"), "wt", newline="") as file:
        csv.writer(file).writerows([["x", "y", "time", "power", "valid"], *rows])


@pytest.fixture
def bench(tmp_path: Path) -> single.Bench:
    for shift, name in enumerate(NAMES):
        write_table(tmp_path / "data", name, shift)
    (tmp_path / "data" / "SPLIT.json").write_text(json.dumps({"developers": NAMES, "core_developers": NAMES}))
    recorded = {"seed": 0, "evaluations": 60, "failed": 6, "median_seconds_per_suggestion": 1.0}
    peers = {"baco": [{**recorded, "best": [None, *[8.0] * 29, *[4.0] * 30]}]}
    (tmp_path / "results").mkdir()
    for name in NAMES:
        (tmp_path / "results" / f"rec.{name.replace('/', '.')}.json").write_text(json.dumps({"peers": peers}))
    return single.Bench(Places(tmp_path / "data", tmp_path / "kept"), tmp_path, 2, 1, 24, 1, lambda _: None)


def test_a_problem_answers_from_its_table(bench: single.Bench) -> None:
    toy = problem(bench.places.data, NAMES[0], bench.places.kept)
    assert toy.space.size == 40 and toy.optimum == 2.0
    x, y = toy.space.parameters
    assert x.log and not y.log  # type: ignore[union-attr]
    best, failed = (next(c for c in toy.space.enumerate() if (c["x"], c["y"]) == at) for at in ((16, 3), (64, 4)))
    assert toy.outcome(best) == Measured({"time": 2.0})
    assert isinstance(toy.outcome(failed), Failed)


def test_runs_are_kept_by_code_and_settings(bench: single.Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [Job(NAMES[0], "random", seed, 12) for seed in range(2)]
    first = runs.run(bench.places, jobs, 1, bench.told)
    with monkeypatch.context() as patched:
        patched.setattr(runs, "search", lambda *_: pytest.fail("the runs are kept"))
        assert runs.run(bench.places, jobs, 1, bench.told) == first
    monkeypatch.setattr(runs, "code_version", lambda: "other code")
    assert runs.run(bench.places, jobs, 1, bench.told).keys() == first.keys()
    assert len(list((bench.places.kept / "runs").rglob("*.json"))) == 4


def test_evaluations_beside_the_peer_s(bench: single.Bench) -> None:
    text = single.evaluations(bench, NAMES, ["random", "density_ratio"])
    assert "| **random** | 2 |" in text and "| **density_ratio** | 1 |" in text and "| baco | 1 |" in text
    assert text.count("kernel_tuner/toy-") == 2 and "to match its mean over problems" in text


def test_failures_and_ablations(bench: single.Bench) -> None:
    assert "kernel_tuner/toy-A" in single.failures(bench, NAMES, ["random", "hypermapper"])
    label = "baco: no local search"
    assert f"| {label} |" in single.ablations(bench, NAMES[:1], [label])


@pytest.mark.parametrize("label", sorted(variants.ABLATIONS))
def test_every_ablation_is_one_switch_of_the_settings(label: str) -> None:
    base = variants.BASE if label.startswith("auto") else variants.OWN
    turned = variants.ABLATIONS[label]
    different = [f.name for f in fields(base) if getattr(base, f.name) != getattr(turned, f.name)]
    one_prior = {"gp", "lengthscales"}  # for all, in place of those by role
    assert len(different) == 1 or set(different) == one_prior


def test_fronts_and_transfer(bench: single.Bench) -> None:
    assert "| kernel_tuner/toy-A | random |" in fronts.fronts(bench.places, NAMES[:1], ["random"], (5, 10), 2)
    assert pairs(bench.places.data) == [NAMES, NAMES[::-1]]
    text = transfer.table(bench.places, pairs(bench.places.data)[:1], 1, bench.told)
    assert "Inverted, at 40" in text and "1 pairs" in text


def test_noise_and_siblings(bench: single.Bench) -> None:
    text = panel_noise.table(bench.places, NAMES[:1], [0])
    assert "| 15% | recommended, measures again |" in text and "kernel_tuner/toy-A" in text
    text = panel_siblings.table(bench.places, NAMES[:1], [0, 1])
    assert "| all, one inverted |" in text and "kernel_tuner/toy-A" in text


def test_cheap_levels(bench: single.Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(panel_fidelity.NEAR, NAMES[1], NAMES[0])
    text = panel_fidelity.table(bench.places, NAMES[1:], [0])
    assert f"| {NAMES[1]} | cheap | " in text and f"| {NAMES[1]} | misleading | " in text
    none, cheap = (panel_fidelity.kept(bench.places, NAMES[1], kind, 0) for kind in ("none", "cheap"))
    assert len(none) == len(cheap) == 3 and none[-1] <= none[0]


def test_batches(bench: single.Bench) -> None:
    text = panel_batches.table(bench.places, NAMES[:1], [0, 1])
    assert text.startswith("| at once | at 16 | at 32 | at 48 |") and "\n| 16 | " in text
    one, all_at_once = (panel_batches.kept(bench.places, NAMES[0], size, 0) for size in (1, 16))
    assert len(one) == len(all_at_once) == 48 and one[-1] == 1.0  # the space has 40 configurations


def test_priors_favour_the_best_or_the_worst_configuration(bench: single.Bench) -> None:
    right, wrong = (problem(bench.places.data, f"{NAMES[0]}+{kind}", bench.places.kept) for kind in ("right", "wrong"))
    favoured = [p.space.parameters[0].domain[int(np.argmax(p.space.parameters[0].masses()))] for p in (right, wrong)]
    assert favoured == [16, 64]  # where the fastest and the slowest measured configuration are
    assert "| wrong | auto |" in single.priors(replace(bench, seeds=1, evals=20), NAMES[:1])


def test_shares_and_counts() -> None:
    assert runs.share(4.0, 2.0) == 0.5 and runs.share(-5.0, -10.0) == 0.5
    made = [Run(0, [0.0, 0.4, 1.0], [], []), Run(1, [0.0, 0.6, 0.8], [], [])]
    assert tables.evaluations_to(made, 0.5) == 2 and tables.evaluations_to(made, 0.95) is None
    assert tables.summary({"p": made}, 3, ["p"]).startswith("0.900 ± 0.100 (0.900;")
    assert tables.summary({"p": made}, 9, ["p"]) == "–"


def test_a_page_s_table_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("one\n<!-- table: dev -->\nold\n<!-- end -->\ntwo\n<!-- table: core -->\nkept\n<!-- end -->\n")
    put(page, "dev", tables.with_details("new", "of each problem"))
    text = page.read_text()
    assert (
        text.startswith("one\n<!-- table: dev -->\n\nnew\n\n<!-- end -->\ntwo\n")
        and "old" not in text
        and "kept" in text
    )
    put(page, "overhead", "nowhere")
    assert page.read_text() == text


def test_pictures_have_the_curves_of_the_tables(bench: single.Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (panel,) = pictures.recorded(bench, NAMES, ["random", "density_ratio"])
    assert [curve.label for curve in panel.curves] == ["random", "density_ratio", "baco"]
    assert [len(curve.counts) for curve in panel.curves] == [24, 24, 60]
    assert panel.curves[0].mean[19] == pytest.approx(
        float(_first_share(single.evaluations(bench, NAMES, ["random"]))), abs=5e-4
    )
    monkeypatch.setattr(panel_objectives, "GROUPS", {"two": panel_objectives.TWO[:1]})
    (drawn,) = pictures.objectives(bench.places, ["random"], range(2), 1)
    text = panel_objectives.table(bench.places, ["random"], range(2), 1)
    assert f"| two, 1 problems | random | {drawn.curves[0].mean[5]:.3f} ±" in text and drawn.curves[0].counts[5] == 30


def test_a_panel_can_be_narrowed_by_words() -> None:
    names = {group: [p.name for p in of] for group, of in panel_objectives.groups(["DTLZ7", "ZDT3", "RE4"]).items()}
    assert names == {"two": ["ZDT3"], "three": ["DTLZ7"], "four and six": ["RE41 side impact"]}
    assert panel_objectives.groups() == panel_objectives.GROUPS
    assert [p.name for p in panel_reals.chosen(["Levy", "Branin"])] == ["Branin2", "Levy6"]


def _first_share(table: str) -> str:
    return table.splitlines()[2].split("|")[3].split()[0]


def test_missing_data_is_said() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TUNEPASS_")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bench_search"], cwd=runs.ROOT, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and "TUNEPASS_DATA" in done.stderr and "TUNEPASS_PEERS" in done.stderr

"""The benchmark of deep processes: its table, its fifth, its searches, and that a stopped run goes on."""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from tests.benchmarks.accelerator import fronts_picture, references
from tests.benchmarks.accelerator.auto_search import auto_volumes
from tests.benchmarks.accelerator.deep_models import MODELS, TableSearch, log_density, predictor, starting_designs
from tests.benchmarks.accelerator.deep_tables import fronts_drawn, mean_and_error, print_tables, sign_p, values_of
from tests.benchmarks.accelerator.deep_tasks import STEP_MODELS, Extent, Study, run
from tests.benchmarks.accelerator.designs import DesignTable, accelerator, designs, error_share, modelled, record
from tests.benchmarks.accelerator.extended_precision import energy as exact_energy
from tests.benchmarks.accelerator.orders import PROBLEMS, SPACE, order_predictions
from tests.surrogates.deep_layers import random_layers, random_rows
from tunepass.reports.axis import Axis
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Ordinal
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.deep_energy import DeepEnergy
from tunepass.surrogates.deep_layer import JITTER


@pytest.fixture(scope="module")
def table() -> DesignTable:
    return DesignTable.read()


def test_the_table_has_the_drawn_designs_and_what_the_model_says_of_them(table: DesignTable) -> None:
    assert len(set(table.configurations)) == len(table.losses) == 6000
    drawn = list(islice(designs(), 30))
    assert tuple(drawn) == table.configurations[:30]
    for configuration, (_, power) in zip(drawn, table.losses):
        assert power == pytest.approx(modelled(configuration)["power"], rel=1e-5)
    assert ((table.losses > [0, 0.1]) & (table.losses <= [100, 100])).all()


def test_an_error_is_measured_by_training(table: DesignTable) -> None:
    """The shortest training that says whether arguments arrive: a network of one bit guesses."""
    one_bit = next(c for c in table.configurations if c["BITS"] == 1)
    assert error_share(one_bit, "--epochs", "1", "--images", "200") > 0.8


def test_recording_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.benchmarks.accelerator.designs.error_share", lambda configuration: 0.25)
    at_once, in_parts = tmp_path / "a.csv", tmp_path / "b.csv"
    record(at_once, 5, 1.0)
    for rows in (2, 5):
        record(in_parts, rows, 1.0)
    assert in_parts.read_text() == at_once.read_text()
    assert len(DesignTable.read(at_once).losses) == 5


def test_the_near_optimal_fifth_is_the_first_fronts(table: DesignTable) -> None:
    small = DesignTable(table.configurations[:200], table.losses[:200])
    x, y = Study(small).near_optimal()
    assert x.shape == (40, 8) and ((x >= 0) & (x <= 1)).all()
    front = np.log10(small.losses[nondominated(small.losses)])
    assert {tuple(row) for row in front} <= {tuple(row) for row in y}


def test_all_models_predict_what_they_have_seen(table: DesignTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.benchmarks.accelerator.deep_models.EPOCHS", 60)
    x, y = Study(DesignTable(table.configurations[:150], table.losses[:150])).near_optimal()
    for name in MODELS:
        mean, variance = predictor(name, x, y)(x)
        assert mean.shape == variance.shape == (30, 2) and (variance > 0).all()
        assert np.corrcoef(mean[:, 1], y[:, 1])[0, 1] > 0.7, name
    assert log_density(np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 1)))[0] == pytest.approx(-0.9189385)


def test_a_search_only_gains_and_all_models_share_the_start(table: DesignTable) -> None:
    search = TableSearch(DesignTable(table.configurations[:60], table.losses[:60]), 12, 2)
    runs = {name: search.run(name, 0) for name in ("random", "gp matern, MAP", "sparse")}
    assert len({tuple(tried[:12]) for tried in runs.values()}) == 1
    for tried in runs.values():
        volumes, front = search.volumes(tried), search.front(tried)
        assert len(set(tried)) == 14 and len(volumes) == 3 and volumes[0] <= volumes[1] <= volumes[2]
        assert (np.diff(front[:, 0]) > 0).all() and (np.diff(front[:, 1]) < 0).all()


def test_auto_begins_as_the_searches_and_suggests_only_what_is_fast_enough(table: DesignTable) -> None:
    small = DesignTable(table.configurations[:60], table.losses[:60])
    trained: list[Configuration] = []

    def measure(configuration: Configuration) -> float:
        trained.append(configuration)
        return 0.01 * len(trained)

    volumes = auto_volumes(small, 12, 3, 0, measure)
    assert volumes[0] == TableSearch(small, 12, 0).volumes(starting_designs(small, 0)[:12])[0]
    assert len(volumes) == 4 and (np.diff(volumes) >= 0).all() and volumes[3] > volumes[0]
    assert len(set(trained)) == 3 and not set(trained) & set(small.configurations)


def test_a_picture_has_the_front_of_each_model_and_of_the_table(table: DesignTable) -> None:
    extent, results = Extent(sizes=(), splits=0, steps=0, iterations=1, starts=2), {}
    for number, model in enumerate(fronts_picture.LABELS):
        for start in range(2):
            results[f"search/{model}/1/{start}"] = {
                "error": [2.0, 4.0 + number, 50.0], "power": [3.0, 1.0, 0.2], "volume": [50.0, 60.0 + number],
            }  # fmt: skip
    drawn = fronts_drawn(results, extent, table)
    assert all(f">{label}</text>" in drawn for label in (*fronts_picture.LABELS, fronts_picture.WHOLE))
    assert drawn.count("<polyline") == 7 and drawn.count('<path class="m') == 14 and "mean of 2 starts" in drawn
    across, up = Axis(1.0, 10.0, 0.0, 100.0, log=True), Axis(0.15, 15.0, 100.0, 0.0, log=True)
    path = fronts_picture.staircase(np.array([[1.0, 1.5], [10**0.5, 0.15], [50.0, 0.1]]), across, up)
    assert path == "M 0.0 0.0 V 50.0 H 50.0 V 100.0 H 100.0"


def test_a_stopped_run_goes_on(table: DesignTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Study, "step", lambda self, model, seed: {"density": 1.0 + seed})
    path, extent = tmp_path / "r.jsonl", Extent(sizes=(), splits=0, steps=2, iterations=0, starts=0)
    first = run(Study(table), extent, ["step"], path)
    assert len(first) == len(path.read_text().splitlines()) == 2 * len(STEP_MODELS)
    path.write_text(
        "\n".join([json.dumps({"task": "step/sparse/50/0", "result": {"density": 9.0, "seconds": 0.0}}), ""])
    )
    again = run(Study(table), extent, ["step"], path)
    assert values_of(again, "step", "sparse", 50, "density") == [[9.0], [2.0]]
    assert mean_and_error([1.0, 3.0]) == "2.000 ± 1.000"
    assert accelerator()[0].parameters[0].name == "HIDDEN"


def test_pairs_count_in_how_many_starts_each_is_ahead(capsys: pytest.CaptureFixture[str], table: DesignTable) -> None:
    """Havasi 2017, Table 4.3: p is 0.032 for 18 of 50, 0.968 for 31."""
    assert sign_p(18, 32) == pytest.approx(0.032, abs=1e-3) and sign_p(31, 19) == pytest.approx(0.968, abs=1e-3)
    extent = Extent(sizes=(), splits=0, steps=0, iterations=20, starts=2)
    results = {
        f"search/{model}/20/{start}": {"volume": [float(model == "sparse") + start] * 21, "seconds": 0.0}
        for model in fronts_picture.LABELS for start in range(2)
    }  # fmt: skip
    print_tables(results, Study(table), extent, ["search"])
    lines = capsys.readouterr().out.splitlines()
    assert "| random : sparse | 0 : 2, 0.250 |" in lines and "| sparse : deep | 2 : 0, 1.000 |" in lines
    assert "| random : deep | 0 : 0, 1.000 |" in lines


def test_another_recorded_space_is_predicted_and_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pieces.json"
    described = {
        "schema": "tunepass-recorded-space/1", "name": "pieces", "coverage": "complete", "n_rows": 64, "n_valid": 63,
        "parameters": [{"name": n, "kind": "ordinal", "domain": [1, 2, 4, 8, 16, 32, 64, 128]} for n in "ab"],
        "objectives": [{"name": n, "direction": "minimize"} for n in ("time", "area")],
    }  # fmt: skip
    path.write_text(json.dumps(described))
    rows = [(2**a, 2**b, 3 + abs(a - 4) + b, 1 + 2**b, int(a + b > 0)) for a in range(8) for b in range(8)]
    lines = ["a,b,time,area,valid", *(",".join(map(str, row)) for row in rows)]
    path.with_suffix(".csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    found = DesignTable.recorded(path)
    assert len(found.losses) == 63 and all(p.log for p in found.space.parameters if isinstance(p, Ordinal))
    assert found.reference == (9, 17)  # the medians: the front is one design
    study, extent = Study(found, "pieces"), Extent(sizes=(5, 6, 60), splits=1, steps=1, iterations=2, starts=1, start=4)
    assert study.fitting(replace(extent, sizes=(1, 60))).sizes == () and Study(found).fitting(extent).sizes == ()
    results = run(study, replace(extent, sizes=(5,)), ["density", "search", "step", "auto"], tmp_path / "r.jsonl")
    assert {task.split("/")[0] for task in results} == {"density@pieces", "search@pieces"} and len(results) == 13
    print_tables(results, study, replace(extent, sizes=(5,)), ["density", "search"])
    assert "| density@pieces, first loss | 5 |" in capsys.readouterr().out


@pytest.mark.parametrize(("widths", "power"), [((3, 1), 0.5), ((3, 2, 1), 1.0), ((3, 3, 2, 2), 0.3)])
def test_the_energy_by_its_definition_in_extended_precision(widths: tuple[int, ...], power: float) -> None:
    layers, (x, y) = random_layers(widths), random_rows(widths[0], widths[-1])
    exact = exact_energy(layers, x, y, JITTER, power)
    assert DeepEnergy(x, y, power=power)(layers)[0] == pytest.approx(exact, rel=1e-11)
    assert exact_energy(layers, x, y, 1e-3, power) != pytest.approx(exact, rel=1e-6)


def test_a_reference_s_parameters_give_its_energy_and_its_predictions() -> None:
    layers, (x, y) = random_layers((2, 2, 1)), random_rows(2, 1)
    layers = [replace(layer, noise=layer.noise * 0 + layer.noise[0]) for layer in layers]
    raw = {
        "name": "two layers", "alpha": 1.0, "x": x.tolist(), "y": (3 + 2 * y).tolist(), "new": x.tolist(),
        "new_y": y.tolist(), "energy": 1.0, "energy_with_jitter": 1.0, "scaled": True,
        "layers": [
            {
                "lengthscales": layer.lengthscales.tolist(), "amplitude": float(layer.amplitude[0]),
                "noise": float(layer.noise[0]), "z": layer.z.tolist(), "factor": layer.factor.tolist(),
                "shift": layer.shift.tolist(),
            }
            for layer in layers
        ],
    }  # fmt: skip
    case = references.Example.of(raw)
    ours = references.evaluated(case)
    scaled = (y - y.mean()) / y.std()
    assert ours.energy == pytest.approx(exact_energy(layers, x, scaled, JITTER), rel=1e-11)
    assert case.shift_and_scale == pytest.approx((3 + 2 * y.mean(), 2 * y.std()))
    without_noise = references.layer_of({**raw["layers"][0], "noise": None})  # type: ignore[index, dict-item]
    assert (np.exp(without_noise.noise) < 1e-300).all()


def test_references_that_do_not_run_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    references.print_all({"geepee": None, "approxep": tmp_path}, sys.executable)
    printed = capsys.readouterr().out
    assert "geepee: not run, --geepee FOLDER" in printed
    assert f"deepGP_approxEP: not run, {sys.executable} cannot run the code in {tmp_path}: ModuleNotFound" in printed
    with pytest.raises(references.ReferenceError, match="does not start"):
        references.examples("geepee", tmp_path, str(tmp_path / "python"), 1)


def test_both_codes_are_trained_on_the_same_rows(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    x, new = rng.random((40, 1)), rng.random((20, 1))
    raw = {
        "name": "sparse, collapsed", "alpha": 0.5, "x": x.tolist(), "y": np.sin(6 * x).tolist(), "new": new.tolist(),
        "new_y": np.sin(6 * new).tolist(), "energy": -12.25, "energy_with_jitter": -12.0, "mean": new.tolist(),
        "variance": (1 + 0 * new).tolist(), "mean_with_jitter": new.tolist(), "variance_with_jitter": new.tolist(),
        "theta": [-1.0, 0.0, -6.0], "z": x[:20].tolist(),
    }  # fmt: skip
    case = references.Example.of(raw)
    ours = references.trained(case, 10)
    assert ours.energy < references.evaluated(case).energy
    assert np.abs(ours.mean - np.sin(6 * new)).max() < 0.1
    references.print_same_parameters("geepee", [case])
    references.print_trained("geepee", [case], 10)
    printed = capsys.readouterr().out
    assert (
        "| sparse, collapsed | 0.5 | -12.2500 | -12.0000 |" in printed and "| -64.8, 0.169, 0.348 | -12.2," in printed
    )


@pytest.mark.parametrize("problem", list(PROBLEMS))
def test_problems_of_orders_depend_on_the_order_and_the_category(problem: str) -> None:
    rng = np.random.default_rng(0)
    columns = SPACE.sample_columns(200, rng)
    loss = PROBLEMS[problem](columns)
    for name in ("order", "way"):
        changed = PROBLEMS[problem]({**columns, name: rng.permutation(columns[name])})
        assert np.isfinite(loss).all() and (np.abs(changed - loss) > 1e-9).mean() > 0.2


def test_each_model_of_orders_predicts_them() -> None:
    for model in ("sparse", "gp matern, MAP"):
        result = order_predictions("tour", model, 0)
        assert cast(float, result["rmse"]) < 0.8 and cast(float, result["density"]) > -2

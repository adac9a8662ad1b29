"""Results of other tools as earlier trials and prior means."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import tunepass as tp
from tunepass.integrations.earlier_trials import EarlierTrials, read_earlier_trials

SPACE = tp.Space(
    [
        tp.Integer("tile", 1, 64),
        tp.Categorical("mode", ["fast", "small"]),
        tp.Real("rate", 0.0, 1.0, when="mode == 'fast'"),
    ]
)
TIME = tp.Objective("time")


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_table_becomes_trials_and_a_prior_mean(tmp_path: Path) -> None:
    rows = ("fast,4,0.5,3.5", "small,8,,2.5", "small,16,,nan", "small,32,,", "fast,99,0.5,1.0", "small,8,,3.5")
    table = "\n".join(("mode,tile,rate,value", *rows))
    earlier = read_earlier_trials(written(tmp_path / "runs.csv", table))
    study = tp.Study(SPACE, [TIME])
    assert earlier.observe_in(study) == 5, "99 is no tile"
    assert [str(trial.outcome.values["time"]) if trial.measured else "-" for trial in study.trials] == [
        *("3.5", "3.0", "-", "-")
    ]  # type: ignore[union-attr]
    prior_mean = earlier.prior_mean(TIME)
    space = tp.Space([tp.Integer("tile", 1, 128)])
    columns = space.columns([tp.Configuration({"tile": 4}), tp.Configuration({"tile": 99})])
    assert prior_mean.values(space, columns).round(9).tolist() == [3.5, 1.0]


def test_a_table_of_optuna(tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason="Optuna is not installed: pip install 'tunepass[optuna]'")
    import optuna

    from tunepass.integrations.optuna import TunepassSampler, earlier_trials

    study = optuna.create_study(direction="maximize", sampler=TunepassSampler(seed=0))

    def rate(trial: optuna.Trial) -> float:
        tile, mode = trial.suggest_int("tile", 1, 64), trial.suggest_categorical("mode", ["fast", "small"])
        if tile > 50:
            raise MemoryError
        return tile * (trial.suggest_float("rate", 0.0, 1.0) if mode == "fast" else 0.5)

    study.optimize(rate, n_trials=10, catch=MemoryError)
    rows = [
        [t.number, t.value if t.values else "", *(t.params.get(n, "") for n in ("tile", "mode", "rate")), t.state.name]
        for t in study.trials
    ]
    lines = ["number,value,params_tile,params_mode,params_rate,state", *(",".join(map(str, row)) for row in rows)]
    file = written(tmp_path / "trials.csv", "\n".join(lines))
    maximised = tp.Objective("rate", maximise=True)
    from_file, directly = (tp.Study(SPACE, [maximised], name=name) for name in ("a", "b"))
    assert read_earlier_trials(file, maximise=True).observe_in(from_file) == 10
    assert earlier_trials(study).observe_in(directly) == 10
    assert [t.outcome for t in from_file.trials] == [t.outcome for t in directly.trials]
    with pytest.raises(tp.StudyError, match="the earlier values were maximised, and time is minimised"):
        earlier_trials(study).prior_mean(TIME)
    with pytest.raises(tp.StudyError, match="the study has 1 objectives, counted from 0, got 1"):
        earlier_trials(study, 1)


def test_a_result_of_scikit_optimize(tmp_path: Path) -> None:
    result = {"names": ["tile", "mode"], "x_iters": [[4, "small"], [8, "small"]], "func_vals": [3.0, None]}
    earlier = read_earlier_trials(written(tmp_path / "result.json", json.dumps(result)))
    study = tp.Study(SPACE, [TIME])
    assert earlier.observe_in(study) == 2 and study.failures == {"run": 1}
    del result["names"]
    named = read_earlier_trials(written(tmp_path / "result.json", json.dumps(result)), names=["tile", "mode"])
    assert named == earlier


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("runs.csv", "", "has no rows"),
        ("runs.csv", "tile,values\n1,2\n", r"runs.csv:1:1: error: there is no column 'value'"),
        ("runs.csv", "tile,value\n1,2\n1,2,3\n", r"runs.csv:3:1: error: a row has a cell for each of 2 columns, got 3"),
        ("runs.csv", "tile,value\n1,__import__('os')\n", r"runs.csv:2:1: error: column value has numbers"),
        ("result.json", "{", r"result.json:1:2: error: not JSON"),
        ("result.json", "[" * 100_000, "nests too deeply"),
        ("result.json", "[1]", "has no x_iters and func_vals of one length"),
        ("result.json", '{"x_iters": [[1], [1, 2]], "func_vals": [1, 2]}', "point 1 has a value for each of the names"),
        ("result.json", '{"x_iters": [[1]], "func_vals": ["a"]}', "value 0 is a number"),
    ],
)
def test_damaged_files(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(tp.SourceError, match=message):
        read_earlier_trials(written(tmp_path / name, text))


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "result.pkl"
    file.write_bytes(pickle.dumps({"x_iters": [[1]], "func_vals": [1.0]}))
    with pytest.raises(tp.SourceError, match="a pickle runs code when it is read"):
        read_earlier_trials(file)
    with pytest.raises(tp.SourceError, match=r"cannot read .*No such file"):
        read_earlier_trials(tmp_path / "missing.csv")


def test_several_objectives_are_refused() -> None:
    study = tp.Study(SPACE, [TIME, tp.Objective("area")])
    with pytest.raises(tp.StudyError, match="earlier trials have one objective, the study 2"):
        EarlierTrials([]).observe_in(study)

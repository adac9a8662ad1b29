"""Studies with conditional parameters: figures, pages, importance, and further spaces."""

from __future__ import annotations

from pathlib import Path

import pytest

import tunepass as tp
from tunepass.commands.answers.store import report_of_store
from tunepass.study.results.importance import importance_of_values
from tunepass.study.storage.location import StoreLocation

RBF = "kernel == 'rbf'"


def space(kernels: list[str], *, further: bool = True) -> tp.Space:
    parameters: list[tp.Parameter] = [tp.Categorical("kernel", kernels), tp.Integer("rounds", 1, 3)]
    if further:
        parameters.append(tp.Integer("gamma", 1, 9, when=RBF))
    return tp.Space([*parameters, tp.Integer("degree", 2, 4, when="kernel == 'poly'")])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conditional") / "runs.db"


@pytest.fixture(scope="module")
def study(store: Path) -> tp.Study:
    """The first trial has `gamma`, others have not."""
    some = tp.Study(space(["rbf", "poly"]), [tp.Objective("loss")], strategy="random", store=f"sqlite:///{store}")
    some.optimize(lambda trial: trial.get("gamma", 5) + trial.get("degree", 0) + trial["rounds"], n_trials=20)  # type: ignore[operator]
    assert len({frozenset(t.configuration) for t in some.trials}) == 2 and "gamma" in some.trials[0].configuration
    return some


def test_slices_have_the_trials_in_which_a_parameter_is_active(study: tp.Study) -> None:
    axes = {each.get_xlabel(): each for each in tp.plot(study, "slices").axes}
    for name in ("kernel", "rounds", "gamma", "degree"):
        active = sum(name in t.configuration for t in study.trials)
        assert len(axes[name].collections[0].get_offsets()) == active > 0


def test_the_values_of_a_store_are_those_that_all_trials_have(study: tp.Study, store: Path, tmp_path: Path) -> None:
    assert importance_of_values(study.objectives[0], study.trials).keys() == {"kernel", "rounds"}
    report_of_store(StoreLocation.named(store), None, tmp_path / "page.html")
    assert "gamma" in (tmp_path / "page.html").read_text()


def test_another_space_takes_what_fits(study: tp.Study) -> None:
    assert len(study.with_space(space(["rbf", "poly", "linear"])).trials) == len(study.trials)
    without = study.with_space(space(["rbf", "poly"], further=False))
    default = study.space.default["gamma"]
    fitting = [t for t in study.trials if t.configuration.get("gamma", default) == default]
    assert 0 < len(without.trials) == len(fitting) < len(study.trials)

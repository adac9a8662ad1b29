"""`tp.plot`: figures of a study with matplotlib."""

from __future__ import annotations

import io
import sys

import pytest

import tunepass as tp

SPACE = tp.Space(
    [
        tp.Real("rate", 1e-4, 1.0, log=True),
        tp.Integer("depth", 1, 8),
        tp.Categorical("kind", ["relu", "gelu", None]),
        tp.Categorical("bias", [True, False]),
        tp.Permutation("order", 3),
    ]
)
KINDS = ["history", "slices", "importance", "curves"]


@pytest.fixture(scope="module")
def study() -> tp.Study:
    some = tp.Study(SPACE, [tp.Objective("loss", unit="nats")], strategy="random", seed=0, name="net")

    def train(trial: tp.RunningTrial) -> float:
        depth, rate = trial["depth"], trial["rate"]
        assert isinstance(depth, int) and isinstance(rate, float)
        if depth == 8:
            raise ValueError("too deep")
        for step in (1, 2, 4):
            trial.report(step, depth + rate + 1 / step)
        if depth == 7:
            raise tp.Pruned
        return depth + rate

    some.optimize(train, n_trials=25, catch=ValueError)
    assert {t.censored for t in some.trials} == {True, False} and not all(t.measured for t in some.trials)
    return some


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_drawn(study: tp.Study, kind: str) -> None:
    written = io.BytesIO()
    tp.plot(study, kind).savefig(written, format="png")
    assert written.getvalue().startswith(b"\x89PNG")


def test_the_history_ends_with_the_best(study: tp.Study) -> None:
    (axes,) = tp.plot(study).axes
    best = study.best
    assert best is not None and isinstance(best.outcome, tp.Measured)
    (line,) = [line for line in axes.lines if line.get_label() == "best so far"]
    assert line.get_ydata()[-1] == best.outcome.values["loss"] and line.get_xdata()[-1] == len(study.trials)
    labels = {text.get_text() for text in axes.get_legend().get_texts()}
    assert labels == {"trial", "ended early (a bound)", "best so far", "failed"}
    assert axes.get_ylabel() == "loss [nats]"


def test_slices_have_a_panel_for_each_parameter(study: tp.Study) -> None:
    panels = tp.plot(study, "slices").axes[:-1]  # the last one is the bar of colours
    assert {axes.get_xlabel() for axes in panels} == {p.name for p in SPACE.parameters}
    (kind,) = [axes for axes in panels if axes.get_xlabel() == "kind"]
    assert {label.get_text() for label in kind.get_xticklabels()} == {"None", "gelu", "relu"}


def test_importance_has_a_bar_for_each_parameter(study: tp.Study) -> None:
    (axes,) = tp.plot(study, "importance").axes
    widths = sorted(patch.get_width() for patch in axes.patches)
    assert widths == sorted(study.importance().values())


def test_the_front_is_of_two_objectives() -> None:
    some = tp.Study(SPACE, [tp.Objective("loss"), tp.Objective("speed", maximise=True)], strategy="random")
    some.optimize(lambda trial: (trial["depth"] + trial["rate"], 9.0 - trial["depth"]), n_trials=12)  # type: ignore[arg-type,operator,return-value]
    (axes,) = tp.plot(some, "front").axes
    (line,) = axes.lines
    assert len(line.get_xdata()) == len(some.pareto) and (axes.get_xlabel(), axes.get_ylabel()) == ("loss", "speed")
    assert tp.plot(some, "slices", objective="speed").axes[0].get_ylabel() == "speed"


def test_a_missing_matplotlib_is_an_error_that_names_the_extra(
    study: tp.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(tp.StudyError, match="plots need matplotlib") as raised:
        tp.plot(study)
    assert "pip install 'tunepass[plot]'" in str(raised.value.diagnostics[0].hint)


def test_mistakes(study: tp.Study) -> None:
    for call, message in (
        (lambda: tp.plot(study, "hist"), "no plot 'hist'"),
        (lambda: tp.plot(study, "front"), "a front is of several objectives"),
        (lambda: tp.plot(study, objective="time"), "no objective 'time'"),
        (lambda: tp.plot(tp.Study(SPACE, [tp.Objective("loss")])), "nothing to draw"),
        (lambda: tp.plot("study"), "a plot is of a Study"),  # type: ignore[arg-type]
    ):
        with pytest.raises(tp.StudyError, match=message):
            call()


def test_a_study_without_intermediate_values_has_no_curves() -> None:
    some = tp.Study(SPACE, [tp.Objective("loss")])
    some.observe(SPACE.default, tp.Measured({"loss": 1.0}))
    with pytest.raises(tp.StudyError, match="no trial has intermediate values"):
        tp.plot(some, "curves")
    with pytest.raises(tp.StudyError, match="too few trials"):
        tp.plot(some, "importance")
    assert len(tp.plot(some, "slices").axes) == 6, "without importance in the order of the space"

from __future__ import annotations

from dataclasses import dataclass

import pytest

import tunepass as tp
from tests.passes.fakes import Prices, by_tile, kernel, search_step
from tunepass.diagnostics import SpaceError, TunepassError
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import ApplySchedule, scheduled
from tunepass.passes.base import Compilation
from tunepass.passes.emit import Emit, note
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.pipeline import Pipeline
from tunepass.passes.prune_space import PruneSpace
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint

PRICES = by_tile({1: 10.0, 2: 8.0, 4: 6.0, 8: 3.0, 16: 12.0})


@dataclass(frozen=True)
class Text:
    name: str
    text: str


def emitter(kernel: Kernel, note: str) -> tuple[Text, ...]:
    return (Text("k.tuned.c", f"/* {note} */ {kernel.schedule}"),)


def pipeline(*more: tp.Pass) -> Pipeline:
    step = search_step(Prices(PRICES))
    return Pipeline((ExtractSpace(), *more, step, ApplySchedule(), Emit(emitter)))


def test_another_compiler_runs_the_pipeline_on_its_own_kernel() -> None:
    given = kernel()
    result = pipeline(PruneSpace()).run(given)
    assert result.choice == Configuration({"TILE": 8, "MODE": "a"})
    assert [c.value for c in result.kernel.schedule] == [8, "a"] and given.schedule == ()
    assert [t.configuration["TILE"] for t in result.pareto] == [8, 8]
    assert result.source.startswith("/* chosen of 9 trials: TILE = 8, MODE = a\ntime: 6 -> 3 ms, 2.00x */")


def test_device_limits_become_constraints() -> None:
    def limits(kernel: Kernel) -> tuple[Constraint, ...]:
        return (Constraint.parse("TILE <= 4", kernel.parameters),)

    result = pipeline(PruneSpace(limits)).run(kernel())
    assert result.choice["TILE"] == 4 and result.found.trial_count == 6 - 1


def test_the_note_says_when_the_default_was_kept() -> None:
    found = Pipeline((ExtractSpace(), search_step(Prices(lambda c: 1.0)))).run(kernel())
    assert note(found.found).endswith("this is the default: no significant gain was found")


def test_a_pass_replaces_the_one_of_its_name() -> None:
    first = pipeline()
    second = first.replaced(search_step(Prices(PRICES), max_evals=2))
    assert second.run(kernel()).found.trial_count == 2 and first.run(kernel()).found.trial_count == 9
    with pytest.raises(TunepassError, match="no pass 'prune_space'"):
        first.replaced(PruneSpace())


def test_the_default_pipeline_takes_another_compilers_evaluators() -> None:
    made = tp.Pipeline.default(max_evals=3, evaluators=Prices(PRICES).opened, emitter=emitter)
    assert [p.name for p in made.passes] == ["extract_space", "prune_space", "search", "apply_schedule", "emit"]
    with pytest.raises(TunepassError, match="no device 'moon'"):
        tp.Pipeline.default("moon")


def test_a_pass_that_comes_too_early_says_what_it_needs() -> None:
    for step in (ApplySchedule(), Emit(emitter)):
        with pytest.raises(TunepassError, match="search"):
            step.run(Compilation(kernel=kernel()))
    with pytest.raises(TunepassError, match="no search"):
        _ = Pipeline((ExtractSpace(),)).run(kernel()).choice
    with pytest.raises(TunepassError, match="no emit"):
        _ = Pipeline((ExtractSpace(),)).run(kernel()).source


def test_a_kernel_without_parameters_has_nothing_to_tune() -> None:
    with pytest.raises(SpaceError, match="nothing to tune"):
        ExtractSpace().run(Compilation(kernel=kernel((), ())))


def test_a_schedule_has_a_directive_a_parameter() -> None:
    done = scheduled(kernel(), Configuration({"MODE": "b", "TILE": 2}))
    assert [(c.parameter, c.value) for c in done.schedule] == [("TILE", 2), ("MODE", "b")]

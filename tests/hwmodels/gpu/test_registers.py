"""Register estimates: what is stated is kept, more work in a thread takes more, and reports correct what follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tunepass as tp
from tunepass.expr.algebra import lift
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.gpu.device import load
from tunepass.hwmodels.gpu.register_weights import NAMES, calibrated, read_weights, written
from tunepass.hwmodels.gpu.registers import estimate, estimated
from tunepass.ir.gpu import GpuKernel

SAMPLES = Path(__file__).parents[3] / "samples" / "cuda"
A100 = load("a100")


def kernel(name: str):
    return tp.load(SAMPLES / f"{name}.cu")


def columns(name: str, n: int = 200):
    of = kernel(name)
    space = tp.Space(of.parameters, of.constraints)
    chosen = space.sample(n, np.random.default_rng(3))
    return of.body_as(GpuKernel), space.columns(chosen), len(chosen)


@pytest.mark.parametrize("name", ["matmul", "convolution", "nbody", "reduction", "stencil"])
class TestSamples:
    def test_estimates_are_what_a_thread_can_have(self, name):
        body, at, n = columns(name)
        found = estimate(body, A100)
        registers = evaluate(found.registers, at, n)
        assert registers.defined.all()
        assert registers.values.min() >= 8 and registers.values.max() <= 255
        assert (evaluate(found.spill_byte, at, n).values >= 0).all()

    def test_the_expression_is_what_is_fitted(self, name):
        body, at, n = columns(name)
        known = estimated(body, A100)
        assert known is not None
        cases = known.cases(at, np.zeros(n), np.zeros(n))
        said = np.ceil(cases.estimate(np.array(known.weights)) - 1e-9)
        assert np.abs(said - evaluate(known.resources().registers, at, n).values).max() <= 1

    def test_only_what_does_not_fit_is_spilled(self, name):
        body, at, n = columns(name)
        found = estimate(body, A100)
        known = estimated(body, A100)
        assert known is not None
        spilled = evaluate(found.spill_byte, at, n).values > 0
        full = evaluate(found.registers, at, n).values >= evaluate(known.most, at, n).values
        assert (full | ~spilled).all()


def at_defaults(name: str, **chosen):
    of = kernel(name)
    space = tp.Space(of.parameters, of.constraints)
    configuration = tp.Configuration({**space.default, **chosen})
    found = estimate(of.body_as(GpuKernel), A100)
    return int(evaluate(found.registers, space.columns([configuration]), 1).values[0])


def test_more_sums_a_thread_take_more_registers():
    known = [at_defaults("matmul", TM=tile, TN=tile) for tile in (1, 4, 8)]
    assert known == sorted(known) and known[2] >= known[0] + 60


def test_launch_bounds_are_kept():
    assert at_defaults("nbody", BLOCK=1024, BODIES=8) <= 64


class TestWhatTheSourceStates:
    def test_registers_are_taken_as_they_are(self):
        body = replace(kernel("matmul").body_as(GpuKernel), registers=lift(77))
        assert estimated(body, A100) is None
        assert estimate(body, A100).registers == lift(77)

    def test_accumulators_do_where_the_text_is_not_understood(self):
        body = replace(kernel("matmul").body_as(GpuKernel), thread=None)
        assert estimated(body, A100) is None
        assert estimate(body, A100).registers is not None


class TestCorrection:
    def test_reports_of_some_configurations_move_the_others(self):
        """ptxas as another one would be: thirty registers more for everything."""
        body, at, n = columns("nbody", 60)
        known = estimated(body, A100)
        assert known is not None
        before = evaluate(known.resources().registers, at, n).values.astype(float)
        reported = np.minimum(before + 30, evaluate(known.most, at, n).values)
        seen = np.arange(n) % 3 == 0
        some = {name: column[seen] for name, column in at.items()}
        corrected = known.corrected((), some, reported[seen])
        after = evaluate(corrected.resources().registers, at, n).values
        assert np.abs(after - reported)[~seen].mean() < 0.6 * np.abs(before - reported)[~seen].mean()

    def test_a_few_reports_change_nothing(self):
        body, at, n = columns("nbody", 3)
        known = estimated(body, A100)
        assert known is not None
        assert known.corrected((), at, np.full(n, 99.0)) is known

    def test_it_is_the_same_every_time(self):
        body, at, n = columns("reduction", 20)
        known = estimated(body, A100)
        assert known is not None
        reported = np.linspace(20, 60, n)
        assert known.corrected((), at, reported) == known.corrected((), at, reported)


class TestWeights:
    def test_what_is_written_is_read(self):
        weights = tuple(float(i) / 4 for i in range(len(NAMES)))
        assert read_weights(written("a test", weights), "w.yaml") == weights

    @pytest.mark.parametrize(
        "text,problem",
        [
            ("", "is empty"),
            ("source: a\nweights: {}\n", "one"),
            (written("a", calibrated()).replace("one: ", "one: -"), "not negative"),
            (written("a", calibrated()).replace("one: ", "one: x"), "not negative"),
        ],
    )
    def test_what_is_no_weight_is_told_with_its_place(self, text, problem):
        with pytest.raises(ModelError, match=problem):
            read_weights(text, "w.yaml")

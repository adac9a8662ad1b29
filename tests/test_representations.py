"""What `repr` shows of the public classes: one short line."""

from __future__ import annotations

import tunepass as tp

SPACE = tp.Space([tp.Ordinal("tile", [4, 8, 16], default=8), tp.Integer("unroll", 1, 4)], ["tile % unroll == 0"])


def test_a_study_shows_its_budget_and_its_best() -> None:
    study = tp.Study(SPACE, [tp.Objective("time", unit="ms")], name="gemm", max_evals=20)
    assert repr(study) == "<Study 'gemm': 0 trials, 0 of 20 evaluations spent, min time (ms)>"
    study.observe({"tile": 8, "unroll": 2}, tp.Measured({"time": 3.25}))
    study.observe({"tile": 16, "unroll": 2}, tp.Failed("compile", "x" * 1000))
    assert repr(study) == "<Study 'gemm': 2 trials, 2 of 20 evaluations spent, min time (ms), best 3.25>"
    assert repr(study.store) == "<MemoryStore 'sqlite://'>"
    both = tp.Study(SPACE, [tp.Objective("time"), tp.Objective("rate", maximise=True)], name="both")
    assert repr(both) == "<Study 'both': 0 trials, 0 evaluations spent, min time, max rate>"


def test_a_maximised_best_is_the_value_not_the_loss() -> None:
    study = tp.Study(SPACE, [tp.Objective("rate", maximise=True)], name="r")
    for unroll, rate in ((1, 2.0), (2, 5.0)):
        study.observe({"tile": 8, "unroll": unroll}, tp.Measured({"rate": rate}))
    assert repr(study).endswith("best 5>")


def test_a_space_shows_its_parameters_and_its_size() -> None:
    assert repr(SPACE) == "<Space of tile, unroll: 9 configurations>"
    assert repr(tp.Space([tp.Real("ratio", 0, 1)])) == "<Space of ratio: not finite>"
    flags = tp.Space([tp.Categorical(f"f{i}", [False, True]) for i in range(60)])
    assert repr(flags) == "<Space of f0, f1, f2, f3, f4, f5, f6, f7, … (60 parameters): about 10^18 configurations>"
    many = tp.Space([tp.Integer(f"x{i}", 1, 1 << 40) for i in range(400)])
    assert len(repr(many)) < 120


def test_a_constraint_and_a_prior_mean_show_their_text() -> None:
    space = tp.Space(SPACE.parameters, ["tile % unroll == 0"])
    assert [repr(constraint) for constraint in space.constraints] == ["Constraint('tile % unroll == 0')"]
    assert repr(tp.PriorMean.from_expression("64 / tile")) == "PriorMean.from_expression('64 / tile')"
    assert repr(tp.PriorMean.from_observations([SPACE.default], [1.0])) == "<PriorMean of 1 observations>"
    assert repr(tp.SeveralPriorMeans([tp.PriorMean.from_expression("tile")])) == "<SeveralPriorMeans>"


def test_a_trial_shows_its_outcome() -> None:
    configuration = tp.Configuration({"tile": 8, "unroll": 2})
    outcomes = {
        "time=3.1, rate=2": tp.Measured({"time": 3.1, "rate": 2}),
        "time=3.1 (cut short)": tp.Measured({"time": 3.1}, censored=True),
        "failed at compile": tp.Failed("compile", "x" * 1000),
        "infeasible: fits": tp.Infeasible("fits"),
    }
    for text, outcome in outcomes.items():
        assert repr(tp.Trial(3, configuration, outcome)) == f"<Trial 3: tile=8, unroll=2 -> {text}>"
    wide = tp.Configuration({f"f{i}": i for i in range(500)})
    assert repr(tp.Trial(0, wide, tp.Infeasible("x" * 1000))).count("=") == 8


def test_a_kernel_and_a_result_show_no_source() -> None:
    source = tp.Source("gemm.toy", "tile 8\n" * 1000)
    kernel = tp.Kernel(name="gemm", language="toy", source=source, parameters=SPACE.parameters)
    assert repr(kernel) == "<Kernel 'gemm' of gemm.toy (toy): 2 parameters, 0 constraints>"
    assert repr(kernel.scheduled((tp.Choice("tile", 16),))).endswith("constraints, scheduled with tile=16>")
    assert repr(tp.Pipeline(()).run(kernel)) == "<Result of 'gemm': no search>"


def test_a_study_of_fidelities_shows_its_levels() -> None:
    study = tp.FidelityStudy(SPACE, tp.Objective("time"), [tp.Fidelity("small", 0.1)], budget=10)
    assert repr(study) == "<FidelityStudy of small, full: 0 of 10 evaluations spent>"

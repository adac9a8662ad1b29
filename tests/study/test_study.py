"""The study: what it suggests, keeps, refuses, and how it resumes."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tunepass as tp
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.study.describe import space_hash
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.store import Store
from tunepass.study.study import Study
from tunepass.study.task import Task
from tunepass.study.trial import Trial

TIME = Objective("time", unit="ms")
RATE = Objective("rate", unit="GB/s", maximise=True)


class Shuffled:
    """A strategy that keeps the contract: its choice depends on the seed and what was observed, nothing else."""

    def __init__(self, task: Task):
        self.task = task
        self.every = list(task.space.enumerate())
        self.suggested: set[Configuration] = set()
        self.observed: set[Configuration] = set()

    def suggest(self, n: int) -> list[Configuration]:
        order = np.random.default_rng((self.task.seed, len(self.observed))).permutation(len(self.every))
        known = self.suggested | self.observed
        chosen = [c for c in (self.every[i] for i in order) if c not in known][:n]
        self.suggested.update(chosen)
        return chosen

    def observe(self, trial: Trial) -> None:
        self.observed.add(trial.configuration)


class Silent:
    """A strategy with nothing to suggest."""

    def __init__(self, task: Task):
        pass

    def suggest(self, n: int) -> list[Configuration]:
        return []

    def observe(self, trial: Trial) -> None:
        pass


def space(constraints: tuple[str, ...] = ("tile % unroll == 0",), tiles: tuple[int, ...] = (4, 8, 16, 32)) -> Space:
    tile = Ordinal("tile", tiles, log=True, default=16)
    return Space([tile, Integer("unroll", 1, 4), Categorical("opt", ["-O2", "-O3"])], constraints)


def study(**options: object) -> Study:
    return Study(space(), [TIME], strategy=Shuffled, **options)  # type: ignore[arg-type]


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def time_of(configuration: Configuration) -> Measured:
    tile, unroll = configuration["tile"], configuration["unroll"]
    assert isinstance(tile, int) and isinstance(unroll, int)
    return Measured({"time": abs(tile - 8) + 1.0 / unroll})


def drive(some: Study, most: int = 10**9) -> list[Configuration]:
    seen: list[Configuration] = []
    while not some.finished and len(seen) < most:
        for configuration in some.suggest(1):
            some.observe(configuration, time_of(configuration))
            seen.append(configuration)
    return seen


def test_the_documented_loop_covers_the_space_once_default_first() -> None:
    some = study()
    seen = drive(some)
    assert seen[0] == some.space.default == Configuration({"tile": 16, "unroll": 1, "opt": "-O2"})
    assert len(seen) == len(set(seen)) == some.space.size
    assert some.suggest(3) == [] and some.finished
    assert [t.number for t in some.trials] == list(range(some.space.size))


def test_budget_counts_what_is_under_evaluation() -> None:
    some = study(max_evals=5)
    first = some.suggest(3)
    assert len(first) == 3 and not some.finished
    assert len(some.suggest(10)) == 2
    assert some.finished and some.suggest(1) == []
    for configuration in first:
        some.observe(configuration, time_of(configuration))
    assert some.finished and len(some.trials) == 3


def test_batches_are_distinct_and_never_repeat_what_is_pending() -> None:
    some = study()
    batches = [some.suggest(4) for _ in range(8)]
    flat = [c for batch in batches for c in batch]
    assert len(flat) == len(set(flat)) == some.space.size


def test_observing_what_was_not_suggested() -> None:
    some = study()
    trial = some.observe({"opt": "-O3", "unroll": np.int64(2), "tile": 8.0}, Measured({"time": 1}))
    assert trial.number == 0 and list(trial.configuration.items()) == [("tile", 8), ("unroll", 2), ("opt", "-O3")]
    assert some.best == trial
    assert trial.configuration not in drive(some)


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"tile": 8, "unroll": 1}, "missing: opt"),
        ({"tile": 8, "unroll": 1, "opt": "-O2", "tiel": 1}, "no parameter 'tiel'(.|\n)*did you mean 'tile'"),
        ({"tile": 9, "unroll": 1, "opt": "-O2"}, "tile: 9 is not one of its values"),
        ({"tile": 8, "unroll": 3, "opt": "-O2"}, r"does not contain(.|\n)*it breaks tile % unroll == 0"),
    ],
)
def test_a_configuration_that_is_not_of_the_space(configuration: dict[str, int | str], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        study().observe(configuration, Measured({"time": 1.0}))


def test_outcomes_that_do_not_fit() -> None:
    some = study()
    default = some.space.default
    with pytest.raises(StudyError, match="finite"):
        some.observe(default, Measured({"time": float("nan")}))
    with pytest.raises(StudyError, match=r"no objective 'tme'(.|\n)*did you mean 'time'"):
        some.observe(default, Measured({"tme": 1.0}))
    with pytest.raises(StudyError, match="missing: time"):
        some.observe(default, Measured({}))
    with pytest.raises(StudyError, match="an outcome is Measured, Infeasible or Failed, got 3"):
        some.observe(default, 3.0)  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="seconds of stage compile"):
        some.observe(default, Measured({"time": 1.0}), seconds={"compile": float("inf")})
    assert some.trials == []


def test_observing_twice_needs_replace() -> None:
    some = study()
    default = some.space.default
    some.observe(default, Failed("compile", "x"))
    with pytest.raises(StudyError, match=r"is trial 0 already(.|\n)*replace=True"):
        some.observe(default, Measured({"time": 2.0}))
    assert some.best is None
    some.observe(default, Measured({"time": 2.0}), replace=True)
    assert some.best is not None and some.best.number == 0 and len(some.trials) == 1


def test_best_and_its_ties() -> None:
    some = study()
    assert some.best is None and some.pareto == [] and some.best_so_far == []
    far = Configuration({"tile": 4, "unroll": 4, "opt": "-O3"})
    near = Configuration({"tile": 16, "unroll": 2, "opt": "-O2"})
    nearest = Configuration({"tile": 8, "unroll": 1, "opt": "-O2"})
    some.observe(some.space.default, Failed("run"))
    some.observe(far, Measured({"time": 1.0}))
    some.observe(near, Measured({"time": 1.0}))
    some.observe(nearest, Infeasible("fits"))
    assert some.best is not None and some.best.configuration == near
    assert [t.number for t in some.pareto] == [1, 2]
    assert some.best_so_far == [None, 1.0, 1.0, 1.0]
    assert some.failures == {"run": 1, "infeasible": 1}


def test_a_measurement_that_was_cut_short_is_not_the_best() -> None:
    some = study()
    cut, whole = (Configuration({"tile": tile, "unroll": 1, "opt": "-O2"}) for tile in (4, 8))
    some.observe(cut, Measured({"time": 1.0}, censored=True))
    assert some.best is not None and some.best.number == 0  # there is nothing else
    some.observe(whole, Measured({"time": 2.0}))
    assert some.best.number == 1 and [t.number for t in some.pareto] == [1]
    assert some.best_so_far == [None, 2.0]


def test_what_took_anothers_outcome_costs_no_evaluation(tmp_path: Path) -> None:
    some = Study(space(), [TIME], strategy=Shuffled, max_evals=2, store=url(tmp_path))
    first = some.suggest(1)[0]
    some.observe(first, time_of(first))
    for _ in range(3):
        (again,) = some.suggest(4)  # one is left
        assert some.observe(again, time_of(first), same_as=first).same_as == 0
    resumed = Study(space(), [TIME], strategy=Shuffled, max_evals=2, store=url(tmp_path))
    assert resumed.spent == 1 and not resumed.finished
    (last,) = resumed.suggest(1)
    resumed.observe(last, time_of(last))
    assert resumed.finished and resumed.suggest(1) == [] and len(resumed.trials) == 5


def test_a_search_among_equal_codes_ends() -> None:
    some = Study(Space([Integer("n", 0, 99)]), [TIME], strategy=Shuffled, max_evals=3)
    default = some.space.default
    while found := some.suggest(1):
        some.observe(found[0], Measured({"time": 1.0}), same_as=None if found[0] == default else default)
    assert len(some.trials) == 21 and some.spent == 3


def test_several_objectives() -> None:
    some = Study(space(), [TIME, RATE], strategy=Shuffled)
    pairs = [(1.0, 5.0), (2.0, 9.0), (3.0, 8.0), (1.0, 4.0)]
    for (time, rate), configuration in zip(pairs, some.suggest(4)):
        some.observe(configuration, Measured({"time": time, "rate": rate}))
    assert [t.number for t in some.pareto] == [0, 1]
    with pytest.raises(StudyError, match="`best` needs a single objective"):
        _ = some.best


def test_maximising() -> None:
    some = Study(space(), [RATE], strategy=Shuffled)
    for rate, configuration in zip([3.0, 5.0, 4.0], some.suggest(3)):
        some.observe(configuration, Measured({"rate": rate}))
    assert some.best is not None and some.best.number == 1 and some.best_so_far == [3.0, 5.0, 5.0]


@pytest.mark.parametrize("cut", [0, 1, 5])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_resumed_study_goes_on_as_an_undisturbed_one(tmp_path: Path, cut: int, interrupted: bool) -> None:
    undisturbed = drive(study(seed=3))
    first = study(seed=3, store=url(tmp_path))
    seen = drive(first, most=cut)
    if interrupted:
        first.suggest(2)
    first.close()
    second = study(seed=3, store=url(tmp_path))
    assert [t.configuration for t in second.trials] == seen == undisturbed[:cut]
    rest = drive(second)
    assert sorted(map(repr, seen + rest)) == sorted(map(repr, undisturbed))
    if not interrupted:
        assert seen + rest == undisturbed


def test_what_was_interrupted_is_suggested_first_and_once(tmp_path: Path) -> None:
    first = study(store=url(tmp_path))
    lost = first.suggest(3)
    first.observe(lost[1], time_of(lost[1]))
    first.close()
    second = study(store=url(tmp_path), max_evals=4)
    assert not second.finished
    assert second.suggest(2) == [lost[0], lost[2]]
    assert len(second.suggest(5)) == 1 and second.finished


def test_logs_keep_their_tail_and_times_their_names(tmp_path: Path) -> None:
    some = study(store=url(tmp_path))
    log, seconds = "start" + "x" * 20_000 + "end", {"compile": 1, "link": 0.5}
    some.observe(some.space.default, Failed("compile", log), seconds=seconds, log=log, calibration=2.0)
    trial = study(store=url(tmp_path)).trials[0]
    assert trial.seconds == {"compile": 1.0, "link": 0.5} and trial.calibration == 2.0
    assert isinstance(trial.outcome, Failed)
    for kept in (trial.outcome.log, trial.log):
        assert len(kept) == 8192 and kept.endswith("end")


def test_another_space_objective_or_identity_is_refused_with_what_differs(tmp_path: Path) -> None:
    drive(
        Study(space(), [TIME], strategy=Shuffled, store=url(tmp_path), name="k", identity={"compiler": "gcc 12"}),
        most=1,
    )

    def reopen(some: Space, objective: Objective = TIME, compiler: str = "gcc 12") -> None:
        Study(some, [objective], strategy=Shuffled, store=url(tmp_path), name="k", identity={"compiler": compiler})

    with pytest.raises(StudyError) as refused:
        reopen(space(constraints=("tile >= unroll",), tiles=(8, 16)))
    for part in (
        "study 'k'",
        "[4,8,16,32]",
        "[8,16]",
        "removed: tile % unroll == 0",
        "added: tile >= unroll",
        "another name",
    ):
        assert part in str(refused.value)
    with pytest.raises(StudyError, match=r"objectives: min time \(ms\) -> max rate \(GB/s\)"):
        reopen(space(), RATE)
    with pytest.raises(StudyError, match="compiler: gcc 12 -> gcc 13"):
        reopen(space(), compiler="gcc 13")
    reopen(space(constraints=(" tile%unroll  == 0",)))


def test_names_default_to_what_is_studied(tmp_path: Path) -> None:
    store = Store(url(tmp_path))
    one, two = study(store=store, seed=1), study(store=store, seed=2)
    other = Study(space(tiles=(8, 16)), [TIME], strategy=Shuffled, store=store)
    assert one.name == two.name != other.name
    assert space_hash(one.space) == space_hash(space()) != space_hash(other.space)


def test_a_table_is_named_by_its_rows(tmp_path: Path) -> None:
    rows = list(space().enumerate())
    one, same = (Space.from_table(some, space().parameters) for some in (rows[1:9], rows[8:0:-1]))
    other = Space.from_table(rows[2:10], space().parameters)
    assert space_hash(one) == space_hash(same) != space_hash(other)
    drive(Study(one, [TIME], strategy=Shuffled, store=url(tmp_path), name="k"))
    with pytest.raises(StudyError, match=r"rows: 8 rows sha256:.* -> 8 rows sha256:"):
        Study(other, [TIME], strategy=Shuffled, store=url(tmp_path), name="k")


def test_two_studies_on_one_store_share_the_work(tmp_path: Path) -> None:
    one, two = study(store=url(tmp_path)), study(store=url(tmp_path))
    a, b = one.suggest(4), two.suggest(4)
    assert not set(a) & set(b)
    for configuration in b:
        two.observe(configuration, time_of(configuration))
    rest = drive(one)
    assert not set(rest) & {*a, *b} and len(rest) + 8 == one.space.size
    with pytest.raises(StudyError, match="already"):
        one.observe(b[0], time_of(b[0]))


def test_the_first_report_of_a_shared_configuration_stands(tmp_path: Path) -> None:
    one, two = study(store=url(tmp_path)), study(store=url(tmp_path))
    (default,) = one.suggest(1)
    kept = two.observe(default, Measured({"time": 1.0}))
    assert one.observe(default, Measured({"time": 2.0})) == kept


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
import test_study
some = test_study.study(seed=5, store=sys.argv[1])
while not some.finished:
    for configuration in some.suggest(2):
        print(some.observe(configuration, test_study.time_of(configuration)).number, flush=True)
"""


def test_killed_at_any_moment_and_resumed_nothing_is_lost_or_repeated(tmp_path: Path) -> None:
    reported: list[int] = []
    for lines in (0, 1, 2, 3, 5, 1, 4):
        command = [sys.executable, "-c", KILLED, url(tmp_path), str(Path(__file__).parent)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            reported += [int(child.stdout.readline()) for _ in range(lines)]
            child.kill()
            reported += [int(line) for line in child.stdout]
    after = study(seed=5, store=url(tmp_path))
    assert reported == sorted(set(reported)) and len(after.trials) >= len(reported)
    drive(after)
    undisturbed = study(seed=5)
    drive(undisturbed)
    assert [t.number for t in after.trials] == list(range(after.space.size))
    assert {t.configuration for t in after.trials} == {t.configuration for t in undisturbed.trials}
    assert after.best is not None and undisturbed.best is not None
    assert after.best.configuration == undisturbed.best.configuration


def _worker(where: str) -> None:
    drive(study(store=where))


def test_two_processes_evaluate_every_configuration_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_worker, args=(url(tmp_path),)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    trials = study(store=url(tmp_path)).trials
    assert len({t.configuration for t in trials}) == len(trials) == space().size


def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(StudyError, match="distinct names, got time, time"):
        Study(space(), [TIME, TIME], strategy=Shuffled)
    with pytest.raises(StudyError, match="distinct names, got none"):
        Study(space(), [], strategy=Shuffled)
    with pytest.raises(StudyError, match="max_evals is at least 1"):
        study(max_evals=0)
    with pytest.raises(StudyError, match="at least one configuration"):
        study().suggest(0)


def test_a_strategy_that_repeats_itself_is_found_out() -> None:
    class Stuck(Shuffled):
        def suggest(self, n: int) -> list[Configuration]:
            return [self.task.space.default]

    some = Study(space(), [TIME], strategy=Stuck)
    assert len(some.suggest(1)) == 1
    with pytest.raises(StudyError, match="the strategy repeats"):
        some.suggest(1)


def test_every_kind_of_parameter_survives_the_store(tmp_path: Path) -> None:
    parameters = [
        Real("ratio", 0.1, 1.0),
        Categorical("on", [False, True]),
        Categorical("mode", ["a", "b"]),
        Permutation("order", 3),
        Permutation("loops", ["i", "j"]),
    ]
    values = {"ratio": 1, "on": True, "mode": "b", "order": [2, 0, 1], "loops": ("j", "i")}
    one = Study(Space(parameters), [TIME], strategy=Silent, store=url(tmp_path))
    kept = one.observe(values, Measured({"time": 1.0}))  # type: ignore[arg-type]
    assert kept.configuration["ratio"] == 1.0 and type(kept.configuration["ratio"]) is float
    assert Study(Space(parameters), [TIME], strategy=Silent, store=url(tmp_path)).trials == [kept]
    assert one.best == kept


class Sampled(Shuffled):
    """Draws from the space: for spaces with real parameters, which have no end."""

    def __init__(self, task: Task):
        self.task = task
        self.observed = set()

    def suggest(self, n: int) -> list[Configuration]:
        return self.task.space.sample(n, np.random.default_rng((self.task.seed, len(self.observed))))


def test_the_documented_example() -> None:
    some = tp.Space(
        [
            tp.Ordinal("tile", [4, 8, 16, 32, 64], log=True, default=16, prior="decay"),
            tp.Integer("unroll", 1, 16),
            tp.Real("ratio", 1e-3, 1.0, log=True),
            tp.Categorical("schedule", ["static", "dynamic"], prior=[0.3, 0.7]),
            tp.Permutation("order", 4),
        ],
        constraints=["tile % unroll == 0", "pos(order, 0) < pos(order, 2)", "order[3] == 3"],
    )
    objective = tp.Objective("time", unit="ms")
    documented = tp.Study(some, objectives=[objective], strategy=Sampled, seed=0, max_evals=60)
    while not documented.finished:
        for configuration in documented.suggest(1):
            tile = configuration["tile"]
            assert isinstance(tile, int)
            documented.observe(configuration, tp.Measured({"time": 100.0 / tile}))
    assert len(documented.trials) == 60 and documented.trials[0].configuration == some.default
    assert documented.best is not None and documented.best.configuration["tile"] == 64
    assert documented.pareto[0].outcome == documented.best.outcome


def test_importing_a_study_loads_no_strategy() -> None:
    code = "import sys, tunepass.study.study; sys.exit('tunepass.strategies' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Capabilities of evaluators, strategies and prior means, and wrappers, which lose none and invent none."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Protocol, cast, runtime_checkable
from unittest.mock import MagicMock

import numpy as np
import pytest

import tunepass as tp
from tests.passes.fakes import Comparing, by_tile, kernel, search_step
from tests.test_architecture import modules
from tunepass import registry
from tunepass.backends.base import Backend, Target
from tunepass.capabilities import Wrapper, capability, members_of, required
from tunepass.evaluators.capabilities import EVALUATOR_CAPABILITIES, ComparesAgain, Prepares, Warns
from tunepass.evaluators.process.machine_turns import TakesTurns
from tunepass.evaluators.recorded.replay import _Stopwatch, _Timed
from tunepass.exact.base import solver
from tunepass.exact.shares import EXACT_SOLVER_CAPABILITIES
from tunepass.executors.local import LocalExecutor
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Name
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.pipeline import Pipeline
from tunepass.passes.search import Search
from tunepass.search.options import SearchOptions
from tunepass.search.result import SearchResult
from tunepass.strategies.auto import Auto
from tunepass.strategies.base import Strategy
from tunepass.study.capabilities import PRIOR_MEAN_CAPABILITIES, STRATEGY_CAPABILITIES, Believes, Revises
from tunepass.study.outcome import Evaluate
from tunepass.study.task import Suggester
from tunepass.testing.executor import TwoSteps, X
from tunepass.testing.strategy import price, task

# The capabilities of each evaluator of the package: a line changes only where one is meant to be gained or lost.
BUILT = "Prepares Remembers SetsUpAgain WaitsForCores Warns WritesText"
REMOTE = "EvaluatesSideBySide WaitsForCores Warns"
EVALUATORS = {
    "ApplicationRun": f"{BUILT} ComparesAgain KeepsPrograms Summarises",
    "CommandRun": f"{BUILT} BlamesOwnText ComparesAgain KeepsPrograms Summarises",
    "CompileRun": f"{BUILT} BlamesOwnText ComparesAgain KeepsPrograms LooksAgain ReportsChecks Sanitizes TimesRounds",
    "CompiledModel": "NoiseFree Prepares Remembers ReportsQuantities SetsUpAgain",
    "DeterministicRun": BUILT,
    "GpuRun": f"{BUILT} ComparesAgain LooksAgain",
    "ModelEvaluator": "NoiseFree",
    "ReplayEvaluator": "",
    **{
        name: f"{REMOTE} {more}"
        for name, more in {
            "RemoteEvaluator": "",
            "ComparesRemotely": "ComparesAgain",
            "PricesRemotely": "NoiseFree",
            "ReportsChecksRemotely": "ReportsChecks",
            "SanitizesRemotely": "Sanitizes",
            "SummarisesRemotely": "Summarises",
            "VerifiesRemotely": "LooksAgain",
        }.items()
    },
    "SynthesisedModel": "NoiseFree Prepares Remembers ReportsQuantities SetsUpAgain",
    "TrainingRun": "SetsUpAgain",
}
STRATEGIES = {
    "auto": "Believes NotesPending ReportsFeasibleRecall ReportsPriorWeight Revises",  # what `bayesian` has
    "baco": "Believes NotesPending ReportsFeasibleRecall ReportsPriorWeight Revises",
    "bayesian": "Believes NotesPending ReportsFeasibleRecall ReportsPriorWeight Revises",
    "density_ratio": "NotesPending RatesParameters ReportsPriorWeight Revises",
    "exhaustive": "NotesPending Revises",
    "hypermapper": "NotesPending ReportsFeasibleRecall Revises",
    "hypervolume": "NotesPending ReportsFeasibleRecall Revises",
    "random": "NotesPending Revises",
}

EXACT_SOLVERS = {"branch_and_bound": "", "exhaustive": "SolvesInShares"}


def names(thing: object, kinds: Sequence[type]) -> set[str]:
    return {kind.__name__ for kind in kinds if capability(thing, kind) is not None}


@cache
def classes(word: str) -> Mapping[str, tuple[str, ast.ClassDef]]:
    """The classes of modules in which the word occurs: name -> module and definition."""
    return {
        node.name: (module, node)
        for module, path in modules()
        if word in path.read_text()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }


def subclasses(base: str) -> set[str]:
    bases = {name: {ast.unparse(b).split("[")[0] for b in node.bases} for name, (_, node) in classes(base).items()}
    derived = {base}
    while more := {name for name, above in bases.items() if above & derived} - derived:
        derived |= more
    return derived - {base}


def evaluator(name: str) -> Evaluate:
    """An evaluator of that class, of parts that are never used."""
    cls = getattr(importlib.import_module(classes("Evaluator")[name][0]), name)
    parts = [p for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    return cast(Evaluate, cls(*(MagicMock() for _ in parts)))


# -- wrappers that know of no capability


class Logged(tp.Evaluator, tp.Wrapper[Evaluate]):
    def __init__(self, wrapped: Evaluate):
        self.wrapped = wrapped
        self.log: list[tp.Configuration] = []

    def evaluate(self, configuration: tp.Configuration) -> tp.Evaluation:
        self.log.append(configuration)
        return self.wrapped(configuration)


class Careful(tp.Strategy, tp.Wrapper[tp.Strategy]):
    def __init__(self, wrapped: tp.Strategy):
        super().__init__(wrapped.task)
        self.wrapped = wrapped

    def suggest(self, n: int) -> list[tp.Configuration]:
        return self.wrapped.suggest(n)

    def observe(self, trial: tp.Trial) -> None:
        self.wrapped.observe(trial)


class Doubled(tp.PriorMean, Wrapper[tp.PriorMean]):
    def __init__(self, wrapped: tp.PriorMean):
        self.wrapped = wrapped

    def values(self, space: tp.Space, columns: Mapping[str, np.ndarray]) -> np.ndarray:  # type: ignore[override, type-arg]
        return 2 * self.wrapped.values(space, columns)


def in_auto(strategy: Strategy) -> Suggester:
    auto = Auto(strategy.task)
    auto.wrapped = strategy
    return auto


WRAPPERS: dict[str, Callable[[Strategy], Suggester]] = {
    "Auto": in_auto,
    "_Timed": lambda strategy: _Timed(strategy, _Stopwatch("random", lambda: 0.0)),
    "Careful": Careful,
    "twice": lambda strategy: Careful(Careful(strategy)),
}


EVALUATOR_WRAPPERS = {"TakesTurns"}


# -- nothing is lost, nothing invented


@pytest.mark.parametrize("name", EVALUATORS)
def test_a_wrapped_evaluator_has_its_capabilities(name: str) -> None:
    plain = evaluator(name)
    assert names(plain, EVALUATOR_CAPABILITIES) == set(EVALUATORS[name].split())
    for wrapped in (Logged(plain), Logged(Logged(plain)), TakesTurns(plain)):
        assert names(wrapped, EVALUATOR_CAPABILITIES) == set(EVALUATORS[name].split())
        assert all(capability(wrapped, kind) in (plain, None) for kind in EVALUATOR_CAPABILITIES)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_wrapped_strategy_has_its_capabilities(name: str, wrapper: str) -> None:
    plain = cast(Strategy, registry.find("strategies", name)(task()))
    assert names(plain, STRATEGY_CAPABILITIES) == set(STRATEGIES[name].split())
    assert names(WRAPPERS[wrapper](plain), STRATEGY_CAPABILITIES) == set(STRATEGIES[name].split())


def test_auto_has_the_capabilities_of_the_strategy_that_it_chooses() -> None:
    for asked, chosen in ((task(max_evals=10_000), "exhaustive"), (task(objectives=2), "hypervolume")):
        assert names(Auto(asked), STRATEGY_CAPABILITIES) == set(STRATEGIES[chosen].split())


def test_a_wrapped_prior_mean_has_its_capabilities() -> None:
    several = tp.SeveralPriorMeans([tp.PriorMean.from_expression("1")])
    for mean in (several, tp.PriorMean.from_expression("1"), tp.PriorMean.from_observations([{"a": 1}], [2.0])):
        assert names(Doubled(mean), PRIOR_MEAN_CAPABILITIES) == names(mean, PRIOR_MEAN_CAPABILITIES)
    assert names(Doubled(several), PRIOR_MEAN_CAPABILITIES) == {k.__name__ for k in PRIOR_MEAN_CAPABILITIES}


def test_the_capabilities_of_exact_solvers() -> None:
    assert set(EXACT_SOLVERS) == set(registry.EXACT_SOLVERS)
    for name, kinds in EXACT_SOLVERS.items():
        assert names(solver(name), EXACT_SOLVER_CAPABILITIES) == set(kinds.split())


def test_every_class_and_every_capability_of_the_package_is_in_the_tables_above() -> None:
    abstract = {"BuildingEvaluator"}
    assert subclasses("Evaluator") | {"ModelEvaluator"} == {*EVALUATORS} | abstract | EVALUATOR_WRAPPERS
    assert set(STRATEGIES) == set(registry.STRATEGIES)
    assert subclasses("Wrapper") <= set(WRAPPERS) | EVALUATOR_WRAPPERS
    protocols = {
        name
        for name, (_, node) in classes("runtime_checkable").items()
        if any("runtime_checkable" in ast.unparse(decorator) for decorator in node.decorator_list)
    }
    tables = (*EVALUATOR_CAPABILITIES, *STRATEGY_CAPABILITIES, *PRIOR_MEAN_CAPABILITIES, *EXACT_SOLVER_CAPABILITIES)
    assert protocols == {kind.__name__ for kind in tables}


def test_capabilities_are_asked_for_in_one_way() -> None:
    solvers = EXACT_SOLVER_CAPABILITIES
    tables = (*EVALUATOR_CAPABILITIES, *STRATEGY_CAPABILITIES, *PRIOR_MEAN_CAPABILITIES, *solvers)
    kinds = {kind.__name__ for kind in tables}
    word = re.compile("|".join(kinds))
    for module, path in modules():
        for node in ast.walk(ast.parse(text)) if word.search(text := path.read_text()) else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
                asked = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)} & kinds
                assert not asked, f"{module}:{node.lineno}: isinstance passes over what is wrapped: {asked}"


# -- what a wrapper changes


@runtime_checkable
class Sings(Protocol):
    volume: int

    def sing(self) -> str: ...


class Bird:
    volume = 1

    def sing(self) -> str:
        return "peep"


class Loud(Wrapper[object]):
    volume = 2

    def __init__(self, wrapped: object):
        self.wrapped = wrapped

    def sing(self) -> str:
        return required(self.wrapped, Sings).sing().upper()


class Singing(Loud):
    adds = (Sings,)

    def sing(self) -> str:
        return "la"


class Mute(Wrapper[object]):
    withholds = (Sings,)

    def __init__(self, wrapped: object):
        self.wrapped = wrapped


class Half(Mute):
    withholds = ()

    def sing(self) -> str:
        return "pe"


def test_what_a_wrapper_defines_is_used_where_the_wrapped_object_has_it() -> None:
    loud = capability(Loud(Bird()), Sings)
    assert loud is not None and loud.sing() == "PEEP" and loud.volume == 2
    assert capability(Loud(object()), Sings) is None
    assert required(Loud(Loud(Bird())), Sings).sing() == "PEEP"
    with pytest.raises(TypeError, match="object has no capability Sings"):
        required(object(), Sings)


def test_a_wrapper_adds_and_withholds_what_it_lists() -> None:
    assert required(Singing(object()), Sings).sing() == "la"
    assert capability(Mute(Bird()), Sings) is None and capability(Loud(Mute(Bird())), Sings) is None
    assert capability(Singing(Mute(Bird())), Sings) is not None


def test_half_a_capability_is_an_error() -> None:
    with pytest.raises(TypeError, match="Half lacks volume of Sings"):
        capability(Half(Bird()), Sings)
    assert capability(Half(object()), Sings) is None
    assert members_of(Sings) == {"volume", "sing"} and members_of(Prepares) == {"prepare", "finish"}


def test_asking_a_wrapper_runs_none_of_its_properties() -> None:
    class Warning(Wrapper[object]):
        wrapped = evaluator("CompileRun")

        @property
        def warnings(self) -> tuple[str, ...]:
            raise AssertionError("asked")

    warning = Warning()
    assert capability(warning, Warns) is warning


# -- a search, and a study


def search(evaluate: Callable[[Comparing], Evaluate]) -> SearchResult:
    prices = Comparing(by_tile({1: 10.0, 2: 8.0, 4: 6.0, 8: 3.0, 16: "crash"}), lambda c, r: 3.0 + r % 2)

    @contextmanager
    def opened(_: tp.Kernel) -> Iterator[Evaluate]:
        yield evaluate(prices)

    prices.opened = opened  # type: ignore[method-assign]
    return cast(SearchResult, Pipeline((ExtractSpace(), search_step(prices))).run(kernel()).found)


def test_a_search_with_a_wrapped_evaluator_is_the_same() -> None:
    class Alone(Logged):
        withholds = (ComparesAgain,)

    plain, wrapped, alone = search(lambda prices: prices), search(Logged), search(Alone)
    assert wrapped == plain and plain.comparison is not None
    assert alone.comparison is None and alone.choice["TILE"] == 8


def test_an_executor_compiles_side_by_side_what_a_wrapped_evaluator_prepares() -> None:
    plain = TwoSteps()
    evaluated = list(LocalExecutor(2).evaluate(Logged(Logged(plain)), X))
    assert [configuration for configuration, _ in evaluated] == X and plain.finished == len(X) and plain.calls == 0


def test_a_study_asks_a_wrapped_strategy_what_it_asks_a_plain_one() -> None:
    def run(strategy: Callable[[tp.Task], tp.Strategy]) -> tp.Study:
        search = tp.Study(task().space, [tp.Objective("time")], strategy=strategy, seed=3, max_evals=20)
        while configurations := search.suggest():
            outcome = price(configurations[0])
            time = tp.Measured({"time": outcome.values["time"]}) if isinstance(outcome, tp.Measured) else outcome
            search.observe(configurations[0], time)
        return search

    bayesian = cast(Callable[[tp.Task], tp.Strategy], registry.find("strategies", "bayesian"))
    plain, wrapped = run(bayesian), run(lambda task: Careful(bayesian(task)))
    assert wrapped.feasible_recall == plain.feasible_recall is not None
    assert [t.configuration for t in wrapped.trials] == [t.configuration for t in plain.trials]


def test_a_replayed_strategy_revises_within_the_counted_time() -> None:
    ticks = iter(range(100))
    timed = _Stopwatch("random", lambda: float(next(ticks)))
    strategy = timed(task())
    trial = tp.Trial(0, strategy.suggest(1)[0], tp.Measured({"time": 1.0}))
    strategy.observe(trial)
    before = timed.seconds
    required(strategy, Revises).revise(trial)
    assert timed.seconds == before + 1 and capability(strategy, Believes) is None


class Reporting:
    """Measures twice what the model says, and reports it."""

    def __init__(self) -> None:
        self.reported: dict[tp.Configuration, Mapping[str, float]] = {}

    def __call__(self, configuration: tp.Configuration, /) -> tp.Evaluation:
        value = 2.0 * float(str(configuration["n"]))
        self.reported[configuration] = {"time": value}
        return tp.Evaluation(tp.Measured({"time": value}))


class Modelled(Backend):
    kind = "modelled"
    device = "paper"
    measures = True

    def objectives(self) -> tuple[tp.Objective, ...]:
        return (tp.Objective("time"),)

    def identity(self, space: tp.Space) -> tp.Identity:
        return tp.Identity(source="", space="")

    def costs(self) -> tp.Costs:
        return tp.Costs(values={"time": Name("n", INTEGER)}, units={}, fits=alg.lift(True), limits={}, name="n")

    @contextmanager
    def evaluator(self) -> Iterator[Evaluate]:  # type: ignore[override]
        yield Logged(Reporting())


def test_a_model_learns_of_reports_that_a_wrapped_evaluator_of_a_context_manager_has() -> None:
    backend = Modelled(kernel([tp.Integer("n", 1, 40)], ()), Target())
    step = Search(backend=lambda kernel: backend, options=SearchOptions(max_evals=25))
    found = Pipeline((ExtractSpace(), step)).run(backend.kernel).found
    assert found is not None and found.origin is not None and found.origin.corrected.startswith("corrected by")

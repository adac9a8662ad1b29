"""Probes come before the search; text of tunepass' own that does not compile ends it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from tunepass.diagnostics import SourceError
from tunepass.evaluators.own_text import OwnTextFailure
from tunepass.search.loop import SearchLoop
from tunepass.search.options import SearchOptions
from tunepass.search.result import SearchResult, failed_sentence, none_compiled
from tunepass.space.configuration import Configuration
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluation, Failed, Measured
from tunepass.study.study import Study

TIME = Objective("time", unit="ms")
SPACE = Space([Ordinal("T", [1, 2, 4, 8], default=1), Ordinal("U", [1, 2], default=1)])
LOG = "k.c:7:5: error: 'x' undeclared\nk.c:9:5: error: more"


def at(t: int, u: int = 1) -> Configuration:
    return Configuration({"T": t, "U": u})


@dataclass
class Compiler:
    """Fails at `broken`; at `own` because of the text that was written."""

    broken: set[Configuration] = field(default_factory=set)
    own: set[Configuration] = field(default_factory=set)
    asked: list[Configuration] = field(default_factory=list)

    def __call__(self, configuration: Configuration) -> Evaluation:
        self.asked.append(configuration)
        failed = configuration in self.broken | self.own
        return Evaluation(Failed("compile", LOG) if failed else Measured({"time": 1.0}))

    def own_text_failure(self, configuration: Configuration) -> OwnTextFailure | None:
        return OwnTextFailure("text", LOG, ("cc",)) if configuration in self.own else None


def defect(configuration: Configuration, failure: OwnTextFailure) -> SourceError:
    return SourceError(f"defect at {configuration['T']}: {failure.first_error}, line {failure.line}")


def search(evaluate: Compiler, probes: tuple[Configuration, ...], store: str | None = None) -> SearchResult:
    study = Study(SPACE, (TIME,), strategy="exhaustive", max_evals=6, store=store, name="k")
    options = SearchOptions(max_evals=6)
    ignore = lambda progress: None  # noqa: E731
    return SearchLoop(study, TIME, evaluate, options, ignore, lambda: 0.0, probes=probes, defect=defect).run()


def test_probes_are_trials_after_the_default() -> None:
    evaluate = Compiler()
    search(evaluate, (at(8), at(4, 2)))
    assert evaluate.asked[:3] == [at(1), at(8), at(4, 2)] and len(set(evaluate.asked)) == len(evaluate.asked) == 6


def test_own_text_that_does_not_compile_ends_the_search() -> None:
    evaluate = Compiler(own={at(8)})
    with pytest.raises(SourceError, match=r"defect at 8: k\.c:7:5: error: 'x' undeclared, line 7"):
        search(evaluate, (at(8),))
    assert evaluate.asked == [at(1), at(8)]


def test_the_default_may_be_text_of_our_own() -> None:
    with pytest.raises(SourceError, match="defect at 1"):
        search(Compiler(own={at(1)}), ())


def test_a_probe_that_fails_by_its_flags_is_an_ordinary_failure() -> None:
    found = search(Compiler(broken={at(8)}), (at(8),))
    assert found.failures == {"compile": 1} and found.warnings == ()


def test_a_defect_of_an_earlier_build_is_looked_at_again(tmp_path: object) -> None:
    store, evaluate = f"sqlite:///{tmp_path}/store.db", Compiler(own={at(8)})
    for _ in range(2):
        with pytest.raises(SourceError, match="defect at 8"):
            search(evaluate, (at(8),), store)
    mended = Compiler()
    found = search(mended, (at(8),), store)
    assert mended.asked[0] == at(8) and found.failures == {}


def test_all_candidates_that_fail_to_compile_are_a_warning() -> None:
    others = {configuration for configuration in SPACE.enumerate() if configuration != at(1)}
    found = search(Compiler(broken=others), ())
    (warning,) = found.warnings
    assert warning == "all 5 candidates besides the default failed to compile: k.c:7:5: error: 'x' undeclared"
    assert failed_sentence(found.trials, at(1)) == "5 of 5 candidates failed (5 compile)"
    assert none_compiled(found.trials[:1], at(1)) == [] and failed_sentence(found.trials[:1], at(1)) == ""
    assert none_compiled(found.trials[:2], at(1))[0].startswith("the only candidate besides the default failed")


@dataclass
class Writer(Compiler):
    """Writes text of its own, in the words of one version of tunepass."""

    version: str = "1"
    is_set_up: bool = True

    def __call__(self, configuration: Configuration) -> Evaluation:
        evaluation = super().__call__(configuration)
        failed = isinstance(evaluation.outcome, Failed)
        return replace(evaluation, code=self.own_text(configuration)) if failed else evaluation

    def own_text(self, configuration: Configuration) -> str:
        return f"text {self.version} {configuration['T']}" if configuration["T"] != 1 else ""

    def set_up_again(self) -> None:
        pass


def test_text_that_did_not_compile_is_tried_again_once_it_is_another(tmp_path: object) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    broken = {at(2), at(4, 2), at(1, 2)}
    assert search(Writer(broken=broken), (), store).failures == {"compile": 3}
    same = Writer(broken=broken)
    assert search(same, (), store).failures == {"compile": 3} and same.asked == []
    mended = Writer(version="2")
    assert search(mended, (), store).failures == {"compile": 1}  # of (1, 2) the source's own text was compiled
    assert set(mended.asked) == {at(2), at(4, 2)}


@dataclass
class Miswriter(Writer):
    """Writes text that compiles and computes something else."""

    def __call__(self, configuration: Configuration) -> Evaluation:
        self.asked.append(configuration)
        wrong = configuration in self.broken
        outcome = Failed("wrong_result", "y: 1 of 9 elements differ") if wrong else Measured({"time": 1.0})
        text = self.own_text(configuration)
        return Evaluation(outcome, code=f"program{self.version}{' ' * bool(text)}{text}")


def test_text_that_computed_something_else_is_tried_again_once_it_is_another(tmp_path: object) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    wrong = {at(2), at(4, 2), at(1, 2)}
    assert search(Miswriter(broken=wrong), (), store).failures == {"wrong_result": 3}
    same = Miswriter(broken=wrong)
    assert search(same, (), store).failures == {"wrong_result": 3} and same.asked == []
    mended = Miswriter(version="2")
    assert search(mended, (), store).failures == {"wrong_result": 1}  # (1, 2) is the source's own text
    assert set(mended.asked) == {at(2), at(4, 2)}


def test_a_store_without_digests_of_texts_is_looked_at_once(tmp_path: object) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    broken = {at(2), at(4)}
    search(Compiler(broken=broken), (), store)
    for asked in ({at(2), at(4)}, set()):
        again = Writer(broken=broken)
        assert search(again, (), store).failures == {"compile": 2} and set(again.asked) == asked

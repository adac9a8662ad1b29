"""Whose failure is it? The machine's are tried again and then stop the search; the candidates' are believed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tunepass.diagnostics import EnvironmentFault, ToolError
from tunepass.executors.local import LocalExecutor
from tunepass.search.faults import PAUSES_S, FaultGuard, alike, doubtful_trials, kind_of, patiently
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Measured, Outcome
from tunepass.study.trial import Trial

X = Configuration({"x": 1})
FULL = Failed("compile", "k.c:3: error: No space left on device")
FINE = Measured({"time": 1.0})
Answer = Outcome | Exception


class Machine:
    """Answers one after the other, the last for ever; `default` likewise when everything is set up again."""

    def __init__(self, *answers: Answer, default: tuple[Exception | None, ...] = (None,), works: bool = True):
        self.answers, self.default, self.works = list(answers), list(default), works
        self.evaluated = self.set_up = 0
        self.is_set_up = False

    def __call__(self, configuration: Configuration, /) -> Evaluation:
        self.evaluated += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        self.is_set_up = self.works
        return Evaluation(answer)

    def set_up_again(self) -> None:
        self.set_up += 1
        answer = self.default.pop(0) if len(self.default) > 1 else self.default[0]
        if answer is not None:
            raise answer


def guarded(machine: Callable[[Configuration], Evaluation], pauses: list[float] | None = None) -> FaultGuard:
    return FaultGuard(machine, LocalExecutor(), (pauses if pauses is not None else []).append)


@pytest.mark.parametrize(
    "fault",
    [
        FULL,
        Failed("compile", "gcc: fatal error: Killed signal terminated program cc1"),
        Failed("compile", "the compiler was ended by SIGKILL"),
        Failed("crash", "the program was ended by SIGBUS"),
        Failed("run", "cannot allocate: Cannot allocate memory"),
        OSError(28, "No space left on device"),
        OSError(24, "Too many open files"),
        EnvironmentFault("no memory"),
        ToolError("the supervisor of gcc died"),
    ],
    ids=repr,
)
def test_what_passes_is_tried_again(fault: Answer) -> None:
    pauses: list[float] = []
    machine = Machine(fault, FINE)
    assert guarded(machine, pauses).evaluation(X).outcome == FINE
    assert pauses == [PAUSES_S[0]] and (machine.evaluated, machine.set_up) == (2, 1)


@pytest.mark.parametrize("fault", [FULL, OSError(28, "No space left on device", "/tmp/x"), EnvironmentFault("full")])
def test_what_does_not_pass_ends_the_search(fault: Answer) -> None:
    machine = Machine(fault, default=(ToolError("k.c does not compile as it is", hint="x: No space left on device"),))
    pauses: list[float] = []
    with pytest.raises(EnvironmentFault, match="No space left on device") as raised:
        guarded(machine, pauses).evaluation(X)
    assert raised.value.exit_status == 4 and pauses == list(PAUSES_S)
    assert "free some space" in str(raised.value) and "everything measured is kept" in str(raised.value)


def test_a_candidate_that_speaks_like_a_machine_is_believed_in_the_end() -> None:
    machine, pauses = Machine(FULL), list[float]()
    guard = guarded(machine, pauses)
    outcome = guard.evaluation(X).outcome
    assert isinstance(outcome, Failed) and outcome.log.startswith(FULL.log) and "the default still works" in outcome.log
    assert (machine.evaluated, machine.set_up, pauses) == (3, 3, list(PAUSES_S))
    guard.evaluation(X)  # the second of its kind needs no patience, but a default that works
    assert (machine.evaluated, machine.set_up, pauses) == (4, 4, list(PAUSES_S))
    assert doubtful_trials([Trial(0, X, FULL), Trial(1, X, outcome)]) == [Trial(0, X, FULL)]


def test_the_first_failed_compile_of_each_kind_is_believed_when_it_fails_again_and_the_default_does_not() -> None:
    missing = Failed("compile", "k.c:7:10: fatal error: tile.h: No such file or directory\n    7 | #include <tile.h>")
    machine, pauses = Machine(missing, missing, Failed("compile", missing.log.replace("7", "12")), FULL), list[float]()
    guard = guarded(machine, pauses)
    assert guard.evaluation(X).outcome == missing and (machine.evaluated, machine.set_up) == (2, 1)
    assert isinstance(guard.evaluation(X).outcome, Failed) and (machine.evaluated, machine.set_up) == (3, 1)
    assert pauses == []


def test_a_compile_that_fails_once_is_made_again() -> None:
    assert guarded(Machine(Failed("compile", "cannot open candidate.o"), FINE)).evaluation(X).outcome == FINE


def test_a_compile_that_fails_for_the_default_too_says_nothing() -> None:
    missing = ToolError("k.c does not compile as it is", hint="fatal error: gone.h: No such file or directory")
    machine = Machine(Failed("compile", "fatal error: gone.h: No such file or directory"), default=(missing,))
    with pytest.raises(EnvironmentFault, match="does not compile as it is"):
        guarded(machine).evaluation(X)


def test_a_default_that_has_never_worked_is_the_sources_fault() -> None:
    refused = ToolError("the default configuration fails (compile)", hint="refused")
    machine = Machine(Failed("compile", "refused"), default=(refused,), works=False)
    assert guarded(machine).evaluation(X).outcome == Failed("compile", "refused")
    full = Machine(FULL, default=(ToolError("the default fails", hint="No space left on device"),), works=False)
    with pytest.raises(EnvironmentFault):
        guarded(full).evaluation(X)


@pytest.mark.parametrize("stage", ["crash", "wrong_result", "timeout", "not_applied", "out_of_bounds"])
def test_what_only_a_candidate_does_is_believed_at_once(stage: str) -> None:
    machine = Machine(Failed(stage, "it did"))
    assert guarded(machine).evaluation(X).outcome == Failed(stage, "it did")
    assert (machine.evaluated, machine.set_up) == (1, 0)


def test_a_default_that_cannot_be_judged_at_all_is_the_users_to_know() -> None:
    machine = Machine(ToolError("k.c does not compile as it is", hint="syntax error"))
    with pytest.raises(ToolError) as raised:
        guarded(machine).evaluation(X)
    assert raised.value.exit_status == 2 and machine.evaluated == 1


def test_an_error_that_is_a_candidates_alone_is_its_failure() -> None:
    machine = Machine(FINE, ToolError("its report cannot be read"))
    guard = guarded(machine)
    guard.evaluation(X)
    assert guard.evaluation(X).outcome == Failed("run", "error: its report cannot be read")


def test_those_evaluated_beside_one_that_fails_are_evaluated_too() -> None:
    class Together(Machine):
        def prepare(self, configuration: Configuration, /) -> Configuration:
            if configuration["x"] == 1 and not self.evaluated:
                raise OSError(12, "Cannot allocate memory")
            return configuration

        def finish(self, prepared: Configuration, /) -> Evaluation:
            return self(prepared)

    xs = [Configuration({"x": x}) for x in range(3)]
    guard = FaultGuard(Together(FINE), LocalExecutor(jobs=2), [].append)
    assert [(c, e.outcome) for c, e in guard.evaluations(xs)] == [(x, FINE) for x in xs]


def test_an_evaluator_that_sets_up_nothing_is_left_alone() -> None:
    def failing(configuration: Configuration) -> Evaluation:
        return Evaluation(FULL)

    assert guarded(failing).evaluation(X).outcome == FULL


def test_finalists_that_cannot_be_built_again_are_left_out_if_the_default_can() -> None:
    assert guarded(Machine(FINE)).compared(lambda: [[1.0], []]) == [[1.0], []]
    answers: list[list[list[float]]] = [[[], []], [[1.0], [2.0]]]
    broken = Machine(FINE, default=(OSError(28, "No space left on device"), None))
    assert guarded(broken).compared(lambda: answers.pop(0)) == [[1.0], [2.0]]
    broken = Machine(FINE, default=(OSError(28, "No space left on device"),))
    with pytest.raises(EnvironmentFault, match="No space"):
        guarded(broken).compared(lambda: [[], []])


def test_what_fails_alike_has_the_same_words() -> None:
    words = ["/tmp/w-1/k.c:1: error 7\n 7 | x", "/tmp/w-2/k.c:12: error 8\n 8 | y", "/tmp/w-3/k.c:1: errors 7\n"]
    a, b, c = (Trial(i, X, Failed("compile", text)) for i, text in enumerate(words))
    assert alike(a, [a, b, c]) == [a, b] and alike(Trial(3, X, FINE), [a]) == []
    assert kind_of("0x7f in /a/b of 12") == "# in # of #"


def test_patience_ends() -> None:
    pauses, tries = list[float](), list[int]()

    def action() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise EnvironmentFault("full")
        return 7

    assert patiently(action, pauses.append) == 7 and pauses == list(PAUSES_S)

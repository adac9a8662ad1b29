"""What is said to a harness and heard of it: by a program that plays along, and by ones that do not."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tunepass.evaluators.harness.dialogue import conversation
from tunepass.evaluators.harness.dialogue.conversation import (
    COMMAND,
    SEED_STEP,
    U64,
    Called,
    Conversation,
    Order,
    OutsideClock,
    ProgramEnded,
    elapsed,
)
from tunepass.evaluators.harness.dialogue.dialogues import be_checked, be_timed
from tunepass.evaluators.harness.dialogue.listening import Dialogue
from tunepass.evaluators.harness.dialogue.overheads import Overheads, measure_overheads
from tunepass.evaluators.harness.dialogue.report import ArrayShape, ForgedReport, Layout
from tunepass.evaluators.harness.dialogue.sampling import Outputs, Questions, Refused, Sampler
from tunepass.evaluators.harness.dialogue.witness import Ordered
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.study.outcome import Failed

SAMPLE = "sample 1.5e-06 0 2.2e-05 0.000e+00"
LOG_SLOTS = 4096
ODD = 1_000_003  # results are seeds modulo this
SHAPES = ([ArrayShape("y", "f8", 1)],)
Program = Callable[["Harness"], None]


class Harness:
    """The other end."""

    def __init__(self, theirs: socket.socket, results: int):
        self.socket, self.results = theirs, results
        self.orders: list[tuple[int, ...]] = []
        self.log = (ctypes.c_double * LOG_SLOTS)()  # outputs of each call, at which the other end looks itself
        self.work: Callable[[int], None] = lambda count: None  # what so many calls take
        self.call_s = 1e-3  # as it says
        self.last = 0  # result of the last call

    def say(self, *lines: str) -> None:
        for start in range(0, len(lines), 99):
            self.socket.send("".join(f"{line}\n" for line in lines[start : start + 99]).encode())

    def write(self, outputs: list[int]) -> None:
        os.ftruncate(self.results, 0)
        os.pwrite(self.results, struct.pack(f"={len(outputs)}d", *outputs), 0)

    def obey(self, *event: str) -> tuple[int, int]:
        """Until GO: its count and seed. The result of a call is its seed."""
        while True:
            self.say(*event)
            what, count, seed, group, fresh = COMMAND.unpack(self.socket.recv(999))
            self.orders.append((what, count, seed, group, fresh))
            event = ("ok",)
            if what == Order.GO:
                return count, seed
            if what == Order.CALLS:
                self.work(count)
                for number in range(1, count + 1):
                    self.log[number - 1] = (seed + number * SEED_STEP & U64) % ODD
                self.last = int(self.log[count - 1])
            if what == Order.SHOW:
                self.write([int(self.log[count - 1]) if count else self.last])
            if what in (Order.CALLS, Order.NO_CALLS):
                event = (*[f"sample {self.call_s:.9e} 0 2.2e-05 0.000e+00"] * -(-count // group), "ok")

    def begin(self) -> None:
        """Say which arrays there are, and where its outputs can be read."""
        self.say("array y f8 1", f"log {ctypes.addressof(self.log)} 8 {LOG_SLOTS}")

    def finish(self) -> None:
        self.say(f"done {self.obey('finished')[1]:016x}")


class Table:
    """Both ends of a conversation, with a program at the other one."""

    def __init__(self, results: int):
        ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.talk = Conversation(ours, results, SHAPES)
        self.harness = Harness(self.theirs, results)

    def seat(self, program: Program) -> Conversation:
        def play() -> None:
            with self.theirs, contextlib.suppress(OSError, struct.error):  # where nobody listens any more
                program(self.harness)

        threading.Thread(target=play, daemon=True).start()
        return self.talk


@pytest.fixture
def table() -> Iterator[Table]:
    results = os.memfd_create("results")
    made = Table(results)
    yield made
    made.talk.__exit__(None, None, None)
    made.theirs.close()
    os.close(results)


def questions(judge: Callable[[int, Outputs], Failed | None] = lambda variant, outputs: None) -> Questions:
    return Questions(Random(1), range(100, 106), judge, filling=99, seed=2)


def test_late_orders_are_looked_at_as_well_as_early_ones() -> None:
    few = [Questions(Random(k), range(3), lambda variant, outputs: None, 9, 2).positions() for k in range(200)]
    assert all(len(positions) == 3 for positions in few)
    seen = set[int]().union(*few)
    assert min(seen) == 0 and max(seen) > 400 and any(max(positions) < 21 for positions in few)


def test_any_order_of_a_slice_may_be_looked_at(table: Table) -> None:
    sampler = Sampler(table.talk, questions(), replace(PLAN, budget_s=0.01, most=40), groups=2)
    assert {sampler.in_a_slice() for _ in range(400)} == set(range(6))  # as many as the time allows
    sampler._orders = [Ordered(1e-4, 2, range(2))]
    assert {sampler.in_a_slice() for _ in range(900)} == set(range(20))  # as many as the samples need


PLAN = MeasurePlan(warmup_s=0.01, budget_s=60.0, least=10, most=10).sampling()


def timed(harness: Harness) -> None:
    """Plays along: a call takes what it says."""
    harness.work = lambda count: time.sleep(count * harness.call_s)
    harness.begin()
    harness.obey("ready")
    harness.finish()


def test_a_program_that_plays_along_is_timed_and_looked_at(table: Table) -> None:
    seen: list[tuple[int, float]] = []

    def judge(variant: int, outputs: Outputs) -> None:
        seen.append((variant, float(outputs[0].values[0])))

    answer = be_timed(table.seat(timed), questions(judge), PLAN)
    assert len(answer.samples) >= 10 and len(answer.witness.orders) >= 6 and table.talk.report.done and not answer.cut
    assert len(seen) >= 2 and all(variant == value for variant, value in seen)
    assert len({variant for variant, _ in seen}) == len(seen), "no inputs twice whose results are known"
    calls = [order for order in table.harness.orders if order[0] == Order.CALLS]
    assert len({seed for _, _, seed, *_ in calls}) == len(calls)
    assert all(variant != seed for variant, _ in seen for _, _, seed, *_ in calls), "no order names what is looked at"


def calls_with(harness: Harness, variants: set[int]) -> list[tuple[int, int]]:
    """Number and count of the calls with these inputs."""
    steps = {number * SEED_STEP & U64: number for number in range(1, LOG_SLOTS + 1)}
    found = []
    for what, count, seed, *_ in harness.orders:
        numbers = [steps.get(variant - seed & U64) for variant in variants]
        found += [(number, count) for number in numbers if number and number <= count and what == Order.CALLS]
    return found


def test_any_call_of_an_order_is_looked_at_and_none_is_named(table: Table) -> None:
    compared: list[tuple[int, float]] = []
    asked = Questions(
        Random(2), range(100, 106), lambda v, out: compared.append((v, float(out[0].values[0]))), filling=99, seed=2
    )

    def quick(harness: Harness) -> None:
        harness.call_s = 1e-5
        harness.begin()
        harness.obey("ready")
        harness.finish()

    be_timed(table.seat(quick), asked, MeasurePlan(warmup_s=0.01, budget_s=60.0, least=40, most=40).sampling())
    assert compared and all(variant == value for variant, value in compared)
    looked_at = calls_with(table.harness, {variant for variant, _ in compared})
    assert len(looked_at) == len(compared) and any(number < count for number, count in looked_at)
    assert not {order[2] for order in table.harness.orders} & {variant for variant, _ in compared}


def test_calls_with_new_inputs_come_among_the_others(table: Table) -> None:
    seen: list[int] = []
    answer = be_timed(table.seat(timed), questions(lambda variant, outputs: seen.append(variant)), PLAN)
    fresh = [order for order in table.harness.orders if order[0] == Order.CALLS and order[4]]
    assert len(fresh) == len(answer.witness.new_inputs) >= 2 and seen.count(99) == 1
    last = max(k for k, order in enumerate(table.harness.orders) if order[4])
    assert (Order.FILL, 0, 2, 1, 0) in table.harness.orders[last:], "the inputs are as they were before"


@pytest.mark.parametrize("place", ["log 8 8 4096", "place 8 8", "place 8 16"])
def test_results_have_to_lie_where_the_program_says(table: Table, place: str) -> None:
    def program(harness: Harness) -> None:
        harness.say("array y f8 1", place)
        harness.obey("ready")

    with pytest.raises(ForgedReport, match=r"there is no memory where|have another size"):
        be_timed(table.seat(program), questions(), PLAN)


def test_memory_that_cannot_be_read_is_told_and_results_come_through_a_file(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_memory(monkeypatch)
    seen: list[tuple[int, float]] = []
    asked = questions(lambda variant, outputs: seen.append((variant, float(outputs[0].values[0]))))
    answer = be_timed(table.seat(timed), asked, PLAN)
    assert "cannot be read from outside" in answer.witness.unread
    assert len(seen) >= 2 and all(variant == value for variant, value in seen)


def test_memory_that_can_be_read_of_the_source_alone_is_hidden(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_memory(monkeypatch)
    source = Overheads(order_s=0.0, call_s=0.0, sample_s=0.0, fresh_s=0.0)
    with pytest.raises(ForgedReport, match="while that of the untouched source can"):
        be_timed(table.seat(timed), replace(questions(), overheads=source), PLAN)


def test_results_lie_as_those_of_the_source_do(table: Table) -> None:
    source = Overheads(order_s=0.0, call_s=0.0, sample_s=0.0, fresh_s=0.0, layout=Layout(pool_sets=64, pooled=(8,)))
    with pytest.raises(ForgedReport, match="lie otherwise than those of the untouched source"):
        be_timed(table.seat(timed), replace(questions(), overheads=source), PLAN)


def refuse_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: str, *rest: int) -> int:
        if path.endswith("/mem"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)

    monkeypatch.setattr(conversation.os, "open", refuse)


def test_what_is_done_beside_calls_is_measured_around_the_source(table: Table) -> None:
    talk = table.seat(timed)
    talk.hear("ready")
    beside = measure_overheads(talk, Random(1))
    assert beside.readable and 0 < beside.overhead_s(10, 1) < 1
    assert measure_overheads(talk, Random(2), beside).fresh_s == beside.fresh_s


def test_what_a_program_works_on_after_its_answer_counts(table: Table) -> None:
    """It says that it is done, and computes while its results are looked at."""

    def program(harness: Harness) -> None:
        harness.begin()
        harness.say("ready")
        harness.socket.recv(999)
        harness.say("ok")

    talk = table.seat(program)
    talk.hear("ready")
    until = time.process_time() + 0.2

    def work() -> None:
        while time.process_time() < until:
            pass

    assert talk.order(Order.POISON, look=work)[1] > 0.15 / (os.cpu_count() or 1)


def test_calls_of_a_pool_last_from_the_answer_to_filling_to_the_next_one(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both orders are there at once, so that it need not be woken up. What it works on meanwhile is known."""
    monkeypatch.setattr(OutsideClock, "cores", lambda self: 1)
    talk = table.seat(pool_program(Order.RENEW, Order.POOL, Order.CALLS, fills_s=0.1))
    talk.hear("ready")
    began = time.time()
    called = talk.pooled_calls(8, 1, at=4)
    assert float(called.outputs[0].values[0]) == 7.0  # of set 3 from set 1
    assert 0 < called.seconds <= time.time() - began - 0.05
    assert called.worked_s > 0.11 and called.cores == 1


@pytest.mark.parametrize("awake", [False, True])
def test_what_threads_work_while_inputs_are_filled_is_known(
    table: Table, monkeypatch: pytest.MonkeyPatch, awake: bool
) -> None:
    """Calls are ordered when the inputs are filled; what it takes to begin with them counts."""
    monkeypatch.setattr(OutsideClock, "cores", lambda self: 2)
    monkeypatch.setattr(Conversation, "_falls_asleep", lambda self, patience_s: not awake)
    talk = table.seat(pool_program(Order.RENEW, Order.POOL, Order.RENEW, Order.CALLS, fills_s=0.1, begins_s=0.05))
    talk.hear("ready")
    called = talk.pooled_calls(8, 1, at=4)
    assert float(called.outputs[0].values[0]) == 7.0
    assert called.worked_s >= 0.1 and called.seconds >= 0.065
    assert called.cores == 2 and called.awake is awake


def test_threads_fall_asleep_in_time_or_stay_awake(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(conversation.time, "sleep", lambda seconds: clock.append(clock[-1] + seconds))
    monkeypatch.setattr(OutsideClock, "worked", lambda self: min(clock[-1], 0.1))
    table.talk._clock = OutsideClock(os.getpid(), alone=True)
    assert not table.talk._falls_asleep(0.05)
    assert table.talk._falls_asleep(0.3)


def pool_program(*orders: Order, fills_s: float, begins_s: float = 0.0) -> Callable[[Harness], None]:
    """Takes so long to fill, and so long for the order after that, and 0.02 s for the last one, the calls."""

    def program(harness: Harness) -> None:
        harness.begin()
        address = ctypes.addressof(harness.log)
        harness.say("pool 8", f"set {address} {address} 8 8", "ready")
        harness.log[2] = 7.0
        for number, order in enumerate(orders):
            assert COMMAND.unpack(harness.socket.recv(999))[0] == order
            spin(fills_s if number == 1 else begins_s if number == 2 else 0.0)
            if number == len(orders) - 1:
                spin(0.02)
                harness.say(SAMPLE)
            harness.say("ok")

    return program


def spin(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


@pytest.mark.parametrize(
    "worked_s,cores,seconds",
    [
        (0.0111, 1, 0.001),  # filling takes 10 ms, and up to a tenth more
        (0.0210, 1, 0.00995),  # computed while inputs were filled, or after the answer
        (0.01105, 2, 0.001),
        (0.0210, 2, 0.01095),  # threads that may only have slept make it no less
    ],
)
def test_what_is_worked_while_inputs_are_filled_counts(worked_s: float, cores: int, seconds: float) -> None:
    source = Overheads(order_s=0.0, call_s=0.0, sample_s=0.0, fresh_s=0.0, filling_s=1e-4)
    called = Called(0.001, (), worked_s=worked_s, cores=cores)
    assert source.pooled_calls_s(called, 100) == pytest.approx(seconds, rel=1e-6)


@pytest.mark.parametrize("source_awake,seconds", [(False, 0.01095), (True, 0.001)])
def test_what_threads_work_awake_counts_unless_the_sources_do_so(source_awake: bool, seconds: float) -> None:
    source = Overheads(order_s=0.0, call_s=0.0, sample_s=0.0, fresh_s=0.0, filling_s=1e-4, awake=source_awake)
    called = Called(0.001, (), worked_s=0.0210, cores=2, awake=True)
    assert source.pooled_calls_s(called, 100) == pytest.approx(seconds, rel=1e-6)


def test_who_says_less_than_it_takes_is_doubted(table: Table) -> None:
    """A call takes 0.1 ms, the first one 40 ms, and the samples say 1.5 us."""

    def program(harness: Harness) -> None:
        def work(count: int) -> None:
            first = sum(what == Order.CALLS for what, *_ in harness.orders) == 1
            time.sleep(0.04 if first else count * 1e-4)

        harness.work, harness.call_s = work, 1.5e-6
        harness.begin()
        harness.obey("ready")
        harness.finish()

    answer = be_timed(table.seat(program), questions(), PLAN)
    assert answer.witness.doubts(answer.samples)


def test_what_a_look_sees_ends_the_run(table: Table) -> None:
    with pytest.raises(Refused) as refused:
        be_timed(table.seat(timed), questions(lambda variant, outputs: Failed("wrong_result", "y")), PLAN)
    assert refused.value.failure == Failed("wrong_result", "y")


def test_a_program_that_leaves_samples_out_is_a_forger(table: Table) -> None:
    def program(harness: Harness) -> None:
        harness.say("array y f8 1", "ready")
        harness.socket.recv(999)  # RENEW
        harness.say("ok")
        harness.socket.recv(999)
        harness.say("ok")

    with pytest.raises(ForgedReport, match="it reported 0 samples of 1"):
        be_timed(table.seat(program), questions(), PLAN)


def saying(*lines: str) -> Program:
    """Says these in answer to the first order."""

    def program(harness: Harness) -> None:
        harness.say("array y f8 1", "ready")
        harness.socket.recv(999)
        harness.say(*lines)

    return program


@pytest.mark.parametrize(
    "program,words",
    [
        (saying("timed"), "it said 'timed' where ok was due"),
        (saying(SAMPLE, "ok"), "it said 'sample"),
        (saying("array y f8 1", "ok"), "it said 'array"),
        (saying("done 0000000000000001"), "it said 'done"),
        (lambda harness: harness.say("ready"), "names other arrays"),
        (lambda harness: harness.say("array y f8 2", "ready"), "names other arrays"),
        (lambda harness: harness.say("array y f8 1", "array z f8 1", "ready"), "names other arrays"),
        (lambda harness: [harness.say(SAMPLE) for _ in range(9)], "it said 'sample"),
        (lambda harness: harness.say("refused 1" * 2000), "reported more than"),
        (lambda harness: [harness.say(*["refused 1"] * 800) for _ in range(800)], "reported more than"),
        (lambda harness: harness.socket.send(b"\xff\xfe\x00ready\n"), "it said"),
    ],
)
def test_what_no_harness_says_is_forged(table: Table, program: Program, words: str) -> None:
    with pytest.raises(ForgedReport, match=words):
        be_timed(table.seat(program), questions(), PLAN)


def test_the_last_word_has_to_be_the_one_that_was_asked_for(table: Table) -> None:
    def program(harness: Harness) -> None:
        harness.say("array y f8 1")
        os.pwrite(harness.results, np.float64(1).tobytes(), 0)
        harness.obey("finished")
        harness.say("done 0000000000000007")

    with pytest.raises(ForgedReport, match="it said 'done 0000000000000007' where done 0000000000000008 was due"):
        be_checked(table.seat(program), 1, 8)


def test_nothing_comes_after_the_last_word(table: Table) -> None:
    def program(harness: Harness) -> None:
        harness.say("array y f8 1")
        os.pwrite(harness.results, np.float64(1).tobytes(), 0)
        harness.finish()
        harness.say(SAMPLE)

    with pytest.raises(ForgedReport, match="after its last word"):
        be_checked(table.seat(program), 1, 8)


def test_a_program_that_is_gone_is_told_apart(table: Table) -> None:
    with pytest.raises(ProgramEnded):
        be_timed(table.seat(lambda harness: harness.say("array y f8 1", "ready")), questions(), PLAN)


def test_another_process_may_not_go_on(table: Table) -> None:
    talk = table.talk
    table.harness.say("refused 1")
    pid = os.fork()
    if pid == 0:
        table.harness.say("ready")
        os._exit(0)
    os.waitpid(pid, 0)
    with pytest.raises(ForgedReport, match="another process"):
        talk.hear("ready")


def test_the_thread_gives_the_failure_or_the_answer(table: Table) -> None:
    thread = Dialogue(table.seat(saying("timed")), lambda talk: be_timed(talk, questions(), PLAN))
    thread.start()
    thread.join()
    failure = thread.result()
    assert thread.answer is None and failure is not None and failure.stage == "cheated"


def test_the_outside_time_is_that_between_order_and_answer(table: Table) -> None:
    pause = threading.Event()

    def program(harness: Harness) -> None:
        harness.say("ready")
        assert COMMAND.unpack(harness.socket.recv(999))[0] == Order.RENEW
        harness.say("ok")
        harness.socket.recv(999)
        pause.wait(0.05)
        harness.say(SAMPLE, "ok")

    talk = table.seat(program)
    talk.hear("ready")
    assert 0.02 < talk.calls(1, 7).seconds < 30


def test_a_parent_that_hears_late_changes_nothing(table: Table) -> None:
    def program(harness: Harness) -> None:
        harness.say("ready")
        harness.say("ok")

    talk = table.seat(program)
    talk.hear("ready")
    threading.Event().wait(0.3)
    talk.hear("ok")
    assert time.time() - talk.answered >= 0.3


def test_work_does_not_vanish_in_waits() -> None:
    assert elapsed(wall=10.0, worked=4.0, waits=3.0, threads=1) == 7.0
    assert elapsed(wall=10.0, worked=4.0, waits=8.0, threads=1) == 4.0
    assert elapsed(wall=10.0, worked=14.0, waits=8.0, threads=1) == 14.0
    assert elapsed(wall=1.0, worked=4.0, waits=6.0, threads=64) == max(1.0, 4.0 / min(64, os.cpu_count() or 1))


@pytest.mark.parametrize("alone,left_out_s", [(True, 3.0), (False, 0.0)])
def test_waits_count_where_a_program_may_have_processes_beside_it(
    alone: bool, left_out_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may have done the work meanwhile, also one that nobody finds any more."""
    clock, waits = OutsideClock(os.getpid(), alone=alone), iter((0.0, 3.0))
    monkeypatch.setattr(conversation, "waited", lambda file: next(waits))
    start = clock.now()
    assert clock.since(start, start[0] + 10.0) == pytest.approx(10.0 - left_out_s, abs=0.5)
    clock.close()


@pytest.mark.parametrize(
    "alone,heard,now,left_out_s",
    [
        (True, (101.0, 5.2, 1.0), (110.0, 6.0, 8.0), 7.0),  # it waits during the calls
        (True, (101.0, 5.2, 8.0), (110.0, 6.0, 8.0), 0.25),  # perhaps as long as the parent was late to read the answer
        (True, (101.0, 5.2, 1.0), (110.0, 13.0, 8.0), 2.0),  # another thread of its own worked meanwhile
        (True, (101.0, 5.2, 1.0), (110.0, 19.0, 8.0), 0.0),
        (False, (101.0, 5.2, 1.0), (110.0, 6.0, 8.0), 0.0),
    ],
)
def test_waits_during_calls_of_a_pool_are_left_out(
    alone: bool,
    heard: tuple[float, float, float],
    now: tuple[float, float, float],
    left_out_s: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = OutsideClock(os.getpid(), alone=alone)
    monkeypatch.setattr(OutsideClock, "now", lambda self: now)
    assert clock.waited_after((100.0, 5.0, 1.0), heard, 100.75) == pytest.approx(left_out_s)
    clock.close()


def test_who_works_while_it_is_told_nothing_is_restless(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    worked = iter((1.0, 1.0005, 2.0, 2.01, 3.0, 3.0))
    monkeypatch.setattr(OutsideClock, "worked", lambda clock: next(worked))
    table.talk._clock = OutsideClock(os.getpid(), alone=True)
    seen = []
    for _ in range(3):
        table.talk.rest()
        table.talk.wake()
        seen.append(table.talk.restless)
    assert seen == [False, True, True]


def test_the_time_of_a_program_that_has_ended_can_be_told() -> None:
    with subprocess.Popen(["true"]) as program:
        clock = OutsideClock(program.pid, alone=True)
        start = clock.now()
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
        assert clock.since(start, time.time()) >= 0
    assert clock.since(start, start[0] - 1) >= 0
    clock.close()


@pytest.mark.parametrize("new_s,orders", [(0.003, 1), (0.03, 6)])
def test_long_calls_have_one_with_new_inputs_and_more_where_it_is_slower(
    table: Table, new_s: float, orders: int
) -> None:
    """The first call is no slower than others, as its inputs were there before the program was ready."""

    def program(harness: Harness) -> None:
        def work(count: int) -> None:
            time.sleep(count * (new_s if harness.orders[-1][4] else 0.006))

        harness.work, harness.call_s = work, 0.006
        harness.begin()
        harness.obey("ready")
        harness.finish()

    answer = be_timed(table.seat(program), questions(), PLAN)
    assert len(answer.witness.new_inputs) == orders
    assert answer.timing.median_s == pytest.approx(max(0.006, new_s), rel=0.3)

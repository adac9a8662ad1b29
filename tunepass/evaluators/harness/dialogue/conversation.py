"""The parent's end of the socket to a running harness: what it hears, what it orders, and how long that took.

The parent's clock runs from an order to its answer. The operating system stamps the answer when the program sends it,
so a parent that wakes up late changes nothing. What the system lets the program wait for a core is left out, as in the
program's own samples, but never what threads of the program worked in that time.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from types import TracebackType

from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.dialogue.report import ArrayShape, ForgedReport, Report, outputs_of, read_cases
from tunepass.evaluators.measure.timing import Sample

MOST_BYTES = 1 << 22  # of reports, in one run
PACKET = 8192
COMMAND = struct.Struct("=QQQQQ")
REST_S = 1e-3  # of work, that a program may do while it is told nothing: it goes to sleep, and is woken up
SPIN_S = 12e-3  # within which threads of libgomp go to sleep, and the system notes how long others have worked
AWAKE_SHARE = 0.5  # of that time: threads that stay awake
ASLEEP_S = 0.3  # within which threads of libomp go to sleep as well
WAKING_S = 50e-6  # in which a program that sleeps is woken up and answers
SET_OF_EACH = 2  # in place of `fresh`: each call has arrays of its own
SEED_STEP = 0xD6E8FEB86659FD93  # between the seeds of two calls of an order (frontends/c/harness/timing.h)
CREDENTIALS = struct.Struct("=iII")  # struct ucred: pid, uid, gid
SO_TIMESTAMPNS, STAMP = 35, struct.Struct("=qq")  # socket(7), as most Linux machines number it; struct timespec
U64 = (1 << 64) - 1


ANY_TIME = frozenset({"fault", "refused", "error"})  # lines of a report, and when they are due
DESCRIBING = ANY_TIME | {"case", "array", "uncompared", "unchanged", "repeated", "left", "log", "place", "pool", "set"}
CALLING = ANY_TIME | {"sample"}


class Order(IntEnum):
    """Orders to a harness (frontends/c/harness/timing.h)."""

    GO = 0
    CALLS = 1
    NO_CALLS = 2
    POISON = 3
    SHOW = 4
    FILL = 5
    RENEW = 6
    POOL = 7


Command = tuple[Order, int, int, int, int]  # what, count, seed, group, fresh


@dataclass(frozen=True, slots=True)
class Called:
    """Seconds from an order of calls to its answer, the program's samples, one of each group of calls, and the outputs
    of the call that was looked at. Waits for a core are left out of all seconds.

    With a pool, seconds between the answers to filling and to the calls, and CPU time: of one thread (`cores` is 1)
    from the order to fill until the outputs have been read, of several threads until all inputs are filled. `awake`:
    these threads do not go to sleep between orders."""

    seconds: float
    samples: tuple[Sample, ...]
    outputs: tuple[Output, ...] = ()
    worked_s: float = 0.0
    cores: int = 1
    awake: bool = False


class ProgramEnded(Exception):
    """There is no one at the other end any more."""


class OutsideClock:
    """Seconds of a program and waits of its main thread, as the operating system counts them. Only of a program that
    can start no process (`alone`) are the waits left out: a process may have worked for it meanwhile, and where
    processes are allowed there is more than one way to have one that leaves no trace."""

    def __init__(self, pid: int, *, alone: bool):
        self._clock = (~pid << 3) | 2  # the CPU time of all threads of a process, as clock_getcpuclockid(3) has it
        self._tasks = f"/proc/{pid}/task"
        self._waits = open_if_there(f"/proc/{pid}/schedstat")
        self._alone = alone

    def worked(self) -> float:
        """CPU time of the program; 0 where it cannot be read."""
        with contextlib.suppress(OSError):
            return time.clock_gettime(self._clock)
        return 0.0

    def now(self) -> tuple[float, float, float]:
        """Time of day, CPU time of the program, and its waits for a core."""
        worked, waits = self.worked(), waited(self._waits)
        return time.time(), worked, waits

    def since(self, start: tuple[float, float, float], end: float) -> float:
        """Seconds until `end`, a time of day."""
        until, worked, waits = (now - then for now, then in zip(self.now(), start, strict=True))
        if not self._alone:  # a process may go on after the answer
            return elapsed(max(until, end - start[0]), worked, 0.0, self._threads())
        return elapsed(max(0.0, end - start[0]), worked, waits, self._threads())

    def waited_after(
        self, start: tuple[float, float, float], heard: tuple[float, float, float], answered: float
    ) -> float:
        """Seconds for which the main thread may have waited for a core since an answer, whose time of day is
        `answered`: it was asked for at `start`, and read at `heard`, perhaps late. No more than the program's threads
        have left of the time since `start`."""
        if not self._alone:
            return 0.0
        now = self.now()
        until, worked, waits = (after - before for after, before in zip(now, start, strict=True))
        late = max(0.0, heard[0] - answered)
        return max(0.0, min(waits, now[2] - heard[2] + late, until - worked))

    def cores(self) -> int:
        """On how many its threads can be."""
        return min(self._threads(), os.cpu_count() or 1)

    def _threads(self) -> int:
        """As many as there may be where they cannot be told: of another user's program, or of one that has ended."""
        known = 0
        with contextlib.suppress(OSError):
            known = len(os.listdir(self._tasks))
        return known or os.cpu_count() or 1

    def close(self) -> None:
        file, self._waits = self._waits, -1
        if file >= 0:
            os.close(file)


def elapsed(wall: float, worked: float, waits: float, threads: int) -> float:
    """Seconds without waits: never less than the work spread over so many threads, or over all cores."""
    return max(worked / min(threads, os.cpu_count() or 1), wall - min(waits, max(0.0, wall - worked)))


def open_if_there(path: str) -> int:
    """-1 where the system has no such file."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def outside_clock_lacks() -> list[str]:
    """Reasons why this machine cannot bear out the times of another process."""
    obstacles = []
    file = open_if_there("/proc/self/schedstat")
    if file < 0:
        obstacles.append("this Linux does not say how long a process waits for a core (/proc/PID/schedstat)")
    else:
        os.close(file)
    try:
        time.clock_gettime((~os.getpid() << 3) | 2)
    except OSError:
        obstacles.append("the processor time of another process cannot be read")
    return obstacles


def waited(file: int) -> float:
    """The second number of a schedstat file, in seconds; 0 where there is none."""
    try:
        return int(os.pread(file, 96, 0).split()[1]) * 1e-9
    except (OSError, IndexError, ValueError):
        return 0.0


class Conversation:
    """Raises ForgedReport for what no harness says, ProgramEnded when the program is gone."""

    def __init__(
        self,
        ours: socket.socket,
        results: int,
        shapes: Sequence[Sequence[ArrayShape]] | None = None,
        *,
        alone: bool = False,
    ):
        """`results` is the file of the outputs, `shapes` what the harness has to say of them case by case, if that is
        known. `alone`: the program can start no process."""
        self.socket, self.results, self.shapes, self.alone = ours, results, shapes, alone
        self.report = Report()
        self.case_starts: list[float] = []  # CPU time of the program at the beginning of each case, and at the end
        self._clock: OutsideClock | None = None
        self._pid = 0
        self._memory = -1  # the program's, as a file
        self.unread = ""  # why its memory cannot be read
        self._bytes = 0
        self._rested = 0.0  # CPU time of the program when it was last left alone
        self.restless = False  # did it work while it was told nothing?
        self.answered = 0.0  # time of day of the last packet
        self._is_stamped = False  # did the system say when?
        self._due = DESCRIBING
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with contextlib.suppress(OSError):
            ours.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.socket.close()
        if self._clock is not None:
            self._clock.close()
        memory, self._memory = self._memory, -1
        if memory >= 0:
            os.close(memory)

    def hear(self, *expected: str) -> str:
        """The next event, which has to be one of these."""
        while True:
            lines = self._packet().splitlines()
            for number, line in enumerate(lines, 1):
                word = line.partition(" ")[0]
                if word in self._due:
                    self.report.add(line)
                    if word == "case":
                        self.note_start()
                elif number == len(lines) and line in expected:
                    return line
                else:
                    raise ForgedReport(f"it said {line[:80]!r} where {' or '.join(expected)} was due")

    def note_start(self) -> None:
        """Another case begins, or the last one has ended."""
        assert self._clock is not None, "the program speaks first"
        self.case_starts.append(self._clock.worked())

    def _packet(self) -> str:
        try:
            room = socket.CMSG_SPACE(CREDENTIALS.size) + socket.CMSG_SPACE(STAMP.size)
            packet, extra, flags, _ = self.socket.recvmsg(PACKET, room)
            self.answered = time.time()
        except OSError as error:
            raise ProgramEnded from error
        if not packet:
            raise ProgramEnded
        self._bytes += len(packet)
        self._is_stamped = any(kind == SO_TIMESTAMPNS for _, kind, _ in extra)
        if flags & socket.MSG_TRUNC or self._bytes > MOST_BYTES:
            raise ForgedReport(f"it reported more than {MOST_BYTES:,} bytes, or {PACKET:,} at once")
        self._check_sender([data for level, kind, data in extra if kind == socket.SCM_CREDENTIALS])
        for _, kind, data in extra:
            if kind == SO_TIMESTAMPNS and len(data) >= STAMP.size:
                seconds, nanoseconds = STAMP.unpack(data[: STAMP.size])
                self.answered = seconds + 1e-9 * nanoseconds
        return packet.decode(errors="replace")

    def _check_sender(self, credentials: Sequence[bytes]) -> None:
        """It is the program that spoke first."""
        pid = CREDENTIALS.unpack(credentials[0][: CREDENTIALS.size])[0] if credentials else 0
        if pid <= 0:
            raise ForgedReport("a process spoke that cannot be told")
        if self._clock is None:
            self._pid, self._clock = pid, OutsideClock(pid, alone=self.alone)
            try:
                self._memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:
                self.unread = f"its memory cannot be read from outside ({error.strerror})"
        elif pid != self._pid:
            raise ForgedReport("another process spoke in its place")

    def check_arrays(self) -> None:
        if self.shapes is not None and [list(arrays) for arrays in self.shapes] != (self.report.cases or [[]]):
            raise ForgedReport("it names other arrays than the harness has")

    def order(
        self,
        order: Order,
        count: int = 0,
        seed: int = 0,
        *,
        group: int = 1,
        fresh: bool = False,
        until: Sequence[str] = ("ok",),
        look: Callable[[], None] | None = None,
    ) -> tuple[str, float]:
        """Have it done: the event that follows, and the seconds from the order to it. What the program still works
        while `look` runs, after the event, counts as well."""
        assert self._clock is not None, "the program speaks first"
        self._due = CALLING if order in (Order.CALLS, Order.NO_CALLS) else ANY_TIME
        start = self._clock.now()
        self._send(order, count, seed, group, int(fresh))
        event = self.hear(*until)
        answered = self.answered
        if look is not None:
            look()
        return event, self._clock.since(start, answered)

    def _send(self, order: Order, count: int, seed: int, group: int, fresh: int) -> None:
        try:
            self.socket.send(COMMAND.pack(order, count, seed & U64, group, fresh))
        except OSError as error:
            raise ProgramEnded from error

    def calls(
        self, count: int, seed: int, *, group: int | None = None, fresh: bool = False, at: int = 0, real: bool = True
    ) -> Called:
        """`count` calls, a sample of each `group` of them (usually of all); call number `at` (from 1; 0: any) has the
        inputs of `seed`, the others such as it leads to, all of them new if `fresh`. The outputs of that call are
        looked at when all are made, before the program does anything else. Not `real`: all but the calls."""
        self.order(Order.RENEW)
        looked: list[bytes] = []
        seen = self._memory >= 0 and (at > 0 or self.log_slots > 0)
        number = at or count

        def look() -> None:
            looked.append(self._read_outputs(number))

        _, seconds = self.order(
            Order.CALLS if real else Order.NO_CALLS,
            count,
            seed - number * SEED_STEP,
            group=group or count,
            fresh=fresh,
            look=look if seen else None,
        )
        samples = self._take_samples(-(-count // (group or count)))
        if not (at and real):
            return Called(seconds, samples)
        return Called(seconds, samples, outputs_of(self.report.arrays, looked[0]) if seen else self.show(at))

    def pooled_calls(
        self, count: int, seed: int, *, at: int = 0, real: bool = True, patience_s: float = SPIN_S
    ) -> Called:
        """As `calls` with inputs that are all new, each with arrays of its own, which are filled before. Both orders
        are sent at once: the program begins with the calls when it has said that it has filled them, and the system
        stamps what it says, so that nobody has to be woken up between. A program with threads is asked otherwise, once
        these sleep, or after `patience_s`."""
        assert self._clock is not None, "the program speaks first"
        self.order(Order.RENEW)
        cores, number = self._clock.cores(), at or count
        filling = Order.POOL, count, seed - number * SEED_STEP, count, 0
        calling = Order.CALLS if real else Order.NO_CALLS, count, 0, count, SET_OF_EACH
        if cores > 1:
            awake = not self._falls_asleep(patience_s)
            called = self._calls_of_threads(filling, calling, number, cores, awake)
        else:
            called = self._calls_at_once(filling, calling, number)
        return called if at and real else replace(called, outputs=())

    def _calls_at_once(self, filling: Command, calling: Command, number: int) -> Called:
        assert self._clock is not None, "the program speaks first"
        start = self._clock.now()
        self._due = CALLING
        self._send(*filling)
        self._send(*calling)
        seconds, _ = self._between_answers(start)
        looked = self._read_set(number)
        worked_s = self._clock.worked() - start[1]
        return Called(seconds, self._take_samples(1), outputs_of(self.report.arrays, looked), worked_s)

    def _calls_of_threads(self, filling: Command, calling: Command, number: int, cores: int, awake: bool) -> Called:
        """Inputs are filled before the orders to call, so that all that any thread works meanwhile is known. What the
        program takes until it begins with the calls counts, and what it works until its outputs have been read."""
        assert self._clock is not None, "the program speaks first"
        worked = self._clock.worked()
        self._due = ANY_TIME
        self._send(*filling)
        self.hear("ok")
        start = self._clock.now()
        self._due = CALLING
        self._send(Order.RENEW, 0, 0, 1, 0)
        self._send(*calling)
        seconds, begun = self._between_answers(start)
        early_s = begun - start[0] - WAKING_S - self._clock.waited_after(start, start, start[0])
        called, looked = self.answered, self._read_set(number)
        waiting = (cores - 1) * max(0.0, time.time() - called)
        later_s = 0.0 if awake else (self._clock.worked() - start[1] - waiting) / cores - WAKING_S
        seconds = max(seconds + max(0.0, early_s), later_s)
        outputs = outputs_of(self.report.arrays, looked)
        return Called(seconds, self._take_samples(1), outputs, start[1] - worked, cores, awake)

    def _falls_asleep(self, patience_s: float) -> bool:
        """Do the program's threads go to sleep within about so many seconds, while it is told nothing?"""
        assert self._clock is not None, "the program speaks first"
        for _ in range(max(1, round(patience_s / SPIN_S))):
            before = self._clock.worked()
            time.sleep(SPIN_S)
            if self._clock.worked() - before <= AWAKE_SHARE * SPIN_S:
                return True
        return False

    def _between_answers(self, start: tuple[float, float, float]) -> tuple[float, float]:
        """Seconds between the answers to two orders that were sent at `start`, and the time of day of the first one."""
        assert self._clock is not None, "the program speaks first"
        self.hear("ok")
        first, heard = self.answered, self._clock.now()
        self.hear("ok")
        return max(0.0, self.answered - first - self._clock.waited_after(start, heard, first)), first

    @property
    def log_slots(self) -> int:
        """Calls of an order whose outputs can be looked at; 0: the last one's alone."""
        return self.report.log.slots if self.report.log else 0

    @property
    def pool_sets(self) -> int:
        """Calls of an order that can have arrays of their own, whose inputs are filled before; 0: none."""
        return self.report.pool_sets if self._memory >= 0 and self._is_stamped else 0

    def _read_set(self, call: int) -> bytes:
        """Outputs of a call of the last order, which had arrays of its own."""
        pooled = self.report.pooled
        if [each.bytes for each in pooled] != [array.bytes for array in self.report.arrays]:
            raise ForgedReport("its sets of arrays are none of its outputs")
        return b"".join(self._read_memory(each.address(call - 1), each.bytes) for each in pooled)

    def _read_outputs(self, call: int) -> bytes:
        """Outputs of a call of the last order, read from the program's memory."""
        log, size = self.report.log, sum(array.bytes for array in self.report.arrays)
        pieces = [(log.address + (call - 1) * log.stride, size)] if log else self.report.places
        if sum(bytes_ for _, bytes_ in pieces) != size:
            raise ForgedReport(f"its outputs have another size than {size} bytes")
        return b"".join(self._read_memory(*piece) for piece in pieces)

    def _read_memory(self, address: int, size: int) -> bytes:
        raw, got = bytearray(size), 0
        view = memoryview(raw)
        while got < size:
            try:
                read = os.preadv(self._memory, [view[got:]], address + got)
            except (OSError, OverflowError) as error:
                raise ForgedReport("there is no memory where it says that its outputs are") from error
            if read == 0:
                raise ProgramEnded
            got += read
        return bytes(raw)

    def _take_samples(self, due: int) -> tuple[Sample, ...]:
        samples, self.report.samples = tuple(self.report.samples), []
        if len(samples) != due:
            raise ForgedReport(f"it reported {len(samples)} samples of {due}")
        return samples

    def plain_calls(self, count: int, variant: int) -> None:
        """`count` calls that are no samples, the last one with the inputs that `variant` names."""
        self.order(Order.POISON)
        self.order(Order.RENEW)
        self.order(Order.CALLS, count, variant - count * SEED_STEP, group=0)

    def show(self, call: int = 0) -> tuple[Output, ...]:
        """Outputs of a call of the last order, or as they are now, through a file."""
        self.order(Order.SHOW, call)
        return self.outputs(1)[0][0]

    def outputs(self, calls: int) -> list[tuple[tuple[Output, ...], ...]]:
        """Outputs of each call, by case."""
        return read_cases(self.results, self.report.cases or [[]], calls)

    def rest(self) -> None:
        """The program is told nothing until `wake`."""
        assert self._clock is not None, "the program speaks first"
        self._rested = self._clock.worked()

    def wake(self) -> None:
        """Notes whether it has worked since `rest`."""
        assert self._clock is not None, "the program speaks first"
        self.restless |= self._clock.worked() - self._rested > REST_S

    def finish(self, nonce: int) -> None:
        """The program's last words, after which it ends by itself. `nonce` is in them: it is known to nobody before."""
        self.order(Order.GO, 0, nonce, until=[f"done {nonce & U64:016x}"])
        self.report.done = True
        with contextlib.suppress(ProgramEnded):
            raise ForgedReport(f"it said {self._packet()[:80]!r} after its last word")

"""Signals end a command, and nothing is left half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from tests.commands.killing import Place, left_running
from tunepass.search.stop import stoppable
from tunepass.signals import Interrupted, held_back, interrupting, signal_of

HERE = os.getpid()


@pytest.fixture(autouse=True)
def as_before(default_hangup: None) -> Iterator[None]:
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    yield
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_interrupts_and_says_which(number: int) -> None:
    with pytest.raises(Interrupted) as raised, interrupting():
        os.kill(HERE, number)
    assert signal_of(raised.value) == number and signal_of(KeyboardInterrupt()) == signal.SIGINT


class Finalized:
    """Sends a signal to this program when it is finalized."""

    def __init__(self, number: int):
        weakref.finalize(self, os.kill, HERE, number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("inner", [nullcontext, lambda: stoppable(None)])
def test_one_that_is_raised_while_an_object_is_finalized_is_not_lost(
    number: int, inner: Callable[[], AbstractContextManager[object]], capfd: pytest.CaptureFixture[str]
) -> None:
    hook = sys.unraisablehook
    with pytest.raises(Interrupted) as raised, interrupting(), inner():
        Finalized(number)
        for _ in range(1000):
            time.sleep(0.01)
    assert signal_of(raised.value) == number and sys.unraisablehook is hook
    assert capfd.readouterr() == ("", "")


def test_other_errors_of_what_is_finalized_are_told_as_ever(capfd: pytest.CaptureFixture[str]) -> None:
    told: list[object] = []
    before, sys.unraisablehook = sys.unraisablehook, lambda unraisable: told.append(unraisable.exc_type)
    try:
        with interrupting():
            weakref.finalize(Finalized(0), int, "none")
    finally:
        sys.unraisablehook = before
    assert told == [ValueError]


def test_an_import_that_makes_another_error_of_it_is_interrupted_all_the_same() -> None:
    """As compiled modules do; without a signal before it the error is its own."""
    with pytest.raises(Interrupted) as raised, interrupting():
        try:
            os.kill(HERE, signal.SIGTERM)
        except Interrupted:
            raise ImportError from None
    assert signal_of(raised.value) == signal.SIGTERM
    with pytest.raises(ImportError), interrupting():
        raise ImportError


def test_what_the_first_has_begun_only_another_ctrl_c_disturbs() -> None:
    with interrupting():
        with pytest.raises(Interrupted):
            os.kill(HERE, signal.SIGHUP)
        os.kill(HERE, signal.SIGHUP)
        os.kill(HERE, signal.SIGTERM)
        with pytest.raises(Interrupted):
            os.kill(HERE, signal.SIGINT)


def test_the_first_may_have_stopped_a_search() -> None:
    with interrupting():
        with stoppable(None) as stop, stop.between_steps():
            os.kill(HERE, signal.SIGHUP)
            assert stop.stop_signal == signal.SIGHUP
        os.kill(HERE, signal.SIGHUP)
        os.kill(HERE, signal.SIGTERM)
    with pytest.raises(Interrupted), interrupting():
        os.kill(HERE, signal.SIGHUP)


def test_one_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupting(), held_back():
            os.kill(HERE, signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_held_back_it_waits_for_the_end() -> None:
    done = []
    with pytest.raises(Interrupted) as raised, held_back():
        os.kill(HERE, signal.SIGTERM)
        os.kill(HERE, signal.SIGHUP)
        done.append("written")
    assert done == ["written"] and raised.value.number == signal.SIGTERM
    with held_back(for_good=True):
        os.kill(HERE, signal.SIGTERM)
    with pytest.raises(Interrupted), held_back():
        os.kill(HERE, signal.SIGINT)
        os.kill(HERE, signal.SIGINT)
        raise AssertionError


def interrupted_build(place: Place, *numbers: int) -> tuple[int, str]:
    """The status and the answer of a build that gets these signals at once when it has stored two trials."""
    before = len(place.rows())
    process = place.start()
    until = time.monotonic() + 60
    while len(place.rows()) < before + 2 and time.monotonic() < until:
        time.sleep(0.02)
    for number in numbers:
        process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err and "internal error" not in err
    return process.returncode, out


def test_a_build_that_is_hung_up_and_killed_politely_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    place = Place.make(tmp_path / "app")
    status, out = interrupted_build(place, signal.SIGHUP, signal.SIGHUP, signal.SIGTERM)
    assert status in (129, 143)  # of several at once the threads of a busy process note any first
    assert '"choice": {' in out and (place.path / "tunepass.lock").exists()
    kept = place.rows()
    assert 2 <= len(kept) < place.evaluations and left_running(place) == []
    status, _ = interrupted_build(place, signal.SIGTERM)
    assert status == 143 and place.rows()[: len(kept)] == kept
    done, _ = place.build()
    assert done.returncode == 0 and len(place.rows()) == place.evaluations, done.stderr
    assert not [p for p in place.path.rglob("*") if p.name.startswith((".tunepass-", "interrupted-"))]


PROGRAM = """\
import atexit, os, signal, sys
from tunepass import cli

def send(*numbers):
    for number in numbers:
        os.kill(os.getpid(), number)

class Last:
    def __del__(self):
        os.kill(os.getpid(), 15)

signal.signal(signal.SIGINT, signal.default_int_handler)
cli._dispatch = lambda words: send({during}) or 0
atexit.register(send, {after})
last = Last()
sys.argv = ["tunepass"]
sys.exit(cli.main({argv}))
"""


@pytest.mark.parametrize(
    ("during", "after", "argv", "status"),
    [
        ("signal.SIGHUP", "signal.SIGHUP, signal.SIGTERM", "", 129),
        ("", "signal.SIGTERM, signal.SIGHUP", "", 0),
        ("", "signal.SIGINT", "", -signal.SIGINT),
        ("", "signal.SIGHUP", "[]", -signal.SIGHUP),
    ],
    ids=["second", "first", "ctrl-c", "called by another program"],
)
def test_after_the_answer_a_kill_leaves_the_status(during: str, after: str, argv: str, status: int) -> None:
    text = PROGRAM.format(during=during, after=after, argv=argv)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status and "Traceback" not in done.stderr, done.stderr


def test_nohup_is_respected(tmp_path: Path) -> None:
    place = Place.make(tmp_path / "app", evaluations=4)
    process = place.start(prepare=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN) and None)
    while not place.rows() and process.poll() is None:
        time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err


def test_a_program_that_runs_is_ended_with_the_build(tmp_path: Path) -> None:
    place = Place.make(tmp_path / "app")
    process = place.start()
    while not place.runs() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    subprocess.Popen.communicate(process, timeout=60)
    assert process.returncode == 143 and left_running(place) == []

"""When a search ends: by the clock, or because somebody asks for it."""

from __future__ import annotations

import os
import signal

import pytest

from tunepass.search.stop import stoppable


def test_between_steps_asking_once_stops_and_twice_interrupts() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stoppable(None) as stop, stop.between_steps():
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop() and stop.stop_signal
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.usefixtures("default_hangup")
def test_elsewhere_a_signal_interrupts_at_once(number: signal.Signals) -> None:
    with stoppable(None) as stop, pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    assert not stop.stop_signal


def test_the_clock_stops() -> None:
    with stoppable(1e-9) as stop:
        assert stop() and not stop.stop_signal

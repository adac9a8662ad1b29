"""Messages come back as they were sent; whatever else a line holds is refused."""

from __future__ import annotations

import pytest

from tunepass.evaluators.gpu_run import protocol
from tunepass.evaluators.gpu_run.protocol import Argument, Clock, LaunchWords, Message, ProtocolError, decoded, encoded

LAUNCH = LaunchWords((3, 2, 1), (64, 1, 1), 16, (Argument("scalar", data="00ff"), Argument("buffer", 1)))
MESSAGES: list[Message] = [
    protocol.ListDevices(),
    protocol.Allocate(8192, (protocol.Place(100, 4096, 0, True), protocol.Place(7, 0, 12288, False, "table"))),
    protocol.Begin("k", LAUNCH),
    protocol.Time("k", LAUNCH, protocol.Plan(0.1, 0.5, 0.01, 3, 9, 2, 0.0)),
    protocol.Timed((1e-3, 2.5e-4), True, Clock(1410), Clock(900, "power")),
    protocol.Broken("crash", "it says \"no\"\n", False),
]  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_comes_back(message: Message) -> None:
    line = encoded(message)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert decoded(line) == message


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[" * 100000,
        b"null",
        b'["Message",{}]',
        b'["Ran",{}]',
        b'["Ran",{"seconds":"1"}]',
        b'["Ran",{"seconds":true}]',
        b'["Ran",{"seconds":1,"more":2}]',
        b'["Timed",{"samples_s":[1,null],"cut":false,"before":{},"after":{}}]',
        b'["Timed",{"samples_s":{},"cut":0,"before":{},"after":{}}]',
        b'["Begin",{"key":"k","launch":{"grid":[1,1],"block":[1,1,1],"dynamic_shared":0,"arguments":[]}}]',
        b'["Load",{"key":"k","path":"p","function":"f","options":["a",1]}]',
    ],
)
def test_other_lines_are_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        decoded(line)


def test_a_whole_number_will_do_for_a_real_one() -> None:
    assert decoded(b'["Ran",{"seconds":1}]') == protocol.Ran(1.0)

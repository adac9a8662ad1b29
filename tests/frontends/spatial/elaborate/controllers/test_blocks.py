"""Blocks of stages and state machines."""

from __future__ import annotations

from tests.frontends.spatial.apps import app, controllers
from tunepass.ir.hardware import Schedule

LOOP = "Foreach(8 by 1) { i => x(i) = i }"


def test_the_schedules_of_blocks() -> None:
    accel = f"""val x = SRAM[Int](8)
      Parallel {{ {LOOP} }}
      Stream {{ {LOOP} }}
      Sequential {{ {LOOP}; {LOOP} }}
      Pipe(ii = 2) {{ x(0) = 1 }}"""
    blocks = controllers(app(accel))
    assert [(c.kind, c.schedule, c.interval) for c in blocks] == [
        ("parallel", Schedule.PARALLEL, None),
        ("unit", Schedule.STREAM, None),
        ("unit", Schedule.SEQUENTIAL, None),
        ("unit", Schedule.INNER, 2),
    ]

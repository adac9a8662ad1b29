"""The machine's speed at this moment, for programs that bring no harness to take it."""

from __future__ import annotations

from tunepass._native import lib


def machine_speed() -> float:
    """Turns a second of the calibration loop, the best of three: about a tenth of a millisecond."""
    return 1 / max(1e-9, min(float(lib.tp_calibrate()) for _ in range(3)))

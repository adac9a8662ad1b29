"""The processor's floating-point state, which a call must leave as its caller had it: rounding, flushing, traps, x87.

The ABI says so (System V ABI, AMD64 supplement, 3.2.1: the control bits of MXCSR and the x87 control word are
preserved, the x87 registers are empty; AAPCS64, 6.1.2: the control bits of FPCR are). frontends/c/harness/state.h notes
what differs.
"""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterable

from tunepass.study.ledger import Check, ran_unless
from tunepass.study.outcome import Failed

NAMES = {
    "rounding": "the rounding of floating numbers",
    "flushing": "whether denormal numbers are flushed to zero",
    "traps": "which floating exceptions trap",
    "x87_control": "the control word of the x87 unit",
    "x87_registers": "the x87 registers (it ends without `emms`)",
}
WHOLE = frozenset({"x86_64", "AMD64", "aarch64", "arm64"})  # machines of which state.h knows all of it


def changed_state(left: Iterable[str], allowed: Collection[str]) -> Failed | None:
    """The failure of a candidate that leaves more changed than the source itself does."""
    states = [NAMES[state] for state in dict.fromkeys(left) if state not in allowed]
    return Failed("wrong_result", f"leaves {' and '.join(states)} changed for its caller") if states else None


def float_state_check(left: Collection[str], machine: str = "") -> Check:
    """The row, where the source itself leaves some of it changed, or the machine is another."""
    reasons = [f"the source itself leaves {NAMES[state]} changed" for state in sorted(left)]
    if (machine or platform.machine()) not in WHOLE:
        reasons.append("on this machine the rounding mode alone is compared")
    return ran_unless("floating-point state", reasons)

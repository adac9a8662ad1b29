"""`tunepass verify`: does the lock still fit? Says why not, kernel by kernel."""

from __future__ import annotations

import argparse

from tunepass.commands.answer import Answer, Json, Status
from tunepass.jobs.verify import check


def run(options: argparse.Namespace) -> Answer:
    checked = check(options.paths, tuple(options.compiler))
    lines, stale = [], False
    for kernel in checked:
        reasons = kernel.reasons
        stale = stale or bool(reasons)
        lines.append(f"{kernel.key}: {'stale' if reasons else 'fits'}")
        lines += [f"  {reason}" for reason in reasons]
    if not checked:
        lines.append("the lock has no kernels")
    data: Json = {
        "kernels": {kernel.key: {"fits": not kernel.reasons, "reasons": kernel.reasons} for kernel in checked}
    }
    notes = tuple(f"note: {note}" for kernel in checked for note in kernel.notes)
    return Answer("\n".join(lines), data, Status.STALE if stale else Status.DONE, notes)

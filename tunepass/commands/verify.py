"""`tunepass verify`: does the lock still fit? Says why not, kernel by kernel."""

from __future__ import annotations

import argparse

from tunepass.commands.answer import Answer, Json, Status
from tunepass.jobs.verify import check


def run(options: argparse.Namespace) -> Answer:
    checked = check(options.paths, tuple(options.compiler))
    lines, stale = [], False
    for one in checked:
        reasons = one.reasons
        stale = stale or bool(reasons)
        lines.append(f"{one.key}: {'stale' if reasons else 'fits'}")
        lines += [f"  {reason}" for reason in reasons]
    if not checked:
        lines.append("the lock has no kernels")
    data: Json = {"kernels": {one.key: {"fits": not one.reasons, "reasons": one.reasons} for one in checked}}
    return Answer("\n".join(lines), data, Status.STALE if stale else Status.DONE)

"""`tunepass verify`: does the lock still fit? Says why not, kernel by kernel."""

from __future__ import annotations

import argparse
from collections.abc import Collection

from tunepass.commands.answers.build import checks_data, checks_lines
from tunepass.jobs.locks.verify import LockCheck, check
from tunepass.reports.answer import Answer, Json, Status


def run(options: argparse.Namespace) -> Answer:
    checked = check(options.paths, tuple(options.compiler))
    lines, stale = [], False
    for kernel in checked:
        reasons = kernel.reasons
        stale = stale or bool(reasons)
        lines.append(f"{kernel.key}: {'stale' if reasons else 'fits'}")
        lines += [f"  {reason}" for reason in reasons]
        lines += checks_lines(kernel.checks)
    if not checked:
        lines.append("the lock has no kernels")
    unchecked = options.strict and any(kernel.missing_checks(options.waive) for kernel in checked)
    data: Json = {"kernels": {kernel.key: _data(kernel, options.waive) for kernel in checked}}
    notes = tuple(f"note: {note}" for kernel in checked for note in kernel.notes)
    status = Status.STALE if stale else Status.UNCHECKED if unchecked else Status.DONE
    return Answer("\n".join(lines), data, status, notes)


def _data(kernel: LockCheck, waived: Collection[str]) -> Json:
    return {
        "fits": not kernel.reasons,
        "reasons": kernel.reasons,
        "checks": checks_data(kernel.checks),
        "missing": [check.name for check in kernel.missing_checks(waived)],
    }

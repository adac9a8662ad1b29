"""`tunepass serve`: answers questions about a source's space, a line of JSON each, until its input ends."""

from __future__ import annotations

import argparse
import io
import sys

from tunepass.commands.targets import kernel_name, source_of, target_of, words_of
from tunepass.jobs.pruning import prunable
from tunepass.jobs.serving import bounded_lines, serve
from tunepass.machine_faults import doing
from tunepass.pruning.pruned_space import PrunedSpace
from tunepass.reports.answer import Answer


def run(options: argparse.Namespace) -> Answer:
    given = prunable(source_of(options), kernel_name(options), target_of(options), options.limit, words_of(options))
    for warning in given.parsed.warnings:
        sys.stderr.write(f"{warning.render()}\n")
    space = PrunedSpace(given.kernel.parameters, given.kernel.constraints, given.limits)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # a line that is not UTF-8 is answered too
    for answer in serve(space, bounded_lines(sys.stdin)):
        with doing("write the answers"):
            sys.stdout.write(f"{answer}\n")
            sys.stdout.flush()
    return Answer("")

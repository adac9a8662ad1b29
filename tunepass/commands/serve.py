"""`tunepass serve`: answers questions about a source's space, a line of JSON each, until its input ends."""

from __future__ import annotations

import argparse
import sys

from tunepass.commands.answer import Answer
from tunepass.commands.targets import kernel_name, source_of, target_of, words_of
from tunepass.jobs.pruning import prunable
from tunepass.jobs.serving import serve
from tunepass.pruning.pruned_space import PrunedSpace


def run(options: argparse.Namespace) -> Answer:
    given = prunable(source_of(options), kernel_name(options), target_of(options), options.limit, words_of(options))
    for warning in given.parsed.warnings:
        sys.stderr.write(f"{warning.render()}\n")
    space = PrunedSpace(given.kernel.parameters, given.kernel.constraints, given.limits)
    for answer in serve(space, sys.stdin):
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    return Answer("")

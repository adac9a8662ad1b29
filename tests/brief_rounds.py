"""Builds of the tests compare their finalists for half a second, in short slices: they assert outcomes, not times.

Tests of the rounds themselves run in processes where both are as long as a user's.
"""

from __future__ import annotations

from tunepass.evaluators import compile_run
from tunepass.evaluators.harness import together
from tunepass.search import budget

BRIEF_SLICE_S = 0.001
BRIEF_FINALISTS_S = 0.5


def shorten_rounds() -> None:
    """From here on, in this process and those it forks."""
    together.SLICE_S = compile_run.SLICE_S = BRIEF_SLICE_S
    budget.LEAST_FINALISTS_S = BRIEF_FINALISTS_S

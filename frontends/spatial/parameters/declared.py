"""Design parameters as the source declares them, and Spatial's exact rule for their domains."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span

PRIORS = {"GAUSSIAN": "gaussian", "EXP": "exponential", "DECAY": "decay", "UNIFORM": "uniform"}
DOMAIN_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Declared:
    """`val name = default PRIOR (domain)`. `domain` None: `param(default)`, left to its role."""

    name: str
    default: int
    domain: tuple[int, ...] | None
    prior: str | None
    edit: Span  # the default's text, which emission replaces
    span: Span


def range_domain(lo: int, step: int, hi: int, span: Span) -> tuple[int, ...]:
    """`lo -> step -> hi`, ascending.

    Spatial keeps multiples of the step, and adds `lo` itself when it is none: `1 -> 2 -> 32` is 2, 4, … 32 and 1
    (spatial-lang, metadata/ParameterRestrictions.scala).
    """
    if step < 1:
        raise SourceError(f"the step of a parameter's range must be at least 1, got {step}", span)
    if lo > hi:
        raise SourceError(f"a parameter's range runs from low to high, got {lo} -> {hi}", span, "swap the two ends")
    if (hi - lo) // step > DOMAIN_LIMIT:
        raise SourceError(f"a parameter has at most {DOMAIN_LIMIT} values", span, "write a larger step")
    if lo % step == 0:
        return tuple(range(lo, hi + 1, step))
    first = (lo // step + 1) * step
    return (lo, *range(first, hi + 1, step))

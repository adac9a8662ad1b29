"""Design parameters as the source declares them, and Spatial's exact rule for their domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.space.configuration import Value

PRIORS = {"GAUSSIAN": "gaussian", "EXP": "exponential", "DECAY": "decay", "UNIFORM": "uniform"}
DOMAIN_LIMIT = 1_000_000  # values that are listed; a range whose low end is a multiple of its step is not
MAX_TILE = 96_000  # of `param(d)` (spatial-lang, ParameterAnalyzer)
NUMBER_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Declared:
    """`val name = default PRIOR (domain)`. `domain` None: `param(default)`, left to its role."""

    name: str
    default: int
    domain: Sequence[int] | None
    prior: str | None
    edit: Span  # the default's text, which emission replaces
    span: Span

    @property
    def ends(self) -> tuple[int, int]:
        """Its least and its greatest value."""
        if self.domain is None:
            return 1, MAX_TILE
        if isinstance(self.domain, range):  # of any length
            return self.domain[0], self.domain[-1]
        return min(self.domain), max(self.domain)

    def text(self, value: Value) -> str:
        """The source's text at `edit` that says `value`."""
        return self.edit.text if value == self.default else str(value)


def range_domain(lo: int, step: int, hi: int, span: Span) -> Sequence[int]:
    """`lo -> step -> hi`, ascending; a `range` wherever it is one, however long.

    Spatial keeps multiples of the step, and adds `lo` itself when it is none: `1 -> 2 -> 32` is 2, 4, … 32 and 1
    (spatial-lang, metadata/ParameterRestrictions.scala).
    """
    if step < 1:
        raise SourceError(f"the step of a parameter's range must be at least 1, got {step}", span)
    if lo > hi:
        raise SourceError(f"a parameter's range runs from low to high, got {lo} -> {hi}", span, "swap the two ends")
    if max(-lo, hi, step) >= NUMBER_LIMIT:
        raise SourceError("the ends and the step of a parameter's range are below 2**62", span)
    if lo % step == 0:
        return range(lo, hi + 1, step)
    if (hi - lo) // step > DOMAIN_LIMIT:
        hint = "let the low end be a multiple of the step, or write a larger step"
        raise SourceError(f"a parameter has at most {DOMAIN_LIMIT} values beside a low end of its own", span, hint)
    first = (lo // step + 1) * step
    return (lo, *range(first, hi + 1, step))

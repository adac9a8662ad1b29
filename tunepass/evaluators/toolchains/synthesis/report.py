"""Report of a high-level synthesis on a design: cycles, a clock, its area, its loops.

Resources have the names of tunepass.hwmodels.fpga's devices: alms, luts, ffs, dsps, brams, urams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import ToolError


class ReportError(ToolError):
    """A report that is not of the form that its tool documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedLoop:
    """A loop at its depth in the function. None is what the tool does not say, or what data decide."""

    name: str
    depth: int = 0
    trip: int | None = None
    interval: int | None = None  # initiation interval; None: not pipelined
    iteration: int | None = None  # cycles of one iteration
    latency: int | None = None  # cycles of all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisReport:
    """`cycles` is the longest latency; None where data decide, or the tool says nothing of time. `clock_hz` is the
    clock that the design is expected to reach, or has reached after placement (`placed`)."""

    tool: str
    cycles: int | None = None
    interval: int | None = None
    clock_hz: float | None = None
    used: Mapping[str, float] = field(default_factory=dict)
    available: Mapping[str, float] = field(default_factory=dict)
    loops: tuple[ReportedLoop, ...] = ()
    placed: bool = False

    @property
    def amounts(self) -> Mapping[str, float]:
        """Reported amounts, by the names that models use."""
        cycles = {} if self.cycles is None else {"cycles": float(self.cycles)}
        seconds = {}
        if self.cycles is not None and self.clock_hz:
            seconds = {"seconds": self.cycles / self.clock_hz}
        return {**cycles, **seconds, **self.used}

    def excess(self) -> str | None:
        """The first resource of which the design takes more than there is, as a limit; None where it fits."""
        for name, most in self.available.items():
            if self.used.get(name, 0) > most > 0:
                return f"{name} <= {most:,.0f}"
        return None

    def completed(self, other: SynthesisReport) -> SynthesisReport:
        """With what only the other report of the same design says; where both speak, this one counts."""
        return replace(
            self,
            cycles=other.cycles if self.cycles is None else self.cycles,
            interval=other.interval if self.interval is None else self.interval,
            clock_hz=self.clock_hz or other.clock_hz,
            used={**other.used, **self.used},
            available={**other.available, **self.available},
            loops=self.loops or other.loops,
        )

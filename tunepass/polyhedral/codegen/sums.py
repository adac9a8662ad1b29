"""Sums that a vector loop adds up in lanes: an array of partial sums, an element for each lane.

    double sums[8] = {0};
    int k = 0;
    for (; k + 8 <= n; k += 8) {
        #pragma omp simd
        for (int lane = 0; lane < 8; lane++) {
            sums[lane] += x[k + lane] * y[k + lane];
        }
    }
    double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; k < n; k++) {
        sum += x[k] * y[k];
    }
    s += sum;

`#pragma omp simd reduction` says the same, but gcc 12 does not vectorize such a loop where it has taken the
loops around it apart.
"""

from __future__ import annotations

from dataclasses import dataclass

LANES_BYTE = 64  # of the widest vectors that processors have
MOST_LANES = 16


@dataclass(frozen=True, slots=True)
class Sum:
    """A variable that gathers what a loop adds to (or multiplies) `target`, an element of `element_byte`; `lanes` are
    its partial sums."""

    name: str
    lanes: str
    operator: str
    type: str
    target: str
    element_byte: int

    def begun(self, lanes: int) -> str:
        first = "0" if self.operator == "+" else ", ".join(["1"] * lanes)
        return f"{self.type} {self.lanes}[{lanes}] = {{{first}}};"

    def joined(self, lanes: int) -> str:
        return f"{self.type} {self.name} = {self._part(0, lanes)};"

    @property
    def addition(self) -> str:
        return f"{self.target} {self.operator}= {self.name};"

    def _part(self, first: int, lanes: int) -> str:
        if lanes == 1:
            return f"{self.lanes}[{first}]"
        half = lanes // 2
        parts = [self._part(start, half) for start in (first, first + half)]
        return f" {self.operator} ".join(part if half == 1 else f"({part})" for part in parts)


def lanes_of(sums: tuple[Sum, ...]) -> int:
    """How many of the widest elements a vector has."""
    return min(MOST_LANES, max(2, LANES_BYTE // max(s.element_byte for s in sums)))

"""Integer sums and products regrouped by the names their terms depend on, so that more of them can be tables.

Addition and multiplication of 64-bit integers form a ring (modulo 2**64), so regrouping changes no value, whatever
wraps on the way. A value is kept as a sum of terms (t, u): t times u, or t alone where u is None. A t depends on few
names; a u on any. `b * (f(c, d) + g(a)) + h(a, b)` becomes `b * f(c, d) + (b * g(a) + h(a, b))`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tunepass.expr.vm.code import OPERANDS, Emitter, Instruction, Value, last_uses, renumbered
from tunepass.expr.vm.tables import Axes

TOGETHER = 1 << 14  # elements of the largest table that a product of two terms may make
MERGED = 1 << 12  # and that a sum may make, if neither term has as large a one
LONGEST = 16  # terms of a sum that is taken apart further
Term = tuple[Value, Value | None]
RING = ("add", "sub", "neg", "mul")


class Reassociation(Emitter):
    """`code` for `tail` with regrouped sums; `axes` are those of its instructions, `sizes` of names' domains."""

    def __init__(
        self, code: Sequence[Instruction], tail: Sequence[Instruction], axes: Sequence[Axes], sizes: Sequence[float]
    ):
        super().__init__()
        self.sizes = sizes
        self.axes: list[Axes] = []
        self._old_axes, self._old = axes, code
        self._new: dict[Value, Value] = {}
        self._sums: dict[Value, list[Term]] = {}
        live = sorted(last_uses(code, tail))
        self._uses = Counter(w for op, *words in (code[v] for v in live) for w in words[: OPERANDS[op]])
        for v in live:
            op, *words = code[v]
            if op in RING and self._size(axes[v]) > TOGETHER:
                self._sums[v] = self._collected(self._terms(op, *words[: OPERANDS[op]]))
            else:
                self._new[v] = self._kept(v, code[v])
        self.tail = [renumbered(one, self._value) for one in tail]

    def emit(self, op: str, a: int = 0, b: int = 0, c: int = 0) -> Value:
        number = super().emit(op, a, b, c)
        if number == len(self.axes):
            operands = (a, b, c)[: OPERANDS[op]]
            self.axes.append(frozenset().union(*(self.axes[w] for w in operands)))
        return number

    def _kept(self, v: Value, instruction: Instruction) -> Value:
        op, *words = instruction
        number = self.emit(*renumbered(instruction, self._value))
        self.axes[number] = self._old_axes[v]  # those of columns too
        if op == "constant" and not words[1]:
            self.known[number] = words[0]
        return number

    def _size(self, axes: Axes) -> float:
        return math.prod(self.sizes[i] for i in axes)

    def _value(self, v: Value) -> Value:
        if v not in self._new:
            self._new[v] = self._sum(self._sums[v])
        return self._new[v]

    def _terms(self, op: str, a: Value, b: Value = -1) -> list[Term]:
        if op == "neg":
            return self._scaled(self.constant(-1), a)
        if op == "mul":
            few, other = (a, b) if self._size(self._old_axes[a]) <= self._size(self._old_axes[b]) else (b, a)
            if self._size(self._old_axes[few]) <= TOGETHER:
                return self._scaled(self._value(few), other)
            return [(self.constant(1), self.emit("mul", self._value(a), self._value(b)))]
        return [*self._parts(a), *(self._parts(b) if op == "add" else self._scaled(self.constant(-1), b))]

    def _parts(self, v: Value) -> list[Term]:
        """The terms of an operand: its own if nothing else needs it whole, or all of them are tables."""
        if self._size(self._old_axes[v]) <= TOGETHER:
            return [(self._value(v), None)]
        terms = self._sums.get(v)
        if terms is not None and len(terms) <= LONGEST and (self._uses[v] == 1 or self._plain(terms)):
            return terms
        return [(self.constant(1), self._value(v))]

    def _plain(self, terms: list[Term]) -> bool:
        return all(u is None or self._size(self.axes[u]) <= TOGETHER for _, u in terms)

    def _scaled(self, factor: Value, v: Value) -> list[Term]:
        terms: list[Term] = []
        for t, u in self._parts(v):
            if self._size(self.axes[factor] | self.axes[t]) <= TOGETHER:
                terms.append((self._times(factor, t), u))
            elif u is None:
                terms.append((factor, t))
            elif self._size(self.axes[factor] | self.axes[u]) <= TOGETHER:
                terms.append((self._times(factor, u), t))
            else:
                return [(factor, self._value(v))]
        return terms

    def _collected(self, terms: list[Term]) -> list[Term]:
        """Terms with the same factor as one, those that are tables as few."""
        collected: list[Term] = [(t, None) for t in self._merged([t for t, u in terms if u is None])]
        pairs = [(t, u) for t, u in terms if u is not None]
        while pairs:
            count = Counter(value for pair in pairs for value in pair)
            common = min(count, key=lambda value: (-count[value], value))
            others = [pair[pair[0] == common] for pair in pairs if common in pair]
            pairs = [pair for pair in pairs if common not in pair]
            few = [x for x in others if self._size(self.axes[x]) <= TOGETHER]
            collected += [(x, common) for x in self._merged(few)]
            collected += [(common, x) for x in others if x not in few]
        return collected

    def _merged(self, values: list[Value]) -> list[Value]:
        """Sums of values that depend on nearly the same names."""
        sums: list[Value] = []
        for value in sorted(values, key=lambda v: -self._size(self.axes[v])):
            for i, other in enumerate(sums):
                together = self._size(self.axes[other] | self.axes[value])
                if together <= max(MERGED, self._size(self.axes[other])):
                    sums[i] = self._plus(other, value)
                    break
            else:
                sums.append(value)
        return sums

    def _sum(self, terms: list[Term]) -> Value:
        whole = [t for t, u in terms if u is None]
        factors = Counter(value for t, u in terms if u is not None for value in (t, u))
        groups: dict[Value, list[Value]] = {}
        for t, u in terms:
            if u is not None:
                common, other = (t, u) if (factors[t], -t) >= (factors[u], -u) else (u, t)
                groups.setdefault(common, []).append(other)
        for common, others in groups.items():
            whole.append(self._times(common, self._added(others)))
        return self._added(whole)

    def _added(self, values: Sequence[Value]) -> Value:
        total = self.constant(0)
        for value in values:
            total = self._plus(total, value)
        return total

    def _plus(self, a: Value, b: Value) -> Value:
        x, y = self.known.get(a), self.known.get(b)
        if x is not None and y is not None:
            return self.constant(_wrapped(int(x) + int(y)))
        return b if x == 0 else a if y == 0 else self.emit("add", a, b)

    def _times(self, a: Value, b: Value) -> Value:
        x, y = self.known.get(a), self.known.get(b)
        if x is not None and y is not None:
            return self.constant(_wrapped(int(x) * int(y)))
        if x == 0 or y == 0:
            return self.constant(0)
        return b if x == 1 else a if y == 1 else self.emit("mul", a, b)


def _wrapped(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63

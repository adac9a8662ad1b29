"""A plain reader of SMT-LIB 2 scripts, for ground formulas: what the tests hold the writer against without a solver."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

Sexpr = str | list["Sexpr"]
Value = bool | int | Fraction
SORTS = {"Bool": bool, "Int": int, "Real": Fraction}
LARGEST = 2**20000
TOKEN = re.compile(r"\s+|;[^\n]*|(\|[^|]*\||[()]|[^\s()|;]+)")


class TooLarge(Exception):
    """A number that nobody waits for."""


def read(text: str) -> list[Sexpr]:
    stack: list[list[Sexpr]] = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif token:
            stack[-1].append(token)
    assert len(stack) == 1
    return stack[0]


class Script:
    """`values` of the declared constants. Definitions are evaluated when they are needed."""

    def __init__(self, lines: Sequence[str], values: Mapping[str, Value]):
        self.values = dict(values)
        self.definitions: dict[str, tuple[str, Sexpr]] = {}
        self.assertions: list[Sexpr] = []
        for command in read("\n".join(lines)):
            assert isinstance(command, list)
            match command:
                case ["declare-const", str(name), str(sort)]:
                    assert self.values[name].__class__ is SORTS[sort]
                case ["define-fun", str(name), [], str(sort), body]:
                    self.definitions[name] = sort, body
                case ["assert", body]:
                    self.assertions.append(body)
                case _:
                    raise AssertionError(command)

    @property
    def holds(self) -> bool:
        """All that is asserted."""
        return all(self.value(body) is True for body in self.assertions)

    def truth(self, text: str) -> bool:
        found = self.value(read(text)[0])
        assert isinstance(found, bool)
        return found

    def value(self, e: Sexpr, local: Mapping[str, Value] | None = None) -> Value:
        local = local or {}
        if isinstance(e, str):
            if e in local:
                return local[e]
            if e in ("true", "false"):
                return e == "true"
            if e[0].isdigit():
                return Fraction(e) if "." in e else int(e)
            if e not in self.values:
                sort, body = self.definitions[e]
                self.values[e] = found = self.value(body)
                assert found.__class__ is SORTS[sort], (e, found)
            return self.values[e]
        head, *rest = e
        assert isinstance(head, str)
        if head == "let":
            bindings, body = rest
            assert isinstance(bindings, list)
            return self.value(body, {**local, **{str(b[0]): self.value(b[1], local) for b in bindings}})
        if head == "ite":
            condition = self.value(rest[0], local)
            assert isinstance(condition, bool)
            return self.value(rest[1] if condition else rest[2], local)
        if head in ("and", "or"):
            for part in rest:
                found = self.value(part, local)
                assert isinstance(found, bool)
                if found == (head == "or"):
                    return found
            return head == "and"
        return apply(head, [self.value(x, local) for x in rest])


def apply(head: str, x: list[Value]) -> Value:
    if head == "not":
        assert isinstance(x[0], bool)
        return not x[0]
    assert len({type(v) for v in x}) == 1, (head, x)
    if head in ("=", "<", "<=", ">", ">="):
        test = {"=": "__eq__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}[head]
        return all(getattr(a, test)(b) for a, b in itertools.pairwise(x))
    if head == "distinct":
        return len(set(x)) == len(x)
    assert not isinstance(x[0], bool)
    if any(abs(v) > LARGEST for v in x):
        raise TooLarge
    if head in ("+", "*"):
        total: Value = x[0]
        for v in x[1:]:
            total = total + v if head == "+" else total * v
        return total
    if head == "-":
        return -x[0] if len(x) == 1 else x[0] - sum(x[1:])
    if head == "/":
        assert isinstance(x[0], Fraction)
        return x[0] / x[1] if x[1] else Fraction(0)
    if head in ("div", "mod"):
        a, b = int(x[0]), int(x[1])
        if not b:
            return 0
        rest = a % abs(b)  # never negative
        return rest if head == "mod" else (a - rest) // b
    if head == "abs":
        return abs(x[0])
    if head == "to_real":
        assert isinstance(x[0], int)
        return Fraction(x[0])
    assert head == "to_int" and isinstance(x[0], Fraction), head
    return x[0].numerator // x[0].denominator

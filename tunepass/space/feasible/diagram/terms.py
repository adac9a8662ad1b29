"""Constraints as shared terms, flattened so that the part of a sum or product that is bound becomes one value.

    variable  what one layer of the diagram binds: a parameter, or one position of a permutation
    mask      bit set of the variables a term needs
    frontier  the maximal subterms of a pending constraint that are bound already: all that later layers need to know

A sum, product, conjunction or disjunction is flattened only where regrouping changes nothing: integers whose bounds
exclude overflow, Booleans that are never undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tunepass.expr import nodes
from tunepass.space.feasible.ranges import bounds as ranges
from tunepass.space.feasible.ranges.bounds import TermRange
from tunepass.space.parameters.variable import Variable


@dataclass(eq=False, slots=True)
class Term:
    """A shared node: equal terms are the same object. `range` holds every value the term can take."""

    kind: str  # constant, variable, place, sum, product, all, any, apply, select, locate
    children: tuple[Term, ...]
    mask: int
    type: nodes.Type
    range: TermRange
    expr: nodes.Expr | None = None
    signs: tuple[int, ...] = ()  # of a sum's children
    safe: bool = False  # defined everywhere and far from overflow, and so are its children
    code: int = 0  # a variable's number, or a place's item code
    owner: str = ""  # the permutation of a place
    parts: dict[int, TermSplit] = field(default_factory=dict, repr=False)  # by bound variables
    frontiers: dict[int, tuple[Term, ...]] = field(default_factory=dict, repr=False)

    @property
    def nary(self) -> bool:
        return self.kind in ("sum", "product", "all", "any")


class TermSplit(NamedTuple):
    part: Term | None
    sign: int
    rest: tuple[tuple[int, Term], ...]


class Terms:
    """Makes terms over `variables`; equal terms come out as one object."""

    def __init__(self, variables: Sequence[Variable]):
        self.variables = variables
        self.number = {(v.parameter, v.position): i for i, v in enumerate(variables)}
        self.positions: dict[str, list[int]] = {}
        for i, v in enumerate(variables):
            if v.position >= 0:
                self.positions.setdefault(v.parameter, []).append(i)
        self._shared: dict[object, Term] = {}
        self._built: dict[int, tuple[nodes.Expr, Term]] = {}  # by the identity of an expression, which is kept alive

    def build(self, e: nodes.Expr) -> Term:
        """An expression that is part of several is looked into once."""
        known = self._built.get(id(e))
        if known is None:
            known = self._built[id(e)] = (e, self._term(e))
        return known[1]

    def _term(self, e: nodes.Expr) -> Term:
        match e:
            case nodes.Constant():
                return self._make("constant", (), e.type, ranges.constant(e.value), expr=e)
            case nodes.Name() if not isinstance(e.type, nodes.OrderType):
                return self.variable(self.number[e.name, -1])
            case nodes.Index():
                return self._index(e)
            case nodes.Call(function="pos"):
                return self._place(e)
            case nodes.Binary(op="+" | "-", type=nodes.IntegerType()):
                sign = 1 if e.op == "+" else -1
                return self._sum([(1, self.build(e.left)), (sign, self.build(e.right))], e)
            case nodes.Unary(op="-", type=nodes.IntegerType()):
                return self._sum([(-1, self.build(e.operand))], e)
            case nodes.Binary(op="*", type=nodes.IntegerType()):
                return self._nary("product", (self.build(e.left), self.build(e.right)), e)
            case nodes.Logical():
                return self._nary("all" if e.op == "and" else "any", tuple(self.build(c) for c in e.operands), e)
        return self._apply(e, tuple(self.build(c) for c in e.children))

    def variable(self, number: int) -> Term:
        v = self.variables[number]
        return self._make("variable", (), v.type, ranges.box(v.lo, v.hi), code=number, mask=1 << number)

    def place(self, order: str, item: int) -> Term:
        """The position of the item with code `item`; unknown until some layer places it."""
        k = len(self.positions[order])
        mask = sum(1 << i for i in self.positions[order])
        return self._make("place", (), nodes.INTEGER, TermRange(0.0, k - 1.0, False), code=item, mask=mask, label=order)

    def _index(self, e: nodes.Index) -> Term:
        at = self.positions[e.order.name]
        if isinstance(e.index, nodes.Constant) and isinstance(e.index.value, int) and 0 <= e.index.value < len(at):
            return self.variable(at[e.index.value])
        return self._apply(e, (self.build(e.index), *(self.variable(i) for i in at)), kind="select")

    def _place(self, e: nodes.Call) -> Term:
        order, item = e.arguments
        assert isinstance(order, nodes.Name) and isinstance(order.type, nodes.OrderType)
        if isinstance(item, nodes.Constant) and item.value in order.type.items:
            return self.place(order.name, order.type.items.index(item.value))
        places = tuple(self.place(order.name, code) for code in range(len(order.type.items)))
        return self._apply(e, (self.build(item), *places), kind="locate")

    def _apply(self, e: nodes.Expr, children: tuple[Term, ...], kind: str = "apply") -> Term:
        bounds = ranges.apply(e, [c.range for c in children]) if kind == "apply" else ranges.unknown(e.type)
        return self._make(kind, children, e.type, bounds, expr=e, label=(type(e).__name__, e.label, e.type))

    def _sum(self, signed: list[tuple[int, Term]], e: nodes.Expr) -> Term:
        flat: list[tuple[int, Term]] = []
        for sign, term in signed:
            if term.kind == "sum":
                flat += [(sign * s, c) for s, c in zip(term.signs, term.children)]
            else:
                flat.append((sign, term))
        spread = sum(ranges.reach(t.range) for _, t in flat)
        if spread > ranges.EXACT or any(t.range.undefined or not t.safe for _, t in flat):
            return self._apply(e, tuple(t for _, t in signed))
        return self.sum_of(flat)

    def sum_of(self, signed: Sequence[tuple[int, Term]]) -> Term:
        signs, children = tuple(s for s, _ in signed), tuple(t for _, t in signed)
        return self._make(
            "sum", children, nodes.INTEGER, ranges.add([c.range for c in children], signs), signs=signs, label=signs
        )

    def _nary(self, kind: str, children: tuple[Term, ...], e: nodes.Expr) -> Term:
        flat = tuple(g for c in children for g in (c.children if c.kind == kind else (c,)))
        if any(t.range.undefined or not t.safe for t in flat):
            return self._apply(e, children)
        term = self.nary_of(kind, flat)
        if kind == "product" and not term.safe:
            return self._apply(e, children)
        return term

    def nary_of(self, kind: str, children: tuple[Term, ...]) -> Term:
        bounds = [c.range for c in children]
        if kind == "product":
            largest = 1.0
            for r in bounds:
                largest *= max(1.0, ranges.reach(r))
            term = self._make(kind, children, nodes.INTEGER, ranges.multiply(bounds))
            term.safe = term.safe and largest <= ranges.EXACT
            return term
        return self._make(kind, children, nodes.BOOL, ranges.every(bounds) if kind == "all" else ranges.some(bounds))

    def _make(
        self,
        kind: str,
        children: tuple[Term, ...],
        type_: nodes.Type,
        range_: TermRange,
        *,
        expr: nodes.Expr | None = None,
        signs: tuple[int, ...] = (),
        code: int = 0,
        mask: int = 0,
        label: object = None,
    ) -> Term:
        label = (expr.label, expr.type) if kind == "constant" and expr is not None else label
        key = (kind, tuple(id(c) for c in children), label, code)
        term = self._shared.get(key)
        if term is None:
            for c in children:
                mask |= c.mask
            safe = not range_.undefined and all(c.safe for c in children)
            if not isinstance(type_, nodes.BoolType | nodes.CategoryType):
                safe = safe and ranges.reach(range_) <= ranges.EXACT
            term = Term(
                kind, children, mask, type_, range_, expr, signs, safe, code, str(label) if kind == "place" else ""
            )
            self._shared[key] = term
        return term

    def split(self, t: Term, bound: int) -> TermSplit:
        """A flattened term as its bound part and the other children (constants among them), each with its sign."""
        key = t.mask & bound
        divided = t.parts.get(key)
        if divided is None:
            signs = t.signs or (1,) * len(t.children)
            signed = list(zip(signs, t.children))
            inside = [(s, c) for s, c in signed if c.mask and not c.mask & ~bound]
            rest = tuple((s, c) for s, c in signed if not c.mask or c.mask & ~bound)
            if not inside:
                divided = TermSplit(None, 1, rest)
            elif len(inside) == 1:
                divided = TermSplit(inside[0][1], inside[0][0], rest)
            elif t.kind == "sum":
                divided = TermSplit(self.sum_of(inside), 1, rest)
            else:
                divided = TermSplit(self.nary_of(t.kind, tuple(c for _, c in inside)), 1, rest)
            t.parts[key] = divided
        return divided

    def frontier(self, t: Term, bound: int) -> tuple[Term, ...]:
        """The maximal bound parts of `t`, and the places of a permutation that is being laid out."""
        inside = t.mask & bound
        if not inside:
            return ()
        if inside == t.mask or t.kind == "place":
            return (t,)
        known = t.frontiers.get(inside)
        if known is None:
            part = self.split(t, bound).part if t.nary else None
            open_ = [c for c in t.children if not t.nary or c.mask & ~bound]
            parts = [p for c in open_ for p in self.frontier(c, bound)]
            known = t.frontiers[inside] = tuple(parts if part is None else [part, *parts])
        return known


def conjuncts(e: nodes.Expr) -> list[nodes.Expr]:
    """Boolean expressions that are satisfied together exactly where `e` is."""
    if isinstance(e, nodes.Logical) and e.op == "and":
        return [part for operand in e.operands for part in conjuncts(operand)]
    if isinstance(e, nodes.Compare) and len(e.ops) > 1:
        return [nodes.Compare(e.operands[i : i + 2], (op,), span=e.span) for i, op in enumerate(e.ops)]
    return [e]

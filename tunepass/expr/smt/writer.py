"""Expressions over declared names as an SMT-LIB 2 script.

Integers are exact; one that does not fit 64 bits has no value, as everything that Python leaves undefined. Reals are
real numbers, and every formula also comes in the two forms that allow for what the readers' doubles round off
(tunepass.expr.smt.terms). What SMT-LIB has no function for is a table of the reference reader's values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tunepass.diagnostics import ExpressionError
from tunepass.expr import nodes as n
from tunepass.expr.domain import Domain, Interval
from tunepass.expr.domain import number as number_of
from tunepass.expr.interval.bounds import MAY_OVERFLOW, Bounds
from tunepass.expr.interval.extension import name_bounds, node_bounds
from tunepass.expr.numpy_eval import remap
from tunepass.expr.sharing import Sharing
from tunepass.expr.smt import arithmetic
from tunepass.expr.smt.arithmetic import INTEGER_RULES, REAL_RULES, Ends, power_of_reals, whole
from tunepass.expr.smt.tables import table
from tunepass.expr.smt.terms import ALWAYS, NumberTerm, Truth, all_of, any_of, chosen, compared, implies
from tunepass.expr.smt.text import TRUE, choice, conjunction, either, integer, is_atom, literal, symbol

LONG = 160  # characters of a term that is written once more by name
Term = NumberTerm | Truth | tuple[str, ...]  # of an order: a symbol a position, codes of its items
ONCE = {"+", "-", "*", "/", "negate"}  # operations that write each operand once


class SmtWriter:
    """`lines` declare the names with their domains, and define what `satisfied` needs."""

    def __init__(self, types: Mapping[str, n.Type], domains: Mapping[str, Domain]):
        self.types, self.domains = types, domains
        self.symbols = {name: symbol(name) for name in types}
        self.lines: list[str] = []
        self._sharing = Sharing()
        self._terms: dict[int, tuple[Term, Truth]] = {}
        self._bounds: dict[int, Bounds] = {}
        self._uses: Counter[int] = Counter()
        self._defined = 0
        for name, kind in types.items():
            self._declare(name, kind)

    # Names

    def _declare(self, name: str, kind: n.Type) -> None:
        smt_name = self.symbols[name]
        if isinstance(kind, n.OrderType):
            places = self.positions(name)
            last = len(kind.items) - 1
            self.lines += [f"(declare-const {place} Int)" for place in places]
            self.lines += [f"(assert (<= 0 {place} {last}))" for place in places]
            if last:
                self.lines.append(f"(assert (distinct {' '.join(places)}))")
            return
        sort = "Bool" if isinstance(kind, n.BoolType) else "Real" if isinstance(kind, n.RealType) else "Int"
        meaning = ""
        if isinstance(kind, n.CategoryType):
            codes = ", ".join(f"{code} {value}" for code, value in enumerate(kind.values))
            meaning = f" ; {codes}".replace("\n", " ").replace("\r", " ")
        self.lines.append(f"(declare-const {smt_name} {sort}){meaning}")
        domain = self.domains.get(name)
        if domain is not None:
            formula = self.within(name, domain)
            self.lines += [f"(assert {formula})"] if formula != TRUE else []

    def positions(self, name: str) -> tuple[str, ...]:
        """The symbols of an order, one a position: each is the code of the item there."""
        kind = self.types[name]
        assert isinstance(kind, n.OrderType)
        return tuple(symbol(f"{name}[{i}]") for i in range(len(kind.items)))

    def within(self, name: str, domain: Domain) -> str:
        """That a name has one of the values of a domain."""
        smt_name, kind = self.symbols[name], self.types[name]
        is_real = isinstance(kind, n.RealType)
        if isinstance(domain, Interval):
            return f"(<= {literal(domain.lo, is_real=is_real)} {smt_name} {literal(domain.hi, is_real=is_real)})"
        if isinstance(domain, range) and len(domain) > 2:
            ends = f"(<= {integer(min(domain))} {smt_name} {integer(max(domain))})"
            step, rest = abs(domain.step), min(domain) % abs(domain.step)
            return ends if step == 1 else conjunction(ends, f"(= (mod {smt_name} {step}) {rest})")
        if isinstance(kind, n.BoolType):
            values = {bool(v) for v in domain}
            return TRUE if len(values) == 2 else smt_name if True in values else f"(not {smt_name})"
        numbers = [number_of(v, kind) for v in (domain.tolist() if isinstance(domain, np.ndarray) else domain)]
        return either(smt_name, [literal(value, is_real=is_real) for value in numbers])

    def literal(self, name: str, value: int | float) -> str:
        """A value of a name; strings are given by their codes."""
        return literal(value, is_real=isinstance(self.types[name], n.RealType))

    # Expressions

    def satisfied(self, e: n.Expr) -> Truth:
        """That the Boolean `e` has a value, and it is True."""
        value, defined = self._term(e)
        assert isinstance(value, Truth)
        return all_of([defined, value])

    def value(self, e: n.Expr) -> tuple[NumberTerm, Truth]:
        """A number (of a Boolean: 1 or 0), and where it has a value."""
        term, defined = self._term(e)
        return self._number(term), defined

    def _term(self, e: n.Expr) -> tuple[Term, Truth]:
        e = self._sharing.shared(e)
        nodes = [node for node in n.walk(e) if id(node) not in self._terms]
        for node in nodes:
            self._uses.update(id(child) for child in node.children)
        with np.errstate(all="ignore"):
            for node in nodes:
                self._bounds[id(node)] = (
                    name_bounds(node, self.domains.get(node.name)) if isinstance(node, n.Name) else self._bounded(node)
                )
                self._terms[id(node)] = self._kept(node, *self._node(node))
        return self._terms[id(e)]

    def _bounded(self, node: n.Expr) -> Bounds:
        return node_bounds(node, self._bounds)

    def _kept(self, node: n.Expr, term: Term, defined: Truth) -> tuple[Term, Truth]:
        """With names for what is written more than once."""
        often = self._uses[id(node)] > 1
        if isinstance(term, NumberTerm):
            term = replace(term, text=self._named(term.text, term.sort, often))
        elif isinstance(term, Truth):
            term = self._named_truth(term, often)
        return term, self._named_truth(defined, often)

    def _named_truth(self, truth: Truth, often: bool) -> Truth:
        if not truth.is_doubtful:
            return Truth.of(self._named(truth.exact, "Bool", often))
        exact, may, may_not = (self._named(text, "Bool", often) for text in (truth.exact, truth.may, truth.may_not))
        return Truth(exact, may, may_not)

    def _named(self, text: str, sort: str, often: bool) -> str:
        if is_atom(text) or (len(text) <= LONG and not (often and len(text) > 16)):
            return text
        self._defined += 1
        self.lines.append(f"(define-fun e.{self._defined} () {sort} {text})")
        return f"e.{self._defined}"

    def _node(self, e: n.Expr) -> tuple[Term, Truth]:
        match e:
            case n.Constant():
                return self._constant(e), ALWAYS
            case n.Name():
                return self._name(e), ALWAYS
            case n.Unary(op="not"):
                truth, defined = self._terms[id(e.operand)]
                assert isinstance(truth, Truth)
                return ~truth, defined
            case n.Compare():
                pairs = zip(e.ops, e.operands, e.operands[1:])
                return self._settled(False, [self._comparison(op, a, b, i) for i, (op, a, b) in enumerate(pairs)])
            case n.Logical():
                return self._settled(e.op == "or", [self._truth(x) for x in e.operands])
            case n.Member():
                equal = any_of([self._equal("==", e.item, choice) for choice in e.choices])
                return equal, self._all_defined(e)
            case n.If():
                return self._if(e)
            case n.Index():
                return self._item(e)
            case n.Call(function="pos"):
                return self._position(e)
        return self._operation(e)

    def _constant(self, e: n.Constant) -> Term:
        if isinstance(e.value, bool):
            return Truth.of("true" if e.value else "false")
        if isinstance(e.value, float):
            return arithmetic.constant(e.value)
        return whole(int(number_of(e.value, e.type)))

    def _name(self, e: n.Name) -> Term:
        smt_name = self.symbols[e.name]
        if isinstance(e.type, n.OrderType):
            return self.positions(e.name)
        if isinstance(e.type, n.BoolType):
            return Truth.of(smt_name)
        bounds = self._bounds[id(e)]
        return NumberTerm(
            smt_name, "Real" if isinstance(e.type, n.RealType) else "Int", float(bounds.lo), float(bounds.hi)
        )

    def _truth(self, e: n.Expr) -> tuple[Truth, Truth]:
        term, defined = self._terms[id(e)]
        assert isinstance(term, Truth)
        return term, defined

    def _defined_at(self, e: n.Expr) -> Truth:
        return self._terms[id(e)][1]

    def _all_defined(self, e: n.Expr) -> Truth:
        return all_of([self._defined_at(x) for x in e.children])

    def _number(self, term: Term, kind: n.Type | None = None) -> NumberTerm:
        """A term as a number: Booleans as 1 and 0, Integers as reals where `kind` is Real."""
        assert not isinstance(term, tuple)
        if isinstance(term, Truth):
            term = NumberTerm(choice(term.exact, "1", "0"), "Int", 0.0, 1.0, 1.0 if term.is_doubtful else 0.0)
        return term.as_real() if isinstance(kind, n.RealType) else term

    def _as(self, e: n.Expr, kind: n.Type) -> NumberTerm:
        """The value of `e` as a number of this type; strings as the codes that they have there, -1 for none."""
        number = self._number(self._terms[id(e)][0], kind)
        if not (isinstance(e.type, n.CategoryType) and isinstance(kind, n.CategoryType)) or e.type == kind:
            return number
        codes = remap(e.type, kind).tolist()
        text = integer(codes[-1])
        for code, there in reversed(list(enumerate(codes[:-1]))):
            text = choice(f"(= {number.text} {code})", integer(there), text)
        return NumberTerm(text, "Int", -1.0, float(len(kind.values)), number.error)

    def _settled(self, stop: bool, steps: Sequence[tuple[Truth, Truth]]) -> tuple[Truth, Truth]:
        """Left to right until a step is `stop` or has no value."""
        value, defined = steps[0]
        for after, its in steps[1:]:
            defined = all_of([defined, implies(~value if stop else value, its)])
            value = any_of([value, after]) if stop else all_of([value, after])
        return value, defined

    def _comparison(self, op: str, left: n.Expr, right: n.Expr, number: int) -> tuple[Truth, Truth]:
        before = [self._defined_at(left)] if number == 0 else []
        return self._equal(op, left, right), all_of([*before, self._defined_at(right)])

    def _equal(self, op: str, left: n.Expr, right: n.Expr) -> Truth:
        if isinstance(left.type, n.CategoryType):
            return compared(op, self._as(left, left.type), self._as(right, left.type))
        kind = left.type if isinstance(left.type, n.RealType) else right.type
        return compared(op, self._as(left, kind), self._as(right, kind))

    def _if(self, e: n.If) -> tuple[Term, Truth]:
        condition, known = self._truth(e.condition)
        then, otherwise = self._defined_at(e.then), self._defined_at(e.otherwise)
        defined = all_of([known, implies(condition, then), implies(~condition, otherwise)])
        if isinstance(e.type, n.BoolType):
            yes, no = self._truth(e.then)[0], self._truth(e.otherwise)[0]
            return all_of([implies(condition, yes), implies(~condition, no)]), defined
        ends = self._ends(e)
        return chosen(condition, self._as(e.then, e.type), self._as(e.otherwise, e.type), ends.lo, ends.hi), defined

    def _ends(self, e: n.Expr) -> Ends:
        bounds = self._bounds[id(e)]
        return Ends(float(bounds.lo), float(bounds.hi))

    def _operation(self, e: n.Expr) -> tuple[Term, Truth]:
        op = "negate" if isinstance(e, n.Unary) else e.op if isinstance(e, n.Binary) else str(e.label)
        if op == "ispow2":
            return self._power_of_two(e)
        operands = e.children
        reals = isinstance(e.type, n.RealType) or any(isinstance(x.type, n.RealType) for x in operands)
        kind = next((x.type for x in (e, *operands) if isinstance(x.type, n.RealType)), None)
        terms, ends = [self._as(x, kind or x.type) for x in operands], self._ends(e)
        if op not in ONCE:
            terms = [replace(t, text=self._named(t.text, t.sort, often=True)) for t in terms]
        rule = (REAL_RULES if reals else INTEGER_RULES).get(op)
        if op in ("min", "max"):
            number, defined = self._extreme(op, terms), ALWAYS
        elif rule is not None:
            number, defined = rule(terms, ends)
        else:
            number, defined = self._listed(e, op, terms, ends)
        return number, all_of([self._all_defined(e), defined, self._fitting(e, number)])

    def _extreme(self, op: str, terms: Sequence[NumberTerm]) -> NumberTerm:
        """Two by two, each by name."""
        pick, rule = min if op == "min" else max, INTEGER_RULES[op]
        extreme = terms[0]
        for term in terms[1:]:
            ends = Ends(pick(extreme.lo, term.lo), pick(extreme.hi, term.hi))
            extreme, _ = rule((extreme, term), ends)
            extreme = replace(extreme, text=self._named(extreme.text, extreme.sort, often=True))
        return extreme

    def _fitting(self, e: n.Expr, number: NumberTerm) -> Truth:
        """That an integer fits 64 bits, where bounds do not show it."""
        if number.sort != "Int" or not int(self._bounds[id(e)].flags) & MAY_OVERFLOW:
            return ALWAYS
        checked = replace(number, text=self._named(number.text, "Int", often=True))
        return all_of([compared(">=", checked, whole(n.INT_MIN)), compared("<=", checked, whole(n.INT_MAX))])

    def _listed(self, e: n.Expr, op: str, terms: Sequence[NumberTerm], ends: Ends) -> tuple[NumberTerm, Truth]:
        """A function that SMT-LIB lacks, by the names in it."""
        exponent = e.right if isinstance(e, n.Binary) and op == "**" else None
        if isinstance(exponent, n.Constant) and isinstance(e.type, n.RealType):
            power = power_of_reals(terms, float(exponent.value), ends)
            if power is not None:
                return power, ALWAYS
        listed = table(e, self.domains, self.symbols)
        if listed is not None:
            return listed
        if op in ("gcd", "lcm") and not any(t.error for t in terms):
            return self._divisors(op, terms, ends), ALWAYS
        raise ExpressionError(
            f"`{op}` of so many values has no form in SMT-LIB",
            e.span,
            "SMT-LIB has no such function: it is listed where the parameters in it have 4,096 values at most",
        )

    def _divisors(self, op: str, terms: Sequence[NumberTerm], ends: Ends) -> NumberTerm:
        """The greatest common divisor d of a and b: both are multiples of it, and it is a sum of multiples of them."""
        a, b = (self._named(t.text, "Int", often=True) for t in terms)
        self._defined += 1
        d, m, k, u, v = (f"d.{self._defined}.{letter}" for letter in "dmnuv")
        self.lines += [f"(declare-const {name} Int)" for name in (d, m, k, u, v)]
        self.lines.append(
            f"(assert (and (>= {d} 0) (= {a} (* {d} {m})) (= {b} (* {d} {k})) (= {d} (+ (* {u} {a}) (* {v} {b})))))"
        )
        if op == "gcd":
            return NumberTerm(d, "Int", ends.lo, ends.hi)
        return NumberTerm(f"(ite (= {d} 0) 0 (abs (* {m} {b})))", "Int", ends.lo, ends.hi)

    def _power_of_two(self, e: n.Expr) -> tuple[Term, Truth]:
        number, most = self._number(self._terms[id(e.children[0])][0]), self._bounds[id(e.children[0])].hi
        text = self._named(number.text, "Int", often=True)
        powers = [integer(2**k) for k in range(63) if 2.0**k <= float(most) + number.error]
        truth = Truth.of(either(text, powers))
        return truth if not number.error else Truth(truth.exact, "true", "true"), self._all_defined(e)

    def _item(self, e: n.Index) -> tuple[Term, Truth]:
        assert isinstance(e.order.type, n.OrderType)
        places, position = self._terms[id(e.order)][0], self._number(self._terms[id(e.index)][0])
        assert isinstance(places, tuple)
        items, ends, count = e.order.type.items, self._ends(e), len(places)
        text = _picked(position.text, list(places))
        if not isinstance(e.type, n.CategoryType) and items != tuple(range(count)):
            text = self._named(text, "Int", often=True)
            text = _picked(text, [integer(int(item)) for item in items])
        inside = all_of([compared(">=", position, whole(0)), compared("<", position, whole(count))])
        sure = position.lo - position.error >= 0 and position.hi + position.error < count
        number = NumberTerm(text, "Int", ends.lo, ends.hi, float("inf") if position.error else 0.0)
        return number, all_of([self._defined_at(e.index), ALWAYS if sure else inside])

    def _position(self, e: n.Call) -> tuple[Term, Truth]:
        order, item = e.arguments
        assert isinstance(order.type, n.OrderType)
        items, places, count = order.type.items, self._terms[id(order)][0], len(order.type.items)
        assert isinstance(places, tuple)
        if isinstance(item.type, n.CategoryType):
            target = self._as(item, n.CategoryType(tuple(str(i) for i in items)))
            known = compared(">=", target, whole(0))
        else:
            target = self._as(item, item.type)
            known = any_of([compared("==", target, whole(int(i))) for i in items])
            if items != tuple(range(count)):
                codes = [(integer(int(i)), str(code)) for code, i in enumerate(items)]
                text = codes[-1][1]
                for i, code in reversed(codes[:-1]):
                    text = choice(f"(= {target.text} {i})", code, text)
                target = NumberTerm(text, "Int", 0.0, float(count - 1), target.error)
        code = self._named(target.text, "Int", often=True)
        text = str(count - 1)
        for place, at in reversed(list(enumerate(places[:-1]))):
            text = choice(f"(= {at} {code})", str(place), text)
        number = NumberTerm(text, "Int", 0.0, float(count - 1), float("inf") if target.error else 0.0)
        return number, all_of([self._defined_at(item), ALWAYS if isinstance(item, n.Constant) else known])


def _picked(index: str, texts: list[str]) -> str:
    """The text at an index, the last for any other."""
    text = texts[-1]
    for i, there in reversed(list(enumerate(texts[:-1]))):
        text = choice(f"(= {index} {i})", there, text)
    return text

"""`loop(i, j, k) tile(i: TI) order(ORDER) unroll(k: U) unroll_and_jam(i: UJ) vectorize(j) parallel(i)`, as written."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.params.tokens import Cursor, PragmaToken
from tunepass.ir.loops import Setting

CLAUSES = ("tile", "order", "unroll", "unroll_and_jam", "vectorize", "parallel")
SWITCHES = ("vectorize", "parallel")  # on where no parameter decides
EXAMPLE = "write `loop(i, j) tile(i: TI, j: TJ) order(ORDER) vectorize(j)`"


@dataclass(frozen=True, slots=True)
class Named:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class FactorText:
    index: str
    setting: Setting
    span: Span  # of the setting


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopPragma:
    """The clauses; the nest follows `outer`, the whole directive or comment."""

    indices: tuple[Named, ...]
    factors: dict[str, tuple[FactorText, ...]]
    order: tuple[Named, ...]
    span: Span
    outer: Span

    @property
    def names(self) -> frozenset[str]:
        """The parameters it may name."""
        settings = [f.setting for factors in self.factors.values() for f in factors]
        return frozenset([s for s in settings if isinstance(s, str)] + [n.name for n in self.order])


def parse_loop(cursor: Cursor) -> LoopPragma:
    keyword = cursor.last
    indices = _names(cursor, "loop", "a loop's index")
    known = [n.name for n in indices]
    factors: dict[str, tuple[FactorText, ...]] = {}
    order: tuple[Named, ...] = ()
    while cursor.next.kind == "name":
        clause = cursor.take()
        if clause.text not in CLAUSES:
            close = nearest(clause.text, CLAUSES)
            hint = f"did you mean `{close}`?" if close else f"known are {', '.join(CLAUSES)}"
            cursor.fail(f"unknown clause `{clause.text}`", hint, token=clause)
        if clause.text in factors or (clause.text == "order" and order):
            cursor.fail(f"`{clause.text}` is given twice", "list all its loops in one", token=clause)
        if clause.text == "order":
            order = _names(cursor, "order", "a permutation's name or the loops in order")
            continue
        factors[clause.text] = _factors(cursor, clause, known)
        if clause.text in ("unroll", "unroll_and_jam"):
            _not_both(cursor, clause, factors)
    cursor.finish("the clauses", f"clauses are {', '.join(CLAUSES)}")
    return LoopPragma(
        indices=indices,
        factors=factors,
        order=order,
        span=cursor.span(keyword),
        outer=cursor.source.span(*cursor.whole),
    )


def _names(cursor: Cursor, keyword: str, what: str) -> tuple[Named, ...]:
    cursor.expect("(", f"after `{keyword}`", EXAMPLE)
    names: list[Named] = []
    while True:
        token = cursor.name(what, EXAMPLE)
        if token.text in [n.name for n in names]:
            cursor.fail(f"`{token.text}` is given twice", token=token)
        names.append(Named(token.text, cursor.span(token)))
        if not cursor.accept(","):
            break
    cursor.expect(")", f"after the names in `{keyword}`")
    return tuple(names)


def _factors(cursor: Cursor, clause: PragmaToken, known: list[str]) -> tuple[FactorText, ...]:
    cursor.expect("(", f"after `{clause.text}`", EXAMPLE)
    factors: list[FactorText] = []
    while True:
        index = cursor.name("a loop's index", EXAMPLE)
        if index.text not in known:
            close = nearest(index.text, known)
            hint = f"did you mean `{close}`?" if close else f"this pragma's loops are {', '.join(known)}"
            cursor.fail(f"`{index.text}` is not one of the loops", hint, token=index)
        if index.text in [f.index for f in factors]:
            cursor.fail(f"`{index.text}` is given twice", token=index)
        factors.append(_factor(cursor, clause, index))
        if not cursor.accept(","):
            break
    cursor.expect(")", f"after the loops of `{clause.text}`")
    return tuple(factors)


def _factor(cursor: Cursor, clause: PragmaToken, index: PragmaToken) -> FactorText:
    if clause.text in SWITCHES and not cursor.at(":"):
        return FactorText(index.text, True, cursor.span(index))
    cursor.expect(":", f"after `{index.text}`", f"write `{clause.text}({index.text}: FACTOR)`")
    token = cursor.next
    if token.kind == "name":
        cursor.take()
        setting: Setting = {"true": True, "false": False}.get(token.text, token.text)
        return FactorText(index.text, setting, cursor.span(token))
    value = cursor.integer("a parameter or a factor")
    if value < 0:
        cursor.fail(f"a factor is not negative, got {value}", token=token)
    return FactorText(index.text, value, cursor.span(token))


def _not_both(cursor: Cursor, clause: PragmaToken, factors: dict[str, tuple[FactorText, ...]]) -> None:
    unrolled = {f.index for f in factors.get("unroll", ())}
    for factor in factors.get("unroll_and_jam", ()):
        if factor.index in unrolled:
            cursor.fail(
                f"`{factor.index}` cannot be unrolled in two ways", "keep `unroll` or `unroll_and_jam`", token=clause
            )

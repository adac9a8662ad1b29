"""Directives as written to directives over index variables that are there: TACO's commands and their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from tunepass.diagnostics import SourceError, spelling_hint
from tunepass.expr.nodes import Expr
from tunepass.frontends.taco.amounts import Amounts
from tunepass.frontends.taco.parser import parse_expression
from tunepass.frontends.taco.scope import TacoScope
from tunepass.frontends.taco.written import Argument, Word, WrittenDirective
from tunepass.ir import tensor as t
from tunepass.ir.tensor import accesses
from tunepass.space.parameter import Permutation

USES: Mapping[str, tuple[str, int, int]] = {  # how it is written, and how many arguments there are
    "split": ("split(i, i0, i1, factor)", 4, 4),
    "divide": ("divide(i, i0, i1, factor)", 4, 4),
    "fuse": ("fuse(i, j, f)", 3, 3),
    "pos": ("pos(i, ipos, tensor)", 3, 3),
    "reorder": ("reorder(i1, i2, ...)", 1, 1000),
    "precompute": ("precompute(expr, i, iw, name)", 3, 4),
    "bound": ("bound(i, ib, extent, MaxExact)", 4, 4),
    "unroll": ("unroll(i, factor)", 2, 2),
    "parallelize": ("parallelize(i, CPUThread, NoRaces)", 3, 5),
}
NOT_SUPPORTED = {
    "mergeby": "sparse operands are merged by two fingers",
    "assemble": "a sparse result has the pattern of the sparse operand",
}
GPU_UNITS = ("GPUBlock", "GPUWarp", "GPUThread")


class TacoDirectiveReader:
    """Reads directives in their order: each works on the loops that those before it have left."""

    def __init__(self, scope: TacoScope, amounts: Amounts):
        self.scope, self.amounts = scope, amounts
        self.readers: Mapping[str, Callable[[WrittenDirective], t.Directive]] = {
            "split": lambda w: t.Split(*self.halves(w), w.span),
            "divide": lambda w: t.Divide(*self.halves(w), w.span),
            "fuse": self.fuse,
            "pos": self.pos,
            "reorder": self.reorder,
            "precompute": self.precompute,
            "bound": self.bound,
            "unroll": self.unroll,
            "parallelize": self.parallelize,
        }

    def read(self, written: WrittenDirective) -> t.Directive:
        name, span = written.name, written.name_span
        if name in NOT_SUPPORTED:
            raise SourceError(f"`{name}` is not supported", span, f"leave it out: {NOT_SUPPORTED[name]}")
        if name not in USES:
            hint = spelling_hint(name, USES, f"known are {', '.join(USES)}")
            raise SourceError(f"unknown directive `{name}`", span, hint)
        usage, least, most = USES[name]
        count = len(written.arguments)
        if not least <= count <= most:
            takes = f"{least} arguments" if least == most else f"{least} to {most} arguments"
            raise SourceError(f"`{name}` takes {takes}, {count} are given", written.span, f"write `{usage}`")
        return self.readers[name](written)

    def halves(self, written: WrittenDirective) -> tuple[str, str, str, Expr]:
        variable, outer, inner, factor = written.arguments
        amount = self.amounts.integer(factor, f"the factor of a {written.name}")
        how = f"it is `{outer.text}` and `{inner.text}` since {written.name}({variable.text}, …)"
        self.scope.replace([_word(variable)], [_word(outer), _word(inner)], how)
        return variable.text, outer.text, inner.text, amount

    def fuse(self, written: WrittenDirective) -> t.Directive:
        outer, inner, fused = (_word(argument) for argument in written.arguments)
        how = f"it is part of `{fused.text}` since fuse({outer.text}, {inner.text}, {fused.text})"
        self.scope.replace([outer, inner], [fused], how)
        return t.Fuse(outer.text, inner.text, fused.text, written.span)

    def pos(self, written: WrittenDirective) -> t.Directive:
        variable, position, tensor = (_word(argument) for argument in written.arguments)
        name = self.scope.tensor(tensor)
        how = f"it is `{position.text}` since pos({variable.text}, …)"
        self.scope.replace([variable], [position], how)
        return t.Pos(variable.text, position.text, name, written.span)

    def reorder(self, written: WrittenDirective) -> t.Directive:
        first = written.arguments[0]
        parameter = self.amounts.parameters.get(first.text) if len(written.arguments) == 1 else None
        if parameter is not None and first.text not in self.scope.loops:
            if not isinstance(parameter, Permutation) or not all(isinstance(item, str) for item in parameter.items):
                hint = f"write `param {first.text}: permutation({', '.join(self.scope.loops)})`"
                raise SourceError(f"`{first.text}` is no permutation of loops", first.span, hint)
            for item in parameter.items:
                self._item(str(item), first, parameter)
            self.amounts.used.add(first.text)
            return t.Reorder(tuple(str(item) for item in parameter.items), first.text, written.span)
        words = [word for argument in written.arguments for word in _words(argument)]
        names = [self.scope.loop(word) for word in words]
        for place, word in enumerate(words):
            if word.text in names[:place]:
                raise SourceError(f"`{word.text}` is given twice", word.span)
        if len(words) < 2:
            raise SourceError("`reorder` takes 2 variables or more", written.span, f"write `{USES['reorder'][0]}`")
        return t.Reorder(tuple(names), None, written.span)

    def _item(self, item: str, argument: Argument, parameter: Permutation) -> None:
        try:
            self.scope.loop(Word(item, parameter.span or argument.span))
        except SourceError as error:
            first = error.diagnostics[0]
            problem = f"{first.message} to reorder by `{argument.text}`"
            raise SourceError(problem, first.span, first.hint) from None

    def precompute(self, written: WrittenDirective) -> t.Directive:
        expression, old, new, *name = written.arguments
        value = parse_expression(expression.span.source, expression.text, expression.span.start)
        for access in accesses(value):
            span = access.span or expression.span
            self.scope.tensor(Word(access.tensor, span))
        variables, workspace_variables = _words(old), _words(new)
        if len(variables) != len(workspace_variables):
            counts = f"{len(variables)} and {len(workspace_variables)}"
            raise SourceError(f"both lists have one variable for each of the other's, got {counts}", new.span)
        for word in variables:
            self.scope.loop(word)
        self.scope.add(workspace_variables)
        if name and name[0].text in self.scope.tensors:
            raise SourceError(f"`{name[0].text}` is a tensor of the expression", name[0].span, "choose another name")
        workspace = _identifier(name[0], "a workspace") if name else None
        if workspace is not None:
            self.scope.tensors.append(workspace)
        return t.Precompute(
            value,
            tuple(word.text for word in variables),
            tuple(word.text for word in workspace_variables),
            workspace,
            written.span,
        )

    def bound(self, written: WrittenDirective) -> t.Directive:
        variable, bounded, extent, kind = written.arguments
        amount = self.amounts.integer(extent, "the extent of a bound")
        bound: t.BoundKind = _one_of(kind, get_args(t.BoundKind), "the kind of a bound")  # type: ignore[assignment]
        how = f"it is `{bounded.text}` since bound({variable.text}, …)"
        self.scope.replace([_word(variable)], [_word(bounded)], how)
        return t.Bound(variable.text, bounded.text, amount, bound, written.span)

    def unroll(self, written: WrittenDirective) -> t.Directive:
        variable, factor = written.arguments
        name = self.scope.loop(_word(variable))
        return t.Unroll(name, self.amounts.integer(factor, "the factor of an unroll"), written.span)

    def parallelize(self, written: WrittenDirective) -> t.Directive:
        variable, unit, race, *rest = written.arguments
        name = self.scope.loop(_word(variable))
        if unit.text in GPU_UNITS:
            raise SourceError("loops on a GPU are not supported", unit.span, f"one of {', '.join(get_args(t.Unit))}")
        parallel: t.Unit = _one_of(unit, get_args(t.Unit), "the unit of a parallel loop")  # type: ignore[assignment]
        strategy: t.Race = _one_of(race, get_args(t.Race), "how races are avoided")  # type: ignore[assignment]
        policy = chunk = threads = None
        if rest and rest[0].head == "schedule":
            dealt = rest.pop(0)
            if len(dealt.inner) not in (1, 2):
                raise SourceError("`schedule` takes 1 or 2 arguments", dealt.span, "write `schedule(dynamic, 16)`")
            policy = self.amounts.policy(dealt.inner[0])
            chunk = self.amounts.integer(dealt.inner[1], "a chunk") if len(dealt.inner) == 2 else None
        if rest:
            threads = self.amounts.integer(rest.pop(0), "a number of threads")
        if rest:
            hint = "after the races: `schedule(dynamic, 16)`, then the number of threads"
            raise SourceError("this argument is not expected", rest[0].span, hint)
        if parallel != "CPUThread" and (policy or threads):
            raise SourceError(f"`schedule` and threads are for CPUThread, this is {parallel}", written.span)
        return t.Parallelize(name, parallel, strategy, policy, chunk, threads, written.span)


def _word(argument: Argument) -> Word:
    return Word(argument.text, argument.span)


def _words(argument: Argument) -> list[Word]:
    """The names of `i` or `{i, j}`."""
    return [_word(item) for item in argument.inner] if argument.head == "" else [_word(argument)]


def _identifier(argument: Argument, what: str) -> str:
    if not (argument.text.isascii() and argument.text.isalnum() and argument.text[0].isalpha()):
        raise SourceError(f"the name of {what} is letters and digits, got `{argument.text}`", argument.span)
    return argument.text


def _one_of(argument: Argument, known: Sequence[str], what: str) -> str:
    if argument.text not in known:
        hint = spelling_hint(argument.text, known)
        raise SourceError(f"{what} is one of {', '.join(known)}, got `{argument.text}`", argument.span, hint)
    return argument.text

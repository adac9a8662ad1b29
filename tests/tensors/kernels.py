"""Tensor kernels written by hand, without a frontend: `kernel("A(i,k)", "B(i,j) * C(j,k)", "B:ds", ...)`."""

from __future__ import annotations

import re

from tunepass.expr.nodes import Expr
from tunepass.expr.typing import constant, name
from tunepass.ir.tensor import (
    Access,
    Assignment,
    Binary,
    Bound,
    Directive,
    Divide,
    Format,
    Fuse,
    Level,
    Negation,
    Number,
    Operator,
    Parallelize,
    Pos,
    Precompute,
    Race,
    Reorder,
    Split,
    Tensor,
    TensorExpr,
    TensorKernel,
    Unit,
    Unroll,
    accesses,
)
from tunepass.space.parameter import Parameter

LEVELS: dict[str, Level] = {"d": "dense", "s": "compressed"}


def expression(text: str) -> TensorExpr:
    """`B(i,j) * C(j,k) + 2`, of products and sums with parentheses."""
    tokens = re.findall(r"[A-Za-z]\w*(?:\([\w,]*\))?|\d+(?:\.\d+)?|[-+*/()]", text)
    tree, rest = _sum(tokens)
    assert not rest, rest
    return tree


def _sum(tokens: list[str]) -> tuple[TensorExpr, list[str]]:
    tree, tokens = _product(tokens)
    while tokens and tokens[0] in "+-":
        operator: Operator = "+" if tokens[0] == "+" else "-"
        right, tokens = _product(tokens[1:])
        tree = Binary(operator, tree, right)
    return tree, tokens


def _product(tokens: list[str]) -> tuple[TensorExpr, list[str]]:
    tree, tokens = _atom(tokens)
    while tokens and tokens[0] in "*/":
        operator: Operator = "*" if tokens[0] == "*" else "/"
        right, tokens = _atom(tokens[1:])
        tree = Binary(operator, tree, right)
    return tree, tokens


def _atom(tokens: list[str]) -> tuple[TensorExpr, list[str]]:
    if tokens[0] == "-":
        operand, rest = _atom(tokens[1:])
        return Negation(operand), rest
    if tokens[0] == "(":
        tree, rest = _sum(tokens[1:])
        return tree, rest[1:]
    if tokens[0][0].isdigit():
        return Number(float(tokens[0]) if "." in tokens[0] else int(tokens[0])), tokens[1:]
    return access(tokens[0]), tokens[1:]


def access(text: str) -> Access:
    tensor, _, index = text.rstrip(")").partition("(")
    return Access(tensor, tuple(index.split(",")) if index else ())


def tensor_format(text: str) -> Format:
    """`ds:1,0`."""
    levels, _, order = text.partition(":")
    modes = tuple(int(mode) for mode in order.split(",")) if order else tuple(range(len(levels)))
    return Format(tuple(LEVELS[letter] for letter in levels), modes)


def kernel(
    left: str, right: str, formats: str = "", schedule: tuple[Directive, ...] = (), **extents: int
) -> TensorKernel:
    """`formats`: "B=ds C=sd:1,0"; a tensor without one is dense."""
    stored = dict(item.split("=") for item in formats.split())
    assignment = Assignment(access(left), expression(right))
    tensors = {}
    for used in (assignment.left, *accesses(assignment.right)):
        written = stored.get(used.tensor, "d" * len(used.index))
        tensors.setdefault(used.tensor, Tensor(name=used.tensor, index=used.index, format=tensor_format(written)))
    return TensorKernel(
        assignment=assignment, tensors=tuple(tensors.values()), schedule=schedule, extents=tuple(extents.items())
    )


def directives(text: str, parameters: tuple[Parameter, ...] = ()) -> tuple[Directive, ...]:
    """TACO's text, without spaces in arguments: `split(i,i0,i1,chunk) reorder(order) unroll(i1,4)`.

    A number may be a parameter's name; an order too, its items being the loops.
    """
    types = {p.name: p.type for p in parameters}
    items = {p.name: tuple(str(item) for item in p.domain[0]) for p in parameters if not p.is_scalar}  # type: ignore[union-attr]

    def number(word: str) -> Expr:
        if word in types:
            return name(word, types)
        return constant(int(word) if word.lstrip("-").isdigit() else word)

    made: list[Directive] = []
    for command, inside in re.findall(r"(\w+)\(((?:[^()]|\([^()]*\))*)\)", text):
        words = re.findall(r"\{[^}]*\}|(?:[^,({]|\([^)]*\))+", inside)
        match command, words:
            case "split", (i, outer, inner, factor):
                made.append(Split(i, outer, inner, number(factor)))
            case "divide", (i, outer, inner, factor):
                made.append(Divide(i, outer, inner, number(factor)))
            case "fuse", (i, j, f):
                made.append(Fuse(i, j, f))
            case "pos", (i, position, tensor):
                made.append(Pos(i, position, tensor))
            case "reorder", (order,) if order in items:
                made.append(Reorder(items[order], order))
            case "reorder", _:
                made.append(Reorder(tuple(words)))
            case "bound", (i, bounded, extent, kind):
                made.append(Bound(i, bounded, number(extent), kind))  # type: ignore[arg-type]
            case "unroll", (i, factor):
                made.append(Unroll(i, number(factor)))
            case "precompute", (part, old, new, *workspace):
                lists = [tuple(names.strip("{}").split(",")) if names != "{}" else () for names in (old, new)]
                made.append(Precompute(expression(part), lists[0], lists[1], *workspace))
            case "parallelize", (i, unit, race, *omp):
                numbers = [number(word) for word in omp]
                made.append(_parallelize(i, unit, race, numbers))
            case _:
                raise AssertionError(command)
    return tuple(made)


def _parallelize(i: str, unit: str, race: str, omp: list[Expr]) -> Parallelize:
    policy, chunk, threads = (*omp, None, None, None)[:3]
    as_unit: Unit = unit  # type: ignore[assignment]
    as_race: Race = race  # type: ignore[assignment]
    return Parallelize(i, as_unit, as_race, policy, chunk, threads)

"""A thread's code where an `#if` over parameters decides what is around it: types, macros, whole functions.

The source is read once for each set of branches that some values of the parameters choose. What each reading counts
holds under the condition of its branches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from tunepass.diagnostics import Diagnostic, Severity, TunepassError
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import Constant, Expr, free_names
from tunepass.expr.numpy_eval import satisfied
from tunepass.frontends.cfamily.constants import named_values
from tunepass.frontends.cfamily.expressions import parse_expression
from tunepass.frontends.cfamily.guards import alternatives
from tunepass.frontends.cfamily.tokens import tokens
from tunepass.frontends.cfamily.tree import SyntaxFault
from tunepass.frontends.cfamily.unit import Unit
from tunepass.frontends.cfamily.values import Values
from tunepass.ir.gpu_thread import CodeRegion, ThreadCode
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space

MOST_TRIED = 4096  # values of the parameters that the conditions read
MOST_VARIANTS = 16
NOT_ESTIMATED = "registers are not estimated where parameters choose these branches"
COUNTS = tuple(f.name for f in fields(CodeRegion) if f.name not in ("copies", "whole", "inside"))


@dataclass(frozen=True, slots=True)
class Variant:
    """Values that choose a set of branches, and the condition under which it is chosen. `plain`: so do the defaults."""

    configuration: Configuration
    condition: Expr
    plain: bool


def variants(unit: Unit, parameters: Sequence[Parameter]) -> list[Variant]:
    """Sets of branches of the source's `#if`s, one alone where nothing depends on them."""
    chains = _chains(unit, parameters)
    read = {name for chain in chains for condition in chain for name in free_names(condition)}
    involved = [p for p in parameters if p.name in read]
    default = Configuration({p.name: p.default for p in involved})
    if not involved:
        return [Variant(default, typing.constant(True), True)]
    space = Space(involved)
    few = space.size <= MOST_TRIED
    tried = [default, *(space.enumerate() if few else space.sample(MOST_TRIED, np.random.default_rng(0)))]
    columns = space.columns(tried)
    tables = [np.array([satisfied(c, columns, len(tried)) for c in chain]) for chain in chains]  # (conditions, n)
    by_branches: dict[tuple[int, ...], Variant] = {}
    for number, configuration in enumerate(tried):
        chosen = tuple(_first(table[:, number].tolist()) for table in tables)
        if chosen not in by_branches:
            parts = [_chosen(chain, branch) for chain, branch in zip(chains, chosen)]
            by_branches[chosen] = Variant(configuration, algebra.both(*parts), number == 0)
    return [by_branches[chosen] for chosen in sorted(by_branches)]


def _chains(unit: Unit, parameters: Sequence[Parameter]) -> list[list[Expr]]:
    """The conditions of each `#if`; an undefined name is 0 in it."""
    types = {p.name: p.type for p in parameters}
    chains: list[list[Expr]] = []
    for bodies in alternatives(unit.text.raw, unit.text.symbols.names):
        words = {token.text for body in bodies for token in tokens(body) if token.kind == "name"}
        known = named_values(unit, words, types)
        undefined = {word: algebra.lift(0) for word in words - unit.text.macros.keys() - types.keys()}
        values = Values(types, {**undefined, **known})
        try:
            read = [values.condition(parse_expression(list(tokens(body)))) for body in bodies]
        except SyntaxFault:
            continue
        conditions = [condition for condition in read if condition is not None]
        if len(conditions) == len(bodies):
            chains.append(conditions)
    return [chain for chain in chains if not all(isinstance(condition, Constant) for condition in chain)]


def _first(holds: Sequence[bool]) -> int:
    """The branch that is taken; the number of conditions where none holds."""
    return next((number for number, held in enumerate(holds) if held), len(holds))


def _chosen(chain: Sequence[Expr], branch: int) -> Expr:
    no = [typing.unary("not", condition) for condition in chain[:branch] if not isinstance(condition, Constant)]
    return algebra.both(*no, *chain[branch : branch + 1])


def read_variants(
    unit: Unit,
    parameters: Sequence[Parameter],
    read: Callable[[Mapping[str, Value]], ThreadCode | None],
    warnings: list[Diagnostic],
) -> ThreadCode | None:
    """The code under all variants. `read` gives that under some values, which are none for the defaults.

    Variants that are not read go to `warnings`: estimates leave them out.

    Raises SourceError for code that cannot be read under the defaults.
    """
    parts: list[tuple[Expr, ThreadCode]] = []
    chosen = variants(unit, parameters)
    if len(chosen) > MOST_VARIANTS:
        message = f"{len(chosen) - MOST_VARIANTS} of {len(chosen)} sets of `#if` branches are not read"
        warnings.append(Diagnostic(message, None, NOT_ESTIMATED, Severity.WARNING))
        others = [variant for variant in chosen if not variant.plain][: MOST_VARIANTS - 1]
        chosen = [variant for variant in chosen if variant.plain or variant in others]
    for variant in chosen:
        try:
            code = read({} if variant.plain else {**variant.configuration})
        except TunepassError as error:
            if variant.plain:
                raise
            warnings.append(replace(error.diagnostics[0], hint=NOT_ESTIMATED, severity=Severity.WARNING))
            continue
        if code is not None:
            parts.append((variant.condition, code))
    return _merged(parts) if parts else None


def _merged(parts: Sequence[tuple[Expr, ThreadCode]]) -> ThreadCode:
    conditions, codes = [condition for condition, _ in parts], [code for _, code in parts]
    first = codes[0]
    return replace(first, body=_joined(conditions, [code.body for code in codes]))


def _joined(conditions: Sequence[Expr], regions: Sequence[CodeRegion]) -> CodeRegion:
    """Amounts by condition; loops that the variants have in common stay one."""
    first = regions[0]
    counts = {name: _choice(conditions, [getattr(region, name) for region in regions]) for name in COUNTS}
    inside: list[CodeRegion] = []
    if all(_shape(region.inside) == _shape(first.inside) for region in regions):
        inside = [_joined(conditions, several) for several in zip(*(region.inside for region in regions))]
    else:
        inside = [_under(c, inner) for c, region in zip(conditions, regions) for inner in region.inside]
    return replace(first, inside=tuple(inside), **counts)


def _shape(regions: Sequence[CodeRegion]) -> list[tuple[Expr, Expr]]:
    return [(region.copies, region.whole) for region in regions]


def _choice(conditions: Sequence[Expr], amounts: Sequence[Expr]) -> Expr:
    """The amount whose condition holds; the last one's is the remaining case."""
    chosen = amounts[-1]
    for condition, amount in reversed(list(zip(conditions[:-1], amounts[:-1]))):
        chosen = algebra.where(condition, amount, chosen)
    return chosen


def _under(condition: Expr, region: CodeRegion) -> CodeRegion:
    """Counting where the condition holds alone."""
    times = algebra.where(condition, 1, 0)
    counts = {name: algebra.mul(times, getattr(region, name)) for name in COUNTS}
    return replace(region, inside=tuple(_under(condition, inner) for inner in region.inside), **counts)

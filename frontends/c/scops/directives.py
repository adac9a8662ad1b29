"""A `loop` pragma's directives against the scop that follows it and the parameters they name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.diagnostics import SourceError, nearest
from tunepass.expr.nodes import BoolType, IntegerType, OrderType
from tunepass.frontends.c.pragmas.nest import Directive, Named, NestPragma
from tunepass.frontends.c.scops.orders import copies_constraints, order_constraints
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import SHAPES, Factor, Pair, ScopDirectives, ScopNest
from tunepass.polyhedral.model.work import known_works
from tunepass.polyhedral.schedules.apply import chain_of, is_legal, planned
from tunepass.polyhedral.schedules.footprint import may_pack
from tunepass.polyhedral.schedules.plan import Plan, plan_of
from tunepass.polyhedral.schedules.tree import bands_in
from tunepass.polyhedral.shapes.shapes import subject
from tunepass.polyhedral.spaces.constraints import known_constraints
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical

FACTOR_LIMIT = 1 << 20
FIELD_OF = {"jam": "unroll_and_jam"}  # words that are another's short form
OF_ARRAYS = ("prefetch", "pack")
PACK_HINT = "nothing inside may write it; tile all loops that move it, and name the innermost loop over tiles"
LEGAL_HINT = "give other defaults, or say `assume(independent)` where accesses cannot be seen through"


@dataclass(frozen=True, slots=True)
class ScheduledNest:
    """A scop with its directives, and the constraints that keep these legal."""

    nest: ScopNest
    constraints: tuple[Constraint, ...]


def schedule_nest(
    pragma: NestPragma,
    scop: Scop,
    parameters: Mapping[str, Parameter],
    flags: frozenset[str],
    sizes: Mapping[str, bool | int | float],
) -> ScheduledNest:
    """Raises SourceError where a directive does not apply, or where the default would change what is computed. `sizes`
    are of the kernel's scalars: with all of a nest's sizes known, a perfect one is put in numbers for models."""
    directives = DirectiveReader(scop, parameters, flags, bool(pragma.listed)).read(pragma)
    implied = (*copies_constraints(pragma, parameters), *order_constraints(pragma, parameters)) if pragma.listed else ()
    constraints = known_constraints(scop, directives, parameters, pragma.span)
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    _check_interchange(pragma, scop, replace(plan_of(directives, defaults), order=(), tile=()))
    plan = plan_of(directives, defaults)
    _check_packed(pragma, scop, plan)
    if not is_legal(scop, plan, independent=directives.independent):
        raise SourceError("these directives, with their parameters' defaults, would change what the nest computes",
                          pragma.span, LEGAL_HINT)  # fmt: skip
    works = known_works(scop, sizes) if pragma.listed and directives.shape == SHAPES[0] else ()
    return ScheduledNest(ScopNest(scop, directives, works), (*implied, *constraints))


def _check_interchange(pragma: NestPragma, scop: Scop, plan: Plan) -> None:
    """Loops change places where nothing else stands between them."""
    tree = planned(scop, plan, pragma.independent)
    chains = [{band.name for band in chain_of(start)[0]} for start in bands_in(tree)]
    names = {named.name for named in pragma.interchange}
    if names and not any(names <= chain for chain in chains):
        hint = "`distribute` the outer one first, where that is legal"
        raise SourceError("something else stands between the loops to interchange", pragma.interchange[0].span, hint)


def _check_packed(pragma: NestPragma, scop: Scop, plan: Plan) -> None:
    tree, run = planned(scop, plan, pragma.independent), subject(scop, plan.shape)
    for d in pragma.directives:
        pair = (d.first.name, d.second.name if d.second is not None else "")
        if d.word == "pack" and pair in plan.pack and not may_pack(run, tree, [pair]):
            reason = f"what `{pair[1]}` reads of `{pair[0]}` cannot be copied to a buffer"
            raise SourceError(reason, d.first.span, PACK_HINT)


@dataclass(frozen=True, slots=True)
class DirectiveReader:
    """`flags` are parameters that are compiler flags, and no numbers for a loop."""

    scop: Scop
    parameters: Mapping[str, Parameter]
    flags: frozenset[str]
    listed: bool = False  # orders.py then says which items an order has

    def read(self, pragma: NestPragma) -> ScopDirectives:
        """Raises SourceError for a name that is no loop or parameter, or a parameter of the wrong kind."""
        for directive in pragma.directives:
            self.check(directive)
        return ScopDirectives(
            shape=self.shape(pragma.shape),
            order=self.order(pragma.order) or self.interchanged(pragma.interchange),
            tile=self.factors(pragma, "tile"),
            unroll=self.factors(pragma, "unroll"),
            unroll_and_jam=self.factors(pragma, "unroll_and_jam"),
            peel=self.factors(pragma, "peel"),
            vectorize=self.factors(pragma, "vectorize"),
            parallel=self.factors(pragma, "parallel"),
            reverse=self.factors(pragma, "reverse"),
            distribute=self.factors(pragma, "distribute"),
            fuse=self.pairs(pragma, "fuse"),
            skew=self.pairs(pragma, "skew"),
            pack=self.pairs(pragma, "pack"),
            prefetch=self.factors(pragma, "prefetch"),
            independent=pragma.independent or bool(pragma.listed),
            exact=bool(pragma.listed),
        )

    @property
    def loops(self) -> list[str]:
        return [loop.name for loop in self.scop.loops]

    def factors(self, pragma: NestPragma, word: str) -> tuple[Factor, ...]:
        named = [d for d in pragma.directives if FIELD_OF.get(d.word, d.word) == word]
        return tuple(Factor(d.first.name, d.setting) for d in named)

    def pairs(self, pragma: NestPragma, word: str) -> tuple[Pair, ...]:
        named = [d for d in pragma.directives if d.word == word and d.second is not None]
        return tuple(Pair(d.first.name, d.second.name, d.setting) for d in named if d.second is not None)

    def check(self, d: Directive) -> None:
        if d.word in OF_ARRAYS:
            self.check_name(d.first, [array.name for array in self.scop.arrays if array.extents], "array")
        for named in (*((d.first,) if d.word not in OF_ARRAYS else ()), *((d.second,) if d.second else ())):
            self.check_name(named, [*self.loops, *(f"{loop}_tile" for loop in self.loops if d.word == "pack")])
        if d.second is not None and d.first.name == d.second.name:
            raise SourceError(f"`{d.word}` needs two loops", d.second.span)
        if isinstance(d.setting, str):
            self.check_factor(d)
        elif abs(d.setting) > FACTOR_LIMIT:
            raise SourceError(f"a factor is at most {FACTOR_LIMIT}, got {d.setting}", d.place)

    def check_name(self, named: Named, known: Sequence[str], what: str = "loop") -> None:
        if named.name not in known:
            close = nearest(named.name, known)
            hint = f"did you mean `{close}`?" if close else f"the {what}s are {', '.join(known)}"
            raise SourceError(f"`{named.name}` is not one of the {what}s", named.span, hint)

    def check_factor(self, d: Directive) -> None:
        parameter = self.parameter(Named(str(d.setting), d.place))
        if not isinstance(parameter.type, (IntegerType, BoolType)):
            raise SourceError(f"a factor is a whole number; `{parameter.name}` is {parameter}", d.place)
        least, largest = parameter.ends()
        if not -FACTOR_LIMIT <= least <= largest <= FACTOR_LIMIT or (least < 0 and d.word not in ("skew", "peel")):
            raise SourceError(f"a factor is 0 to {FACTOR_LIMIT}; `{parameter.name}` is {parameter}", d.place)

    def parameter(self, named: Named) -> Parameter:
        parameter = self.parameters.get(named.name)
        if parameter is None:
            close = nearest(named.name, self.parameters)
            hint = f"did you mean `{close}`?" if close else "a clause names a parameter of the same kernel, or a number"
            raise SourceError(f"unknown parameter `{named.name}`", named.span, hint)
        if named.name in self.flags:
            raise SourceError(f"`{named.name}` is a compiler flag, not a number for a loop", named.span)
        return parameter

    def shape(self, named: Named | None) -> str:
        if named is None or named.name in SHAPES:
            return named.name if named else SHAPES[0]
        parameter = self.parameter(named)
        values: Collection[object] = parameter.domain if isinstance(parameter, Categorical) else ()
        if not values or not set(values) <= set(SHAPES):
            hint = f"shapes are {', '.join(SHAPES)}"
            raise SourceError(f"`shape` needs a categorical of shapes; `{named.name}` is {parameter}", named.span, hint)
        return named.name

    def order(self, names: tuple[Named, ...]) -> tuple[str, ...]:
        items = [*self.loops, *(f"{loop}_tile" for loop in self.loops)]
        if len(names) == 1 and names[0].name not in items:
            parameter = self.parameter(names[0])
            if not isinstance(parameter.type, OrderType):
                raise SourceError(f"`order` needs a permutation; `{parameter.name}` is {parameter}", names[0].span)
            for item in () if self.listed else parameter.type.items:
                self.check_name(Named(str(item), names[0].span), items)
        elif not self.listed:
            for named in names:
                self.check_name(named, items)
        return tuple(named.name for named in names)

    def interchanged(self, names: tuple[Named, ...]) -> tuple[str, ...]:
        """The source's order with two loops in each other's place."""
        for named in names:
            self.check_name(named, self.loops)
        swapped = dict(zip((n.name for n in names), (n.name for n in reversed(names))))
        return tuple(swapped.get(loop, loop) for loop in self.loops) if names else ()

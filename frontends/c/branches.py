"""What holds of a kernel in some sets of branches only: its definition, its nests, their constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import BoolType, Constant, Expr, Name, OrderType
from tunepass.expr.printer import to_text
from tunepass.frontends.c.pragmas.kernel import KernelPragma
from tunepass.frontends.c.readings import Reading
from tunepass.frontends.c.scops.statements.region import is_seen
from tunepass.frontends.cfamily.branches.booleans import disjunction, negated
from tunepass.frontends.cfamily.refusals import missing_function
from tunepass.frontends.cfamily.text.names import plain_name
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.c_kernel import KernelCall
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import ScopNest
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

T = TypeVar("T")


@dataclass(frozen=True)
class Branches:
    """`parameters` are the kernel's: those of other kernels have their defaults where it is tuned."""

    readings: Sequence[Reading]
    parameters: Sequence[Parameter]

    def scops(self, pragma: Span, read: Callable[[Unit], Scop]) -> list[tuple[Scop, list[Reading]]]:
        """Each scop that follows the pragma in some set of branches, with the readings that have it. Raises SourceError
        where the compiler sees none for any value."""
        found: list[tuple[Scop, list[Reading]]] = []
        for reading in [r for r in self.readings if is_seen(pragma, r.unit)] or self.readings[:1]:
            if self._own(reading.condition) == typing.constant(False):
                continue
            scop = read(reading.unit)
            same = next((readings for other, readings in found if other == scop), None)
            if same is not None:
                same.append(reading)
            else:
                found.append((scop, [reading]))
        return found

    def under(
        self, readings: Sequence[Reading], nest: ScopNest, constraints: Sequence[Constraint]
    ) -> tuple[ScopNest, tuple[Constraint, ...]]:
        """The nest and its constraints where it is not of all readings: under the readings' conditions."""
        if len(readings) == len(self.readings):
            return nest, tuple(constraints)
        condition = any_of([reading.condition for reading in readings])
        chosen_by = next((() for r in readings if r.branches.plain), readings[0].chosen_by)
        own = {parameter.name for parameter in self.parameters}
        given = tuple((name, value) for name, value in chosen_by if name in own)
        openings = tuple(replace(o, values=(*given, *o.values)) for o in nest.openings)
        defaults = tuple(pair for pair in self._defaults() if pair[0] not in own)
        nest = replace(nest, openings=openings, condition=condition, chosen_by=given, defaults=defaults)
        no = negated(self._own(condition))
        return nest, tuple(self._either(no, c.expression, c.span) for c in constraints)

    def pinned(self, parameters: Iterable[Parameter], nests: Sequence[ScopNest]) -> list[Constraint]:
        """A parameter of nests that are in no branch of a configuration has its default there."""
        found: list[Constraint] = []
        for parameter in parameters:
            conditions = [n.condition for n in nests if parameter.name in n.directives.parameters(n.scop)]
            held = [condition for condition in conditions if condition is not None]
            somewhere = self._own(any_of(held))
            if held and len(held) == len(conditions) and not isinstance(somewhere, Constant):
                found.append(self._either(somewhere, _is_default(parameter), parameter.span))
        return found

    def defined(self, pragma: KernelPragma) -> list[Constraint]:
        """Configurations without a definition of the kernel are none."""
        readings = defining(pragma, self.readings)
        if len(readings) == len(self.readings):
            return []
        condition = self._own(any_of([reading.condition for reading in readings]))
        return (
            []
            if isinstance(condition, Constant)
            else [Constraint(condition, to_text(condition), pragma.span, derived=True)]
        )

    def _own(self, condition: Expr) -> Expr:
        """With the defaults of parameters that the kernel does not have."""
        own = {parameter.name for parameter in self.parameters}
        others: dict[str, Expr] = {
            n: typing.constant(v) for n, v in self._defaults() if n not in own and not isinstance(v, tuple)
        }
        return algebra.substitute(condition, others) if others else condition

    def _defaults(self) -> list[tuple[str, Value]]:
        return [pair for r in self.readings if r.branches.plain for pair in r.branches.configuration.items()]

    def _either(self, one: Expr, other: Expr, span: Span | None) -> Constraint:
        both = typing.logical("or", (one, other))
        return Constraint(both, to_text(both), span, derived=True)


def any_of(conditions: Sequence[Expr]) -> Expr:
    return disjunction(*conditions)


def _is_default(parameter: Parameter) -> Expr:
    name, default = Name(parameter.name, parameter.type), parameter.default
    if isinstance(parameter.type, OrderType):
        assert isinstance(default, tuple)
        places = [typing.call("pos", (name, typing.constant(item))) for item in default]
        return algebra.both(*(algebra.compare(p, "==", number) for number, p in enumerate(places)))
    assert not isinstance(default, tuple)
    if isinstance(parameter.type, BoolType):
        return name if default else typing.unary("not", name)
    return typing.compare((name, typing.constant(default)), ("==",))


def name_of(pragma: KernelPragma) -> str:
    """The function's, without template arguments and namespaces."""
    return plain_name(pragma.name).rpartition("::")[2]


def defining(pragma: KernelPragma, readings: Sequence[Reading]) -> list[Reading]:
    """The readings that have the kernel's function."""
    name = name_of(pragma)
    return [reading for reading in readings if any(f.name == name for f in reading.functions)]


def check_defined(pragma: KernelPragma, readings: Sequence[Reading]) -> None:
    """The function of a kernel is there with the defaults, which are tried first."""
    found = defining(pragma, readings)
    if readings[0] in found:
        return
    if not found:
        refusal = missing_function(readings[0].unit, name_of(pragma), pragma.span)
        if refusal is not None:
            raise refusal
        return
    line, condition = _difference(readings[0], found[0]), to_text(any_of([reading.condition for reading in found]))
    hint = f"`{line.text}` in line {line.line}: the function is there where {condition}; choose such defaults"
    raise SourceError(f"with the parameters' defaults the compiler does not see `{name_of(pragma)}`", pragma.span, hint)


def check_same_call(
    pragma: KernelPragma, call: KernelCall, other: KernelCall, plain: Reading, reading: Reading
) -> None:
    """One harness calls all candidates."""
    ways = [
        (" ".join(c.prototype.split()), c.arguments, c.returned, c.entry.prototype if c.entry else "", c.setup)
        for c in (call, other)
    ]
    if ways[0] != ways[1]:
        line = _difference(plain, reading)
        message = f"`{name_of(pragma)}` is called in another way where {to_text(reading.condition)}"
        hint = f"`{line.text}` in line {line.line} chooses it: `{other.prototype}`, not `{call.prototype}`"
        raise SourceError(message, pragma.span, hint)


def _difference(plain: Reading, other: Reading) -> Span:
    """The first line of the preprocessor that begins another branch."""
    return next(line for line in other.branches.lines if line not in plain.branches.lines)


def flat(lists: Iterable[Sequence[T]]) -> list[T]:
    return [item for items in lists for item in items]

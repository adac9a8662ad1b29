"""The user's functions that make what a kernel is called with: how they are called, and which places are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, nearest
from tunepass.expr.nodes import INTEGER
from tunepass.frontends.c.arguments import Names, expression
from tunepass.frontends.c.compared_places import ComparedPlaces, compared_places, pointed_place
from tunepass.frontends.c.elements import UnknownElement, leaves_of
from tunepass.frontends.c.globals import GlobalsReader
from tunepass.frontends.c.pragmas.arguments import ArgumentText
from tunepass.frontends.c.pragmas.kernel import KernelPragma, SetupText
from tunepass.frontends.cfamily.declared import CType, Types, is_known, named_type
from tunepass.frontends.cfamily.definitions import Formal, FunctionDefinition, FunctionHead, heads
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.c_kernel import Argument, Leaf, OpenArgument, Place, ScalarArgument, Setup

SEED = "tunepass_seed"
OBJECT = "self"  # the parameter of a setup that makes the object of a member function


@dataclass(frozen=True, slots=True)
class Opened:
    """An argument that the setup makes: by its parameter `maker`, or by what it returns."""

    name: str  # in the pragma
    formal: Formal | None  # of the kernel; None: the object of a member function
    maker: Formal | None


@dataclass(frozen=True, slots=True)
class Given:
    """What a parameter of the setup or the teardown gets: the number of what is made, of a scalar among the kernel's
    arguments, or else the seed. `formal` is None where the function's declaration is not seen."""

    formal: Formal | None
    made: int | None = None
    scalar: int | None = None


@dataclass(frozen=True, slots=True)
class SetupCalls:
    """The setup with all that a caller of its functions needs."""

    setup: Setup
    opened: tuple[Opened, ...]
    given: tuple[Given, ...]
    freed: tuple[Given, ...]
    returns: bool  # it returns what is open
    compared: bool  # whether any of the places may be written


@dataclass(frozen=True, slots=True)
class SetupReader:
    source: Source
    unit: Unit
    types: Types
    warnings: list[Diagnostic]

    def read(
        self,
        pragma: KernelPragma,
        definition: FunctionDefinition,
        arguments: Sequence[Argument],
        names: Names,
        variables: GlobalsReader,
    ) -> SetupCalls | None:
        if pragma.setup is None:
            return None
        named = self._opened(pragma, definition, arguments)
        head = self._head(pragma.setup, named)
        opened, given, returns = self._made(pragma.setup, head, named, definition, arguments)
        freed = () if pragma.teardown is None else self._freed(pragma.teardown, opened, definition, arguments)
        places = tuple(self._place(text, names) for text in pragma.places)
        rooted = {_root(place.text) for place in places}
        found = [self._found(one) for one in opened if one.name not in rooted]
        pointers = variables.pointers(definition, pragma.setup.function)
        found += [pointed_place(name, kind, self.types) for name, kind in pointers if name not in rooted]
        setup = Setup(
            function=pragma.setup.function,
            teardown=pragma.teardown.function if pragma.teardown else "",
            once=pragma.setup.once,
            scalars=tuple(arguments[one.scalar].name for one in given if one.scalar is not None),
            places=(*places, *(place for one in found for place in one.places)),
        )
        self._doubt(pragma, found)
        compared = bool(places) or any(one.written for one in found)
        return SetupCalls(setup, opened, given, freed, returns, compared)

    def _opened(
        self, pragma: KernelPragma, definition: FunctionDefinition, arguments: Sequence[Argument]
    ) -> list[tuple[str, Formal | None]]:
        """The names that the setup makes something for, with the kernel's own parameters."""
        if pragma.object is not None and not definition.member and not definition.path:
            raise SourceError(f"`{pragma.name}` is no member function: it has no `this`", pragma.object.span)
        objects: list[tuple[str, Formal | None]] = [] if pragma.object is None else [("this", None)]
        pairs = zip(arguments, definition.formals)
        return [*objects, *((a.name, formal) for a, formal in pairs if isinstance(a, OpenArgument))]

    def _head(self, text: SetupText, opened: Sequence[tuple[str, Formal | None]]) -> FunctionHead:
        found = heads(self.unit, text.function)
        wanted = ", ".join(_wanted(name, formal) for name, formal in opened) or "void"
        if not found:
            known = {f.name.text for f in self.unit.functions}
            close = nearest(text.function, known)
            hint = f"did you mean `{close}`?" if close else f"define or declare `void {text.function}({wanted})`"
            raise SourceError(f"no function `{text.function}` is declared here", text.span, hint)
        if len(found) > 1:
            raise SourceError(f"`{text.function}` is overloaded", text.span, "give the setup a name of its own")
        return found[0]

    def _made(
        self,
        text: SetupText,
        head: FunctionHead,
        named: Sequence[tuple[str, Formal | None]],
        definition: FunctionDefinition,
        arguments: Sequence[Argument],
    ) -> tuple[tuple[Opened, ...], tuple[Given, ...], bool]:
        """Every parameter of the setup makes what is open, or gets a value; what is left it returns."""
        numbers = {name: k for k, (name, _) in enumerate(named)}
        given = [_bound(formal, numbers, definition, arguments) for formal in head.formals]
        unbound = [k for k, one in enumerate(given) if one is None]
        if len(unbound) == 1 and len(named) == 1 and not any(one and one.made is not None for one in given):
            given[unbound[0]] = Given(head.formals[unbound[0]], made=0)
        makers = {one.made: one.formal for one in given if one is not None and one.made is not None}
        left = [k for k in range(len(named)) if k not in makers]
        hint = f"write `void {text.function}({', '.join(_wanted(name, formal) for name, formal in named) or 'void'})`; "
        hint += f"values of scalars and `unsigned {SEED}` may be further parameters, by their names"
        for formal, one in zip(head.formals, given):
            if one is None:
                message = f"`{text.function}` takes `{formal.text}`, which is neither open nor a scalar of the kernel's"
                raise SourceError(message, text.span, hint)
            if one.made is not None and not (formal.pointer or formal.reference or formal.container):
                message = f"`{text.function}` takes `{formal.text}` by value, and so cannot make it"
                raise SourceError(message, text.span, hint)
        returns = len(left) == 1 and head.result != CType("void")
        if left and not returns:
            names = ", ".join(f"`{named[k][0]}`" for k in left)
            raise SourceError(f"`{text.function}` does not make {names}", text.span, hint)
        opened = tuple(Opened(name, formal, makers.get(k)) for k, (name, formal) in enumerate(named))
        return opened, tuple(one for one in given if one is not None), returns

    def _freed(
        self,
        text: SetupText,
        opened: Sequence[Opened],
        definition: FunctionDefinition,
        arguments: Sequence[Argument],
    ) -> tuple[Given, ...]:
        """The open arguments by name, or the only one."""
        found = heads(self.unit, text.function)
        if len(found) != 1:  # the compiler knows the declaration, or which overload is meant
            return (Given(None, made=0),) if len(opened) == 1 else ()
        numbers = {one.name: k for k, one in enumerate(opened)}
        given = [_bound(formal, numbers, definition, arguments) for formal in found[0].formals]
        unbound = [k for k, one in enumerate(given) if one is None]
        if len(unbound) == 1 and len(opened) == 1:
            given[unbound[0]] = Given(found[0].formals[unbound[0]], made=0)
            unbound = []
        if unbound:
            formal = found[0].formals[unbound[0]]
            names = ", ".join(one.name for one in opened) or "none"
            hint = f"its parameters have the names of the arguments that are open: {names}"
            raise SourceError(f"`{text.function}` takes `{formal.text}`, which is not open", text.span, hint)
        return tuple(one for one in given if one is not None)

    def _place(self, text: ArgumentText, names: Names) -> Place:
        element = CType(named_type(text.element or ""))
        filled = any(e is not None for e in (text.fill, text.lo, text.hi))
        if text.direction == "in" and not filled:
            hint = "fill it with `range(lo, hi)` or `fill(expression)`, leave it out, or make it `inout`"
            raise SourceError(f"`{text.name}` is as the setup leaves it, and `in` is not compared", text.span, hint)
        resolved = self.types.resolved(element)
        if filled and not is_known(resolved.base):
            raise SourceError(f"`{text.name}` does not hold plain numbers, so it cannot be filled", text.span)
        inner = {**names, "i": INTEGER}
        return Place(
            text=text.name,
            element=resolved.base,
            direction="out" if text.direction == "out" else "inout",
            length="*".join(f"({length.text})" for length in text.lengths),
            filled=filled,
            fill=expression(text.fill, inner, self.source, "a number") if text.fill else None,
            lo=expression(text.lo, names, self.source, "a number") if text.lo else None,
            hi=expression(text.hi, names, self.source, "a number") if text.hi else None,
            leaves=self._leaves(text, resolved),
            span=text.span,
        )

    def _leaves(self, text: ArgumentText, element: CType) -> tuple[Leaf, ...]:
        try:
            leaves = leaves_of(element, self.types)
        except UnknownElement as problem:
            raise SourceError(f"`{text.name}` cannot be compared", text.span, str(problem)) from None
        plain = len(leaves) == 1 and leaves[0].kind == "number" and not leaves[0].path
        return () if plain else leaves

    def _found(self, opened: Opened) -> ComparedPlaces:
        return ComparedPlaces() if opened.formal is None else compared_places(opened.name, opened.formal, self.types)

    def _doubt(self, pragma: KernelPragma, found: Sequence[ComparedPlaces]) -> None:
        unseen = [f"`{text}`" for one in found for text in one.unseen]
        if unseen:
            more = f" and {len(unseen) - 4} more" if len(unseen) > 4 else ""
            message = f"what {', '.join(unseen[:4])}{more} lead{'s' if len(unseen) == 1 else ''} to is not compared"
            hint = "name what the kernel writes there: `A->values: inout double[A->n]`"
            self.warnings.append(Diagnostic(message, pragma.span, hint, Severity.WARNING))


def _bound(
    formal: Formal, numbers: dict[str, int], definition: FunctionDefinition, arguments: Sequence[Argument]
) -> Given | None:
    """By the parameter's name, which is one that the pragma or the kernel's definition has."""
    if formal.name == SEED:
        return Given(formal)
    own = {f.name: a.name for f, a in zip(definition.formals, arguments) if f.name}
    name = "this" if formal.name == OBJECT and "this" in numbers else formal.name
    for known in (name, own.get(name, "")):
        if known in numbers:
            return Given(formal, made=numbers[known])
        for k, argument in enumerate(arguments):
            if isinstance(argument, ScalarArgument) and argument.name == known and not formal.pointer:
                return Given(formal, scalar=k)
    return None


def _wanted(name: str, formal: Formal | None) -> str:
    """The parameter that would make it."""
    if formal is None:
        return f"CLASS **{OBJECT}"
    return f"{formal.type.base} {'*' * (formal.type.depth + 1)}{name}"


def _root(text: str) -> str:
    """The name that an expression starts from."""
    rest = text.lstrip("(*&")
    end = next((k for k, c in enumerate(rest) if not (c.isalnum() or c == "_")), len(rest))
    return rest[:end]

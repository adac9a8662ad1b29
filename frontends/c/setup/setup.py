"""The user's functions that make what a kernel is called with: how they are called, and which places are compared."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, nearest
from tunepass.frontends.c.call.arguments import Names
from tunepass.frontends.c.call.globals import GlobalsReader
from tunepass.frontends.c.pragmas.kernel import KernelPragma, SetupText
from tunepass.frontends.c.setup.compared_places import ComparedPlaces, compared_places, pointed_places, variable_places
from tunepass.frontends.c.setup.element_members import Uncompared
from tunepass.frontends.c.setup.named_places import named_places
from tunepass.frontends.cfamily.functions.definitions import Formal, FunctionDefinition, FunctionHead, heads
from tunepass.frontends.cfamily.types.declared import CType, Types
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.c_kernel import UNCOMPARED, Argument, ArrayArgument, OpenArgument, ScalarArgument, Setup

SEED = "tunepass_seed"
PLACE_LIMIT = 40  # of arrays and places, beyond which none is compared that is not named
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
        shared = variables.setup_variables(definition, pragma.setup.function)
        formals = [(one.name, one.formal) for one in opened if one.formal is not None]
        roots = dict(shared) | {name: self.types.resolved(formal.type) for name, formal in formals}
        places = named_places(pragma.places, roots, names, self.types, self.source)
        arrays = sum(isinstance(argument, ArrayArgument) for argument in arguments)
        room = max(0, PLACE_LIMIT - len(places) - arrays)
        found = self._reached(opened, definition, shared, {_root(place.text) for place in places}, room)
        setup = Setup(
            function=pragma.setup.function,
            teardown=pragma.teardown.function if pragma.teardown else "",
            once=pragma.setup.once,
            scalars=tuple(arguments[one.scalar].name for one in given if one.scalar is not None),
            places=(*places, *(place for one in found for place in one.places)),
        )
        self._doubt(pragma, [one for each in found for one in each.uncompared])
        compared = bool(places) or any(one.written and one.places for one in found)
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

    def _reached(
        self,
        opened: Sequence[Opened],
        definition: FunctionDefinition,
        variables: Sequence[tuple[str, CType]],
        rooted: Collection[str],
        room: int,
    ) -> list[ComparedPlaces]:
        """The places of each argument and variable that the pragma names none of."""
        found: list[ComparedPlaces] = []
        for one in opened:
            if one.name not in rooted:
                found.append(self._found(one, definition, room))
                room -= len(found[-1].places)
        for name, kind in variables:
            if name not in rooted:
                found.append(variable_places(name, kind, self.types, room))
                room -= len(found[-1].places)
        return found

    def _found(self, opened: Opened, definition: FunctionDefinition, room: int) -> ComparedPlaces:
        if opened.formal is not None:
            return compared_places(opened.name, opened.formal, self.types, room)
        kind = self._class_of(definition)
        if kind is None:
            return ComparedPlaces(uncompared=(Uncompared("*this", "of an unknown class"),))
        return pointed_places(opened.name, CType(kind, 1), self.types, room, written=True)

    def _class_of(self, definition: FunctionDefinition) -> str | None:
        """The type of the object that a member function is called on."""
        names = [scope.name for scope in definition.scopes if scope.name] + list(definition.path)
        known = [self.types.resolved(CType("::".join(names[k:]))).base for k in range(len(names))]
        return next((base for base in known if base in self.types.records), None)

    def _doubt(self, pragma: KernelPragma, uncompared: Sequence[Uncompared]) -> None:
        """All of them by name, for each reason."""
        for why in dict.fromkeys(one.why for one in uncompared):
            names = [f"`{one.text}`" for one in uncompared if one.why == why]
            message = f"{UNCOMPARED}{why}: {', '.join(names)}"
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

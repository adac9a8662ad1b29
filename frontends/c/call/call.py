"""From a `kernel` pragma and the function's definition to the call that the generated harness makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError
from tunepass.expr.nodes import BOOL, INTEGER, REAL, Expr, IntegerType, RealType, Type
from tunepass.frontends.c.call.arguments import (
    Names,
    Scalars,
    array_argument,
    evaluated,
    expression,
    formal_type,
    named_argument,
    named_constant,
    span_of,
)
from tunepass.frontends.c.call.entry import REFERENCE, c_entry, cpp_entry, needs_entry, returned_type
from tunepass.frontends.c.call.globals import GlobalsReader
from tunepass.frontends.c.call.inputs import free_scalars, overlapping, scalar_values, shared_inputs, stated_sizes
from tunepass.frontends.c.call.literals import literals_of
from tunepass.frontends.c.call.overloads import chosen, overloads
from tunepass.frontends.c.call.reserved import check_names
from tunepass.frontends.c.call.results import returned_value
from tunepass.frontends.c.call.signatures import with_arguments
from tunepass.frontends.c.pragmas.arguments import ArgumentText
from tunepass.frontends.c.pragmas.kernel import KernelPragma, NameText
from tunepass.frontends.c.setup.elements import enumerators_of
from tunepass.frontends.c.setup.entry import SetupText
from tunepass.frontends.c.setup.setup import SetupCalls, SetupReader
from tunepass.frontends.cfamily.constants.named_numbers import constants
from tunepass.frontends.cfamily.functions.definitions import Formal, FunctionDefinition
from tunepass.frontends.cfamily.functions.overloading import class_scopes, is_overloaded, is_static_member
from tunepass.frontends.cfamily.types.declared import CType, Types, is_integral, is_known, named_type
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.c_kernel import (
    Argument,
    ArrayArgument,
    EntryFunction,
    KernelCall,
    NamedArgument,
    OpenArgument,
    ReturnedValue,
    ScalarArgument,
    Size,
)

ARRAY_LIMIT = 64  # TP_MAX_ARRAYS of the harness, of which one may be what is returned


@dataclass(frozen=True, slots=True)
class CallReader:
    """Reads kernel pragmas against the definitions and types of their file; what is doubtful goes to `warnings`."""

    source: Source
    functions: Sequence[FunctionDefinition]
    cpp: bool
    unit: Unit
    types: Types
    globals: GlobalsReader
    warnings: list[Diagnostic]
    constants: Mapping[str, Expr]  # macros, enumerators and constants that are numbers
    setups: SetupReader

    def read(self, pragma: KernelPragma) -> KernelCall:
        """The call, its arguments checked one by one against the definition's formal parameters."""
        earlier_warnings = len(self.warnings)
        found = overloads(pragma, self.functions)
        definition = chosen(pragma, found, self.functions)
        pragma = self._with_object(pragma, definition)
        self._check_callable(pragma, definition)
        arguments, names = self._arguments(pragma, definition)
        setup = self.setups.read(pragma, definition, arguments, names, self.globals)
        entry = self._entry(pragma, definition, arguments, len(found) > 1, setup)
        check_names(pragma, definition, alone=entry is None)
        returned, doubt = self._returned(pragma, definition, entry)
        self.warnings.extend([] if doubt is None else [doubt])
        variables = self.globals.read(pragma, definition, names)
        arrays = [a for a in arguments if isinstance(a, ArrayArgument)]
        places = setup.setup.places if setup else ()
        compared = returned is not None or variables or (setup is not None and setup.compared)
        if not compared and all(a.direction in ("in", "work") for a in arrays):
            nor = f" and {doubt.message}" if doubt else ""
            raise SourceError(
                f"no argument of `{pragma.name}` is written{nor}, so its result cannot be checked",
                pragma.span,
                f"name what it writes: `{setup.opened[0].name if setup.opened else 'A'}->values: inout double[LENGTH]`"
                if setup
                else "mark the arrays it writes `out` or `inout`",
            )
        restricted = {a.name for a, f in zip(arguments, definition.formals) if f.restrict}
        if len(arrays) + len(variables) + len(places) >= ARRAY_LIMIT:
            raise SourceError(f"a kernel has fewer than {ARRAY_LIMIT} arrays and variables", pragma.span)
        return KernelCall(
            function=pragma.name,
            prototype=definition.prototype,
            arguments=arguments,
            entry=entry,
            returned=returned,
            globals=variables,
            absolute_tolerance=None if pragma.tolerance is None else pragma.tolerance.absolute,
            relative_tolerance=None if pragma.tolerance is None else pragma.tolerance.relative,
            sizes=sizes_of(setup, arguments) if pragma.sizes is None else stated_sizes(pragma.sizes, arguments),
            pairs=overlapping(pragma.aliasing, arguments),
            shared=() if setup else shared_inputs(arguments, restricted),
            finite=pragma.finite,
            setup=setup.setup if setup else None,
            uncompared=tuple(warning.message for warning in self.warnings[earlier_warnings:]),
            literals=literals_of(self.source.text, definition.start, definition.body_end),
            own_types=any(names_own_type(kind) for kind in (definition.result, *map(formal_type, definition.formals))),
            span=pragma.span,
        )

    def _returned(
        self, pragma: KernelPragma, definition: FunctionDefinition, entry: EntryFunction | None
    ) -> tuple[ReturnedValue | None, Diagnostic | None]:
        if entry is None:
            return returned_value(definition, self.types, pragma.span)
        returns = returned_type(pragma.name, definition, self.types) if self.cpp else definition.returns
        result = CType(named_type(returns)) if self.cpp else definition.result
        known = replace(definition, prototype=entry.prototype, name=entry.function, returns=returns, result=result)
        returned, doubt = returned_value(known, self.types, pragma.span)
        if returned is None and doubt is None and definition.returns != "void":
            message = f"what `{pragma.name}` returns is not compared"
            hint = f"`{definition.returns}` is no type of numbers that is known here"
            doubt = Diagnostic(message, pragma.span, hint, Severity.WARNING)
        return returned, doubt

    def _with_object(self, pragma: KernelPragma, definition: FunctionDefinition) -> KernelPragma:
        """The setup makes the object of a member function, whether the pragma writes `this` or not."""
        if pragma.object is not None or not (definition.member or (definition.path and self._is_member(definition))):
            return pragma
        if pragma.setup is None:
            hint = "name a `setup(FUNCTION)` that makes it, or make it `static`"
            raise SourceError(f"`{definition.qualified}` is not static: it needs an object", pragma.span, hint)
        return replace(pragma, object=NameText("this", pragma.span))

    def _check_callable(self, pragma: KernelPragma, definition: FunctionDefinition) -> None:
        open_ = next((f for f in definition.formals if "auto" in f.words), None)
        if open_ is not None:
            message = f"`{open_.name}` of `{definition.name}` is `auto`: the pragma cannot say which instance is meant"
            hint = f"write `template <class T>` before the function, and its instance here: `{definition.name}<double>`"
            raise SourceError(message, pragma.span, hint)
        if "consteval" in definition.prototype.split():
            hint = "a `constexpr` function can be tuned"
            raise SourceError(f"`{definition.name}` is consteval: no program calls it", pragma.span, hint)

    def _is_member(self, definition: FunctionDefinition) -> bool:
        """Of a class of this file that declares it without `static`."""
        return definition.path[-1] in self.unit.records and not is_static_member(self.unit, definition)

    def _entry(
        self,
        pragma: KernelPragma,
        definition: FunctionDefinition,
        arguments: Sequence[Argument],
        overloaded: bool,
        setup: SetupCalls | None,
    ) -> EntryFunction | None:
        """What calls it where the harness cannot."""
        named = any(isinstance(argument, NamedArgument) for argument in arguments)
        alone = not needs_entry(definition, len(arguments), overloaded, self.cpp, self.types)
        if setup is None and not named and alone:
            return None
        values = scalar_values(arguments, ())
        reals = [isinstance(values.get(a.name), float) for a in arguments]
        text = SetupText(setup, arguments, reals, pragma.span, self.cpp) if setup else None
        if self.cpp:
            classes = class_scopes(self.unit, definition)
            known_address = not {"&", "&&", "volatile"} & set(definition.qualifiers.split())
            by_type = overloaded or not known_address or is_overloaded(self.unit, definition)
            return cpp_entry(pragma.name, definition, arguments, reals, classes if by_type else None, self.types, text)
        return c_entry(definition, arguments, reals, text)

    def _arguments(self, pragma: KernelPragma, definition: FunctionDefinition) -> tuple[tuple[Argument, ...], Names]:
        """With the types of the scalars by name. Arrays are read last: a length may come before its array, or after."""
        given, formals = pragma.arguments, definition.formals
        defaults = self.cpp and all("=" in formal.text for formal in formals[len(given) :])
        if len(given) > len(formals) or (len(given) < len(formals) and not defaults):
            raise SourceError(
                f"`{pragma.name}` has {_count(len(formals), 'parameter')}, the pragma gives {len(given)}",
                pragma.span,
                f"the definition is `{definition.prototype}`",
            )
        types: dict[str, Type | Expr] = dict(self.constants)
        scalars: Scalars = {}
        found: dict[str, Argument] = {}
        for number, argument in enumerate(given):
            if argument.name in {earlier.name for earlier in given[:number]}:
                raise SourceError(f"argument `{argument.name}` is given twice", argument.span)
        pairs = list(zip(given, formals))
        for argument, formal in pairs:
            if argument.open:
                found[argument.name] = OpenArgument(name=argument.name)
            elif argument.direction is None:
                formal = _of_instance(formal, pragma, definition)
                found[argument.name] = self._scalar(argument, formal, types, scalars)
        for argument, formal in pairs:
            if argument.direction is not None:
                found[argument.name] = array_argument(argument, formal, self.types, types, scalars, self.source)
        return tuple(found[argument.name] for argument in given), types

    def _scalar(
        self, argument: ArgumentText, formal: Formal, types: dict[str, Type | Expr], scalars: Scalars
    ) -> ScalarArgument | NamedArgument:
        assert argument.value is not None
        declared, kind = f"the definition says `{formal.text}`", self.types.resolved(formal_type(formal))
        named = named_argument(argument, kind) or (named_constant(argument, types) if self.cpp else None)
        if named is not None:
            return named
        if kind.depth or kind.dims:
            raise SourceError(
                f"`{argument.name}` is an array", argument.span, f"{declared}; write `{argument.name}: in TYPE[LENGTH]`"
            )
        if formal.reference and not formal.constant and "&&" not in formal.text:
            hint = f"{declared}; write `{argument.name}: out {formal.element}[1]`, or `inout`"
            raise SourceError(f"`{argument.name}` is a reference to something that is written", argument.span, hint)
        if kind.base in self.types.records:
            hint = f"{declared}; write `{argument.name}: in {kind.base}[1]`"
            raise SourceError(f"`{argument.name}` is a {kind.base} passed by value", argument.span, hint)
        value = expression(argument.value, types, self.source, "a number")
        number = evaluated(value, scalars, argument.value, self.source)
        element = kind.base if is_known(kind.base) else formal.element
        opaque = not is_known(kind.base) and isinstance(value.type, IntegerType)  # a typedef that is not known, an enum
        integral = is_integral(kind.base) or opaque
        if integral and isinstance(value.type, RealType):
            raise SourceError(
                f"`{argument.name}` is {element} in the definition, got a real value",
                span_of(argument.value, self.source),
                "`/` is real division; `//` divides whole numbers",
            )
        types[argument.name] = BOOL if element == "bool" else INTEGER if integral else REAL
        scalars[argument.name] = number if integral else float(number)
        return ScalarArgument(
            name=argument.name, element=element, value=value, enumerators=self._values_of(kind) if opaque else ()
        )

    def _values_of(self, kind: CType) -> tuple[int, ...]:
        """Values of an enum, as far as they are known."""
        known = constants(self.unit, enumerators_of(kind, self.types)).values()
        return tuple(value for value in known if isinstance(value, int))


def sizes_of(setup: SetupCalls | None, arguments: Sequence[Argument]) -> tuple[Size, ...] | None:
    """None where sizes may vary: with a setup only where it takes every scalar that would."""
    if setup is None or free_scalars(arguments).keys() <= set(setup.setup.scalars):
        return None
    return ()


def _of_instance(formal: Formal, pragma: KernelPragma, definition: FunctionDefinition) -> Formal:
    """The parameter with the type that the pragma's template arguments give it."""
    if formal.container or formal.type.dims or formal.type.function:
        return formal
    given = named_type(REFERENCE.sub(" ", with_arguments(formal.type.base, pragma.name, definition)))
    if given == formal.type.base:
        return formal
    return replace(formal, element=given, type=replace(formal.type, base=given))


def names_own_type(kind: CType) -> bool:
    return not (is_known(kind.base) or kind.base in ("", "void") or kind.base.endswith(" _Complex"))


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"

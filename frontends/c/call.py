"""From a `kernel` pragma and the function's definition to the call that the generated harness makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.diagnostics import Diagnostic, Source, SourceError, nearest
from tunepass.expr.nodes import BOOL, INTEGER, REAL, IntegerType, RealType, Type
from tunepass.frontends.c.arguments import Scalars, array_argument, evaluated, expression, formal_type, span_of
from tunepass.frontends.c.globals import GlobalsReader
from tunepass.frontends.c.inputs import overlapping, stated_sizes
from tunepass.frontends.c.pragmas.kernel import ArgumentText, KernelPragma
from tunepass.frontends.c.results import returned_value
from tunepass.frontends.c.syntax.definitions import Formal, FunctionDefinition, is_integral, is_known
from tunepass.frontends.c.syntax.types import Types
from tunepass.ir.c_kernel import Argument, ArrayArgument, KernelCall, ScalarArgument

ARRAY_LIMIT = 64  # TP_MAX_ARRAYS of the harness, of which one may be what is returned


@dataclass(frozen=True, slots=True)
class CallReader:
    """Reads kernel pragmas against the definitions and types of their file; what is doubtful goes to `warnings`."""

    source: Source
    definitions: Mapping[str, FunctionDefinition]
    types: Types
    globals: GlobalsReader
    warnings: list[Diagnostic]

    def read(self, pragma: KernelPragma) -> KernelCall:
        """The call, its arguments checked one by one against the definition's formal parameters."""
        definition = self._definition(pragma)
        arguments, names = self._arguments(pragma, definition)
        returned, doubt = returned_value(definition, self.types, pragma.span)
        self.warnings.extend([] if doubt is None else [doubt])
        variables = self.globals.read(pragma, definition, names)
        arrays = [a for a in arguments if isinstance(a, ArrayArgument)]
        if returned is None and not variables and all(a.direction == "in" for a in arrays):
            raise SourceError(
                f"no argument of `{pragma.name}` is written, so its result cannot be checked",
                pragma.span,
                "mark the arrays it writes `out` or `inout`",
            )
        if len(arrays) + len(variables) >= ARRAY_LIMIT:
            raise SourceError(f"a kernel has fewer than {ARRAY_LIMIT} arrays and variables", pragma.span)
        return KernelCall(
            function=pragma.name,
            prototype=definition.prototype,
            arguments=arguments,
            returned=returned,
            globals=variables,
            absolute_tolerance=None if pragma.tolerance is None else pragma.tolerance.absolute,
            relative_tolerance=None if pragma.tolerance is None else pragma.tolerance.relative,
            sizes=None if pragma.sizes is None else stated_sizes(pragma.sizes, arguments),
            pairs=overlapping(pragma.aliasing, arguments),
            finite=pragma.finite,
            span=pragma.span,
        )

    def _definition(self, pragma: KernelPragma) -> FunctionDefinition:
        definition = self.definitions.get(pragma.name)
        if definition is None:
            close = nearest(pragma.name, self.definitions)
            hint = f"did you mean `{close}`?" if close else "the pragma names a function with a body in the same file"
            raise SourceError(f"no function `{pragma.name}` is defined in this file", pragma.span, hint)
        if definition.private:
            raise SourceError(
                f"`{pragma.name}` is {definition.private}, so no other file can call it",
                pragma.span,
                "the generated program calls the kernel: give it external linkage",
            )
        return definition

    def _arguments(
        self, pragma: KernelPragma, definition: FunctionDefinition
    ) -> tuple[tuple[Argument, ...], dict[str, Type]]:
        """With the types of the scalars by name."""
        given, formals = pragma.arguments, definition.formals
        if len(given) != len(formals):
            raise SourceError(
                f"`{pragma.name}` has {_count(len(formals), 'parameter')}, the pragma gives {len(given)}",
                pragma.span,
                f"the definition is `{definition.prototype}`",
            )
        types: dict[str, Type] = {}
        scalars: Scalars = {}
        arguments: list[Argument] = []
        for argument, formal in zip(given, formals):
            if argument.name in {a.name for a in arguments}:
                raise SourceError(f"argument `{argument.name}` is given twice", argument.span)
            if argument.direction is None:
                arguments.append(self._scalar(argument, formal, types, scalars))
            else:
                arguments.append(array_argument(argument, formal, self.types, types, scalars, self.source))
        return tuple(arguments), types

    def _scalar(
        self, argument: ArgumentText, formal: Formal, types: dict[str, Type], scalars: Scalars
    ) -> ScalarArgument:
        assert argument.value is not None
        declared, kind = f"the definition says `{formal.text}`", self.types.resolved(formal_type(formal))
        if kind.depth or kind.dims:
            raise SourceError(
                f"`{argument.name}` is an array", argument.span, f"{declared}; write `{argument.name}: in TYPE[LENGTH]`"
            )
        if kind.base in self.types.records:
            raise SourceError(f"`{argument.name}` is a {kind.base} passed by value", argument.span, declared)
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
        return ScalarArgument(name=argument.name, element=element, value=value)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"

"""From the pragmas of one GPU kernel to its body: its function's arguments, launch, work and accesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.diagnostics import Diagnostic, Severity, SourceError, nearest
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr, IntegerType
from tunepass.frontends.c.call.inputs import ELEMENT_LIMIT
from tunepass.frontends.c.call.overloads import chosen, overloads
from tunepass.frontends.c.pragmas.kernel import KernelPragma, SizesText
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.gpu.accesses import AccessReader
from tunepass.frontends.gpu.arguments import ArgumentReader
from tunepass.frontends.gpu.functions import GpuFormal, GpuFunction, GpuUnit
from tunepass.frontends.gpu.launch import LaunchReader
from tunepass.frontends.gpu.numbers import Numbers
from tunepass.frontends.gpu.pragmas.groups import GpuGroup
from tunepass.frontends.gpu.pragmas.kernel import ReferenceText
from tunepass.frontends.gpu.pragmas.work import WorkPragma
from tunepass.frontends.gpu.thread.reader import read_thread
from tunepass.frontends.gpu.thread.variants import read_variants
from tunepass.frontends.params.tokens import ExpressionText
from tunepass.frontends.problems import each
from tunepass.ir.gpu import GpuArgument, GpuBuffer, GpuKernel, GpuScalar, Launch, ReferenceKernel, Sizes, ThreadWork
from tunepass.ir.gpu_thread import ThreadCode
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint


@dataclass(frozen=True, slots=True)
class BodyReader:
    """Reads one kernel of a file; what is doubtful goes to `warnings`."""

    unit: GpuUnit
    numbers: Numbers
    warnings: list[Diagnostic]

    def read(self, group: GpuGroup) -> tuple[GpuKernel, tuple[Constraint, ...]]:
        """The body, and the constraints without which an extent could be no number of blocks or threads."""
        pragma = group.target
        function = kernel_function(self.unit, pragma.call)
        arguments = ArgumentReader(self.unit, self.numbers).read(pragma.call, function)
        reader = LaunchReader(self.numbers, self.unit.dialect)
        launch = reader.read(pragma.launch)
        tolerance = pragma.call.tolerance
        accesses = AccessReader(self.unit, self.numbers, function, arguments)
        body = GpuKernel(
            dialect=self.unit.dialect,
            function=pragma.call.name,
            arguments=arguments,
            launch=launch,
            shared=self._stated(reader, pragma.shared, "the number of bytes of shared memory", 0),
            registers=self._stated(reader, pragma.registers, "the number of registers", 1),
            accumulators=self._stated(reader, pragma.accumulators, "the number of accumulators", 0),
            thread=self._thread(function, pragma.call.name),
            work=self._work(group.work[0]) if group.work else None,
            accesses=tuple(each(group.accesses, accesses.read)),
            sizes=self._sizes(pragma.call.sizes or (), arguments),
            reference=self._reference(pragma.reference, function, launch, arguments) if pragma.reference else None,
            absolute_tolerance=tolerance.absolute if tolerance else None,
            relative_tolerance=tolerance.relative if tolerance else None,
            namespaces=namespaces_of(function),
            span=pragma.span,
        )
        return body, tuple(dict.fromkeys(reader.implied))

    def _thread(self, function: GpuFunction, name: str) -> ThreadCode | None:
        types = {parameter.name: parameter.type for parameter in self.numbers.parameters}

        others: list[SourceError] = []

        def under(values: Mapping[str, Value]) -> ThreadCode | None:
            code = self.unit.code_under(values, function.code)
            if code is not None and passed(code) != passed(function.code):
                others.append(self._called_otherwise(code, values))
            return None if code is None else read_thread(code, name, types)

        try:
            thread = read_variants(self.unit.unit, self.numbers.parameters, under)
        except SourceError as error:
            first = error.diagnostics[0]
            hint = f"registers of `{name}` are not estimated from its code"
            self.warnings.append(replace(first, hint=hint, severity=Severity.WARNING))
            thread = None
        if others:
            raise others[0]
        return thread

    def _called_otherwise(self, code: Function, values: Mapping[str, Value]) -> SourceError:
        chosen = ", ".join(f"{name} = {value}" for name, value in values.items())
        message = f"`{code.name.text}` is called in another way with {chosen}"
        span = self.unit.unit.source.span(code.name.start, code.name.end)
        return SourceError(message, span, "give it as many arrays and numbers, in the same order, in every branch")

    def _stated(self, reader: LaunchReader, text: ExpressionText | None, what: str, least: int) -> Expr | None:
        return None if text is None else reader.at_least(text, what, least)

    def _work(self, pragma: WorkPragma) -> ThreadWork:
        def number(word: str) -> Expr | None:
            text = pragma.number(word)
            return None if text is None else self.numbers.amount(text, "a number of operations")

        flops = number("flops")
        return ThreadWork(
            flops=lift(0) if flops is None else flops,
            double=pragma.double,
            integer=number("integer"),
            special=number("special"),
            barriers=number("barriers"),
            independent=number("independent"),
        )

    def _sizes(self, texts: Sequence[SizesText], arguments: Sequence[GpuArgument]) -> tuple[Sizes, ...]:
        scalars = {a.name: a for a in arguments if isinstance(a, GpuScalar)}
        found: list[Sizes] = []
        for text in texts:
            scalar = scalars.get(text.name)
            if text.name in {sizes.name for sizes in found}:
                raise SourceError(f"`{text.name}` is given twice", text.span)
            if scalar is None:
                close = nearest(text.name, scalars)
                hint = f"did you mean `{close}`?" if close else f"there are {', '.join(scalars) or 'none'}"
                raise SourceError(f"no scalar argument is called `{text.name}`", text.span, hint)
            values = tuple(value for value in text.values if isinstance(value, int))
            if len(values) != len(text.values) or not isinstance(scalar.value.type, IntegerType):
                raise SourceError(f"the sizes of `{text.name}` are whole numbers", text.span)
            found.append(Sizes(text.name, values))
        if texts:
            self._check_lengths(found, arguments, texts[0])
        return tuple(found)

    def _check_lengths(self, sizes: Sequence[Sizes], arguments: Sequence[GpuArgument], text: SizesText) -> None:
        """Every buffer has a possible length at every size."""
        for number in range(len(sizes[0].values)):
            given = {s.name: s.values[number] for s in sizes}
            at = Numbers(self.numbers.source, self.numbers.parameters, self.numbers.constants)
            for argument in arguments:
                if isinstance(argument, GpuScalar):
                    value = lift(given[argument.name]) if argument.name in given else argument.value
                    at.add(argument.name, value, self.numbers.types[argument.name])
                elif not 1 <= (at.default_value(argument.length) or 0) <= ELEMENT_LIMIT:
                    words = ", ".join(f"{name} = {value}" for name, value in given.items())
                    raise SourceError(f"`{argument.name}` has no possible length at {words}", text.span)

    def _reference(
        self, text: ReferenceText, function: GpuFunction, launch: Launch, arguments: Sequence[GpuArgument]
    ) -> ReferenceKernel:
        call = _named(text)
        other = kernel_function(self.unit, call)
        passed = passed_to(other.formals, function.formals)
        if passed is None:
            listed = ", ".join(f"`{f.text}`" for f in other.formals) or "none"
            hint = f"a reference takes the same arguments, or some of them by their names; it has {listed}"
            raise SourceError(f"`{text.name}` has other parameters", text.span, hint)
        names = [a.name for a in arguments if not (isinstance(a, GpuBuffer) and a.symbol)]
        reader = LaunchReader(self.numbers, self.unit.dialect)
        return ReferenceKernel(
            function=text.name,
            launch=reader.read(text.launch, launch),
            passed=tuple(names[index] for index in passed),
            namespaces=namespaces_of(other),
        )


def passed_to(other: Sequence[GpuFormal], formals: Sequence[GpuFormal]) -> tuple[int, ...] | None:
    """Which of the kernel's arguments another kernel takes, in its order: all by their places where the types are the
    same, else those of the same names. None where neither is so."""
    if len(other) == len(formals) and all(map(_alike, other, formals)):
        return tuple(range(len(formals)))
    numbers = {formal.name: number for number, formal in enumerate(formals)}
    found = [(numbers.get(formal.name), formal) for formal in other]
    named = [number for number, formal in found if number is not None and _alike(formal, formals[number])]
    return tuple(named) if named and len(named) == len(other) else None


def _alike(one: GpuFormal, other: GpuFormal) -> bool:
    """May one argument be passed as both? A type that only the compiler knows may be any."""
    if (one.memory == "local") != (other.memory == "local"):
        return False
    if one.opaque or other.opaque:
        return one.type.depth == other.type.depth
    return one.type == other.type


def kernel_function(unit: GpuUnit, call: KernelPragma) -> GpuFunction:
    """The kernel that a pragma names. Raises SourceError for a function that no launch can name."""
    found = [unit.read(d, call.name) for d in overloads(call, unit.functions)]
    kernels = [f for f in found if f.is_kernel]
    if not kernels:
        word = "__global__" if unit.dialect == "cuda" else "__kernel"
        hint = f"a kernel's definition begins with `{word}`"
        raise SourceError(f"`{call.name}` is no kernel", call.span, hint)
    if len(kernels) == 1:
        return kernels[0]
    definition = chosen(call, [f.definition for f in kernels], unit.functions)
    return next(f for f in kernels if f.definition is definition)


def namespaces_of(function: GpuFunction) -> tuple[str, ...]:
    """Around it, from the outside in."""
    return tuple(scope.name for scope in function.definition.scopes if scope.kind == "namespace")


def _named(text: ReferenceText) -> KernelPragma:
    """A name as the reader of definitions takes it."""
    return KernelPragma(
        name=text.name,
        arguments=(),
        tolerance=None,
        sizes=None,
        aliasing=(),
        finite=True,
        globals=None,
        span=text.span,
    )


def passed(code: Function) -> list[bool]:
    """Whether each argument is an address."""
    return [bool(declarator.shape) for formal in code.formals for declarator in formal.declarators]

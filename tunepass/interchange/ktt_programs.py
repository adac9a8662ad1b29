"""KTT's tuning programs (C++): what the calls of its API are given, as a kernel. Nothing of a program is run.

API: `ktt::Tuner` (github.com/HiPerCoRe/KTT, Source/Tuner.h): AddParameter, AddConstraint with a lambda over some
parameters, AddThreadModifier, AddKernelDefinitionFromFile, AddArgumentVector and AddArgumentScalar, SetArguments.
With GlobalSizeType OpenCL a definition's size counts threads, with CUDA it counts blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tunepass.compilers.languages import CUDA, OPENCL
from tunepass.diagnostics import Source, SourceError, Span, TunepassError
from tunepass.expr.nodes import Type
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text
from tunepass.interchange import cpp_values as cpp
from tunepass.interchange.cpp_programs import CppProgram, program
from tunepass.interchange.cpp_values import Array, Formula, Function, Named, Unknown, Value
from tunepass.interchange.foreign_kernel import ForeignArgument, ForeignKernel, ForeignParameter, Language, Scalar

MACROS: Mapping[Language, str] = {"cuda": "KTT_CUDA_EXAMPLE", "opencl": "KTT_OPENCL_EXAMPLE"}
SUFFIXES: Mapping[str, Language] = {**dict.fromkeys(CUDA, "cuda"), **dict.fromkeys(OPENCL, "opencl")}
DIRECTIONS = {"ReadOnly": "in", "WriteOnly": "out", "ReadWrite": "inout"}
AXES = ("X", "Y", "Z")
REPORTED_CALLS = ("AddParameter", "AddConstraint", "AddThreadModifier")  # told where they cannot be followed
SCRIPTED = ("AddGenericConstraint", "AddScriptConstraint", "AddScriptParameter", "AddScriptThreadModifier")


@dataclass(slots=True)
class _Definition:
    """Extents are expressions over parameters, by axis."""

    function: str
    file: str
    sizes: list[Value]
    block: list[Value]
    arguments: tuple[Value, ...] = ()


@dataclass(slots=True)
class _Tuned:
    """A kernel of KTT's: one definition or several."""

    name: str
    definitions: tuple[int, ...]
    parameters: dict[str, ForeignParameter] = field(default_factory=dict)
    constraints: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def ktt_kernels(source: Source, language: Language) -> tuple[ForeignKernel, ...]:
    """The kernels that have parameters, as the program tunes them in that language. Raises SourceError."""
    reader = _Calls(language, threads=language == "opencl")
    reader.program = program(source, reader.called, [f"-D{MACROS[language]}=1"])
    reader.program.file()
    return tuple(reader.kernel(tuned) for tuned in reader.kernels.values() if tuned.parameters)


@dataclass(slots=True)
class _Calls:
    """Collects what the calls say; what a call gives is Named by its number."""

    language: Language
    threads: bool  # sizes count threads
    program: CppProgram = field(init=False)
    span: Span = field(init=False)  # of the call, and its name
    name: str = ""
    numbers: int = 0
    definitions: dict[int, _Definition] = field(default_factory=dict)
    kernels: dict[int, _Tuned] = field(default_factory=dict)
    arguments: dict[int, ForeignArgument] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)  # calls that would change every kernel's space or launch

    def called(self, name: str, given: Sequence[Value], span: Span) -> Value:
        self.numbers, self.span, self.name = self.numbers + 1, span, name
        known = getattr(self, f"_{name}", None) if name in CALLS else None
        if known is None:
            if name in SCRIPTED:
                self.lost.append(f"line {span.line}: {name} is not taken over")
            raise Unknown
        try:
            known(*given)
        except (KeyError, Unknown):
            if name in REPORTED_CALLS:
                self.lost.append(f"line {span.line}: {name} is not taken over: what it is given is not understood")
            raise Unknown from None
        except TypeError:
            raise SourceError(f"{name} of KTT is not called with {len(given)} arguments", span) from None
        return Named(name, self.numbers)

    # --- KTT's calls, by their names ------------------------------------------------------------------------------

    def _SetGlobalSizeType(self, kind: Value) -> None:
        self.threads = not (isinstance(kind, Named) and kind.kind.endswith("CUDA"))

    def _AddKernelDefinitionFromFile(
        self, function: Value, file: Value, sizes: Value = (), block: Value = (), *_: Value
    ) -> None:
        extents, threads = _three(sizes), _three(block)
        path = file if isinstance(file, str) else ""
        self.definitions[self.numbers] = _Definition(_text(function), path, extents, threads)

    def _AddKernelDefinition(self, function: Value, _: Value, sizes: Value = (), block: Value = (), *__: Value) -> None:
        self._AddKernelDefinitionFromFile(function, "", sizes, block)

    def _CreateSimpleKernel(self, name: Value, definition: Value = "", *_: Value) -> None:
        self.kernels[self.numbers] = _Tuned(_text(name), (_number(definition),))

    def _CreateCompositeKernel(self, name: Value, definitions: Value = (), *_: Value) -> None:
        several = definitions if isinstance(definitions, tuple) else ()
        self.kernels[self.numbers] = _Tuned(_text(name), tuple(map(_number, several)))

    def _AddParameter(self, kernel: Value, name: Value, values: Value, *_: Value) -> None:
        tuned, called = self.kernels[_number(kernel)], _text(name)
        items = values if isinstance(values, tuple) else ()
        known: list[Scalar] = [value for value in items if isinstance(value, (bool, int, float, str))]
        distinct = tuple(dict.fromkeys(known))
        if not distinct:
            raise SourceError(f"the values of `{called}` cannot be read", self.span)
        if len(known) < len(items):
            tuned.notes.append(f"{called} has values that the program computes: they are left out")
        tuned.parameters[called] = ForeignParameter(called, distinct, distinct[0])

    def _AddConstraint(self, kernel: Value, names: Value, test: Value) -> None:
        tuned = self.kernels[_number(kernel)]
        over = [_text(name) for name in names] if isinstance(names, tuple) else []
        try:
            condition = cpp.truth(self._applied(test, tuple(Formula(name) for name in over)))
            if isinstance(condition, Formula):
                tuned.constraints.append(_translated(condition.text, tuned))
            elif not condition:
                tuned.constraints.append("false")
        except (Unknown, TunepassError):
            tuned.notes.append(f"a constraint on {', '.join(over)} is not taken over: its function is not understood")

    def _AddThreadModifier(
        self, kernel: Value, definitions: Value, kind: Value, axis: Value, names: Value, how: Value
    ) -> None:
        over = names if isinstance(names, tuple) else (names,)
        index = AXES.index(self._word(axis, "ModifierDimension", AXES))
        which = self._word(kind, "ModifierType", ("Global", "Local"))
        for definition in definitions if isinstance(definitions, tuple) else (definitions,):
            definition_entry = self.definitions[_number(definition)]
            extents = definition_entry.sizes if which == "Global" else definition_entry.block
            try:
                extents[index] = self._modified(extents[index], [Formula(_text(name)) for name in over], how)
            except Unknown:
                extents[index] = Named("unknown")

    def _word(self, value: Value, kind: str, words: Sequence[str]) -> str:
        """A word of KTT's enumeration `kind`. Raises Unknown for a value that is not followed."""
        if not isinstance(value, Named) or not value.kind.rpartition("::")[0].endswith(kind):
            raise Unknown
        if _last(value) not in words:
            hint = f"KTT's {kind} has {', '.join(words)}"
            raise SourceError(f"`{_last(value)}` of this call of {self.name} is not understood", self.span, hint)
        return _last(value)

    def _AddArgumentVector(self, data: Value, access: Value = "", *_: Value) -> None:
        direction = DIRECTIONS.get(_last(access), "inout")
        if isinstance(data, tuple):
            data = Array(len(data), "float")
        if isinstance(data, Array) and data.length > 0:
            self.arguments[self.numbers] = ForeignArgument(
                name="", element=data.element, direction=direction, length=data.length
            )

    def _AddArgumentScalar(self, value: Value, *_: Value) -> None:
        if isinstance(value, (bool, int, float)):
            text = f"{value:.9g}" if isinstance(value, float) else repr(value)
            self.arguments[self.numbers] = ForeignArgument(name="", element="", value=text)

    def _SetArguments(self, definition: Value, arguments: Value) -> None:
        self.definitions[_number(definition)].arguments = arguments if isinstance(arguments, tuple) else ()

    # --- the kernel -----------------------------------------------------------------------------------------------

    def _applied(self, function: Value, *arguments: Value) -> Value:
        if not isinstance(function, Function):
            raise Unknown
        return self.program.call(function, arguments)

    def _modified(self, size: Value, values: Sequence[Value], how: Value) -> Value:
        if isinstance(how, Function):
            return self._applied(how, size, tuple(values))
        if len(values) != 1:
            raise Unknown
        by = values[0]
        match _last(how):
            case "Multiply":
                return cpp.binary("*", size, by)
            case "Divide":
                return cpp.binary("/", size, by)
            case "DivideCeil":
                return Formula(f"ceildiv({cpp.number_text(size)}, {cpp.number_text(by)})")
            case "Add" | "Subtract" as word:
                return cpp.binary("+" if word == "Add" else "-", size, by)
        raise Unknown

    def kernel(self, tuned: _Tuned) -> ForeignKernel:
        """Its first definition is the one that is launched; what cannot be taken over is a note."""
        definition = self.definitions.get(tuned.definitions[0]) if tuned.definitions else None
        if definition is None:
            raise SourceError(f"what {tuned.name} launches cannot be read", self.program.source.span(0, 1))
        notes = [*tuned.notes, *self.lost]
        if len(tuned.definitions) > 1:
            notes.append(f"{tuned.name} launches several kernels: only {definition.function} is taken over")
        suffix = definition.file[definition.file.rfind(".") :]
        kernel = ForeignKernel(
            function=definition.function,
            language=SUFFIXES.get(suffix) if "." in definition.file else self.language,
            parameters=tuple(tuned.parameters.values()),
            constraints=tuple(tuned.constraints),
            source=definition.file.rpartition("/")[2] or None,
        )
        try:
            if any("ThreadModifier" in note for note in self.lost):
                raise Unknown
            grid, block = self._launch(definition, tuned)
        except (Unknown, TunepassError):
            grid, block = (), ()
            notes.append("the launch is not taken over: a size or a modifier is not understood")
        if self.program.missing:
            notes.append(f"headers that are not here are taken as empty: {', '.join(self.program.missing)}")
        passed = [self.arguments.get(_number(argument)) for argument in definition.arguments]
        arguments = tuple(replace(a, name=f"argument{i}") for i, a in enumerate(passed) if a is not None)
        if not arguments or len(arguments) < len(passed):
            arguments = ()
            notes.append("the arguments are not taken over: what the program passes cannot be read")
        return replace(kernel, grid=grid, block=block, arguments=arguments, notes=tuple(notes))

    def _launch(self, definition: _Definition, tuned: _Tuned) -> tuple[tuple[str, ...], tuple[str, ...]]:
        block = [cpp.number_text(extent) for extent in definition.block]
        sizes = [cpp.number_text(extent) for extent in definition.sizes]
        grid = list(map(_groups, sizes, block)) if self.threads else sizes
        return _short(grid, tuned), _short(block, tuned)


CALLS = frozenset(name[1:] for name in vars(_Calls) if name[:2] != "__" and name[1:2].isupper())


def _groups(size: str, block: str) -> str:
    return size if block == "1" else "1" if size == block else f"ceildiv({size}, {block})"


def _short(extents: Sequence[str], tuned: _Tuned) -> tuple[str, ...]:
    """Without extents of one at the end."""
    texts = [_translated(extent, tuned) for extent in extents]
    while len(texts) > 1 and texts[-1] == "1":
        texts.pop()
    return tuple(texts)


def _translated(text: str, tuned: _Tuned) -> str:
    types: dict[str, Type] = {name: p.parameter().type for name, p in tuned.parameters.items()}
    return to_text(parse(text, types))


def _three(extents: Value) -> list[Value]:
    listed = extents if isinstance(extents, tuple) else (extents,)
    return [*listed, 1, 1, 1][:3]


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise Unknown
    return value


def _number(value: Value) -> int:
    if not isinstance(value, Named):
        raise Unknown
    return value.number


def _last(value: Value) -> str:
    """`ktt::ModifierType::Local` is `Local`."""
    return value.kind.rpartition("::")[2] if isinstance(value, Named) else ""

"""The frontend of CUDA and OpenCL: annotated kernels in; the source with its choices and how it is launched out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import ClassVar

from tunepass.compilers.languages import CUDA, OPENCL
from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError
from tunepass.frontends.base import Frontend, Parsed
from tunepass.frontends.c.parameters.macros import macro_defaults, set_macros
from tunepass.frontends.c.parameters.presence import PresenceReader
from tunepass.frontends.c.parameters.symbols import symbols_of
from tunepass.frontends.c.parameters.tunables import TunablesReader
from tunepass.frontends.c.pragmas.groups import refuse_none
from tunepass.frontends.c.pragmas.models import stated_model
from tunepass.frontends.c.pragmas.pragma import cursor_of
from tunepass.frontends.cfamily.annotated import Annotated, annotated
from tunepass.frontends.cfamily.branches.sets import refusals
from tunepass.frontends.cfamily.constants.named_numbers import constants
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition, named
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.refusals import missing_function, unread_headers
from tunepass.frontends.cfamily.text.names import plain_name, template_arguments
from tunepass.frontends.cfamily.text.tokens import names_in
from tunepass.frontends.cfamily.unit import Unit
from tunepass.frontends.gpu.body import BodyReader
from tunepass.frontends.gpu.dispatch import dispatch_file
from tunepass.frontends.gpu.emission import emit_files
from tunepass.frontends.gpu.functions import GpuUnit
from tunepass.frontends.gpu.macros import active_macros, check_names, guarded_macros, with_choices, with_values
from tunepass.frontends.gpu.numbers import Numbers
from tunepass.frontends.gpu.pragmas.groups import BELONGS, GpuGroup, GpuPragma, group, parse_gpu_pragma
from tunepass.frontends.gpu.pragmas.kernel import GpuKernelPragma
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.problems import each
from tunepass.ir.files import EmittedFile
from tunepass.ir.gpu_elements import Dialect
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import SizedVariants
from tunepass.ir.stated_model import check_objectives
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter

OBJECTIVES = ("time",)
DIALECTS: dict[str, Dialect] = {**dict.fromkeys(CUDA, "cuda"), **dict.fromkeys(OPENCL, "opencl")}


class GpuFrontend(Frontend):
    """Pragmas in CUDA and OpenCL; docs/pragmas.md says what they mean."""

    suffixes: ClassVar[tuple[str, ...]] = tuple(DIALECTS)

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        text = annotated(source)
        pragmas = each(text.pragmas, lambda p: parse_gpu_pragma(cursor_of(source, p)))
        refuse_none(pragmas, source)
        return _KernelReader(source, text, words).read(pragmas)

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        return emit_files(kernels, note, word)

    def dispatch(self, variants: SizedVariants, note: str = "") -> EmittedFile:
        return dispatch_file(variants, note)


class _KernelReader:
    """Turns groups into kernels: parameters first; what depends on them only once they are sound."""

    def __init__(self, source: Source, text: Annotated, words: Sequence[str]):
        self.source, self.text, self.compiler_words = source, text, words
        self.dialect = DIALECTS.get(PurePath(source.name).suffix, "cuda")
        self.macros = macro_defaults(text)
        self.warnings: list[Diagnostic] = []

    def read(self, pragmas: Sequence[GpuPragma]) -> Parsed:
        params = [p for p in pragmas if isinstance(p, ParamText)]
        known = frozenset(name for p in params for name in set_macros(p))
        if self.dialect == "cuda":
            check_names(params, self.compiler_words)

        def symbols(present: frozenset[str]) -> dict[str, MacroValue]:
            return with_choices(symbols_of(params, guarded_macros(self.macros, known), known, present), self.macros)

        def unit(given: Mapping[str, MacroValue]) -> Unit:
            return read(self.source, self.compiler_words, self.dialect, given, guards=True)

        presence = PresenceReader(self.text, params, self.compiler_words)
        present = presence.settled(lambda present: unit(symbols(present)))
        self.warnings += presence.doubts(present)
        pragmas = presence.with_defaults(pragmas, present)
        params = [p for p in pragmas if isinstance(p, ParamText)]

        def under(values: Mapping[str, Value]) -> Unit:
            return unit(with_values(symbols(present), values, self.macros))

        self.unit = GpuUnit(self.dialect, under({}), under)
        self.macros = active_macros(self.macros, known, self.unit.unit)
        words = frozenset(name for pragma in self.text.pragmas for name in names_in(pragma.text))
        self.constants = constants(self.unit.unit, words | self.unit.unit.text.raw.names)
        self.warnings += unread_headers(self.unit.unit)
        self._tell_missing_headers()
        groups = group(pragmas, self.functions(pragmas))
        self.tunables = TunablesReader(
            source=self.source,
            macros=self.macros,
            words=self.text.words
            | {word for g in groups for word in (*template_words(g.target), *launch_words(g.target))},
            includes=self.text.includes_own,
            known=known,
            warnings=self.warnings,
            present=present,
            undefines=self.dialect == "cuda",
        )
        parameters = each(groups, lambda g: tuple(each(g.params, self.tunables.parameter)))
        kernels = each(list(zip(groups, parameters)), lambda pair: self.kernel(*pair))
        return Parsed(tuple(kernels), tuple(self.warnings))

    def _tell_missing_headers(self) -> None:
        missing = self.unit.unit.text.missing
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            hint = "name their folders with -I after `--`, where what they define matters"
            message = f"headers that are not here are taken as empty: {names}"
            self.warnings.append(Diagnostic(message, None, hint, Severity.WARNING))

    def functions(self, pragmas: Sequence[GpuPragma]) -> dict[str, FunctionDefinition]:
        """The function of each kernel by the name that its pragma gives it; what is wrong there is told later."""
        targets = [p.call for p in pragmas if isinstance(p, GpuKernelPragma)]
        for call in targets:
            name = plain_name(call.name).rpartition("::")[2]
            known = any(d.name == name for d in self.unit.functions)
            if not known and (why := missing_function(self.unit.unit, name, call.span)) is not None:
                raise why
        found = {call.name: named(call.name, self.unit.functions, call.span.start) for call in targets}
        return {name: definitions[0] for name, definitions in found.items() if definitions}

    def kernel(self, group: GpuGroup, parameters: tuple[Parameter, ...]) -> Kernel:
        each(list(zip(group.params, parameters)), lambda pair: self.tunables.check_use(*pair))
        if not parameters:
            raise SourceError("nothing to tune: no `param` belongs to this", group.target.span, BELONGS)
        numbers = Numbers(self.source, parameters, self.constants)
        body, implied = BodyReader(self.unit, numbers, self.warnings).read(group)
        sizes = numbers.values()
        constraints = each(group.constraints, lambda c: self.tunables.constraint(c, parameters, sizes))
        check_objectives([(model.name, model.span) for model in group.models], OBJECTIVES)
        return Kernel(
            name=group.target.call.name,
            language=self.dialect,
            source=self.source,
            parameters=parameters,
            constraints=(*constraints, *implied, *refusals(self.unit.unit, parameters, {})),
            bindings=tuple(self.tunables.binding(p) for p in group.params),
            body=body,
            models=tuple(each(group.models, lambda m: stated_model(m, parameters, sizes, self.source))),
            span=group.target.span,
            words=tuple(self.compiler_words),
        )


def launch_words(pragma: GpuKernelPragma) -> list[str]:
    """The names in a kernel's launch: code reads its block as `blockDim`."""
    launch = pragma.launch
    extents = [number for extent in (launch.grid, launch.block) if extent is not None for number in extent.numbers]
    texts = [*extents, *([launch.dynamic] if launch.dynamic is not None else [])]
    return [word for text in texts for word in names_in(text.text)]


def template_words(pragma: GpuKernelPragma) -> list[str]:
    """The names in a kernel's template arguments: a macro that is used there is used."""
    return [word for argument in template_arguments(pragma.call.name) or () for word in names_in(argument)]

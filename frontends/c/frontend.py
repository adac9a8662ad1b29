"""The C and C++ frontend: annotated text in, kernels out; a scheduled kernel in, tuned text out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, TypeVar

from tunepass.compilers.languages import CXX, C
from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr
from tunepass.frontends.base import Frontend, Parsed
from tunepass.frontends.c.branches import (
    Branches,
    check_defined,
    check_same_call,
    defining,
    flat,
    name_of,
)
from tunepass.frontends.c.call.call import CallReader
from tunepass.frontends.c.call.globals import GlobalsReader
from tunepass.frontends.c.call.overloads import chosen, overloads
from tunepass.frontends.c.call.requirements import over_scalars
from tunepass.frontends.c.compiled_types import CompiledTypes
from tunepass.frontends.c.emission.dispatch import dispatch_file
from tunepass.frontends.c.emission.files import emit_file
from tunepass.frontends.c.lowering import macro_names
from tunepass.frontends.c.parameters.compilers import check_one
from tunepass.frontends.c.parameters.macros import macro_defaults, set_macros
from tunepass.frontends.c.parameters.presence import PresenceReader
from tunepass.frontends.c.parameters.symbols import parameters_of, symbols_of, words_of
from tunepass.frontends.c.parameters.tunables import TunablesReader
from tunepass.frontends.c.parameters.tune_calls import (
    check_not_declared,
    check_outside,
    check_tune_calls,
    constants_of,
    stated_defaults,
    tune_calls,
)
from tunepass.frontends.c.pragmas.auto import AutoPragma
from tunepass.frontends.c.pragmas.groups import (
    BELONGS,
    PragmaGroup,
    group,
    no_duplicates,
    reading_one,
    refuse_none,
)
from tunepass.frontends.c.pragmas.hint import check_hints, loop_hints
from tunepass.frontends.c.pragmas.kernel import KernelPragma
from tunepass.frontends.c.pragmas.models import build_models, scalar_values
from tunepass.frontends.c.pragmas.nest import NestPragma
from tunepass.frontends.c.pragmas.pragma import Pragma, cursor_of, parse_pragma
from tunepass.frontends.c.pragmas.run import RunPragma
from tunepass.frontends.c.readings import Reading, Readings
from tunepass.frontends.c.run import build_run
from tunepass.frontends.c.setup.setup import SetupReader
from tunepass.frontends.cfamily.annotated import Annotated, annotated
from tunepass.frontends.cfamily.branches.sets import refusals
from tunepass.frontends.cfamily.constants.named_numbers import constants
from tunepass.frontends.cfamily.constants.scoped_constants import qualified_names, scoped_constants
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.cfamily.preprocessing.alignment import PragmaTokens
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.refusals import check_are_directives, names_after_macros, unread_headers
from tunepass.frontends.cfamily.text.tokens import names_in
from tunepass.frontends.cfamily.types.declared import Types, declared_types
from tunepass.frontends.cfamily.unit import Unit
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.problems import each
from tunepass.ir.c_kernel import CKernel, KernelCall
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Binding, Kernel
from tunepass.ir.run import RunCommand
from tunepass.ir.scop_directives import ScopNest
from tunepass.ir.sizes import SizedVariants
from tunepass.space.parameter import Parameter, Real

if TYPE_CHECKING:  # only kernels with nests load what reads and schedules them
    from tunepass.frontends.c.nests.autos import DerivedNest
    from tunepass.frontends.c.scops.directives import ScheduledNest

P = TypeVar("P")
OPENMP = re.compile(r"-f?q?openmp(?:=|$)|-qopenmp|-mp$")  # a compiler's word


class CFrontend(Frontend):
    """Pragmas in C and C++; docs/pragmas.md says what they mean."""

    suffixes: ClassVar[tuple[str, ...]] = (*C, *CXX)

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        text = annotated(source)
        pragmas = each(text.pragmas, lambda p: parse_pragma(cursor_of(source, p)))
        refuse_none(pragmas, source)
        return _KernelReader(source, text, words, only).read(pragmas)

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        return emit_file(kernels, note, word)

    def dispatch(self, variants: SizedVariants, note: str = "") -> EmittedFile:
        return dispatch_file(variants, note)


class _KernelReader:
    """Turns groups into kernels: parameters first; what depends on them only once they are sound. With `only`, that
    kernel alone, and those whose nests are counted before its own."""

    def __init__(self, source: Source, text: Annotated, words: Sequence[str], only: str | None = None):
        self.compiler_words, self.only = words, only
        self.derived_nests = 0
        self.source, self.text = source, text
        self.tune_calls = tune_calls(text)
        self.macros = {**macro_defaults(text), **stated_defaults(self.tune_calls)}
        self.words = frozenset((*text.words, *(call.name for call in self.tune_calls)))
        self.is_cpp = source.name.endswith(CXX)
        self.known: frozenset[str] = frozenset()  # the macros that parameters set
        self.present: frozenset[str] = frozenset()  # those of which only `#ifdef` asks
        self.warnings: list[Diagnostic] = []

    def read(self, pragmas: Sequence[Pragma]) -> Parsed:
        params = [p for p in pragmas if isinstance(p, ParamText)]
        self.known = frozenset(name for p in params for name in set_macros(p))
        kernels = [p for p in pragmas if isinstance(p, KernelPragma)]
        presence = PresenceReader(self.text, params, self.compiler_words)
        self.present = presence.settled(lambda present: self.preliminary(params, present))
        self.warnings += presence.doubts(self.present)
        pragmas = presence.with_defaults(pragmas, self.present)
        params = [p for p in pragmas if isinstance(p, ParamText)]
        self.parameters = parameters_of(params, self.macros, self.known)
        self.readings = Readings(
            source=self.source,
            words=self.compiler_words,
            dialect="c++" if self.is_cpp else "c",
            symbols=symbols_of(params, self.macros, self.known, self.present),
            parameters=self.parameters,
            kernels=frozenset(map(name_of, kernels)),
            loops=[p.outer for p in pragmas if isinstance(p, (AutoPragma, NestPragma))],
            sound=len(self.parameters) == len(params),
        ).read()
        self.unit, self.functions = self.readings[0].unit, self.readings[0].functions
        self.warnings += unread_headers(self.unit)
        check_are_directives(self.unit)
        pragmas, kernels = after_macros(pragmas, self.unit), after_macros(kernels, self.unit)
        self.definitions = {d.name: d for d in reversed(self.functions)}
        self.definitions |= self.meant(kernels, self.functions)
        others = [pair for r in self.readings[1:] for pair in self.meant(kernels, r.functions).items()]
        groups = group(pragmas, self.definitions, others)
        no_duplicates([p for g in groups for p in g.params], "parameter")
        no_duplicates([g.target for g in groups if isinstance(g.target, KernelPragma)], "kernel")
        no_duplicates([g.target for g in groups if isinstance(g.target, RunPragma)], "run")
        check_one([p for g in groups for p in g.params])
        check_tune_calls(self.tune_calls, [p for g in groups for p in g.params])
        set_otherwise = self.present | {call.name for call in self.tune_calls}
        check_not_declared(self.unit, self.known - set_otherwise)
        groups = reading_one(groups, self.only)
        self.kernels = [g.target for g in groups if isinstance(g.target, KernelPragma)]
        for pragma in self.kernels:
            check_defined(pragma, self.readings)
        self.calls = self.call_reader(self.readings[0], self.warnings)
        self.tunables = TunablesReader(
            source=self.source,
            macros=self.macros,
            words=self.words,
            includes=self.text.includes_own,
            known=self.known,
            warnings=self.warnings,
            present=self.present,
        )
        parameters = each(groups, lambda g: tuple(each(g.params, self.tunables.parameter)))
        made = each(list(zip(groups, parameters)), lambda pair: self.kernel(*pair))
        return Parsed(tuple(made), tuple(self.warnings))

    def preliminary(self, params: Sequence[ParamText], present: frozenset[str]) -> Unit:
        symbols = symbols_of(params, self.macros, self.known, present)
        return read(self.source, self.compiler_words, "c++" if self.is_cpp else "c", symbols)

    def call_reader(self, reading: Reading, warnings: list[Diagnostic]) -> CallReader:
        unit, types = reading.unit, self.types(reading, warnings)
        variables = GlobalsReader(unit, types, self.known, warnings)
        setups = SetupReader(self.source, unit, types, warnings)
        numbers = self.numbers(unit)
        return CallReader(
            self.source, reading.functions, self.is_cpp, unit, types, variables, warnings, numbers, setups
        )

    def types(self, reading: Reading, warnings: list[Diagnostic]) -> Types:
        """Those that the text declares, and what the compiler tells of others that the kernels' arguments need."""
        known = {d.name: d for d in reversed(reading.functions)} | self.meant(self.kernels, reading.functions)
        kernels = [(p, known[p.name]) for p in self.kernels if p.name in known]
        defines = words_of(self.parameters, self.known, reading.branches.configuration, self.present)
        declared = declared_types(reading.unit)
        return CompiledTypes(reading.unit, declared, tuple(self.compiler_words), defines, warnings).settled(kernels)

    def numbers(self, unit: Unit) -> dict[str, Expr]:
        """The names in pragmas that are numbers: macros of the source, its headers and the compiler's words,
        enumerators and constants, also by names with scopes. None that depends on a parameter."""
        # `//` divides in a pragma, and is no comment
        names = {name for pragma in self.text.pragmas for name in names_in(pragma.text.replace("//", "/ "))}
        scoped = {name for pragma in self.text.pragmas for name in qualified_names(pragma.text)}
        numbers = {**constants(unit, names), **scoped_constants(unit, scoped)}
        return {name: lift(value) for name, value in numbers.items()}

    def meant(
        self, pragmas: Sequence[KernelPragma], functions: Sequence[FunctionDefinition]
    ) -> dict[str, FunctionDefinition]:
        """The function of each kernel, by the name that its pragma gives it; what is wrong there is told later."""
        found: dict[str, FunctionDefinition] = {}
        for pragma in pragmas:
            with contextlib.suppress(SourceError):
                found[pragma.name] = chosen(pragma, overloads(pragma, functions), functions)
        return found

    def kernel(self, group: PragmaGroup, parameters: tuple[Parameter, ...]) -> Kernel:
        directives = {name for pragma in group.scheduled for name in pragma.names}
        scheduled_names = set(directives)
        directives |= {name for hint in group.hints for name, _ in hint.names}
        macros = [pair for pair in zip(group.params, parameters) if pair[0].name not in directives]
        each(macros, lambda pair: self.tunables.check_use(*pair))
        if not parameters and not group.autos:
            raise SourceError("nothing to tune: no `param` belongs to this", group.target.span, BELONGS)
        target = group.target
        judged_by = (
            build_run(target, loops=bool(group.autos or group.scheduled))
            if isinstance(target, RunPragma)
            else self.call(target)
        )
        sizes = scalar_values(judged_by) if isinstance(judged_by, KernelCall) else {}
        constraints = each(group.constraints, lambda c: self.tunables.constraint(c, parameters, sizes))
        requirements = tuple(c.written for c in constraints if c.written is not None)
        if isinstance(judged_by, KernelCall):
            judged_by = replace(judged_by, requirements=over_scalars(requirements, judged_by.arguments))
        pairs = self.overlapping(judged_by)
        sizes = self.formal_sizes(judged_by, sizes)
        branches = Branches(self.readings, parameters)
        derived = flat(each(group.autos, lambda pragma: self.derived(pragma, branches, sizes, pairs)))
        scheduled = flat(
            each(group.scheduled, lambda pragma: self.scheduled(pragma, branches, group, parameters, sizes, pairs))
        )
        legal = [c for d in derived for c in d.constraints] + [c for s in scheduled for c in s.constraints]
        scops = (*(d.nest for d in derived), *(s.nest for s in scheduled))
        everything = (*parameters, *(p for d in derived for p in d.parameters))
        bindings = (
            *(self.binding(p, q, scheduled_names) for p, q in zip(group.params, parameters)),
            *(Binding(p.name, "directive", p.span) for d in derived for p in d.parameters),
        )
        own = {b.parameter for b in bindings if b.role == "directive"}
        legal += branches.pinned([p for p in everything if p.name in own], scops)
        own = {p.name for p in parameters}
        legal += refusals(self.unit, self.parameters, {p.name: p.default for p in self.parameters if p.name not in own})
        if isinstance(target, KernelPragma):
            legal += branches.defined(target)
        domains = {p.name: () if isinstance(p, Real) else getattr(p, "domain", ()) for p in parameters}
        check_hints(self.text.code, group.hints, domains, [nest.scop.span for nest in scops])
        _check_apart([*group.autos, *group.scheduled], scops)
        check_outside(self.tune_calls, [nest.scop.span for nest in scops])
        return Kernel(
            name=target.name if isinstance(target, KernelPragma) else _stem(self.source.name),
            language="c++" if self.is_cpp else "c",
            source=self.source,
            parameters=everything,
            constraints=(*constraints, *legal),
            bindings=bindings,
            body=CKernel(
                judged_by=judged_by,
                constants=constants_of(self.tune_calls, {p.name for p in parameters}),
                scops=scops,
                hints=loop_hints(group.hints, self.words),
                requirements=requirements,
            ),
            models=build_models(group.models, parameters, judged_by, self.source),
            span=target.span,
            words=tuple(self.compiler_words),
        )

    def binding(self, pragma: ParamText, parameter: Parameter, directives: set[str]) -> Binding:
        """A parameter of a directive that code uses by name too is a macro; its directive reads it all the same."""
        binding = self.tunables.binding(pragma)
        if any(call.name == pragma.name for call in self.tune_calls):
            return replace(binding, role="constant")
        if pragma.name in directives and not self.words & set(macro_names(parameter)):
            return replace(binding, role="directive")
        return binding

    def overlapping(self, judged_by: KernelCall | RunCommand) -> list[tuple[str, str]]:
        """The pairs of formals that may overlap."""
        definition = self.definitions.get(judged_by.function) if isinstance(judged_by, KernelCall) else None
        if definition is None or not isinstance(judged_by, KernelCall):
            return []
        formals = {a.name: f.name for f, a in zip(definition.formals, judged_by.arguments)}
        return [(formals.get(a, a), formals.get(b, b)) for a, b in judged_by.pairs]

    def formal_sizes(
        self, judged_by: KernelCall | RunCommand, sizes: dict[str, bool | int | float]
    ) -> dict[str, bool | int | float]:
        """The scalars by the names that the function's own code has for them."""
        definition = self.definitions.get(judged_by.function) if isinstance(judged_by, KernelCall) else None
        if definition is None or not isinstance(judged_by, KernelCall):
            return sizes
        pairs = zip(definition.formals, judged_by.arguments)
        return {formal.name: sizes[argument.name] for formal, argument in pairs if argument.name in sizes}

    def derived(
        self,
        pragma: AutoPragma,
        branches: Branches,
        sizes: Mapping[str, bool | int | float],
        pairs: Sequence[tuple[str, str]],
    ) -> list[DerivedNest]:
        """The nest after a `loop auto`, and its space, in each set of branches that it differs in."""
        from tunepass.frontends.c.nests.autos import derive_nest
        from tunepass.frontends.c.nests.opaque import opaque_notes
        from tunepass.frontends.c.scops.scop import read_scop
        from tunepass.frontends.c.scops.statements.own_pragmas import shares_iterations

        found: list[DerivedNest] = []
        threads = any(OPENMP.match(word) for word in self.compiler_words)
        for scop, held in branches.scops(pragma.outer, lambda unit: read_scop(pragma.outer, unit, pairs)):
            self.derived_nests += 1
            unit = held[0].unit
            shared = pragma.parallel or (threads and shares_iterations(unit, scop.span))
            derived = derive_nest(pragma, self.derived_nests, scop, self.known, sizes, parallel=shared)
            self.warnings += opaque_notes(derived)
            replaced = {p.start: p for r in held for p in r.unit.pragmas if is_replaced(p, scop.span)}
            parallel = bool(derived.nest.directives.parallel)
            self.warnings += [self.replaced_pragma(p, parallel) for p in replaced.values()]
            nest, constraints = branches.under(held, derived.nest, derived.constraints)
            found.append(replace(derived, nest=nest, constraints=constraints))
        return found

    def replaced_pragma(self, pragma: PragmaTokens, parallel: bool) -> Diagnostic:
        span = self.source.span(pragma.start, pragma.end)
        hint = "write `loop auto parallel` for schedules that run in threads"
        hint = "PARALLEL says whether other schedules share their loops among threads" if parallel else hint
        return Diagnostic("only the source's own schedule keeps this pragma", span, hint, Severity.WARNING)

    def scheduled(
        self,
        pragma: NestPragma,
        branches: Branches,
        group: PragmaGroup,
        parameters: tuple[Parameter, ...],
        sizes: Mapping[str, bool | int | float],
        pairs: Sequence[tuple[str, str]],
    ) -> list[ScheduledNest]:
        """The nest after a `loop` with directives, and the constraints that these imply, in each set of branches that
        it differs in."""
        from tunepass.frontends.c.scops.directives import ScheduledNest, schedule_nest
        from tunepass.frontends.c.scops.scop import read_scop

        known = {p.name: p for p in parameters}
        flags = frozenset(p.name for p in group.params if p.flag or p.compiler)
        listed = [named.name for named in pragma.listed]
        marked = {d.first.name for d in pragma.directives if d.word in ("parallel", "vectorize")}
        found: list[ScheduledNest] = []
        for scop, held in branches.scops(
            pragma.outer, lambda unit: read_scop(pragma.outer, unit, pairs, listed, marked)
        ):
            scheduled = schedule_nest(pragma, scop, known, flags, sizes)
            found.append(ScheduledNest(*branches.under(held, scheduled.nest, scheduled.constraints)))
        return found

    def call(self, pragma: KernelPragma) -> KernelCall:
        """How the kernel is called, which is the same in all branches."""
        call = self.calls.read(pragma)
        for reading in defining(pragma, self.readings)[1:]:
            check_same_call(pragma, call, self.call_reader(reading, []).read(pragma), self.readings[0], reading)
        return call


def after_macros(pragmas: Sequence[P], unit: Unit) -> list[P]:
    """Kernels that a macro names have the function's name."""
    names = names_after_macros(unit)
    return [replace(p, name=names[p.name]) if isinstance(p, KernelPragma) and p.name in names else p for p in pragmas]


def _check_apart(pragmas: Sequence[NestPragma | AutoPragma], nests: Sequence[ScopNest]) -> None:
    """What is written anew does not overlap, but for what one pragma stands before in several branches."""
    spans = {pragma.outer: pragma.span for pragma in pragmas}
    for nest in nests:
        start = nest.scop.span.start
        for other in (n.scop.span for n in nests if n.scop.pragma != nest.scop.pragma):
            if other.start <= start < other.end:
                hint = f"the other is at {other}"
                raise SourceError("these loops are part of others that are written anew", spans[nest.scop.pragma], hint)


def is_replaced(pragma: PragmaTokens, nest: Span) -> bool:
    """Whether an OpenMP pragma stands before the nest, or in it, and goes with its text."""
    return pragma.words[:1] != () and pragma.words[0].at("omp") and nest.start <= pragma.start < nest.end


def _stem(name: str) -> str:
    return re.sub(r"\W", "_", PurePath(name).stem) or "program"

"""The frontend of high-level synthesis: C, C++ and OpenCL with the pragmas of Vitis, Merlin and Intel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from tunepass.compilers.languages import CXX, OPENCL, C
from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span, nearest
from tunepass.expr import algebra
from tunepass.expr.nodes import INT_MAX, Expr, Type, free_names
from tunepass.frontends.base import Frontend, Parsed
from tunepass.frontends.c.parameters.macros import MacroDefault, macro_defaults, set_macros
from tunepass.frontends.c.parameters.presence import PresenceReader
from tunepass.frontends.c.parameters.tunables import TunablesReader
from tunepass.frontends.c.pragmas.groups import no_duplicates
from tunepass.frontends.c.pragmas.pragma import ConstraintPragma, cursor_of, parse_by_kind
from tunepass.frontends.cfamily.annotated import Annotated, annotated
from tunepass.frontends.cfamily.constants.named_numbers import constants
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue, Presence, with_numbers
from tunepass.frontends.cfamily.refusals import missing_function
from tunepass.frontends.cfamily.text.names import plain_name
from tunepass.frontends.cfamily.text.tokens import Token, names_in
from tunepass.frontends.cfamily.unit import Function, Unit
from tunepass.frontends.hls.body.kernel import ReadKernel, Stated
from tunepass.frontends.hls.body.variants import read_variants
from tunepass.frontends.hls.branches import Files
from tunepass.frontends.hls.checks import check_directives, undefined
from tunepass.frontends.hls.emission import emit_files
from tunepass.frontends.hls.file import HlsFile
from tunepass.frontends.hls.knobs import Knob, expressions, factor_parameter, knobs_of, mode_parameter
from tunepass.frontends.hls.pragmas.amounts import Amounts
from tunepass.frontends.hls.pragmas.own import PARSERS, HlsLine, HlsPragma
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.training import TrainingText, training_command
from tunepass.frontends.problems import each
from tunepass.ir.files import EmittedFile
from tunepass.ir.graph import Training
from tunepass.ir.hls import ONE, HlsDialect, HlsKernel
from tunepass.ir.kernel import Binding, Kernel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

HINT = "docs/hls.md shows how to begin: `auto{NAME}` in a pragma, or `#pragma tunepass hls NAME`"


class HlsFrontend(Frontend):
    """Pragmas of high-level synthesis; docs/hls.md says what they mean."""

    suffixes: ClassVar[tuple[str, ...]] = (*C, *CXX, *OPENCL)

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        text = annotated(source)
        pragmas = each(text.pragmas, lambda p: parse_by_kind(cursor_of(source, p), PARSERS))
        return _FileReader(source, text, words, pragmas).read(only)

    def body(self, source: Source, name: str | None = None, words: Sequence[str] = ()) -> HlsKernel:
        """The body of a source's kernel, also where nothing is left to be chosen, as in a tuned one."""
        text = annotated(source)
        pragmas = each(text.pragmas, lambda p: parse_by_kind(cursor_of(source, p), PARSERS))
        (kernel, *_) = _FileReader(source, text, words, pragmas, tuned=True).read(name).kernels
        return kernel.body_as(HlsKernel)

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        return emit_files(kernels, note, word)


@dataclass(slots=True)
class _FileReader:
    """Parameters first; then the functions, which tell the domains of knobs that no `param` gives."""

    source: Source
    text: Annotated
    words: Sequence[str]
    pragmas: Sequence[HlsLine]
    tuned: bool = False  # nothing has to be left to be chosen
    warnings: list[Diagnostic] = field(default_factory=list)
    file: HlsFile = field(init=False)  # with the defaults
    files: Files = field(init=False)
    loop_starts: list[int] = field(init=False)
    present: frozenset[str] = frozenset()  # macros of which only `#ifdef` asks

    def read(self, only: str | None) -> Parsed:
        self.warnings += check_directives(self.source, self.text.directives)
        params = [p for p in self.pragmas if isinstance(p, ParamText)]
        no_duplicates(params, "parameter")
        params = self._settle_presence(params)
        declared = self._declared(params)
        self._read_file(params, declared)
        knobs = knobs_of(self.files.pragmas, self.source)
        types: dict[str, Type] = {p.name: p.type for p in declared.values()}
        types |= {k.name: _type_of(k) for k in knobs.values() if k.name not in types}
        targets = [p for p in self.pragmas if isinstance(p, HlsPragma) and not p.is_trip]
        functions = self._functions(targets)
        if only is not None and any(f.name.text == only for f, _ in functions):
            functions = [pair for pair in functions if pair[0].name.text == only]
        values = expressions(types)
        kernels = each(functions, lambda pair: self._kernel(*pair, values, types, declared, knobs, len(functions) == 1))
        return Parsed(tuple(kernels), tuple(dict.fromkeys(self.warnings)))

    # --- the file -------------------------------------------------------------------------------------------------

    def _settle_presence(self, params: Sequence[ParamText]) -> list[ParamText]:
        """Work out the parameters of which only `#ifdef` asks: they define their macro or take it away."""
        presence = PresenceReader(self.text, params, self.words, rewrites=True)
        names = [name for p in params for name in set_macros(p)]

        def unit(present: frozenset[str]) -> Unit:
            symbols = {name: Presence.UNDEFINED if name in present else None for name in names}
            return HlsFile.read(self.source, self.words, symbols).unit

        self.present = presence.settled(unit)
        self.warnings += presence.doubts(self.present)
        return [p for p in presence.with_defaults(params, self.present) if isinstance(p, ParamText)]

    def _declared(self, params: Sequence[ParamText]) -> dict[str, Parameter]:
        macros = {
            name: MacroDefault(m.text, m.guards | {name}, m.span)
            for name, m in macro_defaults(self.text).items()
            if name not in self.present
        }
        empty = undefined(macros, {name for p in params for name in set_macros(p)})
        if empty:
            raise SourceError(empty)
        reader = TunablesReader(
            source=self.source,
            macros=macros,
            words=self.text.words | self._stated_words(),
            includes=self.text.includes_own,
            known=frozenset(name for p in params for name in set_macros(p)),
            warnings=self.warnings,
            present=self.present,
        )
        parameters = each(params, reader.parameter)
        each(list(zip(params, parameters)), lambda pair: reader.check_use(*pair))
        return {p.name: p for p in parameters}

    def _stated_words(self) -> frozenset[str]:
        """The words of the numbers and the command that `hls` lines state."""
        lines = [p for p in self.pragmas if isinstance(p, HlsPragma)]
        numbers = [text for p in lines for texts in p.numbers.values() for text in texts]
        arguments = [a for p in lines for a in p.arguments]
        numbers += [a.value for a in arguments if a.value is not None] + [n for a in arguments for n in a.lengths]
        commands = [p.names for p in self.pragmas if isinstance(p, TrainingText)]
        return frozenset(word for text in numbers for word in names_in(text.text)).union(*commands)

    def _read_file(self, params: Sequence[ParamText], declared: Mapping[str, Parameter]) -> None:
        """Names that parameters set stay names, but in `#if`, which decides what is read for which values."""
        fixed = (name for p in params for name in set_macros(p))
        symbols: dict[str, MacroValue] = {name: Presence.UNDEFINED if name in self.present else None for name in fixed}
        symbols = with_numbers(symbols, {n: _whole(declared[n].default) for n in symbols if n in declared})
        file = HlsFile.read(self.source, self.words, symbols)
        self.files = Files.of(file, self.words, symbols, list(declared.values()))
        self.file = self.files.plain
        self.warnings += self.file.warnings()
        self.loop_starts = [t.start for t in self.file.unit.tokens if t.at("for", "while", "do") and not t.made]

    def _functions(self, targets: Sequence[HlsPragma]) -> list[tuple[Function, HlsPragma | None]]:
        """The kernels: those that `hls` pragmas name, else those that the dialect marks, else the one with knobs."""
        no_duplicates([_Named(t.name, t.span) for t in targets if t.name is not None], "kernel")
        named: list[tuple[Function, HlsPragma | None]] = [(self._named(t), t) for t in targets if t.name is not None]
        if named:
            return named
        general = targets[0] if targets else None
        everything = self.file.unit.functions
        marked = [f for f in everything if _is_marked(f)]
        if not marked:
            called = {t.text for f in everything for t in f.tokens}
            tops = [f for f in everything if f.name.text not in called and f.name.text != "main" and not f.record]
            with_knobs = [f for f in tops if any(p.at("auto") for p in self._pragma_words(f))]
            marked = (with_knobs or (tops if general is not None or self.tuned else []))[-1:]
        if not marked:
            self._check_readable()
            raise SourceError("this file has no function for synthesis", self.source.span(0, 0), HINT)
        return [(f, general) for f in marked]

    def _pragma_words(self, function: Function) -> list[Token]:
        """Of the pragmas in its body."""
        inside = [p for p in self.file.pragmas if function.opening < p.before <= function.closing]
        return [word for pragma in inside for word in pragma.words]

    def _check_readable(self) -> None:
        """A function that is not found may stand where the file cannot be read."""
        if self.file.unit.faults:
            raise self.file.unit.unreadable(self.file.unit.faults[0])

    def _named(self, pragma: HlsPragma) -> Function:
        assert pragma.name is not None
        plain = plain_name(pragma.name)
        base = plain.rpartition("::")[2]
        functions = self.file.functions.get(base, [])
        qualified = [f for f in functions if f"::{f.qualified}".endswith(f"::{plain}")]
        if not qualified and len(functions) == 1:
            qualified = functions  # in a scope that the text does not show
        if qualified:
            return next((f for f in qualified if f.name.start > pragma.span.start), qualified[0])
        refusal = None if functions else missing_function(self.file.unit, base, pragma.span)
        if refusal is not None:
            raise refusal
        close = nearest(base, self.file.functions)
        names = [f.qualified for f in functions] or list(self.file.functions)
        hint = f"did you mean `{close}`?" if close and not functions else f"there are {', '.join(names) or 'none'}"
        raise SourceError(f"no function `{pragma.name}` is defined here", pragma.span, hint)

    # --- a kernel -------------------------------------------------------------------------------------------------

    def _kernel(
        self,
        function: Function,
        pragma: HlsPragma | None,
        values: Mapping[str, Expr],
        types: Mapping[str, Type],
        declared: Mapping[str, Parameter],
        knobs: Mapping[str, Knob],
        alone: bool,
    ) -> Kernel:
        dialect: HlsDialect = self.file.dialect_of(function)
        if pragma is not None and pragma.dialect is not None:
            dialect = pragma.dialect  # type: ignore[assignment]  # its parser saw to it
        defaults = {n: p.default for n, p in declared.items() if isinstance(p.default, int)}
        stated = replace(self._stated(function, pragma, types, values), defaults=defaults)
        domains = {name: declared[name].domain for name in stated.defaults}
        read = read_variants(self.files, function, dialect, values, stated, domains, self.warnings)
        parameters = self._parameters(read, declared, knobs, alone)
        if not parameters and not self.tuned:
            span = pragma.span if pragma is not None else read.body.span
            raise SourceError(f"nothing to tune: `{function.name.text}` has no parameter", span, HINT)
        own = {p.name for p in parameters}
        allowed = (c for c in self.files.allowed if free_names(c.expression) <= own)
        constraints = (*self._constraints(parameters, stated), *allowed)
        return Kernel(
            name=function.name.text,
            language="opencl" if dialect == "intel" and self.source.name.endswith(".cl") else "hls",
            source=self.source,
            parameters=parameters,
            constraints=constraints,
            bindings=tuple(self._binding(p, knobs) for p in parameters),
            body=replace(read.body, training=self._training([p.name for p in parameters], alone)),
            span=read.body.span,
        )

    def _training(self, parameters: Sequence[str], alone: bool) -> Training:
        """The command that measures the kernel, which has to be the file's only one."""
        texts = [p for p in self.pragmas if isinstance(p, TrainingText)]
        if not texts:
            return Training()
        if len(texts) > 1 or not alone:
            problem = "there is a command already" if len(texts) > 1 else "there are several kernels in this file"
            raise SourceError(problem, texts[-1].span, "one command measures one kernel")
        return Training(run=training_command(texts[0], self.source, parameters), limit_s=texts[0].limit_s)

    def _binding(self, parameter: Parameter, knobs: Mapping[str, Knob]) -> Binding:
        role: Literal["directive", "macro"] = "directive" if parameter.name in knobs else "macro"
        omitted = False if parameter.name in self.present else None
        return Binding(parameter.name, role, parameter.span, omitted=omitted)

    def _parameters(
        self, read: ReadKernel, declared: Mapping[str, Parameter], knobs: Mapping[str, Knob], alone: bool
    ) -> tuple[Parameter, ...]:
        """In the order of the source; of several kernels' each has those that it reads."""
        made = dict(declared)
        for name, knob in knobs.items():
            if name not in made and name in read.used:
                made[name] = (
                    mode_parameter(knob) if knob.kind == "mode" else factor_parameter(knob, read.factors.get(name))
                )
            elif name in made and name not in read.used:
                made.pop(name)
        kept = [p for p in made.values() if alone or p.name in read.used]
        return tuple(sorted(kept, key=lambda p: p.span.start if p.span is not None else 0))

    def _constraints(self, parameters: Sequence[Parameter], stated: Stated) -> tuple[Constraint, ...]:
        pragmas = [p for p in self.pragmas if isinstance(p, ConstraintPragma)]
        reader = TunablesReader(
            source=self.source, macros={}, words=frozenset(), includes=False, known=frozenset(), warnings=self.warnings
        )
        numbers = {name: n for name, e in stated.scalars.items() if (n := algebra.number(e)) is not None}
        return tuple(each(pragmas, lambda c: reader.constraint(c, parameters, {**self._numbers(), **numbers})))

    def _numbers(self) -> dict[str, int | float]:
        """The names in pragmas that are numbers, as large as an expression holds."""
        names = {name for pragma in self.text.pragmas for name in names_in(pragma.text)}
        return {name: n for name, n in constants(self.file.unit, names).items() if abs(n) <= INT_MAX}

    # --- what pragmas state ---------------------------------------------------------------------------------------

    def _stated(
        self, function: Function, pragma: HlsPragma | None, types: Mapping[str, Type], values: Mapping[str, Expr]
    ) -> Stated:
        known: dict[str, Expr] = {name: algebra.lift(n) for name, n in self._numbers().items() if name not in types}
        read = Amounts(self.source, dict(types), known)
        formals = {d.name.text for f in function.formals for d in f.declarators}
        scalars: dict[str, Expr] = {}
        extents: dict[str, tuple[Expr, ...]] = {}
        for argument in pragma.arguments if pragma is not None else ():
            if argument.name not in formals:
                close = nearest(argument.name, formals)
                hint = f"did you mean `{close}`?" if close else f"there are {', '.join(sorted(formals)) or 'none'}"
                raise SourceError(f"`{function.name.text}` has no parameter `{argument.name}`", argument.span, hint)
            if argument.value is not None:
                scalars[argument.name] = read.amount(argument.value)
                read.known[argument.name] = scalars[argument.name]
            else:
                extents[argument.name] = tuple(read.positive(length) for length in argument.lengths)
        trips = [p for p in self.pragmas if isinstance(p, HlsPragma) and p.is_trip]
        numbers = pragma.numbers if pragma is not None else {}
        amounts = {word: tuple(read.positive(text) for text in texts) for word, texts in numbers.items()}
        clock = amounts.get("clock")
        return Stated(
            scalars=scalars,
            extents=extents,
            trips={at: read.amount(p.numbers["trip"][0]) for p in trips if (at := self._loop_after(p)) is not None},
            items=amounts.get("global", ()),
            group=amounts.get("local", ()),
            work_items=amounts["work_items"][0] if "work_items" in amounts else None,
            launches=amounts["launches"][0] if "launches" in amounts else ONE,
            clock_hz=algebra.mul(clock[0], 1_000_000) if clock else None,
            rate=amounts["rate"][0] if "rate" in amounts else None,
        )

    def _loop_after(self, pragma: HlsPragma) -> int | None:
        at = min((start for start in self.loop_starts if start > pragma.span.start), default=None)
        if at is None:
            self.warnings.append(
                Diagnostic("no loop follows this `trip`", pragma.span, "write it before a loop", Severity.WARNING)
            )
        return at


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    span: Span


def _type_of(knob: Knob) -> Type:
    parameter = mode_parameter(knob) if knob.kind == "mode" else factor_parameter(knob, None)
    return parameter.type


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int) else None


def _is_marked(function: Function) -> bool:
    if {"__kernel", "kernel"} & set(function.words):
        return True
    return any([w.text.lower() for w in p.words[:2]] == ["accel", "kernel"] for p in function.pragmas)

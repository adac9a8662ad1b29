"""The `param` and `constraint` pragmas of one file, read beside its macros and its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, TunepassError, nearest
from tunepass.expr.nodes import BoolType, IntegerType, RealType
from tunepass.expr.numpy_eval import satisfied
from tunepass.frontends.c.lowering import macro_names
from tunepass.frontends.c.parameters.compilers import check_compilers
from tunepass.frontends.c.parameters.flags import Words, flag_words
from tunepass.frontends.c.parameters.macros import MacroDefault
from tunepass.frontends.c.parameters.param_pragmas import build_parameter
from tunepass.frontends.c.parameters.presence import presence_binding
from tunepass.frontends.c.pragmas.pragma import ConstraintPragma
from tunepass.frontends.cfamily.constants.plain_numbers import with_plain_numbers
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.tokens import explained
from tunepass.ir.kernel import Binding
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class TunablesReader:
    """`words` are the identifiers of the code, which `includes` files of its own; `known` the macros that parameters
    set. What is doubtful goes to `warnings`."""

    source: Source
    macros: Mapping[str, MacroDefault]
    words: frozenset[str]
    includes: bool
    known: frozenset[str]
    warnings: list[Diagnostic]
    present: frozenset[str] = frozenset()  # macros of which only `#ifdef` asks
    undefines: bool = True  # the compiler takes -U
    flags: dict[str, Words] = field(default_factory=dict)  # of the parameters read so far

    def parameter(self, pragma: ParamText) -> Parameter:
        if pragma.compiler:
            check_compilers(pragma)
        parameter, warnings = build_parameter(pragma, self.macros, self.known)
        self.flags[pragma.name], doubts = flag_words(pragma)
        self.warnings.extend((*warnings, *doubts))
        return parameter

    def binding(self, pragma: ParamText) -> Binding:
        """Of a macro, a `flag` or the compiler."""
        if pragma.compiler:
            return Binding(pragma.name, "compiler", pragma.span)
        if pragma.name in self.present:
            return presence_binding(pragma, undefines=self.undefines)
        return Binding(pragma.name, "flag" if pragma.flag else "macro", pragma.span, words=self.flags[pragma.name])

    def check_use(self, pragma: ParamText, parameter: Parameter) -> None:
        """A macro that no code uses would be tuned for nothing."""
        names = macro_names(parameter)
        if pragma.flag or pragma.compiler or pragma.name in self.present or self.words & set(names):
            return
        close = nearest(pragma.name, self.words)
        hint = f"did you mean `{close}`?" if close else "use it as a macro, or mark it `flag`"
        problem = Diagnostic(f"no code uses `{names[0]}`", pragma.span, hint)
        if not self.includes:
            raise SourceError(problem)
        hint = "unless an included file does, tuning it changes nothing"
        self.warnings.append(Diagnostic(f"no code in this file uses `{names[0]}`", pragma.span, hint, Severity.WARNING))

    def constraint(
        self,
        pragma: ConstraintPragma,
        parameters: Sequence[Parameter],
        sizes: Mapping[str, bool | int | float],
    ) -> Constraint:
        text = pragma.expression
        strings = {p.name for p in parameters if not isinstance(p.type, (BoolType, IntegerType, RealType))}
        plain = with_plain_numbers(text.text, strings)
        try:
            read = Constraint.parse(plain, parameters, source=self.source, offset=text.start, sizes=sizes)
        except TunepassError as error:
            raise explained(error, text, "a constraint") from None
        constraint = replace(read, text=text.text)
        columns = {p.name: p.column([p.default]) for p in parameters}
        if not satisfied(constraint.expression, columns, 1).all():
            hint = "the default is the first configuration tried; choose one that satisfies the constraints"
            self.warnings.append(
                Diagnostic("the default configuration violates this", pragma.span, hint, Severity.WARNING)
            )
        return constraint

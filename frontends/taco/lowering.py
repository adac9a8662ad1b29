"""The statements of a .taco file to a tensor kernel: names are looked up, what does not fit is told where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Protocol, TypeVar

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span, TunepassError, nearest
from tunepass.expr.numpy_eval import satisfied
from tunepass.frontends.params.build import construct, default_value
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.tokens import ExpressionText, explained
from tunepass.frontends.params.values import ToleranceText
from tunepass.frontends.problems import each
from tunepass.frontends.taco import lines
from tunepass.frontends.taco.amounts import Amounts
from tunepass.frontends.taco.declarations import declared
from tunepass.frontends.taco.directives import DirectiveReader
from tunepass.frontends.taco.parser import parse_assignment, parse_declaration, parse_schedule
from tunepass.frontends.taco.scope import Scope
from tunepass.frontends.taco.statements import Statement, statements
from tunepass.frontends.taco.written import Declaration, WrittenDirective
from tunepass.ir.kernel import Binding, Kernel
from tunepass.ir.stated_model import CALL_OBJECTIVES, StatedModel, check_objectives
from tunepass.ir.tensor import Assignment, Data, Directive, Tensor, TensorKernel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter


class Spanned(Protocol):
    @property
    def span(self) -> Span | None: ...


T = TypeVar("T", bound=Spanned)


class FileReader:
    """Reads statement by statement; names are looked up once all statements are sound."""

    def __init__(self, source: Source):
        self.source = source
        self.warnings: list[Diagnostic] = []
        self.assignments: list[tuple[Assignment, Span]] = []
        self.declarations: list[Declaration] = []
        self.params: list[ParamText] = []
        self.conditions: list[ExpressionText] = []
        self.models: list[lines.ModelText] = []
        self.directives: list[WrittenDirective] = []
        self.extents: list[lines.Extent] = []
        self.data: list[Data] = []
        self.tolerances: list[tuple[ToleranceText, Span]] = []

    def read(self) -> Kernel:
        each(statements(self.source), self.statement)
        assignment, span = self.assignment()
        tensors, notes = declared(assignment, self.declarations)
        self.warnings += notes
        self.no_duplicates(self.params, lambda p: p.name, "parameter")
        parameters = tuple(each(self.params, lambda param: construct(param, default_value(param))))
        each(self.extents, lambda extent: self.variable(extent, tensors))
        self.no_duplicates(self.extents, lambda e: e.variable, "the extent of")
        each(self.data, lambda datum: self.datum(datum, assignment, tensors))
        self.no_duplicates(self.data, lambda d: d.tensor, "the data of")
        sizes = {extent.variable: extent.extent for extent in self.extents}
        amounts = Amounts(parameters, sizes)
        schedule = self.schedule(assignment, tensors, amounts)
        constraints = each(self.conditions, lambda text: self.constraint(text, parameters, sizes))
        self.warn_of_unused(parameters, amounts)
        check_objectives([(m.name, m.span) for m in self.models], CALL_OBJECTIVES)
        tolerance = self.tolerance()
        body = TensorKernel(
            assignment=assignment,
            tensors=tensors,
            extents=tuple(sizes.items()),
            schedule=schedule,
            data=tuple(self.data),
            absolute_tolerance=tolerance.absolute if tolerance else None,
            relative_tolerance=tolerance.relative if tolerance else None,
        )
        return Kernel(
            name=re.sub(r"\W", "_", PurePath(self.source.name.replace("\\", "/")).stem) or "kernel",
            language="taco",
            source=self.source,
            parameters=parameters,
            constraints=(*constraints, *amounts.constraints),
            bindings=tuple(Binding(p.name, "directive", p.span) for p in parameters),
            body=body,
            models=tuple(each(self.models, lambda model: self.model(model, parameters, sizes))),
            span=span,
        )

    def statement(self, statement: Statement | SourceError) -> None:
        if isinstance(statement, SourceError):
            raise statement
        source, text, start = self.source, statement.text, statement.start
        match statement.word:
            case "tensor":
                self.declarations.append(parse_declaration(source, text, start))
            case "schedule":
                self.directives += parse_schedule(source, text, start)
            case "param":
                self.params.append(lines.read_param(source, statement))
            case "constraint":
                self.conditions.append(lines.read_constraint(source, statement))
            case "model":
                self.models.append(lines.read_model(source, statement))
            case "dim":
                self.extents += lines.read_extents(source, statement)
            case "bind":
                self.data.append(lines.read_bind(source, statement))
            case "generate":
                self.data.append(lines.read_generate(source, statement))
            case "tolerance":
                self.tolerances.append(lines.read_tolerance(source, statement))
            case _:
                self.assignments.append((parse_assignment(source, text, start), statement.span))

    def assignment(self) -> tuple[Assignment, Span]:
        if not self.assignments:
            span = self.source.span(0, 1) if self.source.text else None
            raise SourceError("no expression here", span, "write one, such as `A(i,k) = B(i,j) * C(j,k)`")
        if len(self.assignments) > 1:
            first = self.assignments[0][1]
            hint = f"the first is at {first}; put each in a file of its own"
            raise SourceError("a file has one expression, this is another", self.assignments[1][1], hint)
        return self.assignments[0]

    def no_duplicates(self, things: Sequence[T], name: Callable[[T], str], what: str) -> None:
        first: dict[str, Span | None] = {}
        for thing in things:
            if name(thing) in first:
                hint = f"the first is at {first[name(thing)]}"
                raise SourceError(f"{what} `{name(thing)}` is given twice", thing.span, hint)
            first[name(thing)] = thing.span

    def variable(self, extent: lines.Extent, tensors: Sequence[Tensor]) -> None:
        known = {variable for tensor in tensors for variable in tensor.index}
        if extent.variable not in known:
            close = nearest(extent.variable, known)
            hint = f"did you mean `{close}`?" if close else f"there are {', '.join(sorted(known))}"
            raise SourceError(f"no index variable `{extent.variable}` in the expression", extent.span, hint)

    def datum(self, datum: Data, assignment: Assignment, tensors: Sequence[Tensor]) -> None:
        names = [tensor.name for tensor in tensors]
        if datum.tensor not in names:
            close = nearest(datum.tensor, names)
            hint = f"did you mean `{close}`?" if close else f"there are {', '.join(names)}"
            raise SourceError(f"no tensor `{datum.tensor}` in the expression", datum.span, hint)
        if datum.tensor == assignment.left.tensor:
            raise SourceError(f"`{datum.tensor}` is the result, it has no data", datum.span)

    def schedule(self, assignment: Assignment, tensors: Sequence[Tensor], amounts: Amounts) -> tuple[Directive, ...]:
        """The directives that are read; what follows one that is wrong is about loops that are not there."""
        names = [tensor.name for tensor in tensors if tensor.name != assignment.left.tensor]
        variables = dict.fromkeys(v for tensor in tensors for v in tensor.index)
        reader = DirectiveReader(Scope(variables, names), amounts)
        return tuple(reader.read(written) for written in self.directives)

    def constraint(self, text: ExpressionText, parameters: Sequence[Parameter], sizes: Mapping[str, int]) -> Constraint:
        try:
            constraint = Constraint.parse(text.text, parameters, self.source, text.start, sizes)
        except TunepassError as error:
            raise explained(error, text, "a constraint") from None
        self.warn_of_default(constraint, parameters)
        return constraint

    def warn_of_default(self, constraint: Constraint, parameters: Sequence[Parameter]) -> None:
        if not satisfied(constraint.expression, {p.name: p.column([p.default]) for p in parameters}, 1).all():
            hint = "the default is the first configuration tried; choose one that satisfies the constraints"
            problem = "the default configuration violates this"
            self.warnings.append(Diagnostic(problem, constraint.span, hint, Severity.WARNING))

    def warn_of_unused(self, parameters: Sequence[Parameter], amounts: Amounts) -> None:
        for parameter in parameters:
            if parameter.name not in amounts.used:
                problem = f"no directive uses `{parameter.name}`: tuning it changes nothing"
                self.warnings.append(Diagnostic(problem, parameter.span, None, Severity.WARNING))

    def model(self, model: lines.ModelText, parameters: Sequence[Parameter], sizes: Mapping[str, int]) -> StatedModel:
        text = model.expression
        return StatedModel.parse(
            model.name, text.text, parameters, sizes, source=self.source, offset=text.start, span=model.span
        )

    def tolerance(self) -> ToleranceText | None:
        if len(self.tolerances) > 1:
            (_, first), (_, second), *_ = self.tolerances
            raise SourceError("`tolerance` is given twice", second, f"the first is at {first}")
        return self.tolerances[0][0] if self.tolerances else None

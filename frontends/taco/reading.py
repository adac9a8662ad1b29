"""All statements of a .taco file, as written, by what they begin with."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.tokens import ExpressionText
from tunepass.frontends.params.values import ToleranceText
from tunepass.frontends.problems import each
from tunepass.frontends.taco import lines
from tunepass.frontends.taco.parser import parse_assignment, parse_declaration, parse_schedule
from tunepass.frontends.taco.statements import Statement, statements
from tunepass.frontends.taco.written import Declaration, WrittenDirective
from tunepass.ir.tensor import Assignment, Data


@dataclass(slots=True)
class WrittenFile:
    """`add` fills it in, statement by statement."""

    source: Source
    assignments: list[tuple[Assignment, Span]] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    params: list[ParamText] = field(default_factory=list)
    conditions: list[ExpressionText] = field(default_factory=list)
    models: list[lines.ModelText] = field(default_factory=list)
    directives: list[WrittenDirective] = field(default_factory=list)
    extents: list[lines.Extent] = field(default_factory=list)
    data: list[Data] = field(default_factory=list)
    tolerances: list[tuple[ToleranceText, Span]] = field(default_factory=list)

    def add(self, statement: Statement | SourceError) -> None:
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


def read_file(source: Source) -> WrittenFile:
    """Raises SourceError with one diagnostic for each statement that cannot be read."""
    written = WrittenFile(source)
    each(statements(source), written.add)
    return written

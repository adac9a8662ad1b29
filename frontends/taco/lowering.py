"""The statements of a .taco file to a tensor kernel: names are looked up, what does not fit is told where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Protocol, TypeVar

from tunepass.diagnostics import Diagnostic, Severity, SourceError, Span, TunepassError, spelling_hint
from tunepass.expr.numpy_eval import satisfied
from tunepass.frontends.params.build import construct, default_value
from tunepass.frontends.params.tokens import ExpressionText, explained
from tunepass.frontends.params.values import ToleranceText
from tunepass.frontends.problems import each
from tunepass.frontends.taco.amounts import Amounts
from tunepass.frontends.taco.declarations import declared
from tunepass.frontends.taco.directives import TacoDirectiveReader
from tunepass.frontends.taco.lines import Extent, ModelText
from tunepass.frontends.taco.reading import WrittenFile
from tunepass.frontends.taco.scope import TacoScope
from tunepass.ir.kernel import Binding, Kernel
from tunepass.ir.stated_model import CALL_OBJECTIVES, StatedModel, check_objectives
from tunepass.ir.tensor import Assignment, Data, Generated, Tensor, TensorKernel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.checks import freeze
from tunepass.tensors.data.families.resolve import resolve
from tunepass.tensors.schedule.constraints import derived_constraints
from tunepass.tensors.schedule.nest import scheduled_nest
from tunepass.tensors.schedule.propose import proposal


class Spanned(Protocol):
    @property
    def span(self) -> Span | None: ...


T = TypeVar("T", bound=Spanned)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A kernel's body with its parameters, and what has to hold of these; whether it is legal is not asked yet."""

    body: TensorKernel
    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]
    warnings: tuple[Diagnostic, ...]


def lower(written: WrittenFile, most_threads: int) -> tuple[Kernel, tuple[Diagnostic, ...]]:
    """The kernel and the warnings. A schedule that is left out is proposed, for so many threads. Raises SourceError."""
    lowered = lower_body(written)
    _, span = _assignment(written)
    if not lowered.body.schedule:
        lowered = _proposed(lowered, written, span, most_threads)
    legal = _legal(lowered, span)
    check_objectives([(m.name, m.span) for m in written.models], CALL_OBJECTIVES)
    sizes = dict(lowered.body.extents)
    kernel = Kernel(
        name=re.sub(r"\W", "_", PurePath(written.source.name.replace("\\", "/")).stem) or "kernel",
        language="taco",
        source=written.source,
        parameters=lowered.parameters,
        constraints=(*lowered.constraints, *legal),
        bindings=tuple(Binding(p.name, "directive", p.span) for p in lowered.parameters),
        body=lowered.body,
        models=tuple(each(written.models, lambda model: _model(model, lowered.parameters, sizes, written))),
        span=span,
    )
    return kernel, (*lowered.warnings, *_warnings_of_defaults(kernel.constraints, kernel.parameters))


def _proposed(lowered: Lowered, written: WrittenFile, span: Span, most_threads: int) -> Lowered:
    """With the schedule and the parameters that are proposed for the expression."""
    if written.params:
        hint = "write one; without a `param` one is proposed, with its parameters"
        raise SourceError("there is no `schedule` that could use this", written.params[0].span, hint)
    made = proposal(lowered.body.assignment, lowered.body.tensors, most_threads)
    body = replace(lowered.body, schedule=made.directives, proposed=True)
    for parameter in made.parameters:
        freeze(parameter, span=span)
    return replace(lowered, body=body, parameters=made.parameters)


def _legal(lowered: Lowered, span: Span) -> tuple[Constraint, ...]:
    """What the schedule being legal asks of its parameters. Raises SourceError where it never is."""
    if not lowered.parameters:
        scheduled_nest(lowered.body, {})
        return ()
    constraints = derived_constraints(lowered.body, lowered.parameters)
    return tuple(constraint if constraint.span else replace(constraint, span=span) for constraint in constraints)


def lower_body(written: WrittenFile) -> Lowered:
    assignment, _ = _assignment(written)
    tensors, notes = declared(assignment, written.declarations)
    _no_duplicates(written.params, lambda param: param.name, "parameter")
    parameters = tuple(each(written.params, lambda param: construct(param, default_value(param))))
    each(written.extents, lambda extent: _check_extent(extent, tensors))
    _no_duplicates(written.extents, lambda extent: extent.variable, "the extent of")
    each(written.data, lambda datum: _check_datum(datum, assignment, tensors))
    _no_duplicates(written.data, lambda datum: datum.tensor, "the data of")
    sizes = {extent.variable: extent.extent for extent in written.extents}
    amounts = Amounts(parameters, sizes)
    operands = [tensor.name for tensor in tensors if tensor.name != assignment.left.tensor]
    variables = dict.fromkeys(variable for tensor in tensors for variable in tensor.index)
    reader = TacoDirectiveReader(TacoScope(variables, operands), amounts)
    # One that is wrong is told alone: those after it are about loops that are not there.
    schedule = tuple(reader.read(directive) for directive in written.directives)
    constraints = each(written.conditions, lambda text: _constraint(text, parameters, sizes, written))
    tolerance = _tolerance(written)
    body = TensorKernel(
        assignment=assignment,
        tensors=tensors,
        extents=tuple(sizes.items()),
        schedule=schedule,
        data=tuple(written.data),
        absolute_tolerance=tolerance.absolute if tolerance else None,
        relative_tolerance=tolerance.relative if tolerance else None,
    )
    unused = [_unused(p) for p in parameters if p.name not in amounts.used]
    return Lowered(body, parameters, tuple(constraints), (*notes, *unused))


def _assignment(written: WrittenFile) -> tuple[Assignment, Span]:
    if not written.assignments:
        span = written.source.span(0, 1) if written.source.text else None
        raise SourceError("no expression here", span, "write one, such as `A(i,k) = B(i,j) * C(j,k)`")
    first, *others = written.assignments
    if others:
        hint = f"the first is at {first[1]}; put each in a file of its own"
        raise SourceError("a file has one expression, this is another", others[0][1], hint)
    return first


def _no_duplicates(things: Sequence[T], name: Callable[[T], str], what: str) -> None:
    first: dict[str, Span | None] = {}
    for thing in things:
        if name(thing) in first:
            hint = f"the first is at {first[name(thing)]}"
            raise SourceError(f"{what} `{name(thing)}` is given twice", thing.span, hint)
        first[name(thing)] = thing.span


def _check_extent(extent: Extent, tensors: Sequence[Tensor]) -> None:
    known = {variable for tensor in tensors for variable in tensor.index}
    if extent.variable not in known:
        hint = spelling_hint(extent.variable, known, f"there are {', '.join(sorted(known))}")
        raise SourceError(f"no index variable `{extent.variable}` in the expression", extent.span, hint)


def _check_datum(datum: Data, assignment: Assignment, tensors: Sequence[Tensor]) -> None:
    names = [tensor.name for tensor in tensors]
    if datum.tensor not in names:
        hint = spelling_hint(datum.tensor, names, f"there are {', '.join(names)}")
        raise SourceError(f"no tensor `{datum.tensor}` in the expression", datum.span, hint)
    if datum.tensor == assignment.left.tensor:
        raise SourceError(f"`{datum.tensor}` is the result, it has no data", datum.span)
    if isinstance(datum, Generated):
        resolve(datum)


def _constraint(
    text: ExpressionText, parameters: Sequence[Parameter], sizes: Mapping[str, int], written: WrittenFile
) -> Constraint:
    try:
        return Constraint.parse(text.text, parameters, written.source, text.start, sizes)
    except TunepassError as error:
        raise explained(error, text, "a constraint") from None


def _model(
    model: ModelText, parameters: Sequence[Parameter], sizes: Mapping[str, int], written: WrittenFile
) -> StatedModel:
    text = model.expression
    return StatedModel.parse(
        model.name, text.text, parameters, sizes, source=written.source, offset=text.start, span=model.span
    )


def _tolerance(written: WrittenFile) -> ToleranceText | None:
    if len(written.tolerances) > 1:
        (_, first), (_, second), *_ = written.tolerances
        raise SourceError("`tolerance` is given twice", second, f"the first is at {first}")
    return written.tolerances[0][0] if written.tolerances else None


def _warnings_of_defaults(constraints: Sequence[Constraint], parameters: Sequence[Parameter]) -> list[Diagnostic]:
    columns = {p.name: p.column([p.default]) for p in parameters}
    hint = "the default is the first configuration tried; choose one that satisfies the constraints"
    return [
        Diagnostic("the default configuration violates this", constraint.span, hint, Severity.WARNING)
        for constraint in constraints
        if not satisfied(constraint.expression, columns, 1).all()
    ]


def _unused(parameter: Parameter) -> Diagnostic:
    problem = f"no directive uses `{parameter.name}`: tuning it changes nothing"
    return Diagnostic(problem, parameter.span, None, Severity.WARNING)

"""One app of a file, lowered: host statements up to `Accel` are evaluated for what they fix, then the accelerator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.expr.printer import to_text
from tunepass.frontends.spatial.elaborate.bodies import dataflow, stages
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.numbers.extents import MEAN, Extents
from tunepass.frontends.spatial.elaborate.program import ProgramElaborator
from tunepass.frontends.spatial.elaborate.settling import Settled, settle, warn_of_assumed
from tunepass.frontends.spatial.elaborate.values import Scope, TupleOf
from tunepass.frontends.spatial.host.code import HostCode
from tunepass.frontends.spatial.host.surroundings import app_scope, command_line
from tunepass.frontends.spatial.host.types import file_types
from tunepass.frontends.spatial.outline.apps import App, accel_body, accels
from tunepass.frontends.spatial.parameters.declared import Declared
from tunepass.frontends.spatial.parameters.toggles import Toggle, with_toggles
from tunepass.frontends.spatial.parameters.widths import tuned_widths
from tunepass.frontends.spatial.syntax.lexer import Tokens
from tunepass.frontends.spatial.syntax.parser import parse
from tunepass.ir.hardware import Controller, Program, Schedule
from tunepass.ir.kernel import OpenSize


@dataclass(frozen=True, slots=True)
class Lowered:
    """An app's program, with the context that holds its declared parameters and warnings, and its toggles."""

    app: App
    settled: Settled
    context: Context
    toggles: tuple[Toggle, ...] = ()

    @property
    def program(self) -> Program:
        return self.settled.program

    @property
    def open_sizes(self) -> tuple[OpenSize, ...]:
        """What the user gave of this app's sizes, and what times assume."""
        extents = self.context.extents
        given = [OpenSize(name, extents.given[name], False) for name in sorted(extents.used)]
        assumed = []
        for extent, value in self.settled.assumed:
            number = algebra.number(value)
            if extent.why != MEAN:
                assumed.append(OpenSize(extent.name, to_text(value) if number is None else number, True))
        return (*given, *assumed)


def lower(tokens: Tokens, app: App, sizes: Mapping[str, int] | None = None) -> Lowered:
    """Raises SourceError for what cannot be read; what is not modelled is a warning in the context. `sizes` are what
    the user says of sizes that the source leaves open."""
    widths = tuned_widths(tokens.source)
    context = Context(file_types(tokens, app, widths), Extents(sizes))
    for width in widths.values():
        context.unique(width.name)
    elaborator = ProgramElaborator(context, tokens)
    opened = accels(tokens, app.first, app.last)
    if len(opened) > 1:
        context.warn("this app has more than one `Accel`; the first is taken", tokens.span(opened[1], opened[1]))
    code = HostCode(tokens, app, elaborator)
    words = command_line(tokens, app)
    self_name = 2 if tokens.items[app.first + 1].text == "=>" else 0  # { self => …
    place = tokens.span(app.first, app.first)
    try:
        scope = app_scope(code)
        if words is not None:
            scope.set("args", TupleOf(words))
        scope = code.run_until(opened[0], app.first + self_name, app.last, scope)
        place = tokens.span(opened[0], opened[0])
        accel = _accel(elaborator, opened[0], scope)
    except RecursionError:
        raise SourceError("an expression in here is nested too deeply", place) from None
    accel, toggles = with_toggles(accel, context.switches, context.unique)
    context.declared[:0] = _widths_of(tokens, app, widths.values(), Program(accel, tuple(context.outside)))
    settled = settle(context, Program(accel, tuple(context.outside)))
    warn_of_assumed(context, settled.assumed)
    context.warnings.sort(key=lambda warning: warning.span.start if warning.span is not None else 0)
    return Lowered(app, settled, context, toggles)


def _widths_of(tokens: Tokens, app: App, widths: Iterable[Declared], program: Program) -> list[Declared]:
    """The widths that the program has, or that stand in the app."""
    used, body = program.tuned_widths(), tokens.span(app.first, app.last)
    return [w for w in widths if w.name in used or body.start <= w.span.start < body.end]


def _accel(elaborator: ProgramElaborator, opened: int, scope: Scope) -> Controller:
    """The accelerator that token `opened` opens."""
    tokens, context = elaborator.tokens, elaborator.context
    brace = accel_body(tokens, opened)
    if brace is None:
        raise SourceError("`Accel` needs a body in braces", tokens.span(opened, opened))
    block = parse(tokens, brace + 1, tokens.partner[brace])
    with context.body() as body:
        elaborator.block(block, scope)
    return Controller(
        label="accel",
        kind="accel",
        schedule=Schedule.INNER if body.is_inner else Schedule.SEQUENTIAL,
        stages=() if body.is_inner else stages(body),
        operations=dataflow(body.ops) if body.is_inner else (),
        memories=tuple(body.memories),
        span=tokens.span(opened, opened),
    )

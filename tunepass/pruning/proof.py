"""Z3 held against an answer: does anything in it break a condition, does anything outside meet them all?

Both questions are about what the reference reader computes: a formula of reals also holds within rounding of its limit,
and a configuration that Z3 finds is counted against the answer only where the reader agrees with Z3.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tunepass.expr.nodes import OrderType
from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.smt.text import FALSE, TRUE, conjunction, negation
from tunepass.expr.smt.writer import SmtWriter
from tunepass.pruning.answer_formula import box_formula, diagram_lines, union_formula
from tunepass.pruning.base import Remaining
from tunepass.pruning.box_union import Box, BoxGroup, BoxUnion, halves, volume
from tunepass.pruning.diagram import DiagramRemaining
from tunepass.pruning.smt import kept, writer_of
from tunepass.pruning.z3_session import Model, Verdict, Z3Session
from tunepass.space.columns import Column, Columns
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.components import components
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.parameter import Parameter

PATIENCE_S = 60.0  # of one question; then the space is halved
WRONG_INSIDE, WRONG_OUTSIDE = "in", "out"


@dataclass(frozen=True, slots=True)
class Proof:
    """`refuted`: a configuration that the answer has and the conditions do not, or the other way round (`inside` says
    which); with it None and nothing `open` the answer is proved. `rounded`: configurations so close to a limit that the
    reader decided them; `questions` were asked of Z3."""

    questions: int
    rounded: int
    open: int
    seconds: float
    refuted: Configuration | None = None
    inside: bool = False

    @property
    def proved(self) -> bool:
        return self.refuted is None and not self.open


def prove(
    parameters: Sequence[Parameter],
    constraints: Sequence[Constraint],
    remaining: Remaining,
    *,
    stop: Callable[[], bool] | None = None,
    patience_s: float = PATIENCE_S,
) -> Proof:
    """Holds `remaining` against the constraints. TypeError for an answer that is no diagram and no boxes."""
    begun = time.perf_counter()
    questions = rounded = left = 0
    for members, own in _parts(parameters, constraints, remaining):
        part = _Part(members, own, remaining, stop or (lambda: False), patience_s)
        part.run()
        questions, rounded, left = questions + part.questions, rounded + part.rounded, left + part.open
        if part.refuted is not None:
            columns, inside = part.refuted
            values = {p.name: p.values(columns[p.name])[0] for p in members}
            seconds = time.perf_counter() - begun
            return Proof(questions, rounded, left, seconds, Configuration(values), inside)
    return Proof(questions, rounded, left, time.perf_counter() - begun)


def _parts(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], remaining: Remaining
) -> list[tuple[list[Parameter], list[Constraint]]]:
    """Parameters that conditions tie together, with those conditions: each part of an answer is proved by itself. Where
    nothing is left it is enough that nothing is left of one part, or of what depends on nothing."""
    if any(not c.names and not satisfied(c.expression, {}, 1)[0] for c in constraints):
        return [] if not remaining.count.high else [(list(parameters), list(constraints))]
    tied = [
        ([p for p in parameters if p.name in names], [constraints[i] for i in numbers])
        for names, numbers in components(parameters, constraints)
        if numbers
    ]
    if remaining.count.high:
        return tied
    empty = [part for part in tied if _formula(part[0], remaining, writer_of(part[0]))[1] == FALSE]
    return empty[:1] or tied


def _formula(members: Sequence[Parameter], remaining: Remaining, writer: SmtWriter) -> tuple[list[str], str]:
    """What is left of these parameters."""
    names = {p.name for p in members}
    if not isinstance(remaining, DiagramRemaining | BoxUnion):
        raise TypeError(f"an answer of {type(remaining).__name__} has no formula")
    if not remaining.groups and not remaining.count.high:
        return [], FALSE
    for group in remaining.groups:
        if names != {p.name for p in group.parameters}:
            continue
        if isinstance(group, DiagramGroup):
            return diagram_lines(group, writer)
        if isinstance(group, BoxGroup):
            return [], union_formula(group, writer)
    return [], TRUE


class _Part:
    def __init__(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        remaining: Remaining,
        stop: Callable[[], bool],
        patience_s: float,
    ):
        self.parameters, self.constraints, self.stop = tuple(parameters), tuple(constraints), stop
        self.writer = writer_of(parameters)
        truth = kept(self.writer, constraints)
        lines, answer = _formula(parameters, remaining, self.writer)
        wrong = {
            WRONG_INSIDE: conjunction(answer, truth.may_not),
            WRONG_OUTSIDE: conjunction(negation(answer), truth.may),
        }
        self.session = Z3Session([*self.writer.lines, *lines], wrong, patience_s)
        self.scalars = [p for p in parameters if not isinstance(p.type, OrderType)]
        self.questions = self.rounded = self.open = 0
        self.refuted: tuple[Columns, bool] | None = None

    def run(self) -> None:
        whole: Box = tuple((0, (p.size or 1) - 1) for p in self.scalars)
        for question in (WRONG_INSIDE, WRONG_OUTSIDE):
            pending = [whole]
            while pending and self.refuted is None:
                if self.stop():
                    self.open += len(pending)
                    break
                box = pending.pop()
                pending += self._asked(question, box)

    def _asked(self, question: str, box: Box) -> list[Box]:
        """The boxes that are to be asked about still."""
        self.questions += 1
        verdict = self.session.ask(question, box_formula(self.scalars, self.writer, box))
        if verdict is Verdict.NEVER:
            return []
        if verdict is Verdict.UNKNOWN:
            if volume(box) > 1:
                return halves(box)
            self.open += 1
            return []
        columns = self._columns(self.session.model())
        meets = all(bool(satisfied(c.expression, columns, 1)[0]) for c in self.constraints)
        if meets == (question == WRONG_OUTSIDE):
            self.refuted = columns, question == WRONG_INSIDE
            return []
        self.rounded += 1
        self.session.add(negation(conjunction(*self._point(columns))))
        return [box]

    def _columns(self, model: Model) -> Columns:
        """The one row that a model is."""
        columns: dict[str, Column] = {}
        for p in self.parameters:
            if isinstance(p.type, OrderType):
                codes = [[int(model[place]) for place in self.writer.positions(p.name)]]
                columns[p.name] = p.from_codes(np.array(codes, np.int64))
            else:
                value = model[self.writer.symbols[p.name]]
                number = float(value) if isinstance(value, Fraction) else value
                columns[p.name] = np.array([number], p.at(np.zeros(1, np.int64)).dtype)
        return columns

    def _point(self, columns: Columns) -> list[str]:
        """That every parameter has its value there."""
        formulas = []
        for p in self.parameters:
            column = columns[p.name].tolist()[0]
            if isinstance(p.type, OrderType):
                places = self.writer.positions(p.name)
                formulas += [f"(= {place} {code})" for place, code in zip(places, p.codes(columns[p.name])[0])]
            elif isinstance(column, bool):
                formulas.append(self.writer.symbols[p.name] if column else f"(not {self.writer.symbols[p.name]})")
            else:
                formulas.append(f"(= {self.writer.symbols[p.name]} {self.writer.literal(p.name, column)})")
        return formulas

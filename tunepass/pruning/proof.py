"""Z3 held against an answer: does anything in it break a condition, does anything outside meet them all?

Both questions are about what the reference reader computes: a formula of reals also holds within rounding of its limit,
and a configuration that Z3 finds is counted against the answer only where the reader agrees with Z3. Where Z3 does not
settle a question, the space is split, down to single configurations, which Z3 works out in exact numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tunepass.expr.nodes import OrderType
from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.smt.text import conjunction, negation
from tunepass.pruning.answer_formula import Answer, answer_parts
from tunepass.pruning.base import Remaining
from tunepass.pruning.box_union import Box, volume
from tunepass.pruning.smt import kept, writer_of
from tunepass.pruning.z3_boxes import BoxQuestions
from tunepass.pruning.z3_session import Model, SolverVerdict
from tunepass.space.columns import Column, Columns
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.spread import Spread, in_turn

PATIENCE_S = 60.0  # of one question; then its box is split
WRONG_INSIDE, WRONG_OUTSIDE = "in", "out"


@dataclass(frozen=True, slots=True)
class Proof:
    """`refuted`: a configuration that the answer has and the conditions do not, or the other way round (`inside` says
    which); with it None and nothing `open` the answer is proved. `rounded`: configurations so close to a limit that the
    reader decided them; `questions` were asked of Z3; `open`: boxes of `open_volume` configurations that were not
    settled. `bounded`: the answer is two numbers, and Z3 was not asked."""

    questions: int
    rounded: int
    open: int
    open_volume: int
    seconds: float
    refuted: Configuration | None = None
    inside: bool = False
    bounded: bool = False

    @property
    def proved(self) -> bool:
        return self.refuted is None and not self.open and not self.bounded


def prove(
    parameters: Sequence[Parameter],
    constraints: Sequence[Constraint],
    remaining: Remaining,
    *,
    stop: Callable[[], bool] | None = None,
    patience_s: float = PATIENCE_S,
    spread: Spread = in_turn,
) -> Proof:
    """Holds `remaining` against the constraints."""
    begun = time.perf_counter()
    if not remaining.count.exact:
        return Proof(0, 0, 0, 0, 0.0, bounded=True)
    questions = rounded = left = volumes = 0
    for answer in answer_parts(parameters, constraints, remaining):
        part = _Part(answer, stop or (lambda: False), patience_s, spread)
        part.run()
        questions, rounded = questions + part.questions, rounded + part.rounded
        left, volumes = left + len(part.open), volumes + sum(map(volume, part.open))
        if part.refuted is not None:
            columns, inside = part.refuted
            values = {p.name: p.values(columns[p.name])[0] for p in answer.parameters}
            seconds = time.perf_counter() - begun
            return Proof(questions, rounded, left, volumes, seconds, Configuration(values), inside)
    return Proof(questions, rounded, left, volumes, time.perf_counter() - begun)


class _Part:
    """Parameters that conditions tie together, with those conditions and what is said to be left of them."""

    def __init__(self, answer: Answer, stop: Callable[[], bool], patience_s: float, spread: Spread):
        self.parameters, self.constraints = answer.parameters, answer.constraints
        self.stop, self.spread = stop, spread
        self.writer = writer_of(self.parameters)
        truth = kept(self.writer, self.constraints)
        lines, formula = answer.formula(self.writer)
        wrong = {
            WRONG_INSIDE: conjunction(formula, truth.may_not),
            WRONG_OUTSIDE: conjunction(negation(formula), truth.may),
        }
        scalars = [p for p in self.parameters if not isinstance(p.type, OrderType)]
        self.boxes = BoxQuestions(scalars, self.constraints, self.writer, lines, wrong, patience_s)
        self.questions = self.rounded = 0
        self.open: list[Box] = []
        self.excluded: list[str] = []
        self.refuted: tuple[Columns, bool] | None = None

    def run(self) -> None:
        """All boxes of a round at once, then what is left of those that Z3 did not settle."""
        for question in (WRONG_INSIDE, WRONG_OUTSIDE):
            pending = [self.boxes.whole]
            while pending and self.refuted is None:
                if self.stop():
                    self.open += pending
                    break
                pending = self._round(question, pending)

    def _round(self, question: str, pending: Sequence[Box]) -> list[Box]:
        following: list[Box] = []
        questions = [self.boxes.question(question, box, self.excluded) for box in pending]
        answers = self.boxes.answered(questions, self.spread)
        for number, (box, (verdict, model)) in enumerate(zip(pending, answers)):
            self.questions += 1
            following += self._considered(question, box, verdict, model)
            if self.refuted is not None:
                break
            if self.stop():
                following += pending[number + 1 :]
                break
        return following

    def _considered(self, question: str, box: Box, verdict: SolverVerdict, model: Model | None) -> list[Box]:
        """The boxes that are to be asked about still."""
        if verdict is SolverVerdict.NEVER:
            return []
        if model is None:
            if volume(box) > 1:
                return self.boxes.split(box)
            self.open.append(box)
            return []
        columns = self._columns(model)
        meets = all(bool(satisfied(c.expression, columns, 1)[0]) for c in self.constraints)
        if meets == (question == WRONG_OUTSIDE):
            self.refuted = columns, question == WRONG_INSIDE
            return []
        self.rounded += 1
        self.excluded.append(negation(conjunction(*self._point(columns))))
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

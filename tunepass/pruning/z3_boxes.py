"""Questions of Z3 about boxes of a space, and how boxes are split that it does not settle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from tunepass.expr.smt.writer import SmtWriter
from tunepass.pruning.answer_formula import box_formula, place_values
from tunepass.pruning.box_union import Box, volume
from tunepass.pruning.splits import fixed_first, is_linear, split, split_order
from tunepass.pruning.z3_session import Model, Script, SolverQuestion, SolverVerdict, all_answered
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.spread import Spread

EFFORT = 1_000  # of Z3, in its units, for each configuration of a box: less than what it takes to work out one
SMALL = 128  # configurations of a box that are worked out one by one sooner than together
TOGETHER = 16  # questions that a worker is handed at once
MOST_EFFORT = 2_000_000  # for a box that can still be split to be linear: some tenths of a second


class BoxQuestions:
    """`questions` are formulas over what `writer` declares and `lines` define; boxes are of scalar `parameters`."""

    def __init__(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint],
        writer: SmtWriter,
        lines: Sequence[str],
        questions: Mapping[str, str],
        patience_s: float,
    ):
        self.parameters, self.writer, self.patience_s = tuple(parameters), writer, patience_s
        self.script = Script((*writer.lines, *lines), tuple(questions.items()))
        self.values = [place_values(p) for p in self.parameters]
        self.first = fixed_first(self.parameters, constraints)
        self.order = split_order(self.whole, self.first)

    @cached_property
    def whole(self) -> Box:
        return tuple((0, len(values) - 1) for values in self.values)

    def question(self, name: str, box: Box, where: Sequence[str] = ()) -> SolverQuestion:
        fixed, formulas = [], []
        for i in self.order:
            p, (lo, hi) = self.parameters[i], box[i]
            if lo == hi:
                fixed.append((self.writer.symbols[p.name], self.values[i][lo]))
            else:
                formulas += box_formula([p], self.writer, ((lo, hi),))
        effort = volume(box) * EFFORT if volume(box) > 1 else None
        if effort is not None and not is_linear(box, self.first):
            effort = min(effort, MOST_EFFORT)
        return SolverQuestion(self.script, name, tuple(fixed), (*formulas, *where), self.patience_s, effort)

    def answered(
        self, questions: Sequence[SolverQuestion], spread: Spread
    ) -> Iterator[tuple[SolverVerdict, Model | None]]:
        """In their order. A worker takes several at once, where there are many."""
        several = max(1, min(TOGETHER, len(questions) // (2 * TOGETHER)))
        batches = [questions[start : start + several] for start in range(0, len(questions), several)]
        return chain.from_iterable(spread(all_answered, batches))

    def split(self, box: Box) -> list[Box]:
        """Parts of a box; small ones configuration by configuration."""
        parts: list[Box] = []
        pending = split(box, self.first)[::-1]
        while pending:
            part = pending.pop()
            if 1 < volume(part) <= SMALL:
                pending += split(part, self.first)[::-1]
            else:
                parts.append(part)
        return parts

"""A language whose sources state their own cost: frontend, body and backend."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

import tunepass as tp
from tunepass.extension import Expr, algebra, named_objectives, parse_expression, source_hash, space_hash


@dataclass(frozen=True, slots=True)
class Plan(tp.Body):
    """What is particular to a plan: its cycles, over the kernel's parameters."""

    kind: ClassVar[str] = "plan"
    cycles: Expr


class PlanFrontend(tp.Frontend):
    """Lines `NAME VALUE, ...` (the first is the default), `require CONDITION`, and at the end `cycles EXPRESSION`."""

    suffixes: ClassVar[tuple[str, ...]] = (".plan",)

    def parse(self, source: tp.Source, only: str | None = None, words: Sequence[str] = ()) -> tp.Parsed:
        parameters: list[tp.Ordinal] = []
        constraints: list[tp.Constraint] = []
        body: Plan | None = None
        for line in re.finditer(r"(\w+) (.+)|.+", source.text):
            span, (word, rest) = source.span(*line.span()), line.groups()
            if word == "require":
                constraints.append(tp.Constraint.parse(rest, parameters, source, line.start(2)))
            elif word == "cycles":
                types = {p.name: p.type for p in parameters}
                body = Plan(parse_expression(rest, types, source=source, offset=line.start(2)))
            elif word and re.fullmatch(r"\d+(, \d+)*", rest):
                parameters.append(tp.Ordinal(word, [int(value) for value in rest.split(", ")], span=span))
            else:
                raise tp.SourceError("expected a parameter, `require` or `cycles`", span)
        if body is None:
            raise tp.SourceError("a plan ends with its cycles", source.span())
        kernel = tp.Kernel(
            name=PurePath(source.name).stem,
            language="plan",
            source=source,
            parameters=tuple(parameters),
            constraints=tuple(constraints),
            bindings=tuple(tp.Binding(p.name, "argument", p.span) for p in parameters),
            body=body,
        )
        return tp.Parsed((kernel,))

    def emit(self, kernels: Sequence[tp.Kernel], note: str = "", word: str = "tuned") -> tuple[tp.EmittedFile, ...]:
        lines = [f"# {line}" for line in note.splitlines()]
        lines += [f"{choice.parameter} = {choice.value}" for kernel in kernels for choice in kernel.schedule]
        stem = PurePath(kernels[0].source.name).stem
        return (tp.EmittedFile(f"{stem}.{word}.plan", "\n".join(lines) + "\n"),)


class PlanBackend(tp.Backend):
    """Prices a plan by the cycles that it states."""

    kind: ClassVar[str] = Plan.kind
    device = "paper"

    def objectives(self) -> tuple[tp.Objective, ...]:
        cycles = tp.Objective("cycles")
        return named_objectives((cycles,), self.target.objectives, "a plan has cycles") or (cycles,)

    def identity(self, space: tp.Space) -> tp.Identity:
        return tp.Identity(source=source_hash(self.kernel.source.text), space=space_hash(space), device=self.device)

    def costs(self) -> tp.Costs:
        cycles = self.kernel.body_as(Plan).cycles
        return tp.Costs(values={"cycles": cycles}, units={}, fits=algebra.lift(True), limits={}, name="the plan")

"""The one place that speaks to Z3 (the package z3-solver, an extra): scripts in, verdicts and models out."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from types import ModuleType
from typing import Any

from tunepass.diagnostics import TunepassError

QUESTION = "q."  # no parameter's name begins so
Model = Mapping[str, bool | int | Fraction]


class Verdict(Enum):
    NEVER = "unsat"
    SOMEWHERE = "sat"
    UNKNOWN = "unknown"


def z3_module() -> ModuleType:
    try:
        return importlib.import_module("z3")
    except ImportError:
        raise TunepassError(
            "Z3 is not installed", hint="pip install 'tunepass[smt]', or use --solver diagram, which needs none"
        ) from None


class Z3Session:
    """`lines` declare and define what the formulas of `questions` name; a question is asked by its own name. Each
    session has a context of its own: threads may have one each."""

    def __init__(self, lines: Sequence[str], questions: Mapping[str, str], patience_s: float):
        self._z3 = z3_module()
        self._context = self._z3.Context()
        self._solver = self._z3.Solver(ctx=self._context)
        self._solver.set("timeout", max(1, round(patience_s * 1000)))
        asked = [f"(declare-const {QUESTION}{name} Bool)" for name in questions]
        asked += [f"(assert (=> {QUESTION}{name} {formula}))" for name, formula in questions.items()]
        self._solver.from_string("\n".join([*lines, *asked]))
        self._constants = {name: self._constant(name, sort) for name, sort in _declared(lines)}
        self._questions = {name: self._constant(f"{QUESTION}{name}", "Bool") for name in questions}
        self._model: Any = None

    def _constant(self, name: str, sort: str) -> Any:
        kind = {"Bool": self._z3.BoolSort, "Int": self._z3.IntSort, "Real": self._z3.RealSort}[sort](self._context)
        return self._z3.Const(name.strip("|"), kind)

    def add(self, formula: str) -> None:
        """Asserts, for all that is asked from now on, a formula over declared names."""
        self._solver.add(self._parsed([formula]))

    def _parsed(self, formulas: Sequence[str]) -> Any:
        text = "".join(f"(assert {formula})" for formula in formulas)
        return self._z3.parse_smt2_string(text, decls=self._constants, ctx=self._context)

    def ask(self, question: str, where: Sequence[str] = ()) -> Verdict:
        """Whether the question's formula holds somewhere where these formulas over declared names do."""
        self._solver.push()
        try:
            if where:
                self._solver.add(self._parsed(where))
            answer = str(self._solver.check(self._questions[question]))
            self._model = self._solver.model() if answer == Verdict.SOMEWHERE.value else None
        finally:
            self._solver.pop()
        return Verdict(answer)

    def model(self) -> Model:
        """The values of the declared names where the last question held."""
        found: dict[str, bool | int | Fraction] = {}
        for name, constant in self._constants.items():
            value: Any = self._model.eval(constant, model_completion=True)
            if self._z3.is_bool(value):
                found[name] = bool(self._z3.is_true(value))
            elif self._z3.is_int(value):
                found[name] = int(value.as_long())
            else:
                found[name] = Fraction(value.as_fraction())
        return found


def _declared(lines: Sequence[str]) -> list[tuple[str, str]]:
    words = (line.split() for line in lines if line.startswith("(declare-const "))
    return [(name, sort.rstrip(")")) for _, name, sort, *_ in words]

"""The one place that speaks to Z3 (the package z3-solver, an extra): questions in, verdicts and models out.

What a question fixes is put into its formula before Z3 reasons: Z3's simplifier folds it in exact numbers, so that a
question about a single configuration is arithmetic, and one about a few parameters has only those left in it. Formulas
that were folded are kept for questions that fix the same and more.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import Any

from tunepass.diagnostics import TunepassError

Value = bool | int | float | Fraction
Model = Mapping[str, bool | int | Fraction]
MOST_FOLDED = 64  # questions whose formulas are kept
MEBIBYTE_MOST = 4096  # of Z3's memory in one process; what would take more stays unknown


class SolverVerdict(Enum):
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


@dataclass(frozen=True, slots=True)
class Script:
    """`lines` declare and define what the formulas of `questions` name."""

    lines: tuple[str, ...]
    questions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SolverQuestion:
    """Whether the formula of that name holds somewhere where names have the values that are `fixed`, best in the order
    in which a space is split, and the formulas `where` hold. `effort`: how much work Z3 may spend, in its own units;
    `patience_s`: how long it may take besides."""

    script: Script
    name: str
    fixed: tuple[tuple[str, Value], ...]
    where: tuple[str, ...]
    patience_s: float
    effort: int | None = None


def answered(question: SolverQuestion) -> tuple[SolverVerdict, Model | None]:
    """The verdict, with a model where it is somewhere. A process reads each script once."""
    return _session(question.script).ask(question)


def all_answered(questions: Sequence[SolverQuestion]) -> list[tuple[SolverVerdict, Model | None]]:
    return [answered(question) for question in questions]


@lru_cache(maxsize=8)
def _session(script: Script) -> Z3Session:
    return Z3Session(script)


class Z3Session:
    """A script that was read. Each session has a context of its own."""

    def __init__(self, script: Script):
        self._z3 = z3_module()
        self._z3.set_param("memory_max_size", MEBIBYTE_MOST)
        self._context = self._z3.Context()
        self._sorts = dict(_declared(script.lines))
        self._constants = {name: self._constant(name, sort) for name, sort in self._sorts.items()}
        assertions = [f"(assert {formula})" for _, formula in script.questions]
        read = list(self._z3.parse_smt2_string("\n".join([*script.lines, *assertions]), ctx=self._context))
        given = len(read) - len(assertions)
        self._conditions = read[:given]
        self._folded = lru_cache(maxsize=MOST_FOLDED)(self._fold)
        self._formulas = {name: formula for (name, _), formula in zip(script.questions, read[given:])}

    def _constant(self, name: str, sort: str) -> Any:
        kind = {"Bool": self._z3.BoolSort, "Int": self._z3.IntSort, "Real": self._z3.RealSort}[sort](self._context)
        return self._z3.Const(name.strip("|"), kind)

    def _value(self, name: str, value: Value) -> Any:
        if self._sorts[name] == "Bool":
            return self._z3.BoolVal(bool(value), self._context)
        if self._sorts[name] == "Int":
            return self._z3.IntVal(int(value), self._context)
        fraction = Fraction(value)
        return self._z3.Q(fraction.numerator, fraction.denominator, self._context)

    def ask(self, question: SolverQuestion) -> tuple[SolverVerdict, Model | None]:
        fixed = dict(question.fixed)
        pairs = [(self._constants[name], self._value(name, value)) for name, value in fixed.items()]
        text = "".join(f"(assert {formula})" for formula in question.where)
        where = self._z3.parse_smt2_string(text, decls=self._constants, ctx=self._context) if text else ()
        folded = self._folded(question.name, question.fixed)
        folded = (*folded, *(self._z3.simplify(self._z3.substitute(formula, *pairs)) for formula in where))
        if any(self._z3.is_false(formula) for formula in folded):
            return SolverVerdict.NEVER, None
        solver = self._z3.Solver(ctx=self._context)
        solver.set("timeout", max(1, round(question.patience_s * 1000)))
        if question.effort is not None:
            solver.set("rlimit", question.effort)
        solver.add(*folded)
        verdict = SolverVerdict(str(solver.check()))
        return verdict, self._model(solver.model(), fixed) if verdict is SolverVerdict.SOMEWHERE else None

    def _fold(self, name: str, fixed: tuple[tuple[str, Value], ...]) -> tuple[Any, ...]:
        """The question's formula and the conditions with these values in them, without those that hold then."""
        if not fixed:
            return tuple(self._z3.simplify(formula) for formula in (self._formulas[name], *self._conditions))
        *before, (last, value) = fixed
        pair = (self._constants[last], self._value(last, value))
        simplified = (
            self._z3.simplify(self._z3.substitute(formula, pair)) for formula in self._folded(name, tuple(before))
        )
        return tuple(formula for formula in simplified if not self._z3.is_true(formula))

    def _model(self, model: Any, fixed: Mapping[str, Value]) -> Model:
        """The values of the declared names where the question holds."""
        values: dict[str, bool | int | Fraction] = {}
        for name, constant in self._constants.items():
            if name in fixed:
                value = fixed[name]
                values[name] = Fraction(value) if isinstance(value, float) else value
                continue
            evaluated: Any = model.eval(constant, model_completion=True)
            if self._z3.is_bool(evaluated):
                values[name] = bool(self._z3.is_true(evaluated))
            elif self._z3.is_int(evaluated):
                values[name] = int(evaluated.as_long())
            else:
                values[name] = Fraction(evaluated.as_fraction())
        return values


def _declared(lines: Sequence[str]) -> list[tuple[str, str]]:
    words = (line.split() for line in lines if line.startswith("(declare-const "))
    return [(name, sort.rstrip(")")) for _, name, sort, *_ in words]

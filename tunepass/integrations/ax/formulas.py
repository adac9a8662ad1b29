"""Ax's expression strings over names of parameters or metrics, in tunepass's language. Never evaluated as code."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tunepass.diagnostics import ExpressionError, StudyError
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import BOOL, REAL, Expr
from tunepass.expr.parser import parse
from tunepass.integrations.parameters import identifier

NAME = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*(?!\s*\()(?![\w.])")  # of Ax, with dots; a function's is none


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with other names; those without another one stay."""
    return NAME.sub(lambda match: names.get(match.group(), match.group()), text)


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression over metrics: `text` as it was written, `names` of the metrics to those of the expression."""

    text: str
    names: Mapping[str, str]
    expression: Expr

    def __call__(self, values: Mapping[str, float]) -> float:
        """The value at the metrics' values."""
        columns = {plain: np.array([float(values[name])]) for name, plain in self.names.items()}
        return float(numpy_eval.evaluate(self.expression, columns, 1).values[0])

    def weights(self) -> dict[str, float]:
        """Weight of each metric. Raises StudyError for an expression that is no weighted sum."""
        zeros = dict.fromkeys(self.names, 0.0)
        constant = self(zeros)
        weights = {name: self({**zeros, name: 1.0}) - constant for name in self.names}
        places = {name: float(place) for place, name in enumerate(self.names, 2)}
        total = sum(weights[name] * places[name] for name in weights)
        if constant or not math.isclose(self(places), total, rel_tol=1e-9) or not any(weights.values()):
            raise StudyError(
                f"{self.text!r} is no weighted sum of metrics", hint='such as "loss", "-loss" or "ne1 + 2 * ne2"'
            )
        return weights


def formula(text: str, subject: str) -> Formula:
    """The formula of a text over any names. Raises StudyError, naming the `subject`, for one that cannot be read."""
    names: dict[str, str] = {}
    for name in NAME.findall(text) if isinstance(text, str) else ():
        if name not in names:
            names[name] = identifier(name, set(names.values()))
    if not names:
        raise StudyError(f"{subject} names metrics, got {text!r}")
    try:
        expression = parse(renamed(text.strip(), names), dict.fromkeys(names.values(), REAL))
    except ExpressionError as error:
        raise StudyError(f"{subject} {text!r} cannot be read: {error.sentence}") from None
    if expression.type == BOOL:
        raise StudyError(f"{subject} {text!r} is a condition, not a number")
    return Formula(text.strip(), names, expression)

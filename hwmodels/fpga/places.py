"""Spans of the model's expressions in the source, for errors that their values raise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tunepass.diagnostics import ExpressionError, Span
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.resources import Area


def placed(e: Expr, span: Span | None) -> Expr:
    """The expression with its place, where it has none."""
    return replace(e, span=span) if e.span is None and span is not None else e  # type: ignore[type-var]


def placed_area(area: Area, span: Span | None) -> Area:
    return Area({name: placed(amount, span) for name, amount in area.items()})


@contextmanager
def errors_at(span: Span | None) -> Iterator[None]:
    """An error without a place, as of a constant that does not fit, gets this one."""
    try:
        yield
    except ExpressionError as error:
        first = error.diagnostics[0]
        if first.span is not None or span is None:
            raise
        raise ExpressionError(first.message, span, first.hint) from None

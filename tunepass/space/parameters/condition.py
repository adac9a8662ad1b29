"""The condition under which a parameter is active, as it is written: other parameters' names get types in a space."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.diagnostics import ExpressionError, Source, SpaceError, Span
from tunepass.expr.parser import check_syntax


@dataclass(frozen=True, slots=True)
class Condition:
    """Text of an expression over other parameters. `source` and `offset`: where it is written."""

    text: str
    source: Source | None = field(default=None, compare=False, repr=False)
    offset: int = field(default=0, compare=False, repr=False)

    @property
    def span(self) -> Span | None:
        """Its place in the source."""
        return None if self.source is None else self.source.span(self.offset, self.offset + len(self.text))

    def __str__(self) -> str:
        return self.text


ConditionLike = str | Condition | None


def condition(name: str, when: object, span: Span | None) -> Condition | None:
    """The argument `when` of the parameter `name`; a SpaceError where it is no text of a condition."""
    if when is None:
        return None
    if not isinstance(when, (str, Condition)):
        hint = "write when=\"mode == 'fast'\""
        raise SpaceError(f"{name}: when is the text of a condition, got {when!r}", span, hint)
    given = Condition(when, Source(f"<when of {name}>", when)) if isinstance(when, str) else when
    try:
        check_syntax(given.text, source=given.source, offset=given.offset)
    except ExpressionError as error:
        first = error.diagnostics[0]
        raise SpaceError(f"{name}: {first.message}", first.span, first.hint) from None
    return given

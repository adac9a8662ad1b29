"""The condition under which a parameter is active, as it is written: other parameters' names get types in a space."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.diagnostics import Source, SpaceError, Span


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
    """The argument `when` of the parameter `name`."""
    if when is None or isinstance(when, Condition):
        return when
    if not isinstance(when, str):
        hint = "write when=\"mode == 'fast'\""
        raise SpaceError(f"{name}: when is the text of a condition, got {when!r}", span, hint)
    return Condition(when, Source(f"<when of {name}>", when))

"""A Boolean expression that feasible configurations satisfy, and where it was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import Source, SpaceError, Span
from tunepass.expr import nodes
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.parser import parse
from tunepass.space.parameter import Parameter


@dataclass(frozen=True, slots=True, repr=False)
class Constraint:
    """A condition that feasible configurations satisfy. Where its expression is undefined, it does not hold.

    A Space takes text as well; a Constraint is for text in a source, whose place diagnostics name.

    Args:
        expression: the parsed condition.
        text: as the user wrote it.
        span: the place in a source.
        written: the expression with the names of sizes, where `expression` has their values.
        derived: worked out from a source, which reads the default of an inactive parameter; else an inactive parameter
            must not be read.

    Raises:
        SpaceError: the expression is not true or false.

    Example:
        >>> constraint = tp.Constraint.parse("tile % unroll == 0", space.parameters)
        >>> sorted(node.name for node in constraint.names)
        ['tile', 'unroll']
    """

    expression: nodes.Expr
    text: str
    span: Span | None = field(default=None, compare=False)
    written: nodes.Expr | None = field(default=None, compare=False)  # with the names of sizes in it
    derived: bool = field(default=False, compare=False)
    names: tuple[nodes.Name, ...] = field(init=False, compare=False)  # each once

    def __repr__(self) -> str:
        return f"Constraint({self.text!r})"

    def __post_init__(self) -> None:
        if not isinstance(self.expression, nodes.Expr):
            raise SpaceError(
                f"a constraint has an expression, got {self.expression!r}",
                hint="write Constraint.parse(text, parameters)",
            )
        names = {node.name: node for node in nodes.walk(self.expression) if isinstance(node, nodes.Name)}
        object.__setattr__(self, "names", tuple(names.values()))
        if not isinstance(self.expression.type, nodes.BoolType):
            raise SpaceError(
                f"a constraint is true or false, got a value of type {self.expression.type}: {self.text}",
                self.span or self.expression.span,
                "compare it with something",
            )

    @classmethod
    def parse(
        cls,
        text: str,
        parameters: Sequence[Parameter],
        source: Source | None = None,
        offset: int = 0,
        sizes: Mapping[str, bool | int | float] | None = None,
    ) -> Constraint:
        """The constraint of a text.

        Args:
            text: the condition.
            parameters: the names that it may have.
            source: where it is written; None: nowhere but in `text`.
            offset: its place in the source.
            sizes: further names, with the values that they stand for.

        Returns:
            The typed constraint.

        Raises:
            ExpressionError: the text does not parse or has an unknown name, with its place.
            SpaceError: it is not true or false.

        Example:
            >>> str(tp.Constraint.parse("tile <= 16", space.parameters))
            'tile <= 16'
        """
        if not isinstance(text, str):
            raise SpaceError(f"a constraint is text or a Constraint, got {text!r}")
        source = source or Source("<constraint>", text)
        values = {name: lift(value) for name, value in (sizes or {}).items()}
        types = {name: value.type for name, value in values.items()} | {p.name: p.type for p in parameters}
        written = parse(text, types, source=source, offset=offset)
        known = {p.name for p in parameters}
        named = {name: value for name, value in values.items() if name in nodes.free_names(written) - known}
        expression = substitute(written, named) if named else written
        return cls(expression, text, source.span(offset, offset + len(text)), written)

    def __str__(self) -> str:
        return self.text

"""Why a schedule is refused: the rule that it breaks."""

from __future__ import annotations

from tunepass.diagnostics import SourceError, Span


class IllegalSchedule(SourceError):
    """A schedule that breaks `rule`, one of the words below.

    | rule | what must hold |
    |---|---|
    | expression | a sparse operand is a factor, each index variable once; a sparse result has an operand's pattern |
    | variable | a directive names a loop that is there |
    | name | a new name is new |
    | factor | sizes, chunks and counts are 1 or more |
    | nested | fused or reordered loops stand directly inside each other |
    | concordant | levels of a sparse tensor are reached in storage order |
    | position | positions are those of a compressed level, of an operand of every term |
    | fused | fused coordinates of a compressed level are iterated by positions |
    | constant | an unrolled loop has a constant extent |
    | bound | a stated extent is the true one |
    | workspace | what is precomputed is a factor or term of the expression |
    | race | iterations that run side by side write to different places, or what they share is kept from races |
    | parallel | one loop runs on threads; it is not rewritten afterwards |
    """

    def __init__(self, rule: str, message: str, span: Span | None = None, hint: str | None = None):
        super().__init__(f"{message} [{rule}]", span, hint)
        self.rule = rule

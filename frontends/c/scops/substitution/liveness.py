"""What the function reads after a scop, judged by where a name occurs next."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.cfamily.tokens import BRACKETS, Token, closings

LOOPS = ("for", "while", "do")


class Following:
    """What runs after a scop: the tokens after it, and where a loop is around it those of the loop once more."""

    def __init__(self, before: Sequence[Token], inside: Sequence[Token], after: Sequence[Token]):
        everything = [*before, *inside, *after]
        self.tokens = everything
        self.closing = closings(everything)
        self.first, self.end = len(before), len(before) + len(inside)
        self.around = self._loop_around()

    def _loop_around(self) -> int | None:
        """The position of the outermost loop around the scop; None outside of loops. A label may be one."""
        for position, token in enumerate(self.tokens[: self.first]):
            if token.at("goto"):
                return 0
            if token.at(*LOOPS) and self._statement_end(position) > self.first:
                return position
        return 0 if any(token.at("goto") for token in self.tokens[self.end :]) else None

    def _statement_end(self, position: int) -> int:
        """After the statement that begins at `position`."""
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.at(";"):
                return position + 1
            if token.at(*BRACKETS):
                closed = self.closing.get(position, len(self.tokens))
                following = self.tokens[closed + 1 : closed + 2]
                if token.at("{") and not (following and following[0].at("else")):
                    return closed + 1
                position = closed
            position += 1
        return len(self.tokens)

    def reads(self, name: str) -> bool:
        """May what `name` holds after the scop be read? Yes where that cannot be excluded."""
        if self.around is not None and self._may_read(name, self.around, self.end):
            return True
        return self._may_read(name, self.end, len(self.tokens))

    def _may_read(self, name: str, position: int, end: int) -> bool:
        level = lowest = 0
        while position < end:
            token = self.tokens[position]
            level += token.at("{") - token.at("}")
            lowest = min(lowest, level)
            always = level == lowest and self.around is None and self._begins(position)
            if token.at("for") and self._sets(name, position + 2):
                after = self._statement_end(position)
                if self._assigns_itself(name, position + 4):
                    return True
                if always:
                    return False
                position = after
                continue
            if token.text == name and token.kind == "name" and not self._is_member(position):
                return not (always and self._sets(name, position)) or self._assigns_itself(name, position + 2)
            position += 1
        return False

    def _sets(self, name: str, position: int) -> bool:
        """`name =` or `int name =` at `position`."""
        words = self.tokens[position : position + 3]
        if len(words) == 3 and words[1].text == name and words[0].kind == "name":
            return words[2].at("=")
        return len(words) > 1 and words[0].text == name and words[1].at("=")

    def _assigns_itself(self, name: str, position: int) -> bool:
        """Does the expression from `position` to the next `;` name it?"""
        while position < len(self.tokens) and not self.tokens[position].at(";"):
            if self.tokens[position].text == name:
                return True
            position += 1
        return False

    def _begins(self, position: int) -> bool:
        return position > 0 and self.tokens[position - 1].at(";", "{", "}")

    def _is_member(self, position: int) -> bool:
        return position > 0 and self.tokens[position - 1].at(".", "->")

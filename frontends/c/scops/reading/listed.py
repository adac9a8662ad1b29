"""A perfect nest whose loops the pragma lists: `loop(i, j)`. What is inside the innermost of them is one statement, as
it is written, whether it can be read as C or not; pragmas of the source stay with their loops."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.c.scops.numbers.headers import Header, NotAffineError
from tunepass.frontends.c.scops.reading.reader import RegionReader
from tunepass.frontends.c.scops.statements.own_pragmas import OwnPragmas
from tunepass.frontends.c.scops.statements.region import BEFORE_HINT, Region
from tunepass.frontends.cfamily.syntax.tree import Block, Declaration, Evaluated, For, PragmaWords, Statement
from tunepass.frontends.cfamily.text.tokens import Token, names_in
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.scop import ScopLoop

PERFECT_HINT = "move it into the innermost loop or out of the nest"
BOUND_HINT = "copy `{}` into a variable before the nest"


class ListedReader(RegionReader):
    """`loops` are listed from the outside in; OpenMP pragmas before those in `marked` are refused."""

    def __init__(
        self, region: Region, unit: Unit, taken: frozenset[str], loops: Sequence[str], marked: Collection[str]
    ):
        super().__init__(region, unit.source, taken)
        self.names, self.marked, self.own = loops, marked, OwnPragmas(unit)
        self.position = region.start  # after the header before

    def read(self) -> None:
        super().read()
        self._check_directives()
        self._check_addresses()

    def _statement(self, s: Statement, position: int) -> int:
        depth = len(self.active)
        if depth == len(self.names):
            return self._leaf(_alone(s), position)
        match s:
            case Block() if depth:
                return self._statement(self._only(s, depth), position)
            case For():
                try:
                    self._loop(s, position)
                except NotAffineError as error:
                    raise self._refusal(error) from None
                return position + 1
        if not depth:
            raise self._fault("expected a `for` after this pragma", s.first, BEFORE_HINT)
        raise self._imperfect(s, depth)

    def _imperfect(self, s: Statement, depth: int) -> SourceError:
        outer, inner = self.names[depth - 1], self.names[depth]
        reason = f"the nest is not perfect: this stands between the loops `{outer}` and `{inner}`"
        return self._fault(reason, s.first, PERFECT_HINT)

    def _only(self, s: Block, depth: int) -> Statement:
        """The loop in the block, which is all there is."""
        inside = _statements(s)
        if not inside or not isinstance(inside[0], For | Block):
            raise self._imperfect(inside[0] if inside else s, depth)
        if len(inside) > 1:
            raise self._fault("the nest is not perfect: this stands after an inner loop", inside[1].first, PERFECT_HINT)
        return inside[0]

    def _opened(self, s: For, header: Header) -> tuple[ScopLoop, list[str]]:
        name = self.names[len(self.active)]
        if header.index != name:
            reason = f"expected the loop over `{name}`, found one over `{header.index}`"
            raise SourceError(reason, self.source.span(s.start, s.header_end))
        loop, texts = super()._opened(s, header)
        self.position, before = s.header_end, self.position
        kept = replace(loop, pragmas=self.own.of_loop(before, s.start, marked=name in self.marked))
        self.active[-1] = self.loops[-1] = kept
        return kept, texts

    def _begin(self, s: Statement) -> int:
        """Pragmas right before the statement are a part of it."""
        return self.own.first(self.position, s.start)

    def _leaf(self, s: Statement, position: int, ending: str = "") -> int:
        static = next((t for t in self.region.inside if s.start <= t.start < s.end and t.at("static")), None)
        if static is not None:
            raise self._fault(
                "a `static` variable would be copied with the body", static, "it cannot be rewritten safely"
            )
        after = super()._leaf(s, position, ending)
        statement = self.statements[-1]
        if self._names_index(statement.span):
            self.statements[-1] = replace(statement, uses=None)
        return after

    def _names_index(self, place: Span) -> bool:
        """May a pragma inside name an index?"""
        indices = {loop.index for loop in self.active}
        return any(indices & set(names_in(p.body)) for p in self.own.between(self.position, place.end))

    def _refusal(self, error: NotAffineError) -> SourceError:
        """The name in a header that is not known to stay as it is, if that is what is wrong."""
        for token in (t for t in self.region.inside if error.start <= t.start < error.end and t.kind == "name"):
            variable = self.variables.get(token.text)
            if token.text in self.changed and token.text not in self.names:
                return self._fault(f"the bound `{token.text}` is changed inside the nest", token)
            if variable is not None and variable.scope == "global" and self.whole_effects.unknown:
                reason = f"{self.whole_effects.unknown[0]}: also the bound `{token.text}`"
                return self._fault(reason, token, BOUND_HINT.format(token.text))
        return super()._refusal(error)

    def _check_directives(self) -> None:
        other = self.own.other(self.region.start, self.region.end)
        if other is not None:
            raise SourceError(f"`{other[0]}` inside a nest that is rewritten", other[1], "move it out")

    def _check_addresses(self) -> None:
        """What a bound is made of is changed through no pointer."""
        headers = [(loop.span.start, loop.span.end) for loop in self.loops]
        named = {t.text for t in self.region.inside if any(start <= t.start < end for start, end in headers)}
        bounds = named & {p.text for p in self.parameters.values()}
        body = [*self.region.before, *self.region.inside]
        for before, sign, name in zip([None, *body], body, body[1:]):
            value = before is not None and (before.kind in ("name", "number") or before.at(")", "]"))
            if sign.at("&") and name.text in bounds and not value:
                reason = f"the address of the bound `{name.text}` is taken, so it may change inside the nest"
                raise self._fault(reason, name, BOUND_HINT.format(name.text))

    def _fault(self, reason: str, token: Token, hint: str | None = None) -> SourceError:
        return SourceError(reason, self.source.span(token.start, max(token.end, token.start + 1)), hint)


def _alone(s: Statement) -> Statement:
    """A block of one statement that declares nothing is that statement."""
    while isinstance(s, Block) and not s.first.made:
        inside = _statements(s)
        pragmas = any(isinstance(each, PragmaWords) for each in s.statements) and not s.first.at("#pragma")
        if len(inside) != 1 or isinstance(inside[0], Declaration) or pragmas:
            return s
        (s,) = inside
    return s


def _statements(s: Block) -> list[Statement]:
    """Those that do something."""
    return [
        each for each in s.statements
        if not isinstance(each, PragmaWords) and not (isinstance(each, Evaluated) and each.expression is None)
    ]  # fmt: skip

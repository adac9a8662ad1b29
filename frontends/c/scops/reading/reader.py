"""Takes the statements of a region apart: loops with affine headers, affine conditions, and the statements inside."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.scops.numbers.affine import (
    Whole,
    condition_text,
    isl_name,
    isl_text,
)
from tunepass.frontends.c.scops.numbers.c_types import CAST, ELEMENT_BYTE
from tunepass.frontends.c.scops.numbers.headers import (
    Header,
    NotAffineError,
    check_type,
    conditions,
    first_constraints,
    read_header,
)
from tunepass.frontends.c.scops.reading.leaves import LOOP_HINT, MACRO_HINT, LeafReader
from tunepass.frontends.c.scops.reading.values import MODES
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.region import Region, check_pragma
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Block,
    Declaration,
    Declarator,
    Evaluated,
    For,
    If,
    Jump,
    Name,
    PragmaWords,
    Statement,
    While,
)
from tunepass.frontends.cfamily.syntax.words import ARITHMETIC
from tunepass.frontends.cfamily.text.tokens import renamed, tokens
from tunepass.ir.scop import Hindrance, ScopLoop

DECLARATION_HINT = "declare a number or an array of constant size, under a name of its own"
GUARD_HINT = "test what does not change before the loops, and data inside the innermost one"


class RegionReader(LeafReader):
    """Finds loops, statements and the variables that are declared inside."""

    def __init__(self, region: Region, source: Source, taken: frozenset[str]):
        super().__init__(region, source, taken)
        self.loops: list[ScopLoop] = []
        self.conditional = 0  # conditions around
        self.guarded: set[str] = set()  # loops that stand in a condition or come from a macro
        self.hindrances: list[Hindrance] = []  # parts that are taken whole
        self.declarations: dict[str, str] = {}  # of variables declared inside, by name

    def read(self) -> None:
        position = 0
        for statement in self.region.statements:
            position = self._statement(statement, position)
        self._check_apart()

    # --- statements -----------------------------------------------------------------------------------------------

    def _statement(self, s: Statement, position: int) -> int:
        """Reads `s` at `position` among its neighbours; returns the position after it."""
        try:
            return self._divided(s, position)
        except NotAffineError as error:
            if not self.active or isinstance(s, (Jump, Declaration)):
                raise self._refusal(error) from None
            place = self.source.span(error.start, max(error.end, error.start + 1))
            self.hindrances.append(Hindrance(error.reason, place, error.hint))
            return self._leaf(s, position)

    def _refusal(self, error: NotAffineError) -> SourceError:
        return SourceError(error.reason, self.source.span(error.start, max(error.end, error.start + 1)), error.hint)

    def _divided(self, s: Statement, position: int) -> int:
        match s:
            case Block() if not s.first.made and (not _declares(s) or _has_loop(s)):
                return self._block(s, position)
            case For():
                self._loop(s, position)
                return position + 1
            case If() if not s.first.made and (text := self._condition(s)) is not None:
                return self._if(s, text, position)
            case If() if self.active and _has_loop(s):
                raise NotAffineError("the condition around a loop depends on data", s.start, s.first.end, GUARD_HINT)
            case Evaluated() if s.expression is None:
                return position
            case PragmaWords():
                check_pragma(s, self.region.unit)
                return position
            case While() if not self.active:
                raise NotAffineError(f"`{s.kind}` is not a loop over an index", s.start, s.first.end, LOOP_HINT)
            case Jump():
                raise NotAffineError(f"`{s.kind}` inside loops that are written anew", s.start, s.end, LOOP_HINT)
            case Declaration():
                if not self.active:
                    raise NotAffineError("a declaration between the pragma's loops", s.start, s.end, "move it before")
                return self._declaration(s, position)
        return self._leaf(s, position)

    def _block(self, s: Block, position: int) -> int:
        self.variables.open()
        try:
            for inner in s.statements:
                if isinstance(inner, Declaration):
                    self._check_declaration(inner)
            for inner in s.statements:
                position = self._statement(inner, position)
        finally:
            self.variables.close()
        return position

    def _condition(self, s: If) -> str | None:
        return self._first(lambda: condition_text(s.condition, self))

    def _if(self, s: If, text: str, position: int) -> int:
        self.conditional += 1
        for condition, branch in ((text, s.then), (f"not ({text})", s.other)):
            if branch is not None:
                self.constraints.append(condition)
                position = self._statement(branch, position)
                self.constraints.pop()
        self.conditional -= 1
        return position

    def _loop(self, s: For, position: int) -> None:
        with self._in("numeric"):
            header = read_header(s, self)
        loop, texts = self._opened(s, header)
        depth = len(self.constraints)
        self.constraints += texts
        self.prefix.append(position)
        self._statements_of(s.body)
        self.prefix.pop()
        del self.constraints[depth:]
        self.active.remove(loop)

    def _statements_of(self, body: Statement) -> None:
        self._statement(body, 0)

    def _opened(self, s: For, header: Header) -> tuple[ScopLoop, list[str]]:
        """The loop, now active, and its constraints."""
        variable = None if header.declared else self.variables.get(header.index)
        plain = variable.element if variable is not None and not variable.shape else None
        type_ = check_type(s, header, self.variables.element(header.declared) if header.declared else plain)
        if header.index in Effects.of(s.body).written:
            raise NotAffineError(
                f"the index `{header.index}` is changed inside its loop", s.start, s.header_end, LOOP_HINT
            )
        start = self.affine(header.start)
        if start is None:
            raise NotAffineError(
                f"where `{header.index}` starts depends on data or is not affine", s.start, s.header_end
            )
        name = self._unique(header.index)
        loop = ScopLoop(
            name=name, index=header.index, type=type_, start=isl_text(start.affine), step=header.step,
            parent=self.active[-1].name if self.active else None, declared=header.declared is not None,
            spelled=_qualified_type(s),
            span=self.source.span(s.start, s.header_end),
        )  # fmt: skip
        self.active.append(loop)
        try:
            texts = self._conditions(s, header, name, start)
        except NotAffineError:
            self.active.remove(loop)
            raise
        self.loops.append(loop)
        self.guarded |= {name} if self.conditional or s.first.made else set()
        return loop, [*first_constraints(header, name, start.affine), *texts]

    def _conditions(self, s: For, header: Header, name: str, start: Whole) -> tuple[str, ...]:
        for mode in MODES[:-1]:
            with self._in(mode), contextlib.suppress(NotAffineError):
                return conditions(s, header, name, self, start)
        with self._in(MODES[-1]):
            return conditions(s, header, name, self, start)

    def _unique(self, index: str) -> str:
        """The index itself the first time, then `i_2`, `i_3`."""
        name = isl_name(index)
        used = {loop.name for loop in self.loops}
        number = 2
        while name in used or (number > 2 and name in self.taken):
            name = f"{isl_name(index)}_{number}"
            number += 1
        return name

    # --- declarations inside --------------------------------------------------------------------------------------

    def _check_declaration(self, s: Declaration) -> None:
        """Only numbers and arrays of constant extents can be declared before the loops instead."""
        for d in s.declarators:
            extents = [self.affine(e) if e is not None else None for e in d.shape]
            plain = set(s.words) <= ARITHMETIC | {"const", "register"} or self._is_number(s.words)
            plain = plain or self._deduced(s, d) != ""
            constant = all(e is not None and not self._indices(e) for e in extents) and not any(d.pointers)
            before = self.variables.get(d.name.text)
            earlier = self.declarations.get(d.name.text)
            clash = (before is not None and before.scope != "global") or earlier not in (None, self._declared(s, d))
            if not plain or not constant or clash or s.first.made or (d.shape and d.value is not None):
                reason = f"`{d.name.text}` cannot be declared outside of its loop"
                raise NotAffineError(reason, s.start, s.end, DECLARATION_HINT)

    def _deduced(self, s: Declaration, d: Declarator) -> str:
        """The type of a number that is declared with `auto`; empty of anything else."""
        if set(s.words) - {"const"} != {"auto"} or d.reference or d.shape:
            return ""
        variable = self.variables.variable(s.words, d, "inner")
        known = variable.element in ELEMENT_BYTE and not variable.shape
        return CAST.get(variable.element, variable.element) if known else ""

    def _is_number(self, words: Sequence[str]) -> bool:
        plain = [w for w in words if w not in ("const", "register")]
        known = self.variables.types.get(plain[0]) if len(plain) == 1 else None
        element = known.element if known else " ".join(plain)
        return element in ELEMENT_BYTE and (known is None or not known.shape)

    def _indices(self, value: Whole) -> set[str]:
        return {atom for atom, _ in value.affine.strides} - {p.name for p in self.parameters.values()}

    def _declared(self, s: Declaration, d: Declarator) -> str:
        written = self.source.text[s.start : s.declarators[0].name.start]
        if any(t.at(",", "=") for t in tokens(written)):  # the first declarators were left out
            written = s.spelled
        words = renamed(written, {"const": "", "register": ""})
        stop = d.last.end if d.value is None else d.name.end
        words = self._deduced(s, d) or words
        return f"{' '.join(words.split())} {self.source.text[d.name.start : stop]};"

    def _declaration(self, s: Declaration, position: int) -> int:
        for declared in self.variables.declare(s, "inner"):
            d = next(d for d in s.declarators if d.name.text == declared.name)
            self.declarations[d.name.text] = self._declared(s, d)
            if d.value is not None:
                value = Evaluated(expression=Assign("=", Name(d.name), d.value), first=d.name, last=d.last)
                position = self._leaf(value, position, ";")
        return position

    # --- the whole ------------------------------------------------------------------------------------------------

    def _check_apart(self) -> None:
        """Each part of the source belongs to one statement."""
        spans = sorted((s.span.start, s.span.end) for s in self.statements)
        for (_, end), (start, stop) in itertools.pairwise(spans):
            if start < end:
                raise SourceError("a macro makes several statements here", self.source.span(start, stop), MACRO_HINT)


def _qualified_type(s: For) -> str:
    """`std::size_t` of an index that the header declares so; empty of other types."""
    spelled = s.begin.spelled if isinstance(s.begin, Declaration) else ""
    return " ".join(w for w in spelled.split() if w not in ("const", "register")) if "::" in spelled else ""


def _declares(s: Block) -> bool:
    return any(isinstance(inner, Declaration) for inner in s.statements)


def _has_loop(s: Statement | None) -> bool:
    match s:
        case For():
            return True
        case Block():
            return any(_has_loop(inner) for inner in s.statements)
        case If():
            return _has_loop(s.then) or _has_loop(s.other)
    return False

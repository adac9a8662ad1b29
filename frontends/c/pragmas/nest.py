"""`loop tile(i: TI) order(ORDER) fuse(j, j_2) ...`, as written: directives on the loops that follow, named by index.
`loop(i, j) tile(i: TI) ...` lists the loops of a perfect nest first; what is inside them is one statement.

WORD(LOOP[: SETTING], ...)          tile unroll unroll_and_jam jam peel vectorize parallel reverse distribute prefetch
WORD(FIRST, SECOND[: SETTING])      fuse skew pack, as often as needed
order(PERMUTATION | LOOP, ...)  interchange(LOOP, LOOP)  shape(SHAPE)  assume(independent)
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span, nearest
from tunepass.frontends.params.tokens import Cursor, PragmaToken
from tunepass.ir.scop_directives import Setting

NUMBERS = ("tile", "unroll", "unroll_and_jam", "jam", "peel", "prefetch")
SWITCHES = ("vectorize", "parallel", "reverse", "distribute")  # on where no parameter decides
PAIRS = ("fuse", "skew", "pack")
OF_ARRAYS = ("prefetch", "pack")
WORDS = (*NUMBERS, *SWITCHES, *PAIRS, "order", "interchange", "shape", "assume")
EXAMPLE = "write `loop tile(i: TI, j: TJ) order(ORDER) vectorize(j)`"
LISTED_EXAMPLE = "write `loop(i, j) tile(i: TI, j: TJ) order(ORDER) vectorize(j)`"


@dataclass(frozen=True, slots=True)
class Named:
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """One entry of a clause. `second` is a pair's; `place` where the setting, or else the name, is written."""

    word: str
    first: Named
    second: Named | None
    setting: Setting
    place: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class NestPragma:
    """The loops follow `outer`, the whole directive or comment. `order` is a permutation's name or loops; `shape` a
    shape's name, or the parameter's that chooses one. `listed` are the loops of a perfect nest, from the outside in;
    empty where the pragma lists none."""

    listed: tuple[Named, ...] = ()
    directives: tuple[Directive, ...]
    order: tuple[Named, ...]
    interchange: tuple[Named, ...]
    shape: Named | None
    independent: bool
    span: Span
    outer: Span

    @property
    def names(self) -> frozenset[str]:
        """The parameters it may name."""
        settings = [d.setting for d in self.directives if isinstance(d.setting, str)]
        shape = [self.shape.name] if self.shape else []
        return frozenset([*settings, *shape, *(n.name for n in self.order)])


class _Reader:
    def __init__(self, cursor: Cursor):
        self.cursor = cursor
        self.directives: list[Directive] = []
        self.loops: tuple[str, ...] = ()  # that the pragma lists
        self.example = EXAMPLE
        self.names: dict[str, tuple[Named, ...]] = {}  # of order, interchange, shape and assume

    def read(self) -> NestPragma:
        cursor, keyword = self.cursor, self.cursor.last
        listed = self.list_of_loops() if cursor.at("(") else ()
        while cursor.next.kind == "name":
            self.clause(cursor.take())
        cursor.finish("the clauses", f"clauses are {', '.join(WORDS)}")
        if not listed and not self.directives and not self.names:
            cursor.fail("expected what is to be done with the loops", EXAMPLE)
        return NestPragma(
            listed=listed,
            directives=tuple(self.directives),
            order=self.names.get("order", ()),
            interchange=self.names.get("interchange", ()),
            shape=next(iter(self.names.get("shape", ())), None),
            independent="assume" in self.names,
            span=cursor.span(keyword),
            outer=cursor.source.span(*cursor.whole),
        )

    def clause(self, word: PragmaToken) -> None:
        if word.text not in WORDS:
            close = nearest(word.text, WORDS)
            hint = f"did you mean `{close}`?" if close else f"known are {', '.join(WORDS)}"
            self.cursor.fail(f"unknown clause `{word.text}`", hint, token=word)
        given = word.text in self.names or any(d.word == word.text for d in self.directives)
        if given and word.text not in PAIRS:
            self.cursor.fail(f"`{word.text}` is given twice", "list all its loops in one", token=word)
        self.cursor.expect("(", f"after `{word.text}`", self.example)
        if word.text in PAIRS:
            self.pair(word)
        elif word.text in NUMBERS or word.text in SWITCHES:
            self.entries(word)
        else:
            self.listed(word)
        self.cursor.expect(")", f"after what `{word.text}` names")

    def list_of_loops(self) -> tuple[Named, ...]:
        """`(i, j, k)` after the word `loop`."""
        self.example = LISTED_EXAMPLE
        self.cursor.expect("(", "after `loop`", self.example)
        names = [self.name("a loop's index")]
        while self.cursor.accept(","):
            names.append(self.name("a loop's index"))
            self.check_once(names)
        self.cursor.expect(")", "after the names in `loop`")
        self.loops = tuple(named.name for named in names)
        return tuple(names)

    def check_once(self, names: list[Named]) -> None:
        if names[-1].name in [named.name for named in names[:-1]]:
            self.cursor.fail(f"`{names[-1].name}` is given twice", token=self.cursor.last)

    def check_listed(self, word: PragmaToken, named: Named) -> None:
        """A pragma that lists its loops has clauses of no others."""
        if self.loops and word.text not in OF_ARRAYS and named.name not in self.loops:
            close = nearest(named.name, self.loops)
            hint = f"did you mean `{close}`?" if close else f"this pragma's loops are {', '.join(self.loops)}"
            self.cursor.fail(f"`{named.name}` is not one of the loops", hint, token=self.cursor.last)

    def check_not_both(self, word: PragmaToken, loop: str) -> None:
        """A loop is unrolled in one way."""
        unrolling = {"unroll": ("unroll_and_jam", "jam"), "unroll_and_jam": ("unroll",), "jam": ("unroll",)}
        others = unrolling.get(word.text, ())
        if any(d.word in others and d.first.name == loop for d in self.directives):
            hint = "keep `unroll` or `unroll_and_jam`"
            self.cursor.fail(f"`{loop}` cannot be unrolled in two ways", hint, token=word)

    def listed(self, word: PragmaToken) -> None:
        names = [self.name("a name")]
        while self.cursor.accept(","):
            names.append(self.name("a name"))
        count = {"interchange": 2, "shape": 1, "assume": 1}.get(word.text, len(names))
        if len(names) != count:
            self.cursor.fail(f"`{word.text}` names {count}, got {len(names)}", token=word)
        if word.text == "assume" and names[0].name != "independent":
            self.cursor.fail("what can be assumed is `independent`", "write `assume(independent)`")
        doubled = next((n for k, n in enumerate(names) if n.name in [m.name for m in names[:k]]), None)
        if doubled is not None:
            self.cursor.fail(f"`{doubled.name}` is given twice", token=word)
        self.names[word.text] = tuple(names)

    def entries(self, word: PragmaToken) -> None:
        while True:
            first = self.name("an array" if word.text == "prefetch" else "a loop's index")
            self.check_listed(word, first)
            self.check_not_both(word, first.name)
            if any(d.word == word.text and d.first.name == first.name for d in self.directives):
                self.cursor.fail(f"`{first.name}` is given twice", token=self.cursor.last)
            setting, place = self.setting(word, first)
            self.directives.append(Directive(word.text, first, None, setting, place))
            if not self.cursor.accept(","):
                return

    def pair(self, word: PragmaToken) -> None:
        first = self.name("an array" if word.text == "pack" else "a loop's index")
        self.cursor.expect(",", f"after `{first.name}`", f"write `{word.text}({first.name}, LOOP)`")
        second = self.name("a loop's index")
        setting, place = self.setting(word, second)
        self.directives.append(Directive(word.text, first, second, setting, place))

    def setting(self, word: PragmaToken, name: Named) -> tuple[Setting, Span]:
        """After `:`, or true where none is needed."""
        if not self.cursor.at(":"):
            if word.text in (*SWITCHES, "fuse", "pack"):
                return True, name.span
            self.cursor.expect(":", f"after `{name.name}`", f"write `{word.text}({name.name}: FACTOR)`")
        self.cursor.take()
        token = self.cursor.next
        if token.kind == "name":
            self.cursor.take()
            known: dict[str, Setting] = {"true": True, "false": False}
            return known.get(token.text, token.text), self.cursor.span(token)
        value = self.cursor.integer("a parameter or a number")
        if value < 0 and word.text not in ("skew", "peel"):
            self.cursor.fail(f"a factor is not negative, got {value}", token=token)
        return value, self.cursor.span(token)

    def name(self, what: str) -> Named:
        token = self.cursor.name(what, self.example)
        return Named(token.text, self.cursor.span(token))


def parse_nest(cursor: Cursor) -> NestPragma:
    return _Reader(cursor).read()

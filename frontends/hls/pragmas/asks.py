"""What pragmas ask of a loop or a function, in words that all three dialects share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import SourceError, Span, nearest
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.syntax.tree import PragmaWords
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.hls.pragmas.options import Option, options
from tunepass.ir.hls import ONE, ZERO

MODES = ("off", "plain", "flatten")
MERLIN = ("kernel", "pipeline", "parallel", "tile", "interface", "cache", "loop_flatten", "data_layout", "task",
          "reduction", "coalesce", "bitwidth", "inline", "false_dependence", "memory_cache")  # fmt: skip
LOOP_WORDS = frozenset({"pipeline", "unroll", "loop_tripcount", "dependence", "loop_flatten", "loop_merge", "dataflow",
                        "latency", "occurrence", "performance", "ii"})  # fmt: skip


@dataclass(slots=True)
class Asks:
    """`unroll` None: not asked; `whole`: all iterations at once. `plain` and `flatten` are 1 or 0. `count` are the
    iterations that the source states, (least, most, mean)."""

    unroll: Expr | None = None
    whole: bool = False
    plain: Expr = ZERO
    flatten: Expr = ZERO
    interval: Expr | None = None
    tile: Expr = ONE
    reductions: list[str] = field(default_factory=list)
    independent: list[str] = field(default_factory=list)
    all_independent: bool = False
    dataflow: bool = False
    count: tuple[Expr, Expr, Expr] | None = None
    inner: bool = False  # pipelined with the loops inside unrolled (Vitis)
    factors: list[tuple[str, Expr | None]] = field(default_factory=list)


Read = Callable[[Sequence[Token]], Expr | None]
Mode = Callable[[Option, str], Expr]


@dataclass(frozen=True, slots=True)
class AskReader:
    """`number` reads a term of a pragma; `mode` says when the parameter of a `pipeline` has that value."""

    number: Read
    mode: Mode
    span: Callable[[Token], Span]
    warn: Callable[[str, Span | None, str | None], None]

    def read(self, pragmas: Sequence[PragmaWords]) -> Asks:
        asks = Asks()
        for pragma in pragmas:
            self._read(asks, pragma)
        return asks

    def _read(self, asks: Asks, pragma: PragmaWords) -> None:
        family = pragma.words[0].text
        if family.upper() == "ACCEL" and len(pragma.words) > 1:
            self._merlin(asks, pragma.words[1], options(pragma.words[2:]))
        elif family.upper() in ("HLS", "AP") and len(pragma.words) > 1:
            self._vitis(asks, pragma.words[1], options(pragma.words[2:]))
        else:
            self._intel(asks, pragma.words[0], pragma.words[1:])

    # --- Merlin ---------------------------------------------------------------------------------------------------

    def _merlin(self, asks: Asks, word: Token, given: Sequence[Option]) -> None:
        kind = word.text.lower()
        if kind not in MERLIN:
            close, message = nearest(kind, MERLIN), f"unknown pragma `ACCEL {word.text}`"
            if close:
                raise SourceError(message, self.span(word), f"did you mean `{close}`?")
            self.warn(message, self.span(word), "it changes nothing here")
        match kind:
            case "pipeline":
                self._pipeline(asks, given)
            case "parallel":
                asks.whole = True
                for option in given:
                    if option.name == "factor":
                        asks.unroll, asks.whole = self.factor(option), False
                    elif option.name == "reduction":
                        asks.reductions += [t.text for t in option.value or () if t.kind == "name"]
            case "tile":
                for option in given:
                    if option.name == "factor":
                        asks.tile = self.factor(option)
            case "false_dependence":
                named = [t.text for o in given if o.name == "variable" for t in o.value or ()]
                asks.independent += named
                asks.all_independent = not named

    def _pipeline(self, asks: Asks, given: Sequence[Option]) -> None:
        """`auto{NAME}`, `off`, `flatten`, or nothing."""
        asks.plain = ONE
        for option in given:
            if option.name == "auto":
                asks.plain, asks.flatten = self.mode(option, "plain"), self.mode(option, "flatten")
            elif option.name == "flatten":
                asks.plain, asks.flatten = ZERO, ONE
            elif option.name == "off":
                asks.plain = ZERO
            elif option.name == "ii":
                asks.interval = self.factor(option)
            else:
                hint = "`off`, `flatten`, `auto{NAME}` or nothing follows"
                raise SourceError(f"unknown word `{option.token.text}` after `pipeline`", self.span(option.token), hint)

    # --- Vitis ----------------------------------------------------------------------------------------------------

    def _vitis(self, asks: Asks, word: Token, given: Sequence[Option]) -> None:
        by_name = {option.name: option for option in given}
        match word.text.lower():
            case "pipeline":
                if "off" not in by_name:
                    asks.plain, asks.inner = ONE, True
                    if "ii" in by_name:
                        asks.interval = self.factor(by_name["ii"])
            case "unroll":
                if "off" not in by_name:
                    asks.whole = "factor" not in by_name
                    asks.unroll = None if asks.whole else self.factor(by_name["factor"])
            case "loop_tripcount":
                least, most = (self._stated(by_name.get(name)) for name in ("min", "max"))
                mean = self._stated(by_name.get("avg"))
                if mean is None and least is not None and most is not None:
                    mean = algebra.div(algebra.add(least, most), 2) if least != most else most
                mean = mean or most or least
                if mean is not None:
                    asks.count = (least or mean, most or mean, mean)
            case "dataflow":
                asks.dataflow = True
            case "dependence":
                self._dependence(asks, by_name)

    def _stated(self, option: Option | None) -> Expr | None:
        return None if option is None else self.number(option.value or ())

    def _dependence(self, asks: Asks, by_name: dict[str, Option]) -> None:
        """`inter false`: none is carried by the loop."""
        words = set(by_name) | {by_name[k].text.lower() for k in ("dependent", "type", "direction") if k in by_name}
        if "false" in words and "intra" not in words:
            if "variable" in by_name:
                asks.independent.append(by_name["variable"].text)
            else:
                asks.all_independent = True

    # --- Intel ----------------------------------------------------------------------------------------------------

    def _intel(self, asks: Asks, word: Token, rest: Sequence[Token]) -> None:
        inside = [t for t in rest if not (t is rest[0] and t.at("(")) and not (t is rest[-1] and t.at(")"))]
        match word.text.lower():
            case "unroll":
                asks.whole = not inside
                asks.unroll = self.factor(Option("factor", word, tuple(inside))) if inside else None
            case "ivdep":
                named = [t.text for t in inside if t.kind == "name" and t.text not in ("array", "safelen")]
                asks.independent += named
                asks.all_independent = not named
            case "ii":
                asks.interval = self.factor(Option("ii", word, tuple(inside)))

    def factor(self, option: Option) -> Expr:
        """A number of 1 or more."""
        if not option.value:
            raise SourceError(f"`{option.token.text}` has no value", self.span(option.token), "write a number after it")
        value = self.number(option.value)
        if value is None:
            self.warn(
                f"`{option.text}` is no number that is known here; taken as 1",
                self.span(option.token),
                "write a number, a macro, or a parameter",
            )
            return ONE
        number = algebra.number(value)
        if number is not None and number < 1:
            raise SourceError(f"a factor is 1 or more, got {number}", self.span(option.token))
        return value

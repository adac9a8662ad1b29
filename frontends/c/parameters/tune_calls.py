"""Constants that are offered to be tuned: `constexpr int TILE = tune<int>("TILE", 32);`.

To a compiler `tune` is a function of the source that returns its second argument. A candidate, and the tuned source,
have the chosen value in place of the call.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span, nearest
from tunepass.frontends.c.parameters.macros import MacroDefault
from tunepass.frontends.cfamily.annotated import Annotated
from tunepass.frontends.cfamily.preprocessing.macro_states import definition_of
from tunepass.frontends.cfamily.preprocessing.parametric import defined_name
from tunepass.frontends.cfamily.text.raw import Directive
from tunepass.frontends.cfamily.text.tokens import Token, closings
from tunepass.frontends.cfamily.unit import Unit
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Items
from tunepass.ir.c_kernel import TunedConstant

DEPTH_LIMIT = 8  # of macros in macros
BEFORE_USE = frozenset({"return", "case", "else", "goto", "new", "delete", "sizeof", "throw", "do", "operator", "and",
                        "or", "not", "xor", "bitand", "bitor", "compl", "co_return", "co_yield", "const", "volatile",
                        "constexpr", "static", "extern", "typename", "struct", "class", "enum", "union"})  # fmt: skip
"""Words that may stand before a name which is no declaration's."""


@dataclass(frozen=True, slots=True)
class TuneCall:
    """A call: `type` as written, empty where it follows from the default, which stands in `value`."""

    name: str
    type: str
    value: Span
    span: Span

    @property
    def default(self) -> str:
        return self.value.text


def tune_calls(text: Annotated) -> tuple[TuneCall, ...]:
    code, ends = text.code, closings(text.code)
    texts = _texts_of_macros(text.directives)
    calls = (_call(text.source, code, ends, texts, at) for at, token in enumerate(code) if token.at("tune"))
    return tuple(call for call in calls if call is not None)


def _texts_of_macros(directives: Sequence[Directive]) -> Mapping[str, Sequence[Token] | None]:
    """The words of macros without arguments; None of one with several texts."""
    texts: dict[str, Sequence[Token] | None] = {}
    for directive in directives:
        if directive.kind == "define" and (defined := definition_of(directive)).parameters is None:
            name, words = defined_name(directive), defined.words
            same = name not in texts or [t.text for t in texts[name] or ()] == [t.text for t in words]
            texts[name] = words if same else None
    return texts


def _call(
    source: Source, code: Sequence[Token], ends: Mapping[int, int], texts: Mapping[str, Sequence[Token] | None], at: int
) -> TuneCall | None:
    """`tune<TYPE>("NAME", DEFAULT)` whose word is `code[at]`; None where it is something else."""
    opening, kind = at + 1, ""
    if _at(code, opening, "<"):
        closing = next((n for n in range(opening, len(code)) if code[n].at(">", ";", "(")), opening)
        kind = source.text[code[opening].end : code[closing].start].strip()
        opening = closing + 1
    first = at
    while first > 1 and code[first - 1].at("::") and code[first - 2].kind == "name":
        first -= 2
    end = ends.get(opening) if _at(code, opening, "(") else None
    comma = next((n for n in range(opening, end or 0) if code[n].at(",")), None)
    if end is None or comma is None or end == comma + 1 or (first and code[first - 1].at(".", "->")):
        return None
    name = _written_name(code[opening + 1 : comma], texts)
    if not name.isidentifier():
        return None
    value = source.span(code[comma + 1].start, code[end - 1].end)
    return TuneCall(name, kind, value, source.span(code[first].start, code[end].end))


def _written_name(words: Sequence[Token], texts: Mapping[str, Sequence[Token] | None], depth: int = 0) -> str:
    """The text of neighbouring strings, or of macros that are strings; empty of anything else."""
    pieces: list[str] = []
    for word in words:
        expanded = texts.get(word.text) if word.kind == "name" and depth < DEPTH_LIMIT else None
        piece = _inside(word.text) if word.kind == "text" else _written_name(expanded or (), texts, depth + 1)
        if not piece:
            return ""
        pieces.append(piece)
    return "".join(pieces)


def _inside(text: str) -> str:
    """The text of a string, plain or raw; empty of one with escapes."""
    prefix, _, inside = text.partition('"')
    inside = inside.removesuffix('"')
    if prefix.endswith("R"):
        mark, _, inside = inside.partition("(")
        inside = inside.removesuffix(f"){mark}")
    return "" if "\\" in inside else inside


def check_not_declared(unit: Unit, macros: Collection[str]) -> None:
    """Raises SourceError where the code declares a name that is to be a macro: its value would stand in its place."""
    tokens, others = unit.tokens, BEFORE_USE | frozenset(macros)
    for at, token in enumerate(tokens[1:-1], 1):
        if token.text not in macros or token.kind != "name" or unit.is_included(token):
            continue
        before, after = tokens[at - 1], tokens[at + 1]
        if before.kind == "name" and before.text not in others and after.at("=", ";", "{", "[", ","):
            message = f"`{token.text}` is declared here, and -D{token.text}=… takes the place of its name"
            how = f'give it `tune("{token.text}", VALUE)` as its value' if unit.cxx else "make it a macro"
            hint = f"{how}: `param` names a macro, or a constant that `tune` sets"
            raise SourceError(message, unit.source.span(token.start, token.end), hint)


def _at(code: Sequence[Token], at: int, text: str) -> bool:
    return at < len(code) and code[at].at(text)


def check_tune_calls(calls: Sequence[TuneCall], params: Sequence[ParamText]) -> None:
    """Raises SourceError for a name that is nearly a parameter's, and for values that no constant has."""
    known = {param.name: param for param in params}
    for call in calls:
        param = known.get(call.name)
        close = nearest(call.name, known)
        if param is None and close and not any(other.name == close for other in calls):
            raise SourceError(f"no `param` is called `{call.name}`", call.span, f"did you mean `{close}`?")
        if param is not None and (param.flag or isinstance(param.values, Items)):
            what = "a flag" if param.flag else "a permutation"
            raise SourceError(f"`{call.name}` is {what}, and a constant is a number", call.span, "make it a macro")


def check_outside(calls: Sequence[TuneCall], nests: Sequence[Span]) -> None:
    for call in calls:
        if any(nest.start <= call.span.start < nest.end for nest in nests):
            hint = "give the constant a name before the nest"
            raise SourceError(f"`{call.name}` is set inside a nest that is rewritten", call.span, hint)


def stated_defaults(calls: Sequence[TuneCall]) -> Mapping[str, MacroDefault]:
    """What the calls give, as for macros; the first of each name counts."""
    return {c.name: MacroDefault(c.default, frozenset({c.name}), c.span) for c in reversed(calls)}


def constants_of(calls: Sequence[TuneCall], names: Collection[str]) -> tuple[TunedConstant, ...]:
    """Those of the parameters with these names."""
    return tuple(TunedConstant(call.name, call.type, call.span, call.value) for call in calls if call.name in names)

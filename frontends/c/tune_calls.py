"""Constants that are offered to be tuned: `constexpr int TILE = tune<int>("TILE", 32);`.

To a compiler `tune` is a function of the source that returns its second argument. A candidate, and the tuned source,
have the chosen value in place of the call.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span, nearest
from tunepass.frontends.c.macros import MacroDefault
from tunepass.frontends.cfamily.annotated import Annotated
from tunepass.frontends.cfamily.tokens import Token, closings
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Items
from tunepass.ir.c_kernel import TunedConstant


@dataclass(frozen=True, slots=True)
class TuneCall:
    """A call: `type` as written, empty where it follows from the default."""

    name: str
    type: str
    default: str
    span: Span


def tune_calls(text: Annotated) -> tuple[TuneCall, ...]:
    code, ends = text.code, closings(text.code)
    calls = (_call(text.source, code, ends, at) for at, token in enumerate(code) if token.at("tune"))
    return tuple(call for call in calls if call is not None)


def _call(source: Source, code: Sequence[Token], ends: Mapping[int, int], at: int) -> TuneCall | None:
    """`tune<TYPE>("NAME", DEFAULT)` whose word is `code[at]`; None where it is something else."""
    opening, kind = at + 1, ""
    if _at(code, opening, "<"):
        closing = next((n for n in range(opening, len(code)) if code[n].at(">", ";", "(")), opening)
        kind = source.text[code[opening].end : code[closing].start].strip()
        opening = closing + 1
    first = at
    while first > 1 and code[first - 1].at("::") and code[first - 2].kind == "name":
        first -= 2
    named, end = code[opening + 1 : opening + 3], ends.get(opening)
    called = _at(code, opening, "(") and len(named) == 2 and named[0].kind == "text" and named[1].at(",")
    name = named[0].text.strip('"') if called else ""
    if end is None or not name.isidentifier() or (first and code[first - 1].at(".", "->")):
        return None
    default = source.text[named[1].end : code[end].start].strip()
    return TuneCall(name, kind, default, source.span(code[first].start, code[end].end))


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
    return tuple(TunedConstant(call.name, call.type, call.span) for call in calls if call.name in names)

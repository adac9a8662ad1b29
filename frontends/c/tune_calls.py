"""Constants that are offered to be tuned: `constexpr int TILE = tune<int>("TILE", 32);`.

To a compiler `tune` is a function of the source that returns its second argument. A candidate, and the tuned source,
have the chosen value in place of the call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span, nearest
from tunepass.frontends.c.macros import MacroDefault
from tunepass.frontends.c.syntax.heads import closed_brackets
from tunepass.frontends.c.syntax.lexical import Scan
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Items
from tunepass.ir.c_kernel import TunedConstant

CALL = re.compile(r"(?<![\w.>])(?:[A-Za-z_]\w*\s*::\s*)*tune\s*(?:<(?P<type>[^<>;(]*)>\s*)?(?=\(\s*\"[^\"]*\"\s*,)")
NAMED = re.compile(r'\(\s*"(?P<name>[A-Za-z_]\w*)"\s*,\s*(?P<default>.*?)\s*\)\Z', re.DOTALL)


@dataclass(frozen=True, slots=True)
class TuneCall:
    """A call: `type` as written, empty where it follows from the default."""

    name: str
    type: str
    default: str
    span: Span


def tune_calls(scan: Scan) -> tuple[TuneCall, ...]:
    calls, ends = [], closed_brackets(scan.statements)
    for match in CALL.finditer(scan.statements):
        end = ends.get(scan.statements.index("(", match.end()), match.end())
        named = NAMED.match(scan.source.text[match.end() : end])
        if named is not None:
            span = scan.source.span(match.start(), end)
            calls.append(TuneCall(named["name"], (match["type"] or "").strip(), named["default"], span))
    return tuple(calls)


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

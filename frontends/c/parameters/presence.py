"""Boolean parameters of which a source only asks by `#ifdef`: true defines the macro, false leaves it undefined.

-DNAME=0 would make `#ifdef NAME` hold, so that the default were another program than the untouched source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tunepass.compilers.options import DEFINES, MACROS, value_of, walk
from tunepass.diagnostics import Diagnostic, Severity, SourceError, Span
from tunepass.frontends.c.parameters.macros import set_macros
from tunepass.frontends.cfamily.annotated import Annotated
from tunepass.frontends.cfamily.branches.presence import MacroUses, files_of, macro_uses
from tunepass.frontends.cfamily.preprocessing.parametric import defined_name
from tunepass.frontends.cfamily.text.tokens import names_in
from tunepass.frontends.cfamily.unit import Unit
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.values import Listed, LiteralText
from tunepass.frontends.problems import each
from tunepass.ir.kernel import Binding

EITHER = "false is -D{name}=0, which is defined: write `#if {name}` here; or ask by `#ifdef {name}` everywhere"
ALWAYS = "take the `#define` away: `true` is passed as -D{name}=1, `false` leaves it undefined; or write `#if {name}`"
BOOLEAN = "write `categorical(false, true)`: `false` leaves it undefined"

T = TypeVar("T")


def presence_word(name: str, value: bool) -> str:
    return f"-D{name}=1" if value else f"-U{name}"


@dataclass(frozen=True)
class PresenceReader:
    """`words` are the compiler's. `rewrites`: definitions in the source itself are written anew with each choice."""

    text: Annotated
    params: Sequence[ParamText]
    words: Sequence[str]
    rewrites: bool = False

    def first(self) -> frozenset[str]:
        """Names of candidates, by the source alone: its headers are known once it is read."""
        uses = macro_uses([p.name for p in self._booleans], [self.text])
        return frozenset(name for name, those in uses.items() if not (those.valued or self._definitions(those)))

    def settled(self, read: Callable[[frozenset[str]], Unit]) -> frozenset[str]:
        """Names of such parameters, with headers. `read` reads the source with them.

        Raises SourceError where one is used in both ways.
        """
        asking = [p for p in self.params if set_macros(p) == (p.name,)]
        if not asking:
            return frozenset()
        files = [self.text]
        if self._booleans:
            files = files_of(self.text, read(self.first()).text, [p.name for p in asking])
        by_name = macro_uses([p.name for p in asking], files)
        uses = [(p, by_name[p.name]) for p in asking]
        each(uses, lambda pair: self._check(*pair))
        return frozenset(p.name for p, those in uses if _is_boolean(p) and those.only_existence)

    @property
    def _booleans(self) -> list[ParamText]:
        return [p for p in self.params if _is_boolean(p)]

    def _definitions(self, uses: MacroUses) -> list[Span]:
        """Definitions that every choice has."""
        source = self.text.source
        return [span for span in uses.changed if not (self.rewrites and span.source == source)]

    def _check(self, pragma: ParamText, uses: MacroUses) -> None:
        if not uses.existence_tests:
            return
        name, definitions = pragma.name, self._definitions(uses)
        if not _is_boolean(pragma):
            if uses.only_existence and not definitions and not self._in_pragmas(name):
                message = f"only whether `{name}` is defined matters here, not its value"
                raise SourceError(message, uses.existence_tests[0], BOOLEAN)
        elif uses.valued:
            message = f"this asks whether `{name}` is defined, and its value is used at {uses.valued[0]}"
            raise SourceError(message, uses.existence_tests[0], EITHER.format(name=name))
        elif definitions:
            message = (
                f"this defines `{name}` for true and false alike, and {uses.existence_tests[0]} asks only whether it is"
            )
            raise SourceError(message, definitions[0], ALWAYS.format(name=name))

    def _in_pragmas(self, name: str) -> bool:
        """True if a pragma besides the parameter's own uses the name."""
        return sum(name in names_in(pragma.text) for pragma in self.text.pragmas) > 1

    def with_defaults(self, pragmas: Sequence[T], present: Collection[str]) -> list[T | ParamText]:
        """The pragmas; parameters that are `present` and have no default get what the untouched source has."""
        return [
            replace(p, default=LiteralText(self._untouched(p.name), p.span))
            if isinstance(p, ParamText) and p.name in present and p.default is None
            else p
            for p in pragmas
        ]

    def doubts(self, present: Collection[str]) -> Iterator[Diagnostic]:
        """Defaults that are not the untouched source's."""
        for p in self.params:
            untouched = self._untouched(p.name) if p.name in present else None
            if isinstance(p.default, LiteralText) and untouched is not None and p.default.value != untouched:
                state = "is defined" if untouched else "is not defined"
                message = f"`{p.name}` {state} in the untouched source, and the default is {str(not untouched).lower()}"
                hint = "tunepass starts from the pragma's; make them agree"
                yield Diagnostic(message, p.default.span, hint, Severity.WARNING)

    def _untouched(self, name: str) -> bool:
        """True if the compiler's words define the macro, or the source where that is written anew."""
        defined = self.rewrites and any(
            directive.kind == "define" and defined_name(directive) == name for directive in self.text.directives
        )
        for _, word, value in walk(self.words):
            named = value_of(word, value, MACROS)
            if named is not None and named.partition("=")[0] == name:
                defined = value_of(word, value, DEFINES) is not None
        return defined


def presence_binding(pragma: ParamText, *, undefines: bool = True) -> Binding:
    """`undefines`: the compiler takes -U."""
    name = pragma.name
    words = (("1", (presence_word(name, True),)), ("0", (presence_word(name, False),) if undefines else ()))
    return Binding(name, "flag", pragma.span, words=words)


def _is_boolean(pragma: ParamText) -> bool:
    values = pragma.values.values if isinstance(pragma.values, Listed) and set_macros(pragma) else ()
    return bool(values) and all(isinstance(value, bool) for value in values)

"""Macros at a place of a text: what each is, and under which condition over parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.branches.booleans import FALSE, TRUE
from tunepass.frontends.cfamily.text.marks import MacroText
from tunepass.frontends.cfamily.text.raw import Directive
from tunepass.frontends.cfamily.text.tokens import Token, tokens


@dataclass(frozen=True, slots=True)
class MacroDefinition:
    """`words` are the text, `parameters` None of a macro that takes no arguments."""

    words: tuple[Token, ...]
    parameters: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Event:
    """A `#define`, or an `#undef` (None), under a condition; None where that cannot be told."""

    condition: Expr | None
    definition: MacroDefinition | None


@dataclass(frozen=True)
class MacroStates:
    """`macros` are all that the compiler ever defined; `texts` those of the directives of the `parametric` ones, which
    are followed from one to the next."""

    macros: Mapping[str, Sequence[MacroText]]
    parametric: frozenset[str]
    texts: Mapping[str, frozenset[tuple[str, ...]]]
    events: dict[str, list[Event]] = field(default_factory=dict)

    def meet(self, directive: Directive, name: str, condition: Expr | None) -> None:
        """Follow a `#define` or `#undef` of a parametric macro."""
        definition = definition_of(directive) if directive.kind == "define" else None
        if condition == FALSE or (
            condition == TRUE and definition is not None and not self._is_defined(name, definition)
        ):
            return
        self.events.setdefault(name, []).append(Event(condition, definition))

    def events_of(self, name: str) -> list[Event]:
        """What it is here: the last that is sure, and those after it that depend on parameters."""
        if name not in self.parametric:
            kinds = {(m.parameters, m.body): m for m in self.macros.get(name, ())}
            if len(kinds) > 1:
                return [Event(None, None)]
            return [Event(TRUE, _definition(m)) for m in kinds.values()] or [Event(TRUE, None)]
        events = [*self._before_the_text(name), *self.events.get(name, ())]
        sure = max(number for number, event in enumerate(events) if event.condition == TRUE)
        return events[sure:]

    def _is_defined(self, name: str, definition: MacroDefinition) -> bool:
        """Does the compiler see it? It may stand under a condition that no parameter decides."""
        return any(_key(_definition(m).words) == _key(definition.words) for m in self.macros.get(name, ()))

    def _before_the_text(self, name: str) -> list[Event]:
        """By the compiler's words or a header of the system."""
        others = [_definition(m) for m in self.macros.get(name, ())]
        given = [d for d in others if _key(d.words) not in self.texts.get(name, frozenset())]
        return [Event(TRUE, None), *(Event(TRUE, definition) for definition in given[-1:])]


def texts_of(directives: Sequence[tuple[str, Directive]]) -> dict[str, frozenset[tuple[str, ...]]]:
    """Those of all definitions of each macro."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for name, directive in directives:
        if directive.kind == "define":
            found.setdefault(name, set()).add(_key(definition_of(directive).words))
    return {name: frozenset(texts) for name, texts in found.items()}


def definition_of(directive: Directive) -> MacroDefinition:
    """Of a `#define`."""
    words = list(tokens(directive.body))
    body = words[1:]
    if not body or not body[0].at("(") or body[0].start != words[0].end:
        return MacroDefinition(tuple(body), None)
    end = next((n for n, token in enumerate(body) if token.at(")")), len(body) - 1)
    return MacroDefinition(tuple(body[end + 1 :]), tuple(t.text for t in body[1:end] if not t.at(",")))


def _definition(macro: MacroText) -> MacroDefinition:
    return MacroDefinition(tuple(tokens(macro.body)), macro.parameters)


def _key(words: Sequence[Token]) -> tuple[str, ...]:
    return tuple(word.text for word in words)

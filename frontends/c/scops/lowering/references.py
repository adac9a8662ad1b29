"""References that a nest declares, as what they refer to: `double &c = C[i * n + j];`."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.c.scops.lowering.forms import Forms
from tunepass.frontends.c.scops.lowering.rewriting import mapped, mapped_statement, names_in, parts_of
from tunepass.frontends.c.scops.numbers.plain_text import grouped, initial_value
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.lvalues import resolve
from tunepass.frontends.cfamily.syntax.tree import Assign, Call, Declaration, Expression, Name, Statement, Step


def referred(s: Declaration, later: Sequence[Statement], end: int, forms: Forms) -> Sequence[Statement] | None:
    """The statements after the declaration, up to `end` in the source, without the name; None where it has to stay."""
    if len(s.declarators) != 1 or s.first.made or not s.declarators[0].reference or not later:
        return None
    declarator = s.declarators[0]
    written = forms.source(declarator.name.end, s.last.start).strip()
    value, text = initial_value(declarator.value, written) or (None, "")
    name = declarator.name.text
    lvalue = resolve(value) if value is not None else None
    places = forms.places(name, s.end, end)
    if value is None or lvalue is None or places is None or declarator.shape:
        return None
    if any(isinstance(part, (Call, Step, Assign)) for part in parts_of(value)):
        return None
    effects = Effects.of(*later)
    others = effects.declared | {e.root.text for e in effects.found if e.written and not e.subscripts} - {name}
    if name in effects.declared or names_in(value) & others:
        return None
    forms.edit(s.start, s.end, "")
    for token in places:
        forms.edit(token.start, token.end, grouped(text))

    def exchanged(e: Expression) -> Expression:
        return mapped(e, lambda inner: value if isinstance(inner, Name) and inner.text == name else inner)

    return [mapped_statement(inner, exchanged) for inner in later]

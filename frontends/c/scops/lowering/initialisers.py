"""Numbers that a nest declares with their values in brackets, `double s{0.0};`, as `double s = (0.0);`.

Their declarations move out of the loops, and what stays behind is an assignment.
"""

from __future__ import annotations

from dataclasses import replace

from tunepass.frontends.c.scops.lowering.forms import Forms
from tunepass.frontends.c.scops.numbers.c_types import ELEMENT_BYTE
from tunepass.frontends.cfamily.syntax.tree import Declaration, Declarator, Items, Number
from tunepass.frontends.cfamily.text.tokens import Token


def with_equal_signs(s: Declaration, forms: Forms) -> Declaration:
    """Each declarator of a number; others stay, since an `explicit` constructor takes no `=`."""
    variables = forms.region.variables
    if s.first.made or variables.element(s.words) not in ELEMENT_BYTE:
        return s
    known = variables.type(s.words)
    if known is not None and known.shape:
        return s
    return replace(s, declarators=tuple(_with_equal_sign(d, forms) for d in s.declarators))


def _with_equal_sign(d: Declarator, forms: Forms) -> Declarator:
    text = forms.source(d.name.end, d.last.end).strip()
    ends = f"{text[:1]}{text[-1:]}"
    if not isinstance(d.value, Items) or len(d.value.parts) > 1 or d.shape or d.reference or d.last.made:
        return d
    if ends not in ("{}", "()"):
        return d
    opening = forms.region.unit.source.text.index(ends[0], d.name.end)
    if not d.value.parts:
        forms.edit(d.name.end, d.last.end, " = 0")
        return replace(d, value=Number(Token("number", "0", d.last.start, d.last.end, True)))
    forms.edit(d.name.end, opening + 1, " = (")
    forms.edit(d.last.start, d.last.end, ")")
    return replace(d, value=d.value.parts[0])

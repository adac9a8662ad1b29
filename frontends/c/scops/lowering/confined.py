"""Functions that take and use values alone: pointers in them lead to their local variables."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.c.scops.numbers.c_types import ELEMENT_BYTE
from tunepass.frontends.c.scops.numbers.pure_functions import is_pure
from tunepass.frontends.c.scops.statements.effects import Effects, KnownCall
from tunepass.frontends.c.scops.statements.lvalues import resolve
from tunepass.frontends.c.scops.statements.occurrences import nodes
from tunepass.frontends.c.scops.statements.variables import Variables
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Declaration,
    Expression,
    Index,
    Member,
    Name,
    Opaque,
    Statement,
    Unary,
)


def is_confined(body: Statement, effects: Effects, formals: Sequence[str], variables: Variables) -> bool:
    """True if the body reads and writes its numbers and local variables only, through pointers too.

    Each pointer in it is made of the address of such a variable, so that no global and no argument is behind one.
    """
    kinds = [variables.get(name) for name in formals]
    if any(v is None or v.shape or v.pointers or v.container or v.element not in ELEMENT_BYTE for v in kinds):
        return False
    if any(effect.root.text not in formals for effect in effects.found):
        return False
    shaped = [d for n in nodes(body) if isinstance(n, Declaration) for d in n.declarators if d.shape]
    if any(len(d.shape) > 1 and any(d.pointers) for d in shaped):
        return False
    locals_, arrays = frozenset(formals) | effects.declared, frozenset(d.name.text for d in shaped)
    return all(_is_confined_node(n, locals_, arrays) for n in nodes(body))


def _is_confined_node(n: object, locals_: frozenset[str], arrays: frozenset[str]) -> bool:
    """`locals_` are the function's variables, `arrays` its arrays and pointers."""
    match n:
        case Declaration():
            values = (d.value for d in n.declarators if d.pointers[:1] == (True,) or d.reference)
            return all(value is None or _leads_inside(value, locals_, arrays) for value in values)
        case Assign(_, Name() as target, value) if target.text in arrays:
            return _leads_inside(value, locals_, arrays)
        case Unary(op, operand) if op.text == "*":
            return _leads_inside(operand, locals_, arrays)
        case Index(base, _):
            lvalue = resolve(base)
            return lvalue is not None and lvalue.whole and lvalue.root.text in arrays
        case Member(base, _, arrow):
            return not arrow or _leads_inside(base, locals_, arrays)
        case KnownCall():
            return not n.reached and not n.pointers
        case Call(Name() as function, _):
            return is_pure(function.text)
        case Call() | Opaque():
            return False
    return True


def _leads_inside(e: Expression, locals_: frozenset[str], arrays: frozenset[str]) -> bool:
    """True for the address of a local variable, or a pointer that has one."""
    match e:
        case Cast(_, _, operand):
            return _leads_inside(operand, locals_, arrays)
        case Unary(op, operand) if op.text == "&":
            lvalue = resolve(operand)
            return lvalue is not None and not lvalue.subscripts and lvalue.root.text in locals_
        case Name():
            return e.text in arrays
        case Binary("+" | "-", left, _):
            return _leads_inside(left, locals_, arrays)
    return False

"""A region in plainer words before it is taken apart: accessors seen through, members as variables, loops as `for`.

`statements` say what the source does, and `edits` make its text say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tunepass.frontends.c.scops.lowering.accessors import Accessors
from tunepass.frontends.c.scops.lowering.callees import Callees
from tunepass.frontends.c.scops.lowering.forms import Forms
from tunepass.frontends.c.scops.lowering.members import (
    Members,
    initial_members,
    is_plain,
    never_changed,
    steady_objects,
)
from tunepass.frontends.c.scops.lowering.objects import Objects
from tunepass.frontends.c.scops.lowering.plainer import plainer
from tunepass.frontends.c.scops.lowering.rewriting import mapped_statement, names_in
from tunepass.frontends.c.scops.statements.effects import Effects
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.cfamily.syntax.tree import (
    Block,
    Declaration,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Statement,
    Tried,
    While,
)
from tunepass.frontends.cfamily.text.names import plain_name
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Function, Unit


def lowered(region: Region, unit: Unit, function: Function) -> Region:
    objects = Objects(unit, region.variables)
    declared = frozenset(_declared(region.statements))
    accessors = Accessors(objects, declared)
    seen = Callees(unit, region.variables).statements([mapped_statement(s, accessors.seen) for s in region.statements])
    whole = [e for s in seen for e in _whole_expressions(s)]
    steady, unresized = steady_objects(whole, objects)
    held = _initialised(region, function, objects, steady - declared)
    written = Effects.of(*seen).written | declared
    members = Members(objects, steady - declared, unresized - declared, unit.text.raw.names, written, held)
    members.inside = _classes_around(function)
    named = tuple(members.with_settled_headers(mapped_statement(s, members.named)) for s in seen)
    for variable in members.made.values():
        region.variables.scopes[-1][variable.name] = variable
    region = replace(region, spelled=members.spelled)
    forms = Forms(region, _before(function.body, region.statements[0].start))
    plain = plainer(named, region.end, forms)
    edits = (*region.edits, *forms.edits)
    return replace(region, statements=plain, edits=edits, set_along=forms.set_along, last=region.end)


def _classes_around(function: Function) -> frozenset[str]:
    """With their bases."""
    names = [scope.name for scope in function.scopes if scope.kind == "class"]
    names += plain_name(function.name.text).split("::")[:-1]
    for name in names:
        record = function.unit.record(name)
        names += [base for base in map(plain_name, record.bases if record else ()) if base not in names]
    return frozenset(names)


def _before(s: Statement | None, place: int) -> Sequence[Statement]:
    """The statements that run right before the one at `place`, in its own block."""
    match s:
        case Block():
            for at, inner in enumerate(s.statements):
                if inner.start == place:
                    return s.statements[:at]
                if inner.start < place < inner.end:
                    return _before(inner, place)
        case For() | While() | ForEach():
            return _before(s.body, place)
        case If():
            return _before(s.then, place) or _before(s.other, place)
        case Evaluated(expression=Tried(blocks=blocks)):
            return next((before for block in blocks if (before := _before(block, place))), ())
    return ()


def _declared(statements: tuple[Statement, ...]) -> Iterator[str]:
    """The names that the nest declares."""
    yield from Effects.of(*statements).declared


def _whole_expressions(s: Statement) -> list[Expression]:
    found: list[Expression] = []

    def kept(e: Expression) -> Expression:
        found.append(e)
        return e

    mapped_statement(s, kept)
    return found


def _initialised(
    region: Region, function: Function, objects: Objects, steady: frozenset[str]
) -> Mapping[str, Mapping[str, Expression]]:
    """What members of local objects still hold that were initialised with names and numbers which do not change."""
    code: list[Token] = [*region.before, *region.inside, *region.after]
    held: dict[str, Mapping[str, Expression]] = {}
    for declaration in _declarations_before(function.body, region.statements[0].start):
        for name, values in initial_members(declaration, objects).items():
            if name not in steady or not _is_only_reached(name, code, declaration):
                continue
            held[name] = {
                member: value
                for member, value in values.items()
                if is_plain(value) and all(_is_steady(n, objects, code) for n in names_in(value))
            }
    return held


def _is_steady(name: str, objects: Objects, code: list[Token]) -> bool:
    variable = objects.variables.get(name)
    return variable is not None and variable.scope in ("formal", "local") and never_changed(name, code)


def _is_only_reached(name: str, code: list[Token], declaration: Declaration) -> bool:
    """Is the object, outside its declaration, only called, subscripted or asked for members that are not set?"""
    for at, token in enumerate(code):
        if token.text != name or token.kind != "name" or declaration.start <= token.start < declaration.end:
            continue
        before, after = code[at - 1] if at else None, code[at + 1 : at + 4]
        if before is not None and before.at(".", "->"):
            continue
        if not after or (before is not None and before.at("&")):
            return False
        if after[0].at("(", "["):
            continue
        if not after[0].at(".") or len(after) < 3 or after[2].at("=", "++", "--", "+=", "-=", "*="):
            return False
        if after[2].at("("):
            return False
    return True


def _declarations_before(s: Statement | None, place: int) -> Iterator[Declaration]:
    """Those of the blocks that are open at `place`."""
    match s:
        case Block():
            for inner in s.statements:
                if inner.start >= place:
                    return
                if isinstance(inner, Declaration):
                    yield inner
                elif inner.end > place:
                    yield from _declarations_before(inner, place)
        case For() | While() | ForEach():
            yield from _declarations_before(s.body, place)
        case If():
            yield from _declarations_before(s.then, place)
            yield from _declarations_before(s.other, place)
        case Evaluated(expression=Tried(blocks=blocks)):
            for block in blocks:
                yield from _declarations_before(block if block.start <= place < block.end else None, place)

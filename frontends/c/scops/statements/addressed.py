"""Names of variables that code may change elsewhere than where it names them, or in ways that are not followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from tunepass.frontends.c.scops.statements.occurrences import nodes
from tunepass.frontends.cfamily.functions.references import references_of
from tunepass.frontends.cfamily.syntax.tree import Assign, Call, Declaration, Lambda, Member, Name, Step, Tried
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Function

ASM = ("asm", "__asm__", "__asm")


@lru_cache(maxsize=16)
def changed_elsewhere(function: Function, place: int) -> frozenset[str]:
    """The function's variables that another name is bound to, that are handed on by reference, or that a lambda or a
    `try` which is not around `place` sets."""
    names: set[str] = set()
    references = references_of(function.unit)
    for node in nodes(function.body):
        match node:
            case Lambda() | Tried() if not node.token.start <= place < node.last.end:
                names.update(_set_in(node))
            case Declaration() if "const" not in node.words:
                bound = (d.value for d in node.declarators if d.reference)
                names.update(value.text for value in bound if isinstance(value, Name))
            case Call(Name(token) | Member(_, token), arguments) if function.unit.cxx:
                given = ((at, a.text) for at, a in enumerate(arguments) if isinstance(a, Name))
                names.update(name for at, name in given if references.takes(token.text, at))
    return frozenset(names)


def _set_in(node: object) -> Iterator[str]:
    for inner in nodes(node):
        match inner:
            case Assign(target=Name(token)) | Step(target=Name(token)):
                yield token.text


def asm_operands(code: Sequence[Token]) -> frozenset[str]:
    """The names in the brackets of `asm`."""
    names: set[str] = set()
    depth = opened = 0
    for before, token in zip((None, *code), code):
        depth += token.at("(") - token.at(")")
        if token.at("(") and before is not None and before.at(*ASM, "volatile", "__volatile__", "goto") and not opened:
            opened = depth
        elif opened and depth < opened:
            opened = 0
        elif opened and token.kind == "name":
            names.add(token.text)
    return frozenset(names)

"""Functions that take arguments by reference and may change them: C++ does not say so at the call."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tunepass.frontends.cfamily.syntax.tree import Declaration
from tunepass.frontends.cfamily.unit import Unit

BY_VALUE = frozenset({"static_cast", "sizeof", "decltype", "printf", "fprintf", "assert"})


@lru_cache(maxsize=4)
def references_of(unit: Unit) -> References:
    return References(unit)


@dataclass(frozen=True)
class References:
    """Functions of the source, of its own headers, and of the system's."""

    unit: Unit
    in_headers: dict[str, bool] = field(default_factory=dict)  # those that were asked for

    def takes(self, name: str, place: int) -> bool:
        simple = name.partition("<")[0].rpartition("::")[2].strip()
        if simple in BY_VALUE:
            return False
        known = self._formals.get(simple)
        if known is not None:
            return any(place < len(formals) and formals[place] for formals in known)
        if simple not in self.in_headers:
            self.in_headers[simple] = self._in_headers(simple)
        return self.in_headers[simple]

    @cached_property
    def _formals(self) -> dict[str, list[tuple[bool, ...]]]:
        """For functions of the source and its own headers: whether each formal is such a reference."""
        formals: dict[str, list[tuple[bool, ...]]] = {}
        for function in self.unit.functions:
            simple = function.name.text.partition("<")[0].rpartition("::")[2]
            formals.setdefault(simple, []).append(tuple(map(_changeable, function.formals)))
        for declaration in self.unit.globals:
            for d in declaration.declarators:
                if d.parameters is not None:
                    formals.setdefault(d.name.text, []).append(tuple(map(_changeable, d.parameters)))
        return formals

    def _in_headers(self, name: str) -> bool:
        """Has a function of that name in the headers, which are searched as text, such a reference?"""
        if not name.isidentifier():
            return False
        head = re.compile(rf"\b{name}\s*\((?P<formals>[^()]*(?:\([^()]*\)[^()]*)*)\)")
        return any(
            "&" in formal and not re.search(r"\bconst\b", formal)
            for chunk in self.unit.text.headers if name in chunk.text
            for declared in head.finditer(chunk.text)
            for formal in declared["formals"].split(",")
        )  # fmt: skip


def _changeable(formal: Declaration) -> bool:
    return "const" not in formal.words and any(d.reference for d in formal.declarators)

"""The variables at file scope, in all branches of `#if`s over parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tunepass.frontends.cfamily.branches.conditions import parameter_conditions, with_all_branches
from tunepass.frontends.cfamily.syntax.tree import Declaration
from tunepass.frontends.cfamily.types.declared import CType, type_of
from tunepass.frontends.cfamily.unit import Unit

THREAD = frozenset({"_Thread_local", "__thread", "thread_local"})


@dataclass(frozen=True, slots=True)
class FileVariable:
    """`static` variables are the file's own. Of `constant` ones, neither they nor their elements can be changed.

    `name` stands at [start, end) of the source; one of a header at the `#include`.
    """

    name: str
    type: CType
    static: bool
    constant: bool
    threads: bool  # each thread has one of its own
    start: int
    end: int
    defined: bool  # here, not only declared
    included: bool  # by a header
    scope: str = ""  # the class of a static member that is defined outside it: `Solver::`
    constant_target: bool = False  # it points to what cannot be changed through it
    condition: str = ""  # of the preprocessor over parameters, under which it is declared; empty: always

    @property
    def qualified(self) -> str:
        return f"{self.scope}{self.name}"


def variables(unit: Unit) -> tuple[FileVariable, ...]:
    """At file scope and in `extern "C"`, those of headers too. Of one that is declared several times, what can be
    changed counts."""
    conditions = parameter_conditions(unit.text)
    found: dict[str, FileVariable] = {}
    for declaration in with_all_branches(unit).variables:
        for variable in _variables(unit, declaration):
            under = " && ".join(text for first, last, text in conditions if first <= variable.start < last)
            seen = found.get(variable.name)
            if seen is None or (seen.constant and not variable.constant):
                found[variable.name] = replace(variable, condition=under)
            elif not variable.constant:
                found[variable.name] = _merged(seen, variable, under)
    return tuple(found.values())


def _variables(unit: Unit, declaration: Declaration) -> Iterator[FileVariable]:
    words = set(declaration.words)
    for declarator in declaration.declarators:
        if declarator.parameters is not None or not declarator.name.text:
            continue
        pointer = any(declarator.pointers)
        scope, separator, name = declarator.name.text.rpartition("::")
        constant = (declarator.constant if pointer else "const" in words) or "constexpr" in words
        yield FileVariable(
            name,
            type_of(declaration.words, declarator),
            static="static" in words or (constant and not pointer),
            constant=constant,
            threads=bool(THREAD & words),
            start=declarator.name.start,
            end=declarator.name.end,
            defined="extern" not in words or declarator.value is not None,
            included=unit.is_included(declarator.name),
            scope=scope + separator,
            constant_target=pointer and "const" in words,
        )


def _merged(seen: FileVariable, again: FileVariable, under: str) -> FileVariable:
    """With the definition's type, which has the lengths that `extern double A[];` leaves out."""
    either = f"({seen.condition}) || ({under})" if seen.condition and under else ""
    first = again if again.defined and not seen.defined else seen
    return replace(first, condition=either)

"""The variables at file scope, and which of them a function may change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tunepass.frontends.c.syntax.heads import EXTERN, NAMESPACE
from tunepass.frontends.c.syntax.lexical import Directive, Scan
from tunepass.frontends.c.syntax.statements import ASSIGN, closing, skip_space
from tunepass.frontends.c.syntax.types import BODY, declarations
from tunepass.frontends.cfamily.declared import CType, Types
from tunepass.frontends.cfamily.definitions import FunctionDefinition

WORD = re.compile(r"[A-Za-z_]\w*")
NO_VARIABLE = re.compile(r"\s*(?:typedef|using|template|class|friend|namespace|static_assert|_Static_assert|asm)\b")
OPEN = re.compile(rf"{EXTERN.pattern}|\bnamespace\s*\Z")  # what stands inside has the names that it has outside
THREAD = re.compile(r"\b(?:_Thread_local|__thread|thread_local)\b")


@dataclass(frozen=True, slots=True)
class Variable:
    """`static` variables are the file's own. Of `constant` ones, neither they nor their elements can be changed."""

    name: str
    type: CType
    static: bool
    constant: bool
    threads: bool  # each thread has one of its own
    initialised: bool
    start: int
    condition: str = ""  # of the preprocessor, under which it is declared; empty: always


def variables(scan: Scan, functions: Sequence[FunctionDefinition]) -> tuple[Variable, ...]:
    """At file scope and in `extern "C"`. Of one that is declared several times, what can be changed counts."""
    code, conditions = scan.statements, _conditions(scan.directives)
    for function in functions:
        body = re.sub(r"[^\n]", " ", code[function.start : function.body_end - 1])
        code = f"{code[: function.start]}{body};{code[function.body_end :]}"
    found: dict[str, Variable] = {}
    for start, end in _statements(code, 0, len(code)):
        for variable in _variables(code, start, end):
            under = " && ".join(text for first, last, text in conditions if first <= variable.start < last)
            seen = found.get(variable.name)
            if seen is None or (seen.constant and not variable.constant):
                found[variable.name] = replace(variable, condition=under)
            elif not variable.constant:
                either = f"({seen.condition}) || ({under})" if seen.condition and under else ""
                found[variable.name] = replace(seen, condition=either)
    return tuple(found.values())


def _conditions(directives: Sequence[Directive]) -> list[tuple[int, int, str]]:
    """From where to where in the text each condition holds. What only keeps a header from being read twice is none."""
    found: list[tuple[int, int, str]] = []
    branches: list[tuple[int, str, tuple[str, ...]]] = []  # where each begins, its condition, those before it
    for directive, following in zip_longest(directives, directives[1:]):
        if directive.kind in ("if", "ifdef", "ifndef"):
            guards = directive.kind == "ifndef" and following is not None and following.kind == "define"
            own = _condition(directive)
            if guards and following.body.split()[:1] == directive.body.split()[:1]:
                own = "1"
            branches.append((directive.start, own, ()))
        elif directive.kind in ("elif", "else", "endif") and branches:
            start, own, before = branches.pop()
            terms = [*(f"!{text}" for text in before), own]
            found.append((start, directive.start, " && ".join(terms)))
            if directive.kind != "endif":
                branches.append((directive.start, _condition(directive), (*before, own)))
    return [(start, end, text) for start, end, text in found if text != "1"]


def _condition(directive: Directive) -> str:
    name = "".join(directive.body.split()[:1])
    words = {"ifdef": f"defined({name})", "ifndef": f"(!defined({name}))", "else": "1"}
    return words.get(directive.kind, f"({directive.body})")


def _statements(code: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    position = start
    while position < stop:
        if code[position] == ";":
            yield start, position
            start = position = position + 1
        elif code[position] == "{" and OPEN.search(code[start:position]):
            end = closing(code, position)
            yield from _statements(code, position + 1, end - 1)
            start = position = end
        elif code[position] == "{" and NAMESPACE.search(code[start:position]):
            start = position = closing(code, position)
        else:
            position = closing(code, position) if code[position] in "([{" else position + 1


def _variables(code: str, start: int, end: int) -> Iterator[Variable]:
    text = code[start:end]
    if NO_VARIABLE.match(text):
        return
    specifiers = text[: BODY.search(text).start()] if BODY.search(text) else text  # type: ignore[union-attr]
    for declared in declarations(code, start, end):
        if not declared.name or declared.type.function:
            continue
        before = code[start : declared.start]
        pointee, star, pointer = before.rpartition("*")
        constant = re.search(r"\bconst(?:expr)?\b", pointer if star else before) is not None
        yield Variable(
            declared.name,
            declared.type,
            static=re.search(r"\bstatic\b", specifiers) is not None or (constant and not star),
            constant=constant or re.search(r"\bconstexpr\b", pointee) is not None,
            threads=THREAD.search(specifiers) is not None,
            initialised=declared.initialised,
            start=declared.start,
        )


@dataclass(frozen=True, slots=True)
class Reach:
    """What a function reaches in its file. `text` is its own and that of all functions and macros it may use; `rest` is
    the text of the file that others may come by, without it."""

    text: str
    rest: str


def reach_of(
    function: FunctionDefinition, functions: Sequence[FunctionDefinition], macros: Mapping[str, str], code: str
) -> Reach:
    """`macros` are the texts of the file's macros by name."""
    by_name: dict[str, list[FunctionDefinition]] = {}
    for definition in functions:
        by_name.setdefault(definition.name, []).append(definition)
    reached, texts, waiting, seen = {function}, [], [_text(function, code)], set[str]()
    while waiting:
        text = waiting.pop()
        texts.append(text)
        for name in set(WORD.findall(text)) - seen:
            seen.add(name)
            waiting += [macros[name]] if name in macros else []
            waiting += [_text(definition, code) for definition in by_name.get(name, ())]
            reached.update(by_name.get(name, ()))
    own = {function} | {f for f in reached if f.private == "`static`"}
    while shared := {f for f in own - {function} if _used_outside(f, own, functions, code)}:
        own -= shared
    rest = code
    for definition in own:
        rest = rest[: definition.start] + re.sub(r"[^\n]", " ", _text(definition, code)) + rest[definition.body_end :]
    return Reach("\n".join(texts), rest)


def _used_outside(
    function: FunctionDefinition, own: set[FunctionDefinition], functions: Sequence[FunctionDefinition], code: str
) -> bool:
    name = re.compile(rf"\b{re.escape(function.name)}\b")
    return any(name.search(_text(other, code)) for other in functions if other not in own)


def _text(function: FunctionDefinition, code: str) -> str:
    return code[function.start : function.body_end]


def may_change(name: str, kind: CType, text: str, types: Types) -> bool:
    """Does anything in `text` assign to the variable or its elements, or make a pointer to it?"""
    dims = len(types.resolved(kind).dims)
    return any(_is_changed(match, dims, text) for match in re.finditer(rf"(?<![\w.])(?<!->){re.escape(name)}\b", text))


def _is_changed(mention: re.Match[str], dims: int, text: str) -> bool:
    before = text[: mention.start()].rstrip()
    if re.search(r"(?:\+\+|--)\Z", before) or re.search(r"(?:\A|[^&\w)\]\s]|\breturn)\s*&\Z", before):
        return True
    subscripts, offset = 0, skip_space(text, mention.end())
    while offset < len(text):
        member = re.compile(r"(\.|->)\s*[A-Za-z_]\w*").match(text, offset)
        if text[offset] == "[":
            subscripts, offset = subscripts + 1, skip_space(text, closing(text, offset))
        elif member:
            subscripts, offset = max(subscripts, dims), skip_space(text, member.end())
        else:
            break
    if re.compile(ASSIGN).match(text, offset):
        return True
    return subscripts < dims and not re.search(r"\bsizeof\s*\(?\Z", before)

"""Finds function definitions in C and C++ text with a light scan; prototypes are kept as text, never understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tunepass.frontends.c.syntax.heads import (
    CLASS,
    EXTERN,
    NAMESPACE,
    FunctionHead,
    access_label,
    closed_brackets,
    function_head,
    plain,
    template_list,
)
from tunepass.frontends.c.syntax.lexical import Scan
from tunepass.frontends.cfamily.declared import INTEGRAL, NUMERIC, canonical_type
from tunepass.frontends.cfamily.definitions import Formal, FunctionDefinition
from tunepass.frontends.cfamily.tree import Scope

QUALIFIERS = re.compile(r"\b(?:const|volatile|restrict|__restrict__|__restrict|register|static|struct|enum)\b|\*|&")
WORD = re.compile(r"[A-Za-z_]\w*")
STANDARD = re.compile(r"\bstd\s*::\s*(?=\w+_t\b)")
CONTAINER = re.compile(r"\b(?:vector|span|array|valarray)\s*<\s*(?P<element>[^,<>]+)")
BODIED = re.compile(r"\)\s*(?:const|noexcept|override|final)?\s*\Z")  # of operators and constructors, which have a body
STOPS = re.compile(r"[;{}(]")
LONGEST_HEAD = 8_000  # characters before a `{`; what is longer is no function of a person's


def definitions(scan: Scan) -> tuple[FunctionDefinition, ...]:
    """Every function defined at file scope, or in `extern "C"`, namespaces and classes, in the order of the text."""
    return tuple(_definitions(scan.statements))


def _definitions(text: str) -> Iterator[FunctionDefinition]:
    start = position = 0
    around: list[Scope] = []
    ends = closed_brackets(text)
    while bracket := STOPS.search(text, position):
        position = bracket.end()
        if bracket.group() == "(":
            position = ends.get(bracket.start(), position)
            continue
        around = [scope for scope in around if bracket.start() < scope.end]
        access, label_end = access_label(text[start : bracket.start()])
        start += label_end
        if access and around:
            around[-1] = replace(around[-1], access=access)
        if bracket.group() != "{":
            start = position
            continue
        head, end = text[start : bracket.start()], ends.get(bracket.start(), len(text))
        if len(head.strip()) > LONGEST_HEAD:
            position = end
            continue
        if scope := _scope(head, end):
            around.append(scope)
            start = position
            continue
        definition = _definition(head, tuple(around), start, bracket.start(), end)
        if definition is not None:
            yield definition
        if definition is not None or BODIED.search(head):
            start = end
        position = end  # a function, an enumeration or an initialiser: the `;` of the latter ends it


def _scope(head: str, end: int) -> Scope | None:
    """What a `{` after `head` opens, if definitions may stand inside."""
    if EXTERN.search(head):
        return Scope("extern", "", 0, end)
    if namespace := NAMESPACE.search(head):
        return Scope("namespace", re.sub(r"\s", "", namespace["name"] or ""), 0, end)
    templates, start = template_list(head)
    if found := CLASS.search(plain(head)[start:]):
        access = "private" if found["key"] == "class" else "public"
        return Scope("class", found["name"], 0, end, access, templates[-1] if templates else None)
    return None


def _definition(text: str, scopes: tuple[Scope, ...], start: int, brace: int, end: int) -> FunctionDefinition | None:
    """A definition whose text before `{` is `text`, if that is what it is."""
    head = function_head(text)
    if head is None:
        return None
    linked = re.search(r'\bextern\s*"\s*"', text)
    language = 'extern "C" ' if linked or any(scope.kind == "extern" for scope in scopes) else ""
    prototype = text[: head.formals_end]
    if linked:  # the scan emptied the string
        prototype = prototype[: linked.start()] + " " * len(linked.group()) + prototype[linked.end() :]
    prototype = " ".join(prototype.split()) + (f" -> {head.returns}" if head.trailing else "")
    return FunctionDefinition(
        name=head.name,
        prototype=language + prototype,
        private=_private(head, scopes),
        formals=tuple(formal_of(part) for part in split_arguments(head.formals)),
        start=start + len(text) - len(text.lstrip()),
        name_start=start + head.name_start,
        body_start=brace,
        body_end=end,
        scopes=scopes,
        path=head.scopes,
        returns=head.returns,
        template=head.template,
    )


def _private(head: FunctionHead, scopes: Sequence[Scope]) -> str:
    """Why other files cannot call it by its plain name, or at all."""
    specifiers = re.findall(r"\b(static|inline|constexpr|__inline__|__inline)\b", head.before)
    if specifiers:
        return "`static`" if "static" in specifiers else f"`{specifiers[0]}`"
    if head.template is not None:
        return "`template`"
    if head.scopes or any(scope.kind == "class" for scope in scopes):
        return "in a class"
    return "in a namespace" if any(scope.kind == "namespace" for scope in scopes) else ""


def split_arguments(text: str) -> list[str]:
    """The comma-separated parts outside brackets; `void` and nothing are no parts."""
    parts, depth, start = [], 0, 0
    for offset, char in enumerate(text):
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and depth == 0:
            parts.append(text[start:offset])
            start = offset + 1
    parts.append(text[start:])
    parts = [" ".join(part.split()) for part in parts]
    return [] if parts in ([""], ["void"]) else parts


def formal_of(text: str) -> Formal:
    declared = re.sub(r"(?<![<>=!])=.*", "", STANDARD.sub("", text))
    container = CONTAINER.search(declared)
    array = "[" in declared and not container
    bare = QUALIFIERS.sub(" ", re.sub(r"<.*>", " ", declared) if container else declared.split("[")[0])
    words = WORD.findall(bare.split("[")[0])
    named = len(words) > 1 and words[-1] not in NUMERIC and INTEGRAL.match(words[-1]) is None
    pointee = declared.split("*", 1)[0]  # of `const double *const *`, the elements
    element = container["element"] if container else " ".join(words[:-1] if named else words)
    return Formal(
        text=text,
        name=words[-1] if named else "",
        element=canonical_type(element),
        pointer=array or ("*" in declared and not container),
        constant=re.search(r"\bconst\b", pointee) is not None,
        reference="&" in declared,
        container=container is not None,
    )

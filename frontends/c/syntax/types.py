"""The types that a C or C++ text names: typedefs, structs, unions and enums, read with a light scan.

A name that no text here defines is taken for a number's type (`uint32_t`, or a typedef of a header that was not read).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tunepass.frontends.c.syntax.definitions import split_arguments
from tunepass.frontends.c.syntax.heads import bracket_end
from tunepass.frontends.c.syntax.statements import closing
from tunepass.frontends.cfamily.declared import CType, Declared, Types, canonical_type
from tunepass.frontends.cfamily.declared import TypeRecord as Record

TAGGED = re.compile(r"\b(struct|union|enum)\b(?:\s+class\b)?\s*([A-Za-z_]\w*)?")
ATTRIBUTE = re.compile(r"\b(?:__attribute__|__declspec|_Alignas|alignas)\s*(?=\()")
NOT_A_TYPE = re.compile(
    r"\b(?:const|volatile|restrict|__restrict__|__restrict|register|static|extern|inline|__inline__|__inline|_Noreturn"
    r"|constexpr|mutable|typedef|__extension__|_Thread_local|__thread|thread_local|_Atomic)\b"
)
WORD = re.compile(r"[A-Za-z_]\w*")
COMPLEX = re.compile(r"\b(?:_Complex|__complex__|complex)\b")
BODY = re.compile(r"\b(struct|union|enum)\b(?:\s+class\b)?\s*([A-Za-z_]\w*)?\s*(?::\s*[\w\s]+)?\{")


def read_types(code: str) -> Types:
    """From a text without comments, strings and preprocessor lines."""
    typedefs: dict[str, CType] = {}
    records: dict[str, Record] = {}
    enums: dict[str, tuple[str, ...]] = {}
    doubtful: set[str] = set()
    for match in BODY.finditer(code):
        name = f"{match[1]} {match[2]}" if match[2] else f"{{{match.start()}}}"
        end = closing(code, match.end() - 1)
        if match[1] == "enum":
            enums[name] = _enumerators(code[match.end() : end - 1])
        else:
            records[name] = Record(match[1], tuple(_members(code, match.end(), end - 1)))
    for match in re.finditer(r"\btypedef\b", code):
        end = _statement_end(code, match.end())
        for declared in declarations(code, match.end(), end):
            if declared.name and typedefs.setdefault(declared.name, declared.type) != declared.type:
                doubtful.add(declared.name)
    for name in doubtful:  # one or the other, by an #if: then only the compiler knows
        del typedefs[name]
    for name, target in list(typedefs.items()):
        if target.base.startswith("{") and not target.depth and not target.dims:  # an anonymous struct gets this name
            _rename(name, target.base, records, enums)
            del typedefs[name]
    for name in (*records, *enums):
        tag = name.partition(" ")[2]
        if tag and tag not in typedefs:  # C++ needs no keyword, and in C nothing else has that name
            typedefs[tag] = CType(name)
    return Types(typedefs, records, enums)


def _rename(name: str, key: str, records: dict[str, Record], enums: dict[str, tuple[str, ...]]) -> None:
    if key in records:
        records[name] = records.pop(key)
    elif key in enums:
        enums[name] = enums.pop(key)


def _enumerators(body: str) -> tuple[str, ...]:
    names = (WORD.match(part.strip()) for part in split_arguments(body))
    return tuple(name.group() for name in names if name)


def _members(code: str, start: int, end: int) -> Iterator[Declared]:
    position = start
    while position < end:
        after = min(_statement_end(code, position), end)
        if "typedef" not in code[position:after].split():
            yield from declarations(code, position, after)
        position = after + 1


def _statement_end(code: str, offset: int) -> int:
    """The offset of the `;` outside brackets, or the end of the text."""
    while offset < len(code) and code[offset] != ";":
        offset = closing(code, offset) if code[offset] in "([{" else offset + 1
    return offset


def declarations(code: str, start: int, end: int) -> Iterator[Declared]:
    """What `TYPE a, *b[3] = {0}` in [start, end) declares; nothing where that is no declaration of variables."""
    text = code[start:end]
    for attribute in ATTRIBUTE.finditer(text):
        stop = closing(text, attribute.end())
        text = text[: attribute.start()] + " " * (stop - attribute.start()) + text[stop:]
    text = _without_lists(text)
    body = BODY.search(text)
    base = None
    if body is not None:  # a struct that is defined here
        stop = closing(text, body.end() - 1)
        base = f"{body[1]} {body[2]}" if body[2] else f"{{{start + body.start()}}}"
        text = " " * stop + text[stop:]
    parts = _split(text)
    if base is None:
        head = _head(parts[0][1])
        base = type_name(head)
        parts[0] = (parts[0][0] + len(head), parts[0][1][len(head) :])
    if not base:
        return
    for offset, part in parts:
        declared = _declarator(part, base)
        if declared is not None:
            yield replace(declared, start=start + offset + declared.start)
        elif body is not None and len(parts) == 1 and not part.strip() and not body[2]:
            yield Declared("", CType(base))  # an anonymous member


def _without_lists(text: str) -> str:
    """Lists of template arguments blanked: `Reduce<double, 8> total` is a `Reduce`, and declares no `double`."""
    for opening in re.finditer(r"(?<=\w)\s*<(?!<)", text):
        place = opening.end() - 1
        if text[place] != "<":  # inside another list
            continue
        stop = bracket_end(text, place)
        inside = text[place:stop]
        if "," in inside and inside.endswith(">") and not re.search(r"[=;{]", text[:stop]):
            text = text[:place] + " " * len(inside) + text[stop:]
    return text


def _split(text: str) -> list[tuple[int, str]]:
    """At the commas outside brackets, with offsets."""
    parts, start, offset = [], 0, 0
    while offset < len(text):
        if text[offset] == ",":
            parts.append((start, text[start:offset]))
            start = offset = offset + 1
        else:
            offset = closing(text, offset) if text[offset] in "([{" else offset + 1
    return [*parts, (start, text[start:])]


def _head(text: str) -> str:
    """The specifiers in front of the first declarator."""
    declarator = re.match(r"[\w\s:<>]*", text)
    head = declarator.group() if declarator else ""
    if text[len(head) : len(head) + 1] in ("*", "&", "("):
        if text[len(head) : len(head) + 1] != "(" or not WORD.search(NOT_A_TYPE.sub(" ", head)):
            return head
        inner = text[len(head) : closing(text, len(head))]
        if re.match(r"\(\s*\*", inner):
            return head
    words = list(WORD.finditer(head))
    return head[: words[-1].start()] if words else head


def _declarator(text: str, base: str) -> Declared | None:
    """`*name[3] = …`; None where there is no name."""
    initialised = re.search(r"(?<![=!<>])=(?!=)", text)
    text = text[: initialised.start()] if initialised else text
    bits = re.search(r":(?!:)", text)
    text = text[: bits.start()] if bits else text
    function = re.search(r"\(\s*\*+\s*(?:const\s+)?([A-Za-z_]\w*)?\s*\)\s*\(", text)
    if function is not None:
        return Declared(function[1] or "", CType(base, 1, (), True), False, bool(initialised), function.start(1))
    pointed = re.search(r"\(\s*\*\s*(?:const\s+)?([A-Za-z_]\w*)\s*\)\s*((?:\[[^\]]*\]\s*)+)", text)
    if pointed is not None:  # double (*A)[4]
        kind = CType(base, text[: pointed.start()].count("*"), ("*", *_dims(pointed[2])))
        return Declared(pointed[1], kind, False, bool(initialised), pointed.start(1))
    if "(" in text:
        return None  # a function
    brackets = text.find("[")
    head = text if brackets < 0 else text[:brackets]
    words = [word for word in WORD.finditer(head) if not NOT_A_TYPE.fullmatch(word.group())]
    if not words:
        return None
    kind = CType(base, head.count("*"), _dims(text[brackets:]) if brackets >= 0 else ())
    return Declared(words[-1].group(), kind, bool(bits), bool(initialised), words[-1].start())


def _dims(text: str) -> tuple[str, ...]:
    dims, offset = [], 0
    while (opening := text.find("[", offset)) >= 0:
        offset = closing(text, opening)
        dims.append(re.sub(r"\b(?:static|restrict|const)\b", "", text[opening + 1 : offset - 1]).strip())
    return tuple(dims)


def type_name(text: str) -> str:
    """The canonical name of a type written without stars and brackets; empty where there is none."""
    text = NOT_A_TYPE.sub(" ", re.sub(r"[*&]", " ", text))
    tagged = TAGGED.search(text)
    if tagged is not None and tagged[2]:
        return f"{tagged[1]} {tagged[2]}"
    if COMPLEX.search(text) and not text.strip().startswith("std"):
        real = canonical_type(COMPLEX.sub(" ", text)) or "double"
        return f"{real} _Complex"
    return canonical_type(text)

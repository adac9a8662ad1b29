"""The tuned source of a variant as text that can stand beside that of others: every name at file scope is its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tunepass.diagnostics import Source
from tunepass.frontends.c.syntax.definitions import definitions
from tunepass.frontends.c.syntax.lexical import Scan, scan
from tunepass.frontends.c.syntax.types import read_types
from tunepass.frontends.c.syntax.variables import variables
from tunepass.frontends.cfamily.definitions import FunctionDefinition

TAGGED = re.compile(r"\b(?:struct|union|class|enum)\b([^;{}=]*)\{")  # with attributes and bases around the name
BRACKETS = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)")
PRAGMA = re.compile(r"^([ \t]*#[ \t]*pragma[ \t]+\w+)(.*)", re.MULTILINE)  # nvcc expands no macro there
WORD = re.compile(r"\b[A-Za-z_]\w*")
PLAIN_SCOPES = ("extern",)


def includes(scanned: Scan) -> list[str]:
    """What the source includes, read before any name is changed."""
    lines = (scanned.source.line_text(d.start).strip() for d in scanned.directives if d.kind == "include")
    return list(dict.fromkeys(lines))


def copy(source: Source, text: str, values: Sequence[tuple[str, str]], number: int) -> list[str]:
    """The text with the variant's macros, and its names at file scope made the variant's own. All macros are as they
    were before, in the end."""
    scanned = scan(replace(source, text=text))
    defined = [name for d in scanned.directives if d.kind == "define" for name in re.findall(r"\A\w+", d.body)]
    renamed = file_names(scanned)
    touched = list(dict.fromkeys([*(name for name, _ in values), *defined, *renamed]))
    body = text
    for pragma in reversed(scanned.pragmas):
        body = body[: pragma.outer_start] + body[pragma.outer_end :]
    changed = {name: f"{name}_{number}" for name in renamed}
    body = PRAGMA.sub(lambda line: line[1] + WORD.sub(lambda word: changed.get(word[0], word[0]), line[2]), body)
    return [
        *(f'#pragma push_macro("{name}")' for name in touched),
        *(f"#undef {name}\n#define {name} {value}" for name, value in values),
        *(f"#undef {name}\n#define {name} {name}_{number}" for name in renamed),
        re.sub(r"\n{3,}", "\n\n", body).strip(),
        *(f'#pragma pop_macro("{name}")' for name in touched),
    ]


def own_types(scanned: Scan) -> list[str]:
    """The types that the text defines at file scope: structs, unions, classes, enumerations, typedefs."""
    types = read_types(scanned.statements)
    heads = (BRACKETS.sub(" ", head) for head in TAGGED.findall(scanned.statements))
    tags = [words[-1] for head in heads if (words := re.findall(r"\w+", head.partition(":")[0]))]
    return [*types.typedefs, *tags]


def file_names(scanned: Scan) -> list[str]:
    """What the text defines at file scope: functions, variables, types, enumerators."""
    functions = definitions(scanned)
    enumerators = [name for listed in read_types(scanned.statements).enums.values() for name in listed]
    names = [
        *(f.name for f in functions if not f.path and all(s.kind in PLAIN_SCOPES for s in f.scopes)),
        *(v.name for v in variables(scanned, functions)),
        *own_types(scanned),
        *enumerators,
    ]
    return [name for name in dict.fromkeys(names) if re.fullmatch(r"[A-Za-z_]\w*", name)]


def formal_list(function: FunctionDefinition) -> str:
    """The formals as the definition writes them."""
    return ", ".join(f.text.strip() for f in function.formals) or "void"


def plain_returns(function: FunctionDefinition) -> str:
    """What the function returns, without what says how it is linked."""
    return re.sub(r"\b(?:static|inline|extern)\b|\"C\"", "", function.returns).strip()

"""The tuned source of a variant as text that can stand beside that of others: every name at file scope is its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from tunepass.diagnostics import Source
from tunepass.frontends.c.call.variables import variables
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.lowering import macros, presence_words
from tunepass.frontends.c.parameters.macros import whole_number
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition, definitions
from tunepass.frontends.cfamily.preprocessing.symbols import MacroValue, Presence
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.text.tokens import Token, names_in, tokens
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.kernel import Kernel

PLAIN_SCOPES = ("extern",)
LINKAGE = frozenset({"static", "inline", "extern", '"C"'})
DIALECTS: dict[str, Literal["c", "c++", "cuda", "opencl"]] = {
    "c": "c", "c++": "c++", "cuda": "cuda", "opencl": "opencl",
}  # fmt: skip


def unit_of(kernel: Kernel) -> Unit:
    """The kernel's source as it was read: parameters keep their names."""
    symbols: dict[str, MacroValue] = {name: whole_number(text) for name, text in macros(kernel, chosen(kernel))}
    present = {b.parameter: chosen(kernel)[b.parameter] for b in kernel.bindings if b.words}
    symbols |= {name: Presence(value) for name, value in present.items() if isinstance(value, bool)}
    return read(kernel.source, kernel.words, DIALECTS[kernel.language], symbols)


def variant_unit(kernel: Kernel, text: str, values: Sequence[tuple[str, str]]) -> Unit:
    """The variant's `text` as the compiler sees it with these macros."""
    words = (*kernel.words, *presence_words(kernel, chosen(kernel)), *(f"-D{name}={value}" for name, value in values))
    return read(replace(kernel.source, text=text), words, DIALECTS[kernel.language])


def includes(source: Source) -> list[str]:
    """What the source includes, read before any name is changed."""
    lines = (source.line_text(d.start).strip() for d in annotated(source).directives if d.kind == "include")
    return list(dict.fromkeys(lines))


def copy(kernel: Kernel, text: str, values: Sequence[tuple[str, str]], number: int) -> list[str]:
    """The text with the variant's macros, and its names at file scope made the variant's own. All macros are as they
    were before, in the end."""
    found = annotated(replace(kernel.source, text=text))
    defined = [name for d in found.directives if d.kind == "define" for name in names_in(d.body)[:1]]
    renamed = file_names(variant_unit(kernel, text, values))
    touched = list(dict.fromkeys([*(name for name, _ in values), *defined, *renamed]))
    changes = [(pragma.outer_start, pragma.outer_end, "") for pragma in found.pragmas]
    for directive in found.directives:
        if directive.kind == "pragma":  # nvcc expands no macro there
            _, *words = tokens(text, directive.start + 1, directive.end)
            changes += [(w.start, w.end, f"{w.text}_{number}") for w in words[1:] if w.text in renamed]
    body = text
    for start, end, written in sorted(changes, reverse=True):
        body = body[:start] + written + body[end:]
    return [
        *(f'#pragma push_macro("{name}")' for name in touched),
        *(f"#undef {name}\n#define {name} {value}" for name, value in values),
        *(f"#undef {name}\n#define {name} {name}_{number}" for name in renamed),
        "\n".join(_without_gaps(body.strip().split("\n"))),
        *(f'#pragma pop_macro("{name}")' for name in touched),
    ]


def _without_gaps(lines: Sequence[str]) -> Iterator[str]:
    """With one empty line where several follow each other."""
    for before, line in zip(["", *lines], lines):
        if line or before:
            yield line


def own_types(unit: Unit) -> list[str]:
    """The types that the text defines at file scope: structs, unions, classes, enumerations, typedefs."""
    aliases = [name for name, declaration in unit.aliases.items() if not unit.is_included(declaration.first)]
    return [*aliases, *(name for name, token in unit.tags.items() if not unit.is_included(token))]


def file_names(unit: Unit) -> list[str]:
    """What the text defines at file scope: functions, variables, types, enumerators."""
    own = unit.tags.items()
    enumerators = [name for tag, token in own if not unit.is_included(token) for name in unit.enums.get(tag, ())]
    names = [
        *(f.name for f in definitions(unit) if not f.path and all(s.kind in PLAIN_SCOPES for s in f.scopes)),
        *(v.name for v in variables(unit) if v.defined and not v.included and not v.scope),
        *own_types(unit),
        *enumerators,
    ]
    return [name for name in dict.fromkeys(names) if name.isidentifier()]


def formal_list(function: FunctionDefinition) -> str:
    """The formals as the definition writes them."""
    return ", ".join(f.text.strip() for f in function.formals) or "void"


def plain_returns(function: FunctionDefinition) -> str:
    """What the function returns, without what says how it is linked."""
    words: list[Token] = [token for token in tokens(function.returns) if token.text not in LINKAGE]
    return function.returns[words[0].start : words[-1].end] if words else ""

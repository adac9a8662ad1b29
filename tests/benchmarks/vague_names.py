"""Vague identifiers and docstring openings of the product by folder and word. `make names`, or `make names UPDATE=1`.

An identifier counts at each place that binds it: an assignment, a parameter, a function, a class, an attribute, an
alias of an import, a capture of a pattern, and the name of a module or a folder. It is vague if one of its words is in
VAGUE: `needs_found` and `LooksAgain` are. A docstring counts if its first word is in OPENINGS, which begin a clause in
place of a noun. Noun phrases ("Posterior of the latent loss") are good docstrings, so a verb is not required.
docs/glossary.md has the terms to use instead.

LIST bounds both counts by module. An update lowers numbers and drops lines; only an edit by hand raises or adds one.
"""

from __future__ import annotations

import ast
import functools
import gc
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests" / "vague_names.txt"
FOLDERS = ("tunepass", "frontends", "hwmodels", "native")
VAGUE = frozenset(
    (
        *("asked", "beside", "brought", "found", "gone", "held", "here", "kept", "lacking", "looks", "made", "meant"),
        *("mine", "misfits", "own", "said", "shown", "spelt", "taken", "told", "wanted", "what", "who", "whose"),
    )
)
OPENINGS = frozenset(
    ("Of", "That", "Those", "What", "Whatever", "Where", "Wherever", "Whether", "Which", "Who", "Whom", "Whose")
)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
POSSIBLE = re.compile("|".join(sorted(VAGUE)))
HEADER = """\
# Vague identifiers and docstring openings that are left, by module: tests/test_vague_names.py fails if a count exceeds
# its line. `make names` prints them, `make names UPDATE=1` lowers the numbers; only an edit by hand raises or adds one.
# identifiers, docstrings, module
"""
SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
BINDERS: Mapping[type[ast.AST], str] = {  # kinds of nodes that bind a name, and the field that has it
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.alias: "asname",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}


class Use(NamedTuple):
    """A vague word at a line of a module; `word` is None for a docstring."""

    line: int
    word: str | None
    text: str  # the identifier, or the start of the docstring


@dataclass(frozen=True, slots=True)
class Bound:
    """Most uses that a module may have."""

    identifiers: int = 0
    docstrings: int = 0

    def exceeded_by(self, other: Bound) -> bool:
        return other.identifiers > self.identifiers or other.docstrings > self.docstrings

    def lowered_to(self, other: Bound) -> Bound:
        return Bound(min(self.identifiers, other.identifiers), min(self.docstrings, other.docstrings))


def uses_in(text: str, module: str = "") -> list[Use]:
    """All uses in the text of a module, by line; `module` is its path with slashes."""
    uses = [Use(1, word, module) for word in vague_words(module_name(module))]
    lines = possible_lines(text)
    for node in nodes_on(lines, ast.parse(text)) if lines else ():
        identifier = bound_name(node)
        uses += [Use(getattr(node, "lineno", 1), word, identifier) for word in vague_words(identifier)]
        if isinstance(node, SCOPES) and (opening := docstring_opening(node)):
            uses.append(Use(node.body[0].lineno, None, opening))
    return sorted(uses, key=lambda use: use.line)


def possible_lines(text: str) -> set[int]:
    """Numbers of the lines that may have a use: with a vague word anywhere, or a docstring's quotes."""
    lines = enumerate(text.split("\n"), start=1)
    return {number for number, line in lines if '"""' in line or POSSIBLE.search(line.lower())}


def nodes_on(lines: Set[int], tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes of the statements that have one of the lines; to walk all others would take seconds."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and lines.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1)):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def module_name(module: str) -> str:
    """Last part of a module's path: the stem of a file, the folder of an `__init__.py`."""
    path = Path(module)
    return path.parent.name if path.stem == "__init__" else path.stem


@functools.cache
def vague_words(identifier: str) -> tuple[str, ...]:
    return tuple(word for part in WORD.findall(identifier) if (word := part.lower()) in VAGUE)


def bound_name(node: ast.AST) -> str:
    """Identifier that the node itself binds; empty if it binds none. Names of tests are sentences, and left out."""
    field = BINDERS.get(type(node))
    if field is None or isinstance(getattr(node, "ctx", None), ast.Load | ast.Del):
        return ""
    identifier = str(getattr(node, field) or "")
    return "" if identifier.startswith("test_") else identifier


def docstring_opening(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Start of the docstring if its first word is in OPENINGS, else an empty text."""
    docstring = (ast.get_docstring(node, clean=False) or "").strip()
    opening = re.match(r"\w+", docstring)
    return docstring.partition("\n")[0][:60] if opening and opening[0] in OPENINGS else ""


def product_uses() -> dict[str, list[Use]]:
    """Uses of each module of the product that has any, by its path."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    gc.disable()  # trees of syntax are no garbage yet, and looking for it takes half the time
    try:
        uses = {(name := path.relative_to(ROOT).as_posix()): uses_in(path.read_text("utf-8"), name) for path in paths}
    finally:
        gc.enable()
    return {module: list_ for module, list_ in uses.items() if list_}


def count(uses: list[Use]) -> Bound:
    identifiers = sum(use.word is not None for use in uses)
    return Bound(identifiers, len(uses) - identifiers)


def read_bounds(text: str) -> dict[str, Bound]:
    """Bounds of a list by module. Raises ValueError for a line that is not one."""
    rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {module: Bound(int(identifiers), int(docstrings)) for identifiers, docstrings, module in rows}


def write_bounds(bounds: Mapping[str, Bound]) -> str:
    rows = (f"{b.identifiers:3} {b.docstrings:3} {module}\n" for module, b in sorted(bounds.items()) if b != Bound())
    return HEADER + "".join(rows)


def lowered(bounds: Mapping[str, Bound], counts: Mapping[str, Bound]) -> dict[str, Bound]:
    """The bounds, each lowered to its module's count; modules without uses go."""
    return {module: bound.lowered_to(counts.get(module, Bound())) for module, bound in bounds.items()}


def table(uses: Mapping[str, list[Use]]) -> str:
    """Identifiers by folder and word, and docstrings by folder; a folder is counted with all below it."""
    identifiers: dict[str, Counter[str]] = {}
    docstrings: Counter[str] = Counter()
    for module, list_ in uses.items():
        for folder in folders_of(module):
            identifiers.setdefault(folder, Counter()).update(use.word for use in list_ if use.word is not None)
            docstrings[folder] += count(list_).docstrings
    lines = [f"{'folder':28}{'identifiers':>12}{'docstrings':>12}  words"]
    for folder, words in sorted(identifiers.items()):
        common = ", ".join(f"{word} {n}" for word, n in words.most_common())
        lines.append(f"{folder:28}{words.total():12,}{docstrings[folder]:12,}  {common}")
    return "\n".join(lines)


def folders_of(module: str) -> list[str]:
    """All of the product, the top folder, and the room in it."""
    top, *rest = Path(module).parts
    return [".", top, f"{top}/{rest[0]}"] if len(rest) > 1 else [".", top]


def main(words: list[str]) -> None:
    uses = product_uses()
    if words == ["--update"]:
        counts = {module: count(list_) for module, list_ in uses.items()}
        bounds = lowered(read_bounds(LIST.read_text()), counts) if LIST.exists() else counts
        LIST.write_text(write_bounds(bounds))
    print(table(uses))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Argument vectors with placeholders: `{FLAGS}`, `{build_dir}`, `{NAME}` of a parameter; `{{` and `}}` are braces."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

import yaml

from tunepass.diagnostics import nearest
from tunepass.frontends.app.document import DocumentReader
from tunepass.ir.application import Words

FLAGS, ARGUMENTS, INPUT = "FLAGS", "ARGUMENTS", "INPUT"
BUILD, SOURCE = "build_dir", "source_dir"
SHELL = frozenset("|&;<>`$")
HOLE = re.compile(r"\{\{|\}\}|\{(\w+)\}|[{}]")


def read_command(reader: DocumentReader, node: yaml.Node, what: str, names: Iterable[str]) -> Words:
    """A list of words, or one text split as a shell splits it (and nothing else that a shell does)."""
    known = list(names)
    if isinstance(node, yaml.SequenceNode):
        words = tuple(reader.text(item, f"a word of {what}") for item in node.value)
        nodes = list(node.value)
    else:
        text = str(node.value) if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">") else None
        words = _split(reader, node, text if text is not None else reader.text(node, what), what)
        nodes = [node] * len(words)
    if not words or not words[0]:
        raise reader.fail(f"{what} is empty", node, "write the program and its arguments")
    for word, word_node in zip(words, nodes):
        _check(reader, word_node, word, what, known)
    return words


def _split(reader: DocumentReader, node: yaml.Node, text: str, what: str) -> Words:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise reader.fail(f"{what} cannot be split into words: {str(error).lower()}", node) from None
    shell = next((w for w in words if (w and set(w) <= SHELL) or w.startswith(("$(", "`", "$"))), None)
    if shell is not None:
        raise reader.fail(
            f"`{shell}` needs a shell, and commands are run without one", node, "put it in a script and run that"
        )
    return words


def _check(reader: DocumentReader, node: yaml.Node, word: str, what: str, known: list[str]) -> None:
    for hole in HOLE.finditer(word):
        if hole.group() in "{}":
            raise reader.fail(f"`{hole.group()}` in {what} stands alone", node, "write `{{` and `}}` for braces")
        if hole[1] is not None and hole[1] not in known:
            close = nearest(hole[1], known)
            hint = f"did you mean `{{{close}}}`?" if close else f"known: {', '.join(f'{{{n}}}' for n in known)}"
            raise reader.fail(f"{what} has no placeholder `{{{hole[1]}}}`", node, hint)


def holes(words: Iterable[str]) -> set[str]:
    """The names that stand in braces."""
    return {hole[1] for word in words for hole in HOLE.finditer(word) if hole[1] is not None}


def fill(word: str, values: Mapping[str, str]) -> str:
    def value(hole: re.Match[str]) -> str:
        return hole.group()[0] if hole[1] is None else values[hole[1]]

    return HOLE.sub(value, word)


def expand(words: Words, values: Mapping[str, str], lists: Mapping[str, Words]) -> Words:
    """The words filled in. A word that is nothing but the name of a list becomes the list's words; inside a word a list
    is one text, its words separated by blanks. A word that is nothing but the name of an empty value is left out."""
    joined = {**values, **{name: " ".join(items) for name, items in lists.items()}}
    expanded: list[str] = []
    for word in words:
        alone = HOLE.fullmatch(word)
        if alone and alone[1] in lists:
            expanded += lists[alone[1]]
        elif not (alone and joined.get(alone[1], word) == ""):
            expanded.append(fill(word, joined))
    return tuple(expanded)

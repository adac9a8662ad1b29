"""Schedules as text: lines of Python, and of C++, that a program of Halide can take in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from tunepass.integrations.halide.description import Description, Func
from tunepass.integrations.halide.nests import Directive, Word
from tunepass.integrations.parameters import identifier

RESERVED = ("pipeline", "hl", "Func", "Var", "RVar", "TailStrategy", "schedule")


class Writer:
    """Names for the Funcs, and for the variables of each Func, in one language."""

    def __init__(self, description: Description, directives: Sequence[Directive]):
        self.description, self.directives = description, directives
        mentioned = {d.func for d in directives}
        mentioned |= {int(str(w)[5:]) for d in directives for w in d.arguments if str(w).startswith("func:")}
        self.names: dict[int, str] = {}
        used = set(RESERVED)
        for index in sorted(mentioned):
            name = identifier(re.sub(r"\W", "_", description.funcs[index].name), used)
            used.add(name)
            self.names[index] = name
        self.used = used

    def variables(self, func: Func) -> dict[str, str]:
        """By word its name in the text: the Func's own arguments, its reductions, and new ones."""
        directives = [d for d in self.directives if d.func == func.index]
        words = [f"var:{name}" for name in func.args]
        words += [str(word) for d in directives for word in d.arguments if str(word).startswith(("var:", "rvar:"))]
        return self._named(dict.fromkeys(words))

    def _named(self, words: Mapping[str, None]) -> dict[str, str]:
        names: dict[str, str] = {}
        used = set(self.used)
        for word in words:
            names[word] = identifier(re.sub(r"\W", "_", word.partition(":")[2]), used)
            used.add(names[word])
        return names

    def groups(self) -> list[tuple[Func, int, list[Directive]]]:
        """The directives of each stage, in their order."""
        runs = groupby(self.directives, key=lambda d: (d.func, d.stage))
        return [(self.description.funcs[index], stage, list(group)) for (index, stage), group in runs]


def _reductions(func: Func, stage: int, words: Mapping[str, str]) -> list[tuple[str, int]]:
    """By name in the text, the place among the reductions of the stage, for those that are used."""
    return [
        (words[f"rvar:{name}"], place) for place, name in enumerate(func.stages[stage].rvars) if f"rvar:{name}" in words
    ]


def python_text(description: Description, directives: Sequence[Directive], note: str) -> str:
    """A function of a Pipeline that schedules it."""
    writer = Writer(description, directives)
    lines = [f"# {line}".rstrip() for line in note.splitlines()]
    lines += ["import halide as hl", "", "", "def schedule(pipeline: hl.Pipeline) -> None:"]
    lines += [f"    {name} = pipeline.get_func({index})" for index, name in writer.names.items()]
    for func, stage, group in writer.groups():
        words = writer.variables(func)
        bound = [f"{words[f'var:{name}']} = {writer.names[func.index]}.args()[{n}]" for n, name in enumerate(func.args)]
        bound = [line for n, line in enumerate(bound) if _mentions(group, f"var:{func.args[n]}")]
        bound += [
            f"{name} = {writer.names[func.index]}.rvars({stage - 1})[{place}]"
            for name, place in _reductions(func, stage, words)
            if stage and _mentions(group, f"rvar:{func.stages[stage].rvars[place]}")
        ]
        lines += [f"    {line}" for line in bound]
        new = _new_variables(func, group, words)
        lines += [f"    {', '.join(new)} = {', '.join(f'hl.Var({_plain(words, n)!r})' for n in new)}"] if new else []
        called = [f"{d.method}({_arguments(d, words, writer, 'hl.TailStrategy.')})" for d in group]
        target = writer.names[func.index] + (f".update({stage - 1})" if stage else "")
        lines += [f"    {target}.{call}" for call in called]
    return "\n".join([*lines, ""]) if writer.names else "\n".join([*lines, "    pass  # as it came", ""])


def cpp_text(description: Description, directives: Sequence[Directive], note: str) -> str:
    """The same as a C++ function, to be included after Halide.h."""
    writer = Writer(description, directives)
    lines = [f"// {line}".rstrip() for line in note.splitlines()]
    lines += ['#include "Halide.h"', "", "inline void schedule(Halide::Pipeline pipeline) {"]
    lines += ["    using namespace Halide;"]
    lines += [f"    Func {name} = pipeline.get_func({index});" for index, name in writer.names.items()]
    for func, stage, group in writer.groups():
        words = writer.variables(func)
        name = writer.names[func.index]
        lines.append("    {")
        for number, argument in enumerate(func.args):
            if _mentions(group, f"var:{argument}"):
                lines.append(f"        Var {words[f'var:{argument}']} = {name}.args()[{number}];")
        for variable, place in _reductions(func, stage, words):
            if stage and _mentions(group, f"rvar:{func.stages[stage].rvars[place]}"):
                lines.append(f"        RVar {variable} = {name}.rvars({stage - 1})[{place}];")
        new = _new_variables(func, group, words)
        lines += [f"        Var {', '.join(f'{n}({_quoted(_plain(words, n))})' for n in new)};"] if new else []
        target = name + (f".update({stage - 1})" if stage else "")
        called = [f".{d.method}({_arguments(d, words, writer, 'TailStrategy::')})" for d in group]
        lines.append(f"        {target}{''.join(called)};")
        lines.append("    }")
    return "\n".join([*lines, "}", ""])


def _mentions(group: Sequence[Directive], word: str) -> bool:
    return any(word in d.arguments for d in group if d.method not in ("compute_at", "store_at"))


def _new_variables(func: Func, group: Sequence[Directive], words: Mapping[str, str]) -> list[str]:
    """Names of variables that the splits of a stage make, and of loops of other Funcs."""
    arguments = {f"var:{name}" for name in func.args}
    names: dict[str, None] = {}
    for directive in group:
        elsewhere = directive.method in ("compute_at", "store_at")
        for word in directive.arguments:
            text = str(word)
            if text.startswith("var:") and not elsewhere and text not in arguments:
                names[words[text]] = None
    return list(names)


def _plain(words: Mapping[str, str], name: str) -> str:
    return next(word for word, text in words.items() if text == name).partition(":")[2]


def _quoted(text: str) -> str:
    return f'"{text}"'


def _arguments(directive: Directive, words: Mapping[str, str], writer: Writer, tail: str) -> str:
    elsewhere = directive.method in ("compute_at", "store_at")

    def written(word: Word) -> str:
        text = str(word)
        kind, _, name = text.partition(":")
        if isinstance(word, int):
            return text
        if kind == "func":
            return writer.names[int(name)]
        if kind == "tail":
            return f"{tail}{name}"
        if elsewhere:  # a loop of the other Func, which Halide finds by its name
            python = f"hl.Var({name!r})" if kind == "var" else f"hl.RVar({name!r})"
            return python if tail.startswith("hl.") else python[3:].replace("'", '"')
        return words[text]

    return ", ".join(map(written, directive.arguments))

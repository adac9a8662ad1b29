"""Docstrings of the public names: arguments, return values, errors and examples, which run.

A name is described where its docstring (of a class, or of a base of it) has an entry in `Args:` for every argument, a
function's has `Returns:` unless it returns None, `Raises:` where its own code raises, and `Example:`.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import tunepass as tp
from tunepass import extension

ROOT = Path(__file__).parents[1]
SECTION = re.compile(r"^(Args|Returns|Raises|Example)(?: \(\w+\))?:", re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

NOT_DESCRIBED: frozenset[str] = frozenset()  # public names without all of it; may only shrink
METHODS_NOT_DESCRIBED: frozenset[str] = frozenset()  # public methods without a docstring; may only shrink


def public_names() -> dict[str, object]:
    """The public classes and functions by name; what both modules have is named once."""
    found = {f"extension.{name}": getattr(extension, name) for name in extension.__all__}
    found |= {f"tp.{name}": getattr(tp, name) for name in tp.__all__}
    by_value = {id(value): name for name, value in found.items()}
    return {name: found[name] for name in sorted(by_value.values()) if callable_by_users(found[name])}


def callable_by_users(value: object) -> bool:
    return isinstance(value, (type, FunctionType))


NAMES = public_names()
PUBLIC = frozenset(value for value in NAMES.values() if isinstance(value, type))


def sections(docstring: str) -> dict[str, str]:
    """The text of each section of a docstring, by its name."""
    text = inspect.cleandoc(docstring)
    starts = list(SECTION.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    return {start[1]: text[start.end() : end] for start, end in zip(starts, ends)}


def docstrings(value: object) -> list[str]:
    """Of a function its own; of a class its own and those of its bases."""
    owners = value.__mro__ if isinstance(value, type) else (value,)
    return [owner.__doc__ for owner in owners if owner.__doc__ and owner.__module__.startswith("tunepass")]


def arguments(value: object) -> list[str]:
    """The arguments of a function or a constructor, but for `*args` and `**kwargs`."""
    assert callable(value)
    if isinstance(value, type) and getattr(value, "_is_protocol", False):
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    listed = inspect.signature(value).parameters.values()
    return [p.name for p in listed if p.kind not in variable and not p.name.startswith("_")]


def raises(value: object) -> bool:
    """Whether the function, or the class's own constructor, has a `raise` statement."""
    if getattr(value, "_is_protocol", False):  # whose constructor is Python's
        return False
    functions = (
        [vars(value).get(name) for name in ("__init__", "__post_init__")] if isinstance(value, type) else [value]
    )
    written = [function for function in functions if isinstance(function, FunctionType) and not is_generated(function)]
    trees = (ast.parse(textwrap.dedent(inspect.getsource(function))) for function in written)
    return any(isinstance(node, ast.Raise) for tree in trees for node in ast.walk(tree))


def is_generated(function: FunctionType) -> bool:
    """Whether a dataclass made the function."""
    return function.__code__.co_filename.startswith("<")


def missing(value: object) -> list[str]:
    """The sections, and the entries of `Args:`, that a name lacks."""
    own = sections(value.__doc__ or "")
    described = " ".join(sections(text).get("Args", "") for text in docstrings(value))
    entries = set(re.findall(r"^ +(\w+): ", " " + described, re.MULTILINE))
    lacking = [f"Args: {name}" for name in arguments(value) if name not in entries]
    if isinstance(value, FunctionType) and inspect.signature(value).return_annotation not in (None, "None"):
        lacking += ["Returns"] * ("Returns" not in own)
    lacking += ["Raises"] * (raises(value) and "Raises" not in own)
    return lacking + ["Example"] * ("Example" not in own)


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_have_arguments_results_errors_and_an_example(name: str) -> None:
    lacking = missing(NAMES[name])
    if name in NOT_DESCRIBED:
        assert lacking, f"{name} is described: take it off the list"
    else:
        assert lacking == [], f"{name} lacks {', '.join(lacking)}"


def methods(value: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties that a class, or a base of it that has no public name, defines."""
    bases = [base for base in value.__mro__[1:] if base.__module__.startswith("tunepass.study.") and base not in PUBLIC]
    members = {name: member for owner in (*bases[::-1], value) for name, member in vars(owner).items()}
    for name, member in members.items():
        if not name.startswith("_") and isinstance(member, (FunctionType, property, classmethod, staticmethod)):
            yield name, getattr(value, name)


def test_public_methods_have_docstrings() -> None:
    classes = {name: value for name, value in NAMES.items() if isinstance(value, type)}
    without = {
        f"{name}.{method}"
        for name, value in classes.items()
        for method, member in methods(value)
        if not inspect.getdoc(member) and not inherited_docstring(value, method)
    }
    assert without == METHODS_NOT_DESCRIBED


def inherited_docstring(value: type, method: str) -> bool:
    """Whether a base describes the method."""
    return any(inspect.getdoc(vars(base)[method]) for base in value.__mro__[1:] if method in vars(base))


class Table(tp.Evaluator):
    """Prices a configuration by its tile."""

    def evaluate(self, configuration: tp.Configuration) -> tp.Evaluation:
        return tp.Evaluation(measure(configuration))


def measure(configuration: tp.Configuration) -> tp.Measured:
    tile = configuration["tile"]
    assert isinstance(tile, int)
    return tp.Measured({"time": float(tile)})


def emitter(kernel: tp.Kernel, note: str) -> tuple[tp.EmittedFile, ...]:
    return (tp.EmittedFile("scale.tuned.toy", "".join(f"{c.parameter} {c.value}\n" for c in kernel.schedule)),)


def examples_namespace() -> dict[str, object]:
    """The names that every example may use."""
    parameters = [tp.Ordinal("tile", [4, 8, 16, 32], default=8), tp.Integer("unroll", 1, 4)]
    space = tp.Space(parameters, ["tile % unroll == 0"])
    objectives = (tp.Objective("time", unit="ms"),)
    source = tp.Source("scale.toy", "tile 8\nunroll 1\n")
    kernel = tp.Kernel(
        name="scale", language="toy", source=source, parameters=space.parameters, constraints=space.constraints
    )
    return {
        "tp": tp,
        "extension": extension,
        "np": np,
        "space": space,
        "objectives": objectives,
        "task": tp.Task(space=space, objectives=objectives, max_evals=20),
        "kernel": kernel,
        "measure": measure,
        "evaluate": Table(),
        "evaluators": lambda kernel: contextlib.nullcontext(Table()),
        "emitter": emitter,
        "Table": Table,
    }


def examples() -> dict[str, str]:
    """The text of each docstring with an example: of the public names, and of the methods of classes."""
    texts = {name: value.__doc__ or "" for name, value in NAMES.items()}
    for name, value in NAMES.items():
        if isinstance(value, type):
            texts |= {f"{name}.{method}": inspect.getdoc(member) or "" for method, member in methods(value)}
    return {name: text for name, text in texts.items() if "Example" in sections(text)}


EXAMPLES = examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    example = sections(EXAMPLES[name])["Example"]
    assert ">>>" in example
    printed: list[str] = []
    write: Callable[[str], object] = printed.append
    test = doctest.DocTestParser().get_doctest(textwrap.dedent(example), examples_namespace(), name, None, 0)
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=write)
    assert printed == [], "".join(printed)

"""What names stand for while a source is followed: numbers, texts, layers, tensors, models, and what is not known."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Expr

LOST = "@lost"  # the key of a dictionary that was given to a function that is not followed


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that is not followed, and why. It may be passed around; no size may depend on it, and not the model's
    output. `span` is where it was first needed; `number`: it is one, whatever it is."""

    reason: str
    span: Span | None = None
    number: bool = False

    def at(self, span: Span) -> Unknown:
        return self if self.span is not None else Unknown(self.reason, span)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name of an imported module: `torch.nn.Conv2d`."""

    path: str

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]


@dataclass(slots=True, eq=False)
class Module:
    """A file or a folder that the source imports. `scope` is None until a name of it is needed."""

    name: str
    path: Path | None
    folder: Path | None
    scope: PyScope | None = None


@dataclass(frozen=True, slots=True)
class ImportedName:
    """`from module import name`: what it stands for is looked for once it is needed."""

    module: Module
    name: str


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A value of the graph."""

    name: str


@dataclass(slots=True)
class PyScope:
    """Names, and where those are found that are not here."""

    names: dict[str, PyValue] = field(default_factory=dict)
    outer: PyScope | None = None
    left: tuple[Unknown, int] | None = None  # it is not known whether a function has returned, after so many layers

    def leaves(self, lost: Unknown, made: int) -> None:
        self.left = self.left or (lost, made)

    def find(self, name: str) -> PyValue | None:
        scope: PyScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None


@dataclass(slots=True)
class UserFunction:
    """`bound`: the object, or the class, that its first argument is; `owner`: the class that it is a method of."""

    node: ast.FunctionDef | ast.Lambda
    scope: PyScope
    bound: Instance | UserClass | None = None
    owner: UserClass | None = None


@dataclass(slots=True)
class UserClass:
    """`methods` are its own, not those of its bases."""

    node: ast.ClassDef
    scope: PyScope
    bases: tuple[PyValue, ...]
    methods: dict[str, ast.FunctionDef]


@dataclass(slots=True)
class Instance:
    """An object of a class of the source, with what its methods put into it. `container`: what it holds where its class
    is one of the frameworks' containers, such as `nn.Sequential`; `built`: Keras' `build` was called."""

    of: UserClass
    fields: dict[str, PyValue] = field(default_factory=dict)
    container: SequentialValue | LayerValue | list[PyValue] | dict[object, PyValue] | None = None
    built: bool = False


@dataclass(frozen=True, slots=True)
class SuperValue:
    """`super()` in a method of the class."""

    instance: Instance
    of: UserClass


@dataclass(frozen=True, slots=True)
class PartialValue:
    """A function with some of its arguments (`functools.partial`)."""

    function: PyValue
    positional: tuple[PyValue, ...]
    named: dict[str, PyValue]


@dataclass(slots=True)
class LayerValue:
    """A layer as it was made; applying it again uses its weights again."""

    name: str
    framework: str
    arguments: dict[str, PyValue]
    span: Span
    applied: list[str] = field(default_factory=list)  # the nodes of its first application


@dataclass(slots=True)
class SequentialValue:
    """Layers one after the other; `shape` is the input's where the source gives it, without the batch. `shared`: each
    layer is given what the model is given after its first input too, as the layers of a decoder are."""

    items: list[PyValue] = field(default_factory=list)
    shape: tuple[PyValue, ...] | None = None
    span: Span | None = None
    shared: bool = False
    named: dict[str, PyValue] = field(default_factory=dict)  # the layers that have names


@dataclass(frozen=True, slots=True)
class FilledValue:
    """A tensor of numbers that no layer makes: `torch.zeros(2, 3)`. It becomes one of the graph where it is used.
    `numbers`: of one axis, where the source computes with them."""

    shape: tuple[PyValue, ...]
    numbers: tuple[float, ...] | None = None


@dataclass(slots=True)
class ModelValue:
    """A functional model of Keras: tensors in, tensors out."""

    inputs: list[str]
    outputs: list[str]
    span: Span | None = None


@dataclass(slots=True)
class ArgumentsValue:
    """argparse's parser, and once `read` what it gives: the defaults by name."""

    defaults: dict[str, PyValue] = field(default_factory=dict)
    read: bool = False


@dataclass(frozen=True, slots=True)
class ConditionalValue:
    """Something that is only there under a condition: a layer that was appended in an `if` on a parameter."""

    condition: Expr
    value: PyValue


@dataclass(slots=True)
class AlternativesValue:
    """What an object's field is under each of several conditions."""

    items: list[tuple[Expr, PyValue]]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value that tunepass knows: `x.view`, `model.add`."""

    owner: PyValue
    name: str


def is_key(value: object) -> TypeGuard[Key]:
    """Whether a dictionary may have it as a key."""
    if isinstance(value, tuple):
        return all(is_key(item) for item in value)
    return value is None or (isinstance(value, (str, int, float, Symbol)) and value != LOST)


class Registered(list["PyValue"]):
    """`nn.ModuleList`: a list whose layers are the model's."""


class RegisteredByName(dict[object, "PyValue"]):
    """`nn.ModuleDict`."""


Key = str | int | float | tuple["PyValue", ...] | Symbol | None
PyValue = (
    Expr | str | int | float | bool | list["PyValue"] | tuple["PyValue", ...] | dict[object, "PyValue"]
    | Unknown | Symbol | TensorValue | UserFunction | UserClass | Instance | LayerValue | SequentialValue | ModelValue
    | AlternativesValue | ArgumentsValue | ConditionalValue | FilledValue | Method | PartialValue | SuperValue | None
    | Module | ImportedName
)  # fmt: skip

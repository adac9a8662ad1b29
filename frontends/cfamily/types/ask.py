"""What is asked of the compiler about a source, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from tunepass.frontends.cfamily.types.model import Type

Key: TypeAlias = tuple[str, int]  # a function's name and line, as asked


@dataclass(frozen=True, slots=True)
class FunctionAsk:
    """A function definition in the main file; offsets count characters of its text."""

    name: str  # `f`, or with what stands around it: `ns::Mesh::f`, `operator()`
    line: int  # of the definition, from 1
    insert_at: int  # where its declaration specifiers begin: an attribute may stand here
    body: tuple[int, int]  # from its brace to behind the closing one
    template: bool = False  # it, or a class around it, is a template: its types exist by instance

    @property
    def key(self) -> Key:
        return self.name, self.line


@dataclass(frozen=True, slots=True)
class Ask:
    """One compile answers all of it."""

    functions: tuple[FunctionAsk, ...] = ()
    names: tuple[str, ...] = ()  # globals, typedefs, tags (`struct point`), expressions: as at the end of the file


class Rung(str, Enum):
    """How much of the source was left to the compiler."""

    AS_WRITTEN = "as written"
    OTHERS_EMPTIED = "bodies of other functions emptied"
    OWN_EMPTIED = "bodies of the asked functions emptied too"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str | None
    type: Type


@dataclass(frozen=True, slots=True)
class Local:
    name: str
    type: Type
    line: int


@dataclass(frozen=True, slots=True)
class FunctionSignature:
    """A function as the compiler sees it. Of a template, its first instance; `instances` has all of them."""

    name: str  # without its scope; of an instance of a template with the arguments: `scale<double>`
    line: int
    parameters: tuple[Parameter, ...]
    result: Type
    locals: tuple[Local, ...]
    static: bool  # no other file can call it; of a class member: it has no object
    variadic: bool = False
    prototyped: bool = True
    namespace: tuple[str, ...] = ()  # an anonymous namespace is ``
    member_of: Type | None = None
    this: Type | None = None  # the type of `this`, constant for a constant member function
    locals_lost: bool = False  # its body did not compile and was emptied
    instances: tuple[FunctionSignature, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A function or a name that has no type here; `line` of the main file where one is to blame."""

    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """The compiler's first error; `file` and `line` as the compiler names them."""

    message: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class TypeAnswer:
    """`rung` is None and both mappings are empty where `failure` says why nothing compiled."""

    functions: Mapping[Key, FunctionSignature | Refusal]
    types: Mapping[str, Type | Refusal]
    rung: Rung | None
    emptied: Sequence[tuple[int, int]] = ()  # the bodies that were emptied, as offsets
    failure: Failure | None = None

"""What the parts of the interpreter ask of one another."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from tunepass.diagnostics import Diagnostic, SourceError, Span
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.building import GraphBuilding
from tunepass.frontends.dnn.interpreter.values import FilledValue, Module, PyScope, PyValue, TensorValue, Unknown


class Returned(Exception):
    def __init__(self, value: PyValue):
        self.value = value


class PartlyReturned(Exception):
    """A `return` under a condition on parameters: what follows is there where it does not hold."""

    def __init__(self, condition: Expr, value: PyValue):
        self.condition, self.value = condition, value


class Jumped(Exception):
    """`break` or `continue`."""

    def __init__(self, word: str):
        self.word = word


class Machine(ABC):
    """Follows statements and expressions. `overridden` has where the source sets each parameter to a number or a word,
    `smallest` and `largest` the ends of each parameter's values, `decorated` the decorators that were passed over."""

    building: GraphBuilding
    parameters: Mapping[str, Expr]
    overridden: dict[str, list[Span]]
    decorated: dict[str, Diagnostic]
    smallest: dict[str, int]
    largest: dict[str, int]
    depth: int
    loops: list[tuple[Unknown, int] | None]

    @abstractmethod
    def span(self, node: ast.AST) -> Span:
        """Where the node is in the source."""

    @abstractmethod
    def is_own(self, node: ast.AST) -> bool:
        """Whether the node stands in the source itself, not in a file that it imports. Parameters are names there."""

    @abstractmethod
    def resolved(self, value: PyValue, node: ast.AST) -> PyValue:
        """What an imported name stands for."""

    @abstractmethod
    def of_module(self, module: Module, name: str, node: ast.AST) -> PyValue:
        """`module.name`."""

    @abstractmethod
    def unconditioned(self) -> AbstractContextManager[None]:
        """What is followed inside is there whatever the parameters are."""

    @abstractmethod
    def fail(self, message: str, node: ast.AST, hint: str | None = None) -> SourceError:
        """An error at the node."""

    @abstractmethod
    def step(self, node: ast.AST) -> None:
        """One more statement or expression. SourceError where there are too many."""

    @abstractmethod
    def assign(self, target: ast.expr, value: PyValue, scope: PyScope, given: ast.AST) -> None:
        """`target = value`; `given` is where the source says the value."""

    @abstractmethod
    def run(self, body: Sequence[ast.stmt], scope: PyScope) -> None:
        """Follows the statements."""

    @abstractmethod
    def statement(self, node: ast.stmt, scope: PyScope) -> None:
        """Follows one."""

    @abstractmethod
    def value(self, node: ast.expr, scope: PyScope) -> PyValue:
        """What the expression is."""

    @abstractmethod
    def parts(self, nodes: Sequence[ast.expr], scope: PyScope) -> list[PyValue]:
        """What the expressions are, those with a star taken apart."""

    @abstractmethod
    def items(self, value: PyValue) -> list[PyValue] | None:
        """What a loop over the value sees; None where that is not known."""

    @abstractmethod
    def doubtful(self, what: str, lost: Unknown) -> SourceError:
        """That it is not known what layers depend on."""

    @abstractmethod
    def chosen(self, test: Expr, then: PyValue, other: PyValue, node: ast.AST) -> PyValue:
        """The one or the other, by a condition on parameters."""


class Caller(ABC):
    """Makes calls. `conditions` are those that what is followed now is under."""

    interpreter: Machine
    conditions: list[Expr]

    @abstractmethod
    def attribute(self, owner: PyValue, name: str, node: ast.AST) -> PyValue:
        """`owner.name`."""

    @abstractmethod
    def apply(
        self, function: PyValue, positional: Sequence[PyValue], named: Mapping[str, PyValue], node: ast.AST
    ) -> PyValue:
        """What the call gives."""

    @abstractmethod
    def tensor(self, value: FilledValue, node: ast.AST) -> TensorValue:
        """The numbers as a value of the graph."""

    @abstractmethod
    def error(self, message: str, node: ast.AST, hint: str | None = None) -> SourceError:
        """An error at the node."""

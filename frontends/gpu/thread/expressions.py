"""The expressions of a thread's code: loads, stores, operations, and calls of functions that the source has.

Functions and lambdas are read where they are called. What is not understood counts nothing: these are amounts for an
estimate, never a reason to refuse a source.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Declaration,
    Expression,
    Index,
    Items,
    Lambda,
    Member,
    Name,
    Statement,
    Step,
    Unary,
)
from tunepass.frontends.cfamily.syntax.walk import in_order, names, parts
from tunepass.frontends.gpu.thread.amounts import OpenRegion
from tunepass.frontends.gpu.thread.code import CONSTANT, SHARED, Code, ThreadVariable, Where, template_texts

Use = Literal["load", "store", "update", "address"]

SPECIAL = frozenset(
    (
        *("sqrtf", "sqrt", "rsqrtf", "rsqrt", "expf", "exp", "__expf", "logf", "log", "__logf", "sinf", "cosf", "sin"),
        *("cos", "powf", "pow", "native_rsqrt", "native_exp", "native_recip", "__fdividef", "__frcp_rn", "tanhf"),
        "erff",
    )
)
BARRIERS = frozenset({"__syncthreads", "barrier", "work_group_barrier"})
LOADS = re.compile(r"__ld(?:g|cg|ca|cs|lu|cv)\Z")
ARITHMETIC = frozenset({"+", "-", "*", "+=", "-=", "*="})
MOST_CALLS = 12  # functions within each other
MOST_STEPS = 200_000  # expressions walked, those of called functions again at each call


class TooLongError(Exception):
    """The text takes more steps than an estimate is worth."""


@dataclass(slots=True)
class Expressions(ABC):
    """Adds to `region`, the one that is being read."""

    code: Code
    region: OpenRegion = field(default_factory=OpenRegion)
    kept: bool = False  # what is loaded goes to a local array
    varies: dict[str, frozenset[str]] = field(default_factory=dict)  # with which loops' variables a variable changes
    calls: int = 0
    steps: int = 0

    @abstractmethod
    def statement(self, statement: Statement) -> None:
        """Walks it."""

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLongError

    def bind(self, parameters: Sequence[Declaration], given: Sequence[Expression] | None = None) -> None:
        """The parameters of a function that is called with `given`, or of the kernel."""
        variables, varies, known = dict(self.code.variables), dict(self.varies), dict(self.code.values.known)
        for at, parameter in enumerate(parameters):
            (declarator,) = parameter.declarators
            name, words = declarator.name.text, set(parameter.words)
            argument = given[at] if given is not None and at < len(given) else None
            varies[name] = self.varying(argument)
            value = self.code.values.value(argument)
            known.pop(name, None)
            variables.pop(name, None)
            if declarator.shape:
                base = None if argument is None else self._first_variable(argument)
                where: Where = base.where if base else "constant" if words & CONSTANT else "global"
                size = self.code.type_words(parameter.words)
                variables[name] = ThreadVariable("shared" if words & SHARED else where, size)
            elif value is not None:
                known[name] = value
        self.code.variables, self.varies, self.code.values.known = variables, varies, known

    def expression(self, e: Expression | None, use: Use = "load") -> None:
        """`use` says what is done with the object that it names."""
        self.step()
        match e:
            case Index():
                self._element(e, use)
            case Member():
                self._member(e, use)
            case Unary():
                self._unary(e, use)
            case Step():
                self.expression(e.target, "update")
            case Assign():
                self.expression(e.target, "store" if e.op == "=" else "update")
                self._operation(e.op, e.value)
                self.expression(e.value)
            case Binary():
                self.expression(e.left)
                self._operation(e.op, e.right)
                self.expression(e.right)
            case Cast():
                self.expression(e.operand, use)
            case Call():
                self._call(e)
            case Lambda() if e.token.at("("):
                self.statement(e.body)
            case Conditional() | Items():
                for part in parts(e):
                    self.expression(part)

    def _operation(self, op: str, right: Expression) -> None:
        if op in ARITHMETIC:
            self.region.count("operations")
        elif op == "/" and self.code.values.number(right) is None:
            self.region.count("special")

    def _unary(self, e: Unary, use: Use) -> None:
        if e.op.at("&"):
            self.expression(e.operand, "address")
        elif e.op.at("*"):
            self._dereference(e.operand, use)
        else:
            self._operation(e.op.text, e.operand)
            self.expression(e.operand)

    def _member(self, e: Member, use: Use) -> None:
        if not e.arrow:
            self.expression(e.base, use)
        elif isinstance(e.base, Name):
            self._dereference(e.base, use)
        else:
            self.expression(e.base)

    def _element(self, e: Index, use: Use) -> None:
        """`base[...][...]`: a load or a store; the subscripts are walked."""
        subscripts: list[Expression] = []
        base: Expression = e
        while isinstance(base, Index):
            subscripts.insert(0, base.subscript)
            base = base.base
        for subscript in subscripts:
            self.expression(subscript)
        if isinstance(base, Name | Cast):
            variable = self._pointed(base)
            if variable is not None:
                self._access(variable, use, self._stride(subscripts[0]))
        else:
            self.expression(base, use)

    def _stride(self, index: Expression) -> frozenset[str] | None:
        """The loops' variables with which changes what is multiplied by a number that only the run knows; None where
        nothing is."""
        before: list[str] = []
        strided: int | None = None
        for part in in_order(index):
            if isinstance(part, Name):
                before.append(part.text)
            elif isinstance(part, Binary) and part.op == "*":
                known = (self.code.values.value(side) for side in (part.left, part.right))
                strided = len(before) if all(value is None for value in known) else strided
        return None if strided is None else self._varying(before[:strided])

    def _access(self, variable: ThreadVariable, use: Use, stride: frozenset[str] | None) -> None:
        if variable.where not in ("global", "shared") or use == "address":
            return
        if use != "load":
            self.region.count(f"{variable.where}_stores")
        if use != "store":
            self.region.count(f"{variable.where}_loads")
            if stride is not None and variable.where == "global":
                hoisted = self.region.variable and self.region.variable not in stride
                self.region.count("hoisted_loads" if hoisted else "strided_loads", of=stride)
            if variable.where == "shared" or not self.kept:
                self.region.count(f"{variable.where}_load_words", variable.words)

    def _dereference(self, pointer: Expression, use: Use) -> None:
        """`*pointer` and `*reinterpret_cast<const Vector *>(address)`."""
        variable = self._pointed(pointer)
        self.expression(pointer)
        if variable is not None:
            self._access(variable, use, self._stride(pointer))

    def _pointed(self, e: Expression) -> ThreadVariable | None:
        """What an address points to."""
        match e:
            case Name():
                return self.code.variables.get(e.text)
            case Cast():
                inner = self._pointed(e.operand)
                whole = inner is None or not e.pointer
                return inner if whole else ThreadVariable(inner.where, self.code.type_words(e.type.split()))  # type: ignore[union-attr]
            case Binary():
                return self._pointed(e.left) or self._pointed(e.right)
            case Unary() if e.op.at("&"):
                return self._first_variable(e.operand)
            case Conditional():
                return self._pointed(e.then)
            case Step():
                return self._pointed(e.target)
        return None

    def _call(self, e: Call) -> None:
        name = _called(e.function)
        callee = self.code.callee(name, len(e.arguments)) if self.calls < MOST_CALLS else None
        if callee is not None:
            outer = self.code.variables, self.code.values.known, self.code.types, self.varies
            self.code.types = dict(self.code.types)
            self.calls += 1
            self.bind(callee.parameters, e.arguments)
            if isinstance(e.function, Name):
                self.code.instantiate(callee.template, template_texts(e.function.text))
            self.statement(callee.body)
            self.code.variables, self.code.values.known, self.code.types, self.varies = outer
            self.calls -= 1
        elif name in BARRIERS:
            self.region.count("barriers")
        elif name in SPECIAL:
            self.region.count("special")
        if isinstance(e.function, Member):
            self.expression(e.function.base)
        for at, argument in enumerate(e.arguments):
            if at == 0 and LOADS.match(name):
                self._dereference(argument, "load")
            else:
                self.expression(argument)

    def varying(self, e: Expression | None) -> frozenset[str]:
        return frozenset() if e is None else self._varying(names(e))

    def _varying(self, used: Iterator[str] | Sequence[str]) -> frozenset[str]:
        return frozenset[str]().union(*(self.varies.get(name, ()) for name in used))

    def _first_variable(self, e: Expression) -> ThreadVariable | None:
        return next((self.code.variables[name] for name in names(e) if name in self.code.variables), None)


def _called(function: Expression) -> str:
    """The name of a function without what qualifies it."""
    if isinstance(function, Member):
        return function.name.text.partition("<")[0]
    return function.text.partition("<")[0].rpartition("::")[2] if isinstance(function, Name) else ""

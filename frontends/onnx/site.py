"""One operator of an ONNX model under way into the graph: its inputs as they are known, its attributes, what is applied
for it. How each operator is put is said in the modules of `operators/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.values import TensorValue
from tunepass.frontends.onnx.model import Given, OnnxNode
from tunepass.frontends.onnx.values import Constant, Held, Written, fitted
from tunepass.graphs.values import GraphError, told
from tunepass.ir.graph import Attribute, Shape

HUGE = 1 << 31  # an end of a slice from here on is the end of the axis


class InModel(Protocol):
    """What a site needs of the model that it is in."""

    opset: int
    users: dict[str, str]

    @property
    def first(self) -> object | None: ...

    def held(self, name: str) -> Held: ...
    def shape(self, value: Held) -> Shape: ...
    def before(self, name: str) -> Written: ...
    def stored(self, constant: Constant, shape: Shape) -> TensorValue: ...
    def put(
        self,
        node: OnnxNode,
        operator: str,
        inputs: Sequence[TensorValue],
        attributes: Mapping[str, Attribute],
        reused: Sequence[str],
    ) -> tuple[TensorValue, ...]: ...


class Site:
    """`given` are the attributes that the user's description lets vary; they come before those of the file."""

    def __init__(self, model: InModel, node: OnnxNode, given: Mapping[str, Attribute]):
        self.model, self.node, self.varied = model, node, given
        self.asked: set[str] = set()
        self.opset = model.opset

    # Inputs

    def has(self, k: int) -> bool:
        return k < len(self.node.inputs) and self.node.inputs[k] != ""

    def value(self, k: int) -> Held:
        if not self.has(k):
            raise self.error(f"its input {k + 1} is missing")
        return self.model.held(self.node.inputs[k])

    def values(self) -> list[Held]:
        return [self.value(k) for k in range(len(self.node.inputs)) if self.has(k)]

    def constant(self, k: int) -> Constant | None:
        value = self.value(k) if self.has(k) else None
        return value if isinstance(value, Constant) else None

    def numbers(self, k: int) -> tuple[Expr, ...] | None:
        """The numbers of an input; None: it is left out, or they are not known."""
        constant = self.constant(k)
        return constant.items if constant is not None else None

    @property
    def varies(self) -> bool:
        """Whether sizes may differ from those of the file."""
        return self.model.first is not None

    def computed(self, k: int) -> bool:
        """Whether an input is numbers that are computed of shapes, which follow what varies by themselves."""
        constant = self.constant(k)
        return constant is not None and not constant.root

    def shape(self, k: int = 0) -> Shape:
        return self.model.shape(self.value(k))

    def rank(self, k: int = 0) -> int:
        return len(self.shape(k))

    def before(self, k: int = 0) -> Written:
        """The shape that the input has in the file, where nothing varies."""
        return self.model.before(self.node.inputs[k])

    def tensor(self, k: int = 0) -> TensorValue:
        """The input as a value of the graph; a constant is put into it."""
        value = self.value(k)
        return value if isinstance(value, TensorValue) else self.model.stored(value, value.dims)

    def tensors(self) -> list[TensorValue]:
        """All inputs, as they are broadcast with each other: constants follow the sizes of the others."""
        present = [k for k in range(len(self.node.inputs)) if self.has(k)]
        others = [k for k in present if isinstance(self.value(k), TensorValue)]
        found = []
        for k in present:
            value = self.value(k)
            if isinstance(value, Constant):
                shape = value.dims
                for other in others:
                    shape = fitted(shape, self.before(other), self.shape(other))
                found.append(self.model.stored(value, shape))
            else:
                found.append(value)
        return found

    # Attributes

    def given(self, name: str) -> Attribute | None:
        """As the description says, else as the file does."""
        self.asked.add(name)
        if name in self.varied:
            return self.varied[name]
        return lifted(self.node.attributes[name]) if name in self.node.attributes else None

    def size(self, name: str, default: Expr | int | None = None) -> Expr:
        value = self.given(name)
        if value is None:
            if default is None:
                raise self.error(f"the attribute {name!r} is missing")
            return algebra.lift(default)
        if not isinstance(value, Expr):
            raise self.error(f"the attribute {name!r} is one number, not {told(value)}")
        return value

    def sizes(self, name: str, default: Sequence[Expr | int] | None = None) -> tuple[Expr, ...]:
        value = self.given(name)
        if value is None:
            if default is None:
                raise self.error(f"the attribute {name!r} is missing")
            return tuple(algebra.lift(item) for item in default)
        items = value if isinstance(value, tuple) else (value,)
        numbers = tuple(item for item in items if isinstance(item, Expr))
        if len(numbers) < len(items):
            raise self.error(f"the attribute {name!r} is numbers, not {told(value)}")
        return numbers

    def whole(self, name: str, default: int | None = None) -> int:
        """A number that no parameter may decide."""
        return self.fixed(self.size(name, default), name)

    def fixed(self, value: Expr, name: str) -> int:
        number = algebra.number(value)
        if number is None or number != int(number):
            raise self.error(f"{name!r} has to be a whole number that no parameter decides")
        return int(number)

    def word(self, name: str, default: str) -> str:
        value = self.given(name)
        return value if isinstance(value, str) else default

    def listed(self, name: str, k: int) -> tuple[Expr, ...] | None:
        """What newer versions of an operator take as input `k` and older ones as an attribute. None: neither."""
        if self.given(name) is not None:
            return self.sizes(name)
        if not self.has(k):
            return None
        numbers = self.numbers(k)
        if numbers is None:
            raise self.error(
                f"{name!r} depends on numbers that are not known before the model runs",
                f"give them in a tune.yaml: `nodes: {{{self.node.called}: {{{name}: [...]}}}}`",
            )
        return numbers

    def axis(self, default: int | None, rank: int, name: str = "axis") -> int:
        """Counted from the first."""
        at = self.whole(name, default)
        if not -rank <= at <= rank:
            raise self.error(f"there is no axis {at} of {rank}")
        return at % rank if at < 0 else at

    def axes(self, k: int, rank: int, name: str = "axes") -> tuple[int, ...] | None:
        """Of an attribute or of input `k`."""
        items = self.listed(name, k)
        if items is None:
            return None
        found = [self.fixed(item, name) for item in items]
        if any(not -rank <= axis < rank for axis in found):
            raise self.error(f"there are no axes {tuple(found)} of {rank}")
        return tuple(axis % rank for axis in found)

    # What comes of it

    def put(
        self,
        operator: str,
        inputs: Sequence[TensorValue],
        attributes: Mapping[str, Attribute] | None = None,
        **more: Given,
    ) -> tuple[TensorValue, ...]:
        """The values that the row of the table makes."""
        return self._put(operator, inputs, attributes, (), more)

    def layer(
        self,
        operator: str,
        inputs: Sequence[TensorValue],
        weights: Sequence[int],
        attributes: Mapping[str, Attribute] | None = None,
        **more: Given,
    ) -> tuple[TensorValue, ...]:
        """As `put`, of a row that counts the weights of these inputs: once, and not where they are no weights."""
        held = [self.value(k) for k in weights if self.has(k)]
        roots = [value.root for value in held if isinstance(value, Constant) and value.root]
        reused = [value.name for value in held if isinstance(value, TensorValue)][:1]
        reused = reused or [self.model.users[root] for root in roots[:1] if root in self.model.users]
        made = self._put(operator, inputs, attributes, reused, more)
        for root in roots:
            self.model.users.setdefault(root, made[0].name)
        return made

    def _put(
        self,
        operator: str,
        inputs: Sequence[TensorValue],
        attributes: Mapping[str, Attribute] | None,
        reused: Sequence[str],
        more: Mapping[str, Given],
    ) -> tuple[TensorValue, ...]:
        every = {**(attributes or {}), **{name: lifted(value) for name, value in more.items()}}
        try:
            return self.model.put(self.node, operator, inputs, every, reused)
        except GraphError as error:
            raise self.error(error.diagnostics[0].message) from None

    def error(self, problem: str, hint: str | None = None) -> SourceError:
        operator = self.node.operator
        return SourceError(f"{self.node.called} ({operator}): {problem}", self.node.span, hint)


def lifted(value: Given) -> Attribute:
    if isinstance(value, tuple):
        return tuple(lifted(item) for item in value)
    return value if isinstance(value, str) else algebra.lift(value)


def integers(values: Sequence[int]) -> Attribute:
    return tuple(algebra.lift(value) for value in values)

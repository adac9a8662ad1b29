"""The body of a deep-learning model: operators that are applied to tensors, with sizes that parameters decide.

A value is named by the node that makes it: `conv1`, and `lstm:1` for its second output. `tunepass.graphs` knows what an
operator makes of its inputs; nothing here does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tunepass.diagnostics import Source, Span
from tunepass.expr.nodes import Expr
from tunepass.ir.body import Body
from tunepass.ir.run import RunCommand

Attribute = Expr | str | tuple["Attribute", ...]
"""A number or a Boolean (an expression over the parameters), a word (`same`), or several."""

Shape = tuple[Expr, ...]
SOURCE = "{source}"  # in the words of a command


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphInput:
    """A tensor that the model is given. The batch is one of its sizes."""

    name: str
    shape: Shape
    element: str = "float32"
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """An operator applied to values.

    `present` says for which configurations the node is there; what is not there costs nothing, and its output is used
    by nodes that are not there either, and by `Select`. `weights_of` names the node whose weights it uses again; where
    `unless` does not hold, that node is not there, and the weights count here.
    `in_place`: the output takes the place of the first input, as an activation fused with the layer before it does.
    """

    name: str
    operator: str
    inputs: tuple[str, ...]
    attributes: tuple[tuple[str, Attribute], ...] = ()
    present: Expr | None = None
    weights_of: str | None = None
    unless: Expr | None = None
    in_place: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimit:
    """`resource <= most`, in the resource's own unit."""

    resource: str
    most: Expr
    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """Whether the source trains the model, and how: what `optimizer` keeps for each weight is part of the memory.
    `run` trains one configuration and prints how good it is, where the source says so: in its words `{name}` stands for
    a parameter's value, SOURCE for the tuned source. It may take `limit_s`."""

    used: bool = False
    optimizer: str = "sgd"
    loss: str | None = None
    run: RunCommand | None = None
    limit_s: float = 3600.0


UNTRAINED = Training()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph(Body):
    """`nodes` in an order in which they can run: inputs before what uses them. `batch` is the number of images, words,
    rows ... that the shapes hold."""

    kind: ClassVar[str] = "graph"
    inputs: tuple[GraphInput, ...]
    nodes: tuple[GraphNode, ...]
    outputs: tuple[str, ...]
    batch: Expr
    precision: Expr | str = "float32"
    training: Training = Training()
    limits: tuple[ResourceLimit, ...] = ()
    operators: Source | None = None  # the user's own, a table for `tunepass.graphs`
    files: tuple[Source, ...] = ()  # what was read besides the source and its operators
    words: tuple[str, ...] = ()  # of the command line, as a lock has them: paths from the folder of the source
    span: Span | None = None

    def node(self, name: str) -> GraphNode:
        return next(node for node in self.nodes if node.name == name)

"""Known architectures as graphs, written by operators: what counts of weights and memory are held against."""

from __future__ import annotations

from tests.graphs.layers import Given, attribute
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.ir.graph import Graph, GraphInput, GraphNode


class Builder:
    """Appends nodes; `add` gives the name of the node's value."""

    def __init__(self, *shape: int | Expr):
        self.sizes = tuple(algebra.lift(size) for size in shape)
        self.nodes: list[GraphNode] = []

    def add(self, operator: str, *inputs: str, present: Expr | None = None, **given: Given | Expr) -> str:
        name = f"{operator.lower()}{len(self.nodes)}"
        attributes = tuple((k, v if isinstance(v, Expr) else attribute(v)) for k, v in given.items())
        node = GraphNode(name=name, operator=operator, inputs=inputs, attributes=attributes, present=present)
        self.nodes.append(node)
        return name

    def graph(self, output: str) -> Graph:
        inputs = (GraphInput(name="x", shape=self.sizes),)
        return Graph(inputs=inputs, nodes=tuple(self.nodes), outputs=(output,), batch=self.sizes[0])


def vgg16() -> Graph:
    """Simonyan and Zisserman, configuration D, as torchvision builds it (ReLU in place of the convolution)."""
    b = Builder(1, 3, 224, 224)
    x = "x"
    for filters, convolutions in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(convolutions):
            x = b.add("Conv", x, filters=filters, kernel=3, padding=1, layout="first")
            x = b.add("ReLU", x)
        x = b.add("MaxPool", x, kernel=2, stride=2, layout="first")
    x = b.add("Flatten", b.add("AdaptiveAveragePool", x, size=7, layout="first"))
    for _ in range(2):
        x = b.add("Dropout", b.add("ReLU", b.add("Dense", x, units=4096)))
    return b.graph(b.add("Dense", x, units=1000))


def resnet50() -> Graph:
    """He et al., with the stride in the 3x3 convolution, as torchvision builds it (v1.5)."""
    b = Builder(1, 3, 224, 224)

    def normalised(x: str, filters: int, kernel: int, stride: int = 1) -> str:
        x = b.add(
            "Conv", x, filters=filters, kernel=kernel, stride=stride, padding=kernel // 2, bias=False, layout="first"
        )
        return b.add("BatchNorm", x, layout="first")

    x = b.add("ReLU", normalised("x", 64, 7, 2))
    x = b.add("MaxPool", x, kernel=3, stride=2, padding=1, layout="first")
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            stride = 2 if block == 0 and width != 64 else 1
            y = b.add("ReLU", normalised(x, width, 1))
            y = b.add("ReLU", normalised(y, width, 3, stride))
            y = normalised(y, 4 * width, 1)
            shortcut = normalised(x, 4 * width, 1, stride) if block == 0 else x
            x = b.add("ReLU", b.add("Add", y, shortcut))
    x = b.add("Flatten", b.add("AdaptiveAveragePool", x, size=1, layout="first"))
    return b.graph(b.add("Dense", x, units=1000))

"""Models as text, and what is made of them."""

from __future__ import annotations

from textwrap import dedent

from tunepass.diagnostics import Source
from tunepass.expr.nodes import Expr, Scalar
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.onnx.frontend import OnnxFrontend
from tunepass.graphs.inference import infer
from tunepass.graphs.table import shipped
from tunepass.graphs.values import total
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Kernel

HEAD = "opset 17\n"


def kernel_of(text: str) -> Kernel:
    return OnnxFrontend().parse(Source("net.onnx", HEAD + dedent(text))).kernels[0]


def counted(kernel: Kernel, resource: str = "weights", /, **values: Scalar) -> object:
    """A resource of a configuration; parameters that are not given have their defaults."""
    graph = kernel.body_as(Graph)
    sums: Expr = total([node.resources[resource] for node in infer(graph.inputs, graph.nodes, shipped()).nodes])
    return evaluate(sums, {p.name: p.default for p in kernel.parameters} | values)  # type: ignore[arg-type]


def output_shapes(kernel: Kernel, /, **values: Scalar) -> list[tuple[object, ...]]:
    graph = kernel.body_as(Graph)
    shapes = infer(graph.inputs, graph.nodes, shipped()).shapes
    given = {p.name: p.default for p in kernel.parameters} | values
    return [tuple(evaluate(size, given) for size in shapes[name]) for name in graph.outputs]  # type: ignore[arg-type]

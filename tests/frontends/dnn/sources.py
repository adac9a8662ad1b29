"""Short models, and what is made of them."""

from __future__ import annotations

from textwrap import dedent

from tunepass.diagnostics import Source
from tunepass.expr.nodes import Expr, Scalar
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.graphs.inference import infer
from tunepass.graphs.table import shipped
from tunepass.graphs.values import total
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Kernel

TORCH = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
KERAS = "from tensorflow import keras\nfrom tensorflow.keras import layers\n"


def kernel_of(text: str, head: str = "") -> Kernel:
    return DnnFrontend().parse(Source("model.py", head + dedent(text))).kernels[0]


def torch_kernel(text: str) -> Kernel:
    return kernel_of(text, TORCH)


def keras_kernel(text: str) -> Kernel:
    return kernel_of(text, KERAS)


def weights(kernel: Kernel, /, **values: Scalar) -> object:
    """The weights of a configuration; parameters that are not given have their defaults."""
    graph = kernel.body_as(Graph)
    sums: Expr = total([node.resources["weights"] for node in infer(graph.inputs, graph.nodes, shipped()).nodes])
    return evaluate(sums, {p.name: p.default for p in kernel.parameters} | values)  # type: ignore[arg-type]


def output_shape(kernel: Kernel, /, **values: Scalar) -> tuple[object, ...]:
    graph = kernel.body_as(Graph)
    shape = infer(graph.inputs, graph.nodes, shipped()).shapes[graph.outputs[0]]
    return tuple(
        evaluate(size, {p.name: p.default for p in kernel.parameters} | values)  # type: ignore[arg-type]
        for size in shape
    )

"""Short models, and what is made of them."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import Source
from tunepass.expr.nodes import Scalar
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.python_eval import evaluate as evaluate_plainly
from tunepass.expr.sharing import shared
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.graphs.inference import infer
from tunepass.graphs.table import shipped
from tunepass.graphs.values import total
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Kernel
from tunepass.space.parameter import Parameter

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
    sums = shared(total([node.resources["weights"] for node in infer(graph.inputs, graph.nodes, shipped()).nodes]))
    columns = {p.name: column(p, values.get(p.name, p.default)) for p in kernel.parameters}  # type: ignore[arg-type]
    return evaluate(sums, columns, 1).values[0].item()


def column(parameter: Parameter, value: Scalar) -> NDArray[np.generic]:
    """One value as NumPy reads it: a word is its place."""
    return np.array([parameter.domain.index(value) if isinstance(value, str) else value])


def output_shape(kernel: Kernel, /, **values: Scalar) -> tuple[object, ...]:
    graph = kernel.body_as(Graph)
    shape = infer(graph.inputs, graph.nodes, shipped()).shapes[graph.outputs[0]]
    return tuple(
        evaluate_plainly(size, {p.name: p.default for p in kernel.parameters} | values)  # type: ignore[arg-type]
        for size in shape
    )

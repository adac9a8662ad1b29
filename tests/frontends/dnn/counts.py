"""What tunepass counts of a model of `architectures/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import Source
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.graphs.inference import infer
from tunepass.graphs.table import shipped
from tunepass.ir.graph import Graph

FOLDER = Path(__file__).parent / "architectures"
LAYERS = frozenset({"Conv", "ConvTranspose", "DepthwiseConv", "SeparableConv", "Dense"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """`parameters` as the framework counts them: PyTorch's without buffers. `layer_*`: of convolutions and dense layers
    alone, where two operations are a multiply-add and a bias one more multiply-add."""

    trainable: int
    parameters: int
    output: tuple[int, ...]
    layer_macs: int
    layer_flops: int
    macs: int


def count(name: str) -> Counts:
    path = FOLDER / f"{name}.py"
    graph = DnnFrontend().parse(Source(path.name, path.read_text())).kernels[0].body_as(Graph)
    inferred = infer(graph.inputs, graph.nodes, shipped())
    layers = [node for node in inferred.nodes if node.node.operator in LAYERS]
    trainable = sum(_whole(node.resources["weights"]) for node in inferred.nodes)
    state = sum(_whole(node.resources["state"]) for node in inferred.nodes)
    return Counts(
        trainable=trainable,
        parameters=trainable + (state if name.endswith("keras") else 0),
        output=tuple(_whole(size) for size in inferred.shapes[graph.outputs[0]]),
        layer_macs=sum(_whole(node.resources["macs"]) for node in layers),
        layer_flops=sum(_whole(node.resources["flops"]) for node in layers),
        macs=sum(_whole(node.resources["macs"]) for node in inferred.nodes),
    )


def _whole(value: Expr) -> int:
    known = algebra.number(value)
    assert known is not None
    return int(known)

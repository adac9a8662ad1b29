"""Counts and memory of known architectures, and the devices."""

from __future__ import annotations

import pytest

from tests.graphs.models import Builder, resnet50, vgg16
from tunepass.diagnostics import Source
from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, CategoryType, Name
from tunepass.expr.python_eval import evaluate
from tunepass.graphs.inference import infer
from tunepass.graphs.table import shipped
from tunepass.graphs.values import GraphError
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.dnn import device
from tunepass.hwmodels.dnn.resources import GraphResources
from tunepass.ir.graph import Graph, Training


def values(graph: Graph, on: str | None = None) -> dict[str, float]:
    resources = GraphResources(graph, infer(graph.inputs, graph.nodes, shipped()))
    found = resources.values(device.load(on) if on else None)
    return {name: float(algebra.number(value) or 0) for name, value in found.items()}


@pytest.mark.parametrize(
    ("model", "weights", "macs"), [(vgg16, 138_357_544, 15_470_264_320), (resnet50, 25_557_032, None)]
)
def test_weights_and_multiply_adds_are_those_of_torchvision(model: object, weights: int, macs: int | None) -> None:
    found = values(model())  # type: ignore[operator]
    assert found["weights"] == weights
    assert macs is None or found["macs"] == macs


def test_the_largest_pair_of_vgg_is_what_inference_holds() -> None:
    """conv1_2 reads and writes 64 x 224 x 224 floats."""
    found = values(vgg16())
    assert found["inference_byte"] - found["weight_byte"] == 2 * 64 * 224 * 224 * 4


def test_time_is_the_papers_sum_over_operators() -> None:
    """Gao et al., section IV-C, of one Conv2D of Figure 1: 64 filters of 3x3 on 32x32x3, 5 images."""
    b = Builder(5, 32, 32, 3)
    graph = b.graph(b.add("Conv", "x", filters=64, kernel=3))
    moved = 4 * (5 * 32 * 32 * 3 + 64 * (3 * 3 * 3 + 1) + 5 * 30 * 30 * 64)
    flops = 2 * 64 * (3 * 3 * 3 + 1) * 5 * 30 * 30
    found = values(graph, "p40")
    assert found["flops"] == flops
    assert found["time"] == pytest.approx(moved / 346e9 + flops / 11.76e12)
    assert found["roofline_time"] == pytest.approx(max(moved / 346e9, flops / 11.76e12))
    assert found["memory_sum"] == moved


def test_an_optimizer_keeps_numbers_for_each_weight() -> None:
    b = Builder(1, 8)
    graph = b.graph(b.add("Dense", "x", units=4))
    taken = {
        name: values(Graph(**{**_fields(graph), "training": Training(optimizer=name)}))["training_byte"]
        for name in ("sgd", "momentum", "Adam")
    }
    assert taken["momentum"] - taken["sgd"] == 4 * (8 * 4 + 4)
    assert taken["Adam"] - taken["sgd"] == 2 * 4 * (8 * 4 + 4)


def test_an_unknown_optimizer_is_told_with_a_near_name() -> None:
    b = Builder(1, 8)
    graph = b.graph(b.add("Dense", "x", units=4))
    with pytest.raises(GraphError, match="did you mean 'adam'"):
        values(Graph(**{**_fields(graph), "training": Training(optimizer="adaam")}))


def test_a_parameter_may_choose_the_precision() -> None:
    b = Builder(1, 8)
    graph = b.graph(b.add("Dense", "x", units=4))
    precision = Name("precision", CategoryType(("float32", "float16", "int8")))
    graph = Graph(**{**_fields(graph), "precision": precision})
    byte = GraphResources(graph, infer(graph.inputs, graph.nodes, shipped())).values()["weight_byte"]
    assert [evaluate(byte, {"precision": word}) for word in ("float32", "float16", "int8")] == [144, 72, 36]


def test_sizes_may_be_parameters() -> None:
    units, batch = Name("units", INTEGER), Name("batch", INTEGER)
    b = Builder(batch, 8)
    graph = b.graph(b.add("Dense", "x", units=units))
    found = GraphResources(graph, infer(graph.inputs, graph.nodes, shipped())).values()
    assert evaluate(found["weights"], {"units": 5, "batch": 3}) == 45
    assert evaluate(found["flops"], {"units": 5, "batch": 3}) == 2 * 5 * 9 * 3


@pytest.mark.parametrize("name", device.names())
def test_devices_state_their_source(name: str) -> None:
    found = device.load(name)
    assert found.name == name
    assert found.source
    assert found.rate("float32") > 0
    assert found.rate("float8") == found.rate("float32")


def test_an_unknown_device_is_told_with_a_near_name() -> None:
    with pytest.raises(ModelError, match="did you mean 'p100'"):
        device.load("p10")


def test_a_device_file_without_a_rate_is_refused_at_its_place() -> None:
    lines = ["name: a", "description: b", "source: c", "flop_per_s: {float16: 1e9}"]
    text = "\n".join([*lines, "byte_per_s: 1", "memory_byte: 1", "context_byte: 0"])
    with pytest.raises(ModelError, match=r"d.yaml:4:\d+: error: `flop_per_s` lacks `float32`"):
        device.read(Source("d.yaml", text))


def _fields(graph: Graph) -> dict[str, object]:
    return {name: getattr(graph, name) for name in ("inputs", "nodes", "outputs", "batch")}

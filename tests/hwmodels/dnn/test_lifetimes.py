"""Lifetimes against a simulation that frees each tensor after its last use, and against known networks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.graphs.models import Builder, resnet50, vgg16
from tunepass.expr import algebra
from tunepass.expr.nodes import BOOL, INTEGER, Expr, Name
from tunepass.expr.python_eval import evaluate
from tunepass.graphs.inference import Inferred, infer
from tunepass.graphs.table import shipped
from tunepass.hwmodels.dnn.lifetimes import Lifetimes, PrefixSums
from tunepass.ir.graph import Graph, GraphInput

BYTE = algebra.lift(4)


def lifetimes(graph: Graph) -> Lifetimes:
    return Lifetimes(graph, infer(graph.inputs, graph.nodes, shipped()), BYTE)


def number(e: Expr) -> int:
    known = algebra.number(e)
    assert known is not None
    return int(known)


def images(graph: Graph, count: int) -> Graph:
    x = graph.inputs[0]
    shape = (algebra.lift(count), *x.shape[1:])
    return Graph(inputs=(GraphInput(name="x", shape=shape),), nodes=graph.nodes, outputs=graph.outputs, batch=shape[0])


def kept_by_an_image(graph: Graph) -> float:
    """Megabytes; what a batch keeps once is not counted."""
    one, two = (number(lifetimes(images(graph, count)).kept_byte()) for count in (1, 2))
    return (two - one) / 1e6


def test_resnet_50_keeps_what_pytorch_saves_of_an_image() -> None:
    """85.91 MB, counted there through saved-tensor hooks."""
    assert round(kept_by_an_image(resnet50()), 2) == 85.91


def test_vgg_16_keeps_what_pytorch_saves_of_an_image() -> None:
    """73.36 MB there, with masks of floats as its dropout has on the CPU."""
    graph = vgg16()
    masks = tuple(("mask_byte", algebra.lift(4)) for _ in range(1))
    nodes = tuple(
        type(node)(name=node.name, operator=node.operator, inputs=node.inputs, attributes=(*node.attributes, *masks))
        if node.operator == "Dropout"
        else node
        for node in graph.nodes
    )
    graph = Graph(inputs=graph.inputs, nodes=nodes, outputs=graph.outputs, batch=graph.batch)
    assert round(kept_by_an_image(graph), 2) == 73.36


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Dense layers, sums, activations and views over rows of 1 to 9 numbers."""
    b = Builder(2, draw(st.integers(1, 9)))
    values = ["x"]
    for _ in range(draw(st.integers(1, 12))):
        value = draw(st.sampled_from(values))
        match draw(st.integers(0, 4)):
            case 0 | 1:
                values.append(b.add("Dense", value, units=draw(st.integers(1, 9))))
            case 2:
                values.append(b.add(draw(st.sampled_from(["ReLU", "GELU", "Dropout"])), value))
            case 3:
                values.append(b.add("Concatenate", value, draw(st.sampled_from(values)), axis=1))
            case _:
                values.append(b.add("Flatten", value))
    return b.graph(values[-1])


def simulated(graph: Graph, inferred: Inferred) -> int:
    """The most bytes that are held when each tensor is freed once nothing needs it any more."""
    owner = {"x": "x"}
    for costs in inferred.nodes:
        owner[costs.node.name] = owner[costs.node.inputs[0]] if costs.view else costs.node.name
    byte = {name: 4 * number(shape[0]) * number(shape[1]) for name, shape in inferred.shapes.items()}
    waiting: dict[str, int] = dict.fromkeys(owner.values(), 0)
    for costs in inferred.nodes:
        if not costs.view:
            for value in costs.node.inputs:
                waiting[owner[value]] += 1
    waiting[owner[graph.outputs[0]]] += 1
    held, most = {"x"} if waiting["x"] else set(), 0
    for costs in inferred.nodes:
        if costs.view:
            most = max(most, sum(byte[name] for name in held))
            continue
        held.add(costs.node.name)
        most = max(most, sum(byte[name] for name in held))
        for value in costs.node.inputs:
            waiting[owner[value]] -= 1
        held = {name for name in held if waiting[name]}
    return most


@examples(200)
@given(graphs())
def test_inference_holds_what_a_simulation_holds(graph: Graph) -> None:
    found = lifetimes(graph)
    assert number(found.inference_byte()) == simulated(graph, found.inferred)


@examples(100)
@given(graphs())
def test_training_takes_at_least_what_it_keeps_and_what_inference_holds(graph: Graph) -> None:
    found = lifetimes(graph)
    training = number(found.training_byte())
    assert training >= number(found.kept_byte())
    assert training >= number(found.inference_byte())


def test_what_a_parameter_leaves_out_takes_nothing() -> None:
    """A second layer that is there or not: its output and what waits for it count only where it is."""
    deep = Name("deep", BOOL)
    b = Builder(1, 10)
    first = b.add("Dense", "x", units=100)
    second = b.add("Dense", first, units=200, present=deep)
    chosen = b.add("Select", second, first, condition=deep)
    peak = lifetimes(b.graph(chosen)).inference_byte()
    assert evaluate(peak, {"deep": False}) == 4 * (10 + 100)
    assert evaluate(peak, {"deep": True}) == 4 * (100 + 200)


def test_sizes_that_parameters_decide_stay_expressions() -> None:
    units = Name("units", INTEGER)
    b = Builder(3, 10)
    peak = lifetimes(b.graph(b.add("Dense", b.add("Dense", "x", units=units), units=5))).inference_byte()
    assert evaluate(peak, {"units": 20}) == 4 * 3 * (10 + 20)
    assert evaluate(peak, {"units": 2}) == 4 * 3 * (10 + 2)


@given(st.lists(st.integers(0, 100), max_size=40), st.integers(0, 40))
def test_prefix_sums_are_sums_of_prefixes(terms: list[int], count: int) -> None:
    sums = PrefixSums([algebra.lift(term) for term in terms])
    count = min(count, len(terms))
    assert number(sums.upto(count)) == sum(terms[:count])

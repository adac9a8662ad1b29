"""Rows of the table against what Keras 3.15, PyTorch 2.13 and ONNX 1.23.2 make of the same layer, and count."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graphs.layers import amount, applied, numbers
from tunepass.graphs.table import shipped

FIRST = {"layout": "first"}
UNPADDED = {"extra": -1, "form": "keras"}  # Keras' transposes work out what to add at the end
# operator, input shapes without the batch, attributes, output shape without the batch, weights and state
KERAS: list[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any], tuple[int, ...], int]] = [
    ("Conv", ((9, 9, 4),), {"filters": 8, "kernel": 3, "groups": 2}, (7, 7, 8), 152),
    ("Conv", ((10, 11, 4),), {"filters": 8, "kernel": 3, "stride": 2, "padding": "same"}, (5, 6, 8), 296),
    ("Conv", ((10, 11, 4),), {"filters": 8, "kernel": 3, "stride": 2}, (4, 5, 8), 296),
    ("Conv", ((10, 11, 4),), {"filters": 8, "kernel": 3, "dilation": 2}, (6, 7, 8), 296),
    ("Conv", ((9, 9, 9, 4),), {"filters": 8, "kernel": 3, "stride": 2, "padding": "same"}, (5, 5, 5, 8), 872),
    ("Conv", ((9, 4),), {"filters": 8, "kernel": 3, "dilation": 2, "padding": "causal"}, (9, 8), 104),
    ("SeparableConv", ((9, 9, 4),), {"filters": 8, "kernel": 3, "multiplier": 2}, (7, 7, 8), 144),
    ("DepthwiseConv", ((9, 9, 4),), {"kernel": 3, "multiplier": 2}, (7, 7, 8), 80),
    ("SeparableConv", ((9, 4),), {"filters": 8, "kernel": 3}, (7, 8), 52),
    ("ConvLSTM", ((5, 16, 16, 4),), {"filters": 8, "kernel": 3}, (14, 14, 8), 3488),
    ("ConvLSTM", ((5, 16, 16, 4),), {"filters": 8, "kernel": 3, "sequences": True}, (5, 14, 14, 8), 3488),
    (
        *("ConvTranspose", ((5, 5, 4),)),
        *({"filters": 8, "kernel": 3, "stride": 2, "padding": "same", **UNPADDED}, (10, 10, 8), 296),
    ),
    (
        "ConvTranspose",
        ((5, 5, 4),),
        {"filters": 8, "kernel": 3, "stride": 2, **UNPADDED},
        (11, 11, 8),
        296,
    ),
    (
        "ConvTranspose",
        ((5, 5, 4),),
        {"filters": 8, "kernel": 2, "stride": 3, **UNPADDED},
        (15, 15, 8),
        136,
    ),
    (
        *("ConvTranspose", ((5, 1),)),
        *({"filters": 1, "kernel": 4, "stride": 2, "padding": "same", "extra": 0, "form": "keras"}, (8, 1), 5),
    ),
    ("ConvTranspose", ((5, 1),), {"filters": 1, "kernel": 3, "stride": 2, "extra": 1, "form": "keras"}, (12, 1), 4),
    ("MaxPool", ((7, 8, 3),), {"kernel": 3, "stride": 2}, (3, 3, 3), 0),
    ("MaxPool", ((7, 8, 3),), {"kernel": 3, "stride": 2, "padding": "same"}, (4, 4, 3), 0),
    ("BatchNorm", ((5, 6),), {}, (5, 6), 24),
    ("LayerNorm", ((4, 4, 6),), {"axes": (1, 2, 3)}, (4, 4, 6), 192),
    ("PReLU", ((4, 4, 6),), {}, (4, 4, 6), 96),
    ("PReLU", ((4, 4, 6),), {"shared_axes": (1, 2)}, (4, 4, 6), 6),
    ("MultiHeadAttention", ((7, 16), (9, 12)), {"heads": 4, "key_width": 5, "value_width": 6}, (7, 16), 1312),
    ("MultiHeadAttention", ((7, 16), (7, 16)), {"heads": 4, "key_width": 8, "shared_heads": 2}, (7, 16), 1616),
    ("EinsumDense", ((4, 5),), {"equation": "abc,cd->abd", "kernel": (5, 9), "bias_shape": (9,)}, (4, 9), 54),
    ("LSTM", ((10, 6),), {"units": 8, "directions": 2}, (16,), 960),
    ("LSTM", ((10, 6),), {"units": 8}, (8,), 480),
    ("GRU", ((10, 6),), {"units": 8}, (8,), 384),
    ("GRU", ((10, 6),), {"units": 8, "biases": 1}, (8,), 360),
    ("RNN", ((10, 6),), {"units": 8, "sequences": True}, (10, 8), 120),
    ("ZeroPadding", ((4, 5, 3),), {"padding": ((1, 2), (3, 4))}, (7, 12, 3), 0),
    ("Normalization", ((8, 8, 3),), {}, (8, 8, 3), 7),
    ("Cropping", ((7, 12, 3),), {"padding": ((1, 2), (3, 4))}, (4, 5, 3), 0),
    ("Dot", ((4, 5), (3, 5)), {"axes": (2, 2)}, (4, 3), 0),
]
TORCH: list[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any], tuple[int, ...], int]] = [
    ("LSTM", ((10, 6),), {"units": 8, "biases": 2, "projection": 3}, (3,), 376),
    ("LSTM", ((10, 6),), {"units": 8, "biases": 2, "layers": 2, "directions": 2}, (16,), 2688),
    ("LSTM", ((10, 6),), {"units": 8, "biases": 2}, (8,), 512),
    ("GRU", ((10, 6),), {"units": 8}, (8,), 384),
    ("RNN", ((10, 6),), {"units": 8, "biases": 2}, (8,), 128),
    ("InstanceNorm", ((6, 4, 4),), {}, (6, 4, 4), 0),
    ("InstanceNorm", ((6, 4, 4),), {"scale": True, "center": True}, (6, 4, 4), 12),
    ("MultiHeadAttention", ((7, 16), (7, 16)), {"heads": 4, "key_width": 4}, (7, 16), 1088),
    ("MultiHeadAttention", ((7, 16), (9, 10), (9, 12)), {"heads": 4, "key_width": 4}, (7, 16), 928),
    ("MultiHeadAttention", ((7, 16), (7, 16)), {"heads": 4, "key_width": 4, "extra_bias": True}, (7, 16), 1120),
    ("TransformerEncoderLayer", ((7, 16),), {"heads": 4, "hidden": 32}, (7, 16), 2224),
    ("TransformerDecoderLayer", ((7, 16), (9, 16)), {"heads": 4, "hidden": 32}, (7, 16), 3344),
    ("TransformerEncoderLayer", ((7, 512),), {"heads": 8, "hidden": 2048}, (7, 512), 3152384),
    ("Bilinear", ((3,), (4,)), {"units": 5}, (5,), 65),
    ("AveragePool", ((3, 8, 8),), dict(kernel=3, stride=2, ceil=True, **FIRST), (3, 4, 4), 0),
    ("Upsample", ((3, 5, 5),), dict(scale=1.5, **FIRST), (3, 7, 7), 0),
    ("DepthToSpace", ((8, 3, 3),), {"block": 2}, (2, 6, 6), 0),
    ("Unfold", ((2, 6, 6),), {"kernel": 2, "stride": 2}, (8, 9), 0),
    ("BatchNorm", ((6, 4, 4),), dict(counter=True, **FIRST), (6, 4, 4), 25),
]
ONNX: list[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any], tuple[int, ...], int]] = [
    ("Conv", ((3, 10, 11),), dict(filters=1, kernel=3, stride=2, padding="same", **FIRST), (1, 5, 6), 28),
    ("Conv", ((3, 10, 11),), dict(filters=1, kernel=3, stride=2, **FIRST), (1, 4, 5), 28),
    ("Conv", ((3, 10, 11),), dict(filters=1, kernel=3, stride=2, dilation=2, **FIRST), (1, 3, 4), 28),
    ("ConvTranspose", ((3, 5, 5),), dict(filters=1, kernel=3, stride=2, padding="same", **FIRST), (1, 10, 10), 28),
    ("ConvTranspose", ((3, 5, 5),), dict(filters=1, kernel=3, stride=2, **FIRST), (1, 11, 11), 28),
    (
        *("ConvTranspose", ((4, 5, 5),)),
        *(dict(filters=2, kernel=3, stride=2, padding=1, extra=1, groups=2, **FIRST), (2, 10, 10), 38),
    ),
    ("Attention", ((4, 7, 8), (4, 9, 6), (4, 9, 8)), {}, (4, 7, 6), 0),
]


@pytest.mark.parametrize(("operator", "inputs", "attributes", "output", "weights"), [*KERAS, *TORCH, *ONNX])
def test_shapes_and_weights_are_those_of_the_frameworks(
    operator: str,
    inputs: tuple[tuple[int, ...], ...],
    attributes: dict[str, Any],
    output: tuple[int, ...],
    weights: int,
) -> None:
    batch = 2
    costs = applied(operator, *((batch, *shape) for shape in inputs), **attributes)
    assert numbers(costs) == (batch, *output)
    counted = amount(costs), amount(costs, "state")
    assert sum(n for n in counted if n is not None) == weights


def test_einsum_gives_the_shape_and_what_it_runs_over() -> None:
    costs = applied("Einsum", (2, 3, 4), (2, 4, 5), equation="bij,bjk->bik")
    assert numbers(costs) == (2, 3, 5)
    assert amount(costs, "macs") == 2 * 3 * 4 * 5


def test_a_convolution_counts_two_flops_a_multiply_add_and_its_bias_as_one_more() -> None:
    """Gao et al., section IV-B: 2 Co (Kh Kw Cin + 1) N Ho Wo."""
    costs = applied("Conv", (5, 32, 32, 3), filters=64, kernel=3)
    assert amount(costs, "flops") == 2 * 64 * (3 * 3 * 3 + 1) * 5 * 30 * 30
    assert amount(costs, "macs") == 64 * 3 * 3 * 3 * 5 * 30 * 30


@pytest.mark.parametrize("name", shipped().operators)
def test_every_row_says_what_it_takes(name: str) -> None:
    operator = shipped().operator(name)
    known = {rule.name for rule in operator.inputs} | {"out"}
    assert set(operator.keeps) <= known


def test_there_are_as_many_operators_as_users_need() -> None:
    assert len(shipped().operators) >= 120

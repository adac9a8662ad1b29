"""Random graphs over all operators that the frontend of ONNX knows, held against the shape inference of `onnx`.

    pip install onnx; python -m tests.benchmarks.dnn.onnx_graphs [--graphs 500] [--seed 0] [--golden FOLDER]

Each graph applies operators, drawn evenly, to tensors that are there or to new inputs; what onnx refuses is drawn
again. Every shape in a graph has to be what onnx infers. In half of the graphs the first size of the first input has a
name: it is a parameter for tunepass, and onnx is given three values of it, one after the other.

Not drawn is where onnx 1.23.2 infers something else than its own text says: a transposed convolution with SAME padding
whose window is smaller than its stride, a pool with SAME padding and ceil_mode before version 22, and a window that is
larger than what it slides over (onnx counts one, tunepass refuses it).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tunepass.diagnostics import Source, TunepassError
from tunepass.expr import algebra
from tunepass.expr.nodes import INTEGER, Name
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.onnx.file import read_model
from tunepass.frontends.onnx.following import RULES, Following
from tunepass.frontends.onnx.listing import read, written
from tunepass.graphs.table import shipped

OPSETS = (13, 17, 18, 20, 21, 23)
BATCH = 4
OTHERS = (2, 7)  # further values of a size with a name
Shape = tuple[int, ...]


@dataclass
class Drawing:
    """A graph under way: `shapes` of all values as onnx has them."""

    rng: np.random.Generator
    opset: int
    named: bool
    inputs: dict[str, Shape] = field(default_factory=dict)
    weights: list[onnx.TensorProto] = field(default_factory=list)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    shapes: dict[str, Shape] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    count: int = 0

    # Numbers

    def one_of(self, *items):
        return items[int(self.rng.integers(len(items)))]

    def size(self, low: int = 1, high: int = 9) -> int:
        return int(self.rng.integers(low, high + 1))

    def flag(self) -> int:
        return int(self.rng.integers(2))

    # Values

    def name(self, word: str) -> str:
        self.count += 1
        return f"{word}{self.count}"

    def fresh(self, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        name = self.name("x")
        self.inputs[name] = self.shapes[name] = shape
        self.kinds[name] = kind
        return name

    def take(self, rank: int, least: int = 1, kind: int = TensorProto.FLOAT) -> str:
        """A value of that rank, whose sizes are at least `least` from the third on."""
        known = [
            name
            for name, shape in self.shapes.items()
            if len(shape) == rank
            and self.kinds[name] == kind
            and all(s >= least for s in shape[2:])
            and max(shape, default=1) < 4000
        ]
        if known and self.rng.random() < 0.8:
            return self.one_of(*known[-6:])
        first = BATCH if not self.inputs else self.size()
        sizes = [first, self.size(1, 12)] + [max(least, self.size(3, 14)) for _ in range(max(rank - 2, 0))]
        return self.fresh(*sizes[:rank], kind=kind)

    def any(self, low: int = 1, high: int = 4) -> str:
        ranks = [
            len(shape)
            for name, shape in list(self.shapes.items())[-8:]
            if low <= len(shape) <= high and self.kinds[name] == TensorProto.FLOAT
        ]
        return self.take(self.one_of(*ranks) if ranks and self.rng.random() < 0.8 else self.size(low, high))

    def weight(self, *shape: int) -> str:
        name = self.name("w")
        self.weights.append(numpy_helper.from_array(np.zeros(shape, "float32"), name))
        return name

    def numbers(self, values: Sequence[int] | int, kind: str = "int64") -> str:
        name = self.name("c")
        self.weights.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def like(self, name: str) -> str:
        """Something that is broadcast with the value."""
        shape = [s if self.rng.random() < 0.6 else 1 for s in self.shapes[name]]
        cut = self.size(0, len(shape))
        shape = shape[cut:]
        same = [n for n, s in self.shapes.items() if s == self.shapes[name] and self.kinds[n] == TensorProto.FLOAT]
        choice = self.size(0, 2)
        return (
            self.one_of(*same) if choice == 0 and same else self.weight(*shape) if choice == 1 else self.fresh(*shape)
        )

    def node(self, operator: str, inputs: Sequence[str], outputs: int = 1, **attributes) -> onnx.NodeProto:
        names = [self.name("v") for _ in range(outputs)]
        return helper.make_node(operator, list(inputs), names, name=self.name(operator.lower()), **attributes)


Draw = Callable[[Drawing, str], onnx.NodeProto]


def unary(d: Drawing, op: str):
    return d.node(op, [d.any()])


def binary(d: Drawing, op: str):
    x = d.any()
    pair = [x, d.like(x)]
    return d.node(op, pair if d.flag() else pair[::-1])


def compare(d: Drawing, op: str):
    return binary(d, op)


def many(d: Drawing, op: str):
    x = d.any()
    return d.node(op, [x, *(d.like(x) for _ in range(d.size(0, 2)))])


def logical(d: Drawing, op: str):
    x = d.take(d.size(1, 3), kind=TensorProto.BOOL)
    return d.node(op, [x] if op == "Not" else [x, x])


def bits(d: Drawing, op: str):
    kind = TensorProto.UINT8
    x = d.take(d.size(1, 3), kind=kind)
    more = {"direction": "LEFT"} if op == "BitShift" else {}
    return d.node(op, [x] if op == "BitwiseNot" else [x, x], **more)


def where(d: Drawing, op: str):
    c = d.take(d.size(1, 3), kind=TensorProto.BOOL)
    shape = d.shapes[c]
    return d.node(op, [c, d.weight(*shape), d.fresh(*shape)])


def pads(d: Drawing, axes: int, most: int) -> dict[str, object]:
    word = d.one_of("NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    if word != "NOTSET":
        return {"auto_pad": word}
    return {"pads": [d.size(0, most) for _ in range(2 * axes)]} if d.flag() else {}


def sliding(d: Drawing, axes: int, dilation: bool = True) -> dict[str, object]:
    kernel = [d.size(1, 4) for _ in range(axes)]
    given: dict[str, object] = {"kernel_shape": kernel, **pads(d, axes, min(kernel) - 1 if min(kernel) > 1 else 0)}
    if d.flag():
        given["strides"] = [d.size(1, 3) for _ in range(axes)]
    if dilation and d.flag():
        given["dilations"] = [d.size(1, 2) for _ in range(axes)]
    return given


def conv(d: Drawing, op: str):
    axes = d.size(1, 3)
    x = d.take(axes + 2, 7)
    given = sliding(d, axes)
    channels = d.shapes[x][1]
    groups = d.one_of(1, *(g for g in range(1, channels + 1) if channels % g == 0))
    filters = groups * d.size(1, 4)
    w = d.weight(filters, channels // groups, *given["kernel_shape"])
    if d.flag() and "auto_pad" not in given:
        del given["kernel_shape"]
    return d.node(op, [x, w, *([d.weight(filters)] if d.flag() else [])], group=groups, **given)


def conv_transpose(d: Drawing, op: str):
    axes = d.size(1, 2)
    x = d.take(axes + 2)
    given = sliding(d, axes)
    channels = d.shapes[x][1]
    groups = d.one_of(1, *(g for g in range(1, channels + 1) if channels % g == 0))
    strides = given.get("strides", [1] * axes)
    if "auto_pad" in given:
        given.pop("dilations", None)
        if (
            given["auto_pad"] != "VALID"
        ):  # onnx infers less than input x stride, its own text, for windows below a stride
            given["strides"] = strides = [min(s, k) for s, k in zip(strides, given["kernel_shape"])]
    elif d.flag():
        given["output_padding"] = [d.size(0, s - 1) for s in strides]
    w = d.weight(channels, d.size(1, 4), *given["kernel_shape"])
    return d.node(op, [x, w], group=groups, **given)


def conv_integer(d: Drawing, op: str):
    x = d.take(4, 7, TensorProto.UINT8)
    name = d.name("w")
    given = sliding(d, 2)
    shape = (d.size(1, 5), d.shapes[x][1], *given["kernel_shape"])
    d.weights.append(numpy_helper.from_array(np.zeros(shape, "uint8"), name))
    if op == "ConvInteger":
        return d.node(op, [x, name], **given)
    scale, zero = d.numbers(1.0, "float32"), d.numbers(0, "uint8")
    return d.node(op, [x, scale, zero, name, scale, zero, scale, zero], **given)


def deform(d: Drawing, op: str):
    x = d.take(4, 6)
    n, c, h, w = d.shapes[x]
    k = d.size(1, 3)
    return d.node(
        op,
        [x, d.weight(d.size(), c, k, k), d.fresh(n, 2 * k * k, h - k + 1, w - k + 1)],
        kernel_shape=[k, k],
        pads=[0, 0, 0, 0],
    )


def col2im(d: Drawing, op: str):
    k, size = d.size(1, 2), d.size(3, 6)
    x = d.fresh(d.size(), d.size(1, 3) * k * k, (size - k + 1) ** 2)
    return d.node(op, [x, d.numbers([size, size]), d.numbers([k, k])])


def pool(d: Drawing, op: str):
    axes = d.size(1, 3)
    x = d.take(axes + 2, 7)
    given = sliding(d, axes, dilation=op == "MaxPool" or d.opset >= 19 or (op == "LpPool" and d.opset >= 18))
    allowed = not (op == "LpPool" and d.opset < 18) and not str(given.get("auto_pad", "")).startswith("SAME")
    if d.flag() and allowed:  # with SAME, onnx infers more than its own text says before version 22
        given["ceil_mode"] = 1
    return d.node(op, [x], 2 if op == "MaxPool" and d.flag() else 1, **given)


def global_pool(d: Drawing, op: str):
    return d.node(op, [d.take(d.size(3, 5))])


def unpool(d: Drawing, op: str):
    x = d.take(4)
    k = d.size(1, 3)
    return d.node(
        op,
        [x, d.fresh(*d.shapes[x], kind=TensorProto.INT64)],
        kernel_shape=[k, k],
        strides=[d.size(1, k), d.size(1, k)],
    )


def roi(d: Drawing, op: str):
    x, n = d.take(4), d.size(1, 5)
    if op == "MaxRoiPool":
        return d.node(op, [x, d.fresh(n, 5)], pooled_shape=[d.size(1, 4), d.size(1, 4)])
    indices = d.fresh(n, kind=TensorProto.INT64)
    return d.node(op, [x, d.fresh(n, 4), indices], output_height=d.size(1, 4), output_width=d.size(1, 4))


def batch_norm(d: Drawing, op: str):
    x = d.take(d.size(2, 4))
    c = d.shapes[x][1]
    return d.node(op, [x, *(d.weight(c) for _ in range(4))])


def scaled_norm(d: Drawing, op: str):
    x = d.take(d.size(3, 4))
    c = d.shapes[x][1]
    return d.node(op, [x, d.weight(c), d.weight(c)])


def group_norm(d: Drawing, op: str):
    x = d.take(4)
    c = d.shapes[x][1]
    groups = d.one_of(*(g for g in range(1, c + 1) if c % g == 0))
    size = groups if d.opset < 21 else c
    return d.node(op, [x, d.weight(size), d.weight(size)], num_groups=groups)


def layer_norm(d: Drawing, op: str):
    x = d.any(2, 4)
    axis = d.size(0, len(d.shapes[x]) - 1)
    along = d.shapes[x][axis:]
    w = [d.weight(*along), *([d.weight(*along)] if d.flag() and op == "LayerNormalization" else [])]
    return d.node(op, [x, *w], d.size(1, 3) if op == "LayerNormalization" else 1, axis=axis)


def lrn(d: Drawing, op: str):
    return d.node(op, [d.take(4)], size=d.one_of(3, 5))


def matmul(d: Drawing, op: str):
    x = d.any(2, 4)
    inner = d.shapes[x][-1]
    y = d.weight(inner, d.size()) if d.flag() else d.fresh(*d.shapes[x][:-2], inner, d.size())
    return d.node(op, [x, y])


def vector_product(d: Drawing, op: str):
    n = d.size()
    pairs = [((n,), (n,)), ((n,), (n, 3)), ((2, n), (n,)), ((5, 2, n), (n,)), ((n,), (4, n, 3))]
    a, b = d.one_of(*pairs)
    return d.node(op, [d.fresh(*a), d.fresh(*b)])


def matmul_integer(d: Drawing, op: str):
    x = d.take(2, kind=TensorProto.UINT8)
    name = d.name("w")
    d.weights.append(numpy_helper.from_array(np.zeros((d.shapes[x][1], d.size()), "uint8"), name))
    if op == "MatMulInteger":
        return d.node(op, [x, name])
    scale, zero = d.numbers(1.0, "float32"), d.numbers(0, "uint8")
    return d.node(op, [x, scale, zero, name, scale, zero, scale, zero])


def gemm(d: Drawing, op: str):
    x = d.take(2)
    a, b = d.flag(), d.flag()
    m, inner = d.shapes[x][::-1] if a else d.shapes[x]
    u = d.size()
    w = (d.weight if d.flag() else d.fresh)(*((u, inner) if b else (inner, u)))
    c = [[], [d.weight(u)], [d.weight(1, u)], [d.fresh(m, u)]][d.size(0, 3)]
    return d.node(op, [x, w, *c], transA=a, transB=b)


def einsum(d: Drawing, op: str):
    b, i, j, k = (d.size() for _ in range(4))
    equation, a, c = d.one_of(
        ("bij,bjk->bik", (b, i, j), (b, j, k)),
        ("bij,bkj->bik", (b, i, j), (b, k, j)),
        ("ij,jk", (i, j), (j, k)),
        ("...ij,...jk->...ik", (b, i, j), (b, j, k)),
        ("bi,bi->b", (b, i), (b, i)),
        ("bhid,bhjd->bhij", (b, 2, i, k), (b, 2, j, k)),
    )
    return d.node(op, [d.fresh(*a), d.fresh(*c)], equation=equation)


def recurrent(d: Drawing, op: str):
    gates = {"RNN": 1, "LSTM": 4, "GRU": 3}[op]
    x = d.take(3)
    layout = d.flag() if d.opset >= 14 else 0
    both, hidden, features = 1 + d.flag(), d.size(), d.shapes[x][2]
    w = [d.weight(both, gates * hidden, features), d.weight(both, gates * hidden, hidden)]
    if d.flag():
        w.append(d.weight(both, 2 * gates * hidden))
    more = {"layout": layout} if layout else {}
    word = "bidirectional" if both == 2 else d.one_of("forward", "reverse")
    return d.node(op, [x, *w], d.size(1, 3 if op == "LSTM" else 2), hidden_size=hidden, direction=word, **more)


def attention(d: Drawing, op: str):
    n, h, s, t, k, v = (d.size() for _ in range(6))
    if d.flag():
        return d.node(op, [d.fresh(n, h, s, k), d.fresh(n, h, t, k), d.fresh(n, h, t, v)])
    g = d.one_of(*(g for g in range(1, h + 1) if h % g == 0))
    inputs = [d.fresh(n, s, h * k), d.fresh(n, t, g * k), d.fresh(n, t, g * v)]
    return d.node(op, inputs, q_num_heads=h, kv_num_heads=g)


def rotary(d: Drawing, op: str):
    n, h, s, k = d.size(), d.size(), d.size(), 2 * d.size()
    return d.node(op, [d.fresh(n, h, s, k), d.fresh(n, s, k // 2), d.fresh(n, s, k // 2)])


def det(d: Drawing, op: str):
    k = d.size(1, 5)
    return d.node(op, [d.fresh(*(d.size() for _ in range(d.size(0, 2))), k, k)])


def loss(d: Drawing, op: str):
    n, c = d.size(), d.size()
    more = tuple(d.size() for _ in range(d.size(0, 2)))
    reduction = d.one_of("none", "mean", "sum")
    return d.node(op, [d.fresh(n, c, *more), d.fresh(n, *more, kind=TensorProto.INT64)], reduction=reduction)


def quantize(d: Drawing, op: str):
    if op == "DynamicQuantizeLinear":
        return d.node(op, [d.any()], 3)
    zero = d.numbers(0, "uint8")
    x = d.any() if op == "QuantizeLinear" else d.take(d.size(1, 4), kind=TensorProto.UINT8)
    return d.node(op, [x, d.numbers(1.0, "float32"), zero])


def dropout(d: Drawing, op: str):
    return d.node(op, [d.any()], 1 + d.flag())


def cast(d: Drawing, op: str):
    return d.node(op, [d.any(), d.fresh(1)]) if op == "CastLike" else d.node(op, [d.any()], to=TensorProto.FLOAT)


def reduction(d: Drawing, op: str):
    x = d.any()
    rank = len(d.shapes[x])
    axes = sorted(d.rng.choice(rank, size=d.size(1, rank), replace=False).tolist())
    if d.flag():
        axes = [a - rank for a in axes]
    attributes = {"keepdims": d.flag()} if d.flag() else {}
    if d.flag() and d.flag():
        return d.node(op, [x], **attributes)
    by_input = d.opset >= 18 or op == "ReduceSum"
    return d.node(op, [x, d.numbers(axes)], **attributes) if by_input else d.node(op, [x], axes=axes, **attributes)


def argmax(d: Drawing, op: str):
    x = d.any()
    return d.node(op, [x], axis=d.size(0, len(d.shapes[x]) - 1), keepdims=d.flag())


def topk(d: Drawing, op: str):
    x = d.any()
    axis = d.size(0, len(d.shapes[x]) - 1)
    return d.node(op, [x, d.numbers([d.size(1, d.shapes[x][axis])])], 2, axis=axis)


def running(d: Drawing, op: str):
    return d.node(op, [d.any(), d.numbers(0)])


def one_hot(d: Drawing, op: str):
    x = d.take(d.size(1, 3), kind=TensorProto.INT64)
    axis = d.size(-1, len(d.shapes[x]))
    return d.node(op, [x, d.numbers([d.size()]), d.numbers([0.0, 1.0], "float32")], axis=axis)


def scatter(d: Drawing, op: str):
    x = d.take(2)
    shape = tuple(d.size(1, s) for s in d.shapes[x])
    if op == "ScatterND":
        return d.node(op, [x, d.fresh(3, 1, kind=TensorProto.INT64), d.fresh(3, d.shapes[x][1])])
    return d.node(op, [x, d.fresh(*shape, kind=TensorProto.INT64), d.fresh(*shape)], axis=d.flag())


def ranged(d: Drawing, op: str):
    return d.node(op, [d.numbers(d.size(0, 5)), d.numbers(d.size(5, 20)), d.numbers(d.size(1, 3))])


def filled(d: Drawing, op: str):
    shape = [d.size() for _ in range(d.size(1, 4))]
    return d.node(op, [d.numbers(shape)]) if op == "ConstantOfShape" else d.node(op, [], shape=shape)


def windowed(d: Drawing, op: str):
    return d.node(op, [d.numbers(d.size(2, 20))])


def multinomial(d: Drawing, op: str):
    return d.node(op, [d.take(2)], sample_size=d.size())


def reshape(d: Drawing, op: str):
    x = d.any()
    shape = list(d.shapes[x])
    choice = d.size(0, 3)
    total = int(np.prod(shape))
    if choice == 0:
        target = [-1]
    elif choice == 1 and len(shape) > 1:
        target = [0, -1]
    elif choice == 2 and len(shape) > 1:
        at = d.size(0, len(shape) - 2)
        target = [*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :]]
        if at == 0:
            target[0] = -1
    else:
        divisor = d.one_of(*(k for k in range(1, min(total, 12) + 1) if total % k == 0))
        target = [-1, divisor]
    return d.node(op, [x, d.numbers(target)])


def reshape_like(d: Drawing, op: str):
    """As exporters write it: sizes of the input, computed when the model runs."""
    x = d.take(4)
    sizes, first, rest = d.name("s"), d.name("s"), d.name("s")
    d.nodes.append(helper.make_node("Shape", [x], [sizes]))
    d.nodes.append(helper.make_node("Gather", [sizes, d.numbers([0])], [first], axis=0))
    d.nodes.append(helper.make_node("Concat", [first, d.numbers([-1])], [rest], axis=0))
    return d.node("Reshape", [x, rest])


def flatten(d: Drawing, op: str):
    x = d.any(2, 4)
    return d.node(op, [x], axis=d.size(0, len(d.shapes[x])))


def transpose(d: Drawing, op: str):
    x = d.any()
    return d.node(op, [x], perm=d.rng.permutation(len(d.shapes[x])).tolist()) if d.flag() else d.node(op, [x])


def squeeze(d: Drawing, op: str):
    shape = [1 if d.flag() else d.size(2, 5) for _ in range(d.size(2, 4))]
    axes = [k for k, s in enumerate(shape) if s == 1]
    x = d.fresh(*shape)
    if not axes or d.flag():
        return d.node(op, [x])
    return d.node(op, [x, d.numbers([axes[0]])])


def unsqueeze(d: Drawing, op: str):
    x = d.any(1, 3)
    return d.node(op, [x, d.numbers([d.size(-1, len(d.shapes[x]))])])


def sliced(d: Drawing, op: str):
    x = d.any()
    shape = d.shapes[x]
    axes = sorted(d.rng.choice(len(shape), size=d.size(1, len(shape)), replace=False).tolist())
    starts, ends, steps = [], [], []
    for axis in axes:
        size = shape[axis]
        begin = d.size(0, max(size - 1, 0))
        if d.flag() or axis == 0:
            (
                starts.append(begin if axis else 0),
                ends.append(
                    d.one_of(2**63 - 1, max(begin + 1, size - 1))
                    if axis
                    else d.one_of(2**63 - 1, -1 if size > 1 else 1)
                ),
                steps.append(d.size(1, 3)),
            )
        else:
            (
                starts.append(d.one_of(-1, size - 1)),
                ends.append(d.one_of(-(2**63), -size - 1)),
                steps.append(-d.size(1, 2)),
            )
    return d.node(op, [x, *(d.numbers(v) for v in (starts, ends, axes, steps))])


def split(d: Drawing, op: str):
    x = d.any()
    shape = d.shapes[x]
    axis = d.size(0, len(shape) - 1) if len(shape) > 1 else 0
    size = shape[axis]
    if size > 1 and d.flag() and not (axis == 0 and d.named):
        first = d.size(1, size - 1)
        return d.node(op, [x, d.numbers([first, size - first])], 2, axis=axis)
    parts = d.one_of(*(k for k in range(1, size + 1) if size % k == 0)) if not (axis == 0 and d.named) else 1
    if d.opset >= 18:
        return d.node(op, [x], parts, axis=axis, num_outputs=parts)
    return d.node(op, [x], parts, axis=axis)


def concat(d: Drawing, op: str):
    x = d.any()
    shape = list(d.shapes[x])
    axis = d.size(0, len(shape) - 1)
    others = []
    for _ in range(d.size(1, 2)):
        other = list(shape)
        other[axis] = d.size()
        others.append(d.weight(*other) if d.flag() else d.fresh(*other))
    return d.node(op, [x, *others], axis=axis - (len(shape) if d.flag() else 0))


def gather(d: Drawing, op: str):
    kind = d.size(0, 3)
    if kind == 0:
        x = d.take(d.size(1, 2), kind=TensorProto.INT64)
        return d.node(op, [d.weight(d.size(5, 20), d.size()), x])
    x = d.any()
    axis = d.size(0, len(d.shapes[x]) - 1)
    indices = (
        d.numbers(0)
        if kind == 1
        else d.numbers([0] * d.size(1, 3))
        if kind == 2
        else d.fresh(2, 3, kind=TensorProto.INT64)
    )
    return d.node(op, [x, indices], axis=axis)


def gather_elements(d: Drawing, op: str):
    x = d.any(2, 3)
    return d.node(op, [x, d.fresh(*(d.size(1, s) for s in d.shapes[x]), kind=TensorProto.INT64)], axis=0)


def gather_nd(d: Drawing, op: str):
    x = d.any(2, 4)
    length = d.size(1, len(d.shapes[x]))
    return d.node(op, [x, d.fresh(d.size(), d.size(), length, kind=TensorProto.INT64)])


def pad(d: Drawing, op: str):
    x = d.any()
    rank = len(d.shapes[x])
    begin, end = ([d.size(0, 3) for _ in range(rank)] for _ in range(2))
    if d.opset >= 18 and d.flag():
        axis = d.size(0, rank - 1)
        return d.node(op, [x, d.numbers([d.size(0, 3), d.size(0, 3)]), "", d.numbers([axis])])
    return d.node(op, [x, d.numbers(begin + end)], mode=d.one_of("constant", "edge"))


def tile(d: Drawing, op: str):
    x = d.any()
    return d.node(op, [x, d.numbers([d.size(1, 3) for _ in d.shapes[x]])])


def expand(d: Drawing, op: str):
    shape = [1 if d.flag() else d.size(2, 5) for _ in range(d.size(1, 3))]
    target = [d.size(2, 5) if s == 1 and d.flag() else d.one_of(s, 1) for s in shape]
    if d.flag():
        target = [d.size(1, 4), *target]
    return d.node(op, [d.fresh(*shape), d.numbers(target)])


def resize(d: Drawing, op: str):
    x = d.take(4)
    shape = d.shapes[x]
    if op == "Upsample":
        raise ValueError("newer versions have Resize instead")
    if d.flag():
        scales = [1.0, 1.0, d.one_of(0.5, 1.5, 2.0, 3.0), d.one_of(0.7, 2.0, 2.5)]
        return d.node(op, [x, "", d.numbers(scales, "float32")], mode=d.one_of("nearest", "linear"))
    if d.opset >= 18:
        return d.node(op, [x, "", "", d.numbers([d.size(1, 20), d.size(1, 20)])], axes=[2, 3])
    return d.node(op, [x, "", "", d.numbers([shape[0], shape[1], d.size(1, 20), d.size(1, 20)])])


def blocks(d: Drawing, op: str):
    b = d.size(1, 3)
    shape = (
        (d.size(), d.size(1, 3) * b * b, d.size(), d.size())
        if op == "DepthToSpace"
        else (d.size(), d.size(), b * d.size(), b * d.size())
    )
    return d.node(op, [d.fresh(*shape)], blocksize=b)


def grid_sample(d: Drawing, op: str):
    x = d.take(4)
    return d.node(op, [x, d.fresh(d.shapes[x][0], d.size(), d.size(), 2)])


def affine(d: Drawing, op: str):
    n = d.size()
    return d.node(op, [d.fresh(n, 2, 3), d.numbers([n, 3, d.size(), d.size()])])


def centre(d: Drawing, op: str):
    x = d.take(3)
    return d.node(op, [x, d.numbers([d.size(), d.size()])], axes=[1, 2])


def trilu(d: Drawing, op: str):
    return d.node(op, [d.any(2, 4)])


def eye(d: Drawing, op: str):
    return d.node(op, [d.take(2)])


def reverse(d: Drawing, op: str):
    x = d.take(3)
    return d.node(op, [x, d.fresh(d.shapes[x][1], kind=TensorProto.INT64)])


def shape_of(d: Drawing, op: str):
    """And something that takes it."""
    x = d.any()
    name = d.name("s")
    d.nodes.append(helper.make_node(op, [x], [name]))
    return d.node("ConstantOfShape", [name]) if op == "Shape" else d.node("Cast", [name], to=TensorProto.FLOAT)


def prelu(d: Drawing, op: str):
    x = d.take(4)
    c = d.shapes[x][1]
    return d.node(op, [x, d.weight(*d.one_of((c, 1, 1), (1,), d.shapes[x][1:]))])


def clip(d: Drawing, op: str):
    return d.node(op, [d.any(), d.numbers(0.0, "float32"), d.numbers(6.0, "float32")])


def bit_cast(d: Drawing, op: str):
    return d.node(op, [d.any()], to=TensorProto.INT32)


SPECIAL: dict[str, Draw] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Pow"), binary),
    **dict.fromkeys(("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"), compare),
    **dict.fromkeys(("Max", "Min", "Mean", "Sum"), many),
    **dict.fromkeys(("And", "Or", "Xor", "Not"), logical),
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"), bits),
    "Mod": bits,
    "Where": where,
    "PRelu": prelu,
    "Clip": clip,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "ConvInteger": conv_integer,
    "QLinearConv": conv_integer,
    "DeformConv": deform,
    "Col2Im": col2im,
    "MaxPool": pool,
    "AveragePool": pool,
    "LpPool": pool,
    **dict.fromkeys(("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"), global_pool),
    "MaxUnpool": unpool,
    "RoiAlign": roi,
    "MaxRoiPool": roi,
    "BatchNormalization": batch_norm,
    "InstanceNormalization": scaled_norm,
    "GroupNormalization": group_norm,
    "LayerNormalization": layer_norm,
    "RMSNormalization": layer_norm,
    "LRN": lrn,
    "MatMul": matmul,
    "MatMulInteger": matmul_integer,
    "QLinearMatMul": matmul_integer,
    "Gemm": gemm,
    "Einsum": einsum,
    "RNN": recurrent,
    "LSTM": recurrent,
    "GRU": recurrent,
    "Attention": attention,
    "RotaryEmbedding": rotary,
    "Det": det,
    "NegativeLogLikelihoodLoss": loss,
    "SoftmaxCrossEntropyLoss": loss,
    "DynamicQuantizeLinear": quantize,
    "QuantizeLinear": quantize,
    "DequantizeLinear": quantize,
    "Dropout": dropout,
    "Cast": cast,
    "CastLike": cast,
    "ArgMax": argmax,
    "ArgMin": argmax,
    "TopK": topk,
    "CumSum": running,
    "CumProd": running,
    "OneHot": one_hot,
    "ScatterElements": scatter,
    "ScatterND": scatter,
    "Range": ranged,
    **dict.fromkeys(("ConstantOfShape", "RandomNormal", "RandomUniform"), filled),
    **dict.fromkeys(("HannWindow", "HammingWindow", "BlackmanWindow"), windowed),
    "Multinomial": multinomial,
    "Reshape": reshape,
    "Flatten": flatten,
    "Transpose": transpose,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Slice": sliced,
    "Split": split,
    "Concat": concat,
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Pad": pad,
    "Tile": tile,
    "Expand": expand,
    "Resize": resize,
    "DepthToSpace": blocks,
    "SpaceToDepth": blocks,
    "GridSample": grid_sample,
    "AffineGrid": affine,
    "CenterCropPad": centre,
    "Trilu": trilu,
    "EyeLike": eye,
    "ReverseSequence": reverse,
    "Shape": shape_of,
    "Size": shape_of,
    "BitCast": bit_cast,
}
NOT_DRAWN = ("Scatter", "Upsample", "TensorScatter")  # of versions before those drawn, or none yet


def draws() -> dict[str, Draw]:
    found: dict[str, Draw] = {}
    for operator in RULES:
        if operator in NOT_DRAWN:
            continue
        found[operator] = SPECIAL.get(operator, reduction if operator.startswith("Reduce") else unary)
    return found


def model_of(d: Drawing, nodes: Sequence[onnx.NodeProto], batch: int | str) -> onnx.ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, d.kinds[name], [batch, *shape[1:]] if k == 0 and shape else shape)
        for k, (name, shape) in enumerate(d.inputs.items())
    ]
    outputs = [helper.make_empty_tensor_value_info(nodes[-1].output[0])]
    graph = helper.make_graph(list(nodes), "drawn", inputs, outputs, initializer=d.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", d.opset)], ir_version=10)


def inferred(model: onnx.ModelProto) -> dict[str, tuple[int, Shape]] | None:
    """What onnx says of each value; None where it refuses the graph."""
    try:
        found = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception:
        return None
    shapes = {}
    for value in (*found.graph.value_info, *found.graph.output):
        kind = value.type.tensor_type
        if not kind.HasField("shape") or any(not dim.HasField("dim_value") for dim in kind.shape.dim):
            continue
        shapes[value.name] = (kind.elem_type, tuple(dim.dim_value for dim in kind.shape.dim))
    return shapes


def drawn(rng: np.random.Generator, operators: list[str], used: Counter[str], length: int) -> Drawing:
    """A graph of about that many operators."""
    d = Drawing(rng, OPSETS[int(rng.integers(len(OPSETS)))], named=bool(rng.integers(2)))
    table = draws()
    d.take(4, 6)
    for _ in range(length * 3):
        if len(d.nodes) >= length:
            break
        least = min(used[name] for name in operators)
        operator = d.one_of(*[name for name in operators if used[name] <= least + 2])
        kept = (dict(d.inputs), list(d.weights), list(d.nodes), dict(d.shapes), dict(d.kinds))
        try:
            node = table[operator](d, operator)
        except ValueError:  # nothing that it could be drawn with
            node = None
        ok = False
        if node is not None:
            d.nodes.append(node)
            found = inferred(model_of(d, d.nodes, BATCH))
            names = [name for n in d.nodes[len(kept[2]) :] for name in n.output if name]
            ok = found is not None and all(name in found for name in names)
            if ok and found is not None:
                ok = all(0 < size < 5000 for name in names for size in found[name][1])
                for name in names:
                    d.kinds[name], d.shapes[name] = found[name]
        if ok:
            used[operator] += 1
        else:
            used[operator] += 0.34  # type: ignore[assignment]
            d.inputs, d.weights, d.nodes, d.shapes, d.kinds = kept
    return d


@dataclass
class Wrong:
    operator: str
    told: str


def check(d: Drawing, folder: Path, golden: Path | None) -> list[Wrong]:
    """What differs between the two."""
    batch: int | str = "N" if d.named else BATCH
    path = folder / "drawn.onnx"
    onnx.save(model_of(d, d.nodes, batch), path)
    text = written(read_model(path))
    model = read(Source("drawn.onnx", text))
    n = Name("N", INTEGER)
    inputs = {v.name: tuple(algebra.lift(s) if isinstance(s, int) else n for s in v.dims or ()) for v in model.inputs}
    following = Following(model, shipped(), inputs, {}, {})
    maker = {name: node.op_type for node in d.nodes for name in node.output}
    try:
        following.follow()
    except TunepassError as error:
        return [
            Wrong(
                str(error).split("(")[1].split(")")[0] if "(" in str(error) else "?",
                str(error).splitlines()[0] + f" opset {d.opset}",
            )
        ]
    wrong = []
    lines = []
    for value in (BATCH, *(OTHERS if d.named else ())):
        truth = inferred(model_of(d, d.nodes, value))
        if truth is None:
            continue  # not for this size
        for name, (_, shape) in truth.items():
            if name not in following.values:
                continue  # a second output that nothing uses
            ours = tuple(evaluate(size, {"N": value}) for size in following.shape(following.held(name)))
            if ours != shape:
                wrong.append(Wrong(maker[name], f"{name} at {value}: {ours}, onnx {shape}"))
            if value in (BATCH, OTHERS[0]):
                lines.append(f"# {value} {name} {list(shape)}")
    if golden is not None and not wrong:
        golden.write_text(text + "\n".join(lines) + "\n")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--length", type=int, default=12)
    parser.add_argument("--golden", type=Path)
    parser.add_argument("--only")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    operators = sorted(draws()) if not options.only else options.only.split(",")
    used: Counter[str] = Counter()
    start, right, values, nodes = time.perf_counter(), 0, 0, 0
    troubles: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(options.graphs):
            d = drawn(rng, operators, used, options.length)
            golden = options.golden / f"graph_{k:03}.txt" if options.golden else None
            wrong = check(d, Path(folder), golden)
            right += not wrong
            nodes += len(d.nodes)
            values += len(d.shapes)
            for item in wrong[:1]:
                troubles[item.operator] += 1
                print(f"graph {k}: {item.operator}: {item.told}")
    kinds = sum(used[name] >= 1 for name in operators)
    print(f"{right} of {options.graphs} graphs as onnx {onnx.__version__} infers them, {values} values")
    print(f"{nodes} operators of {kinds} kinds of {len(operators)}, {time.perf_counter() - start:.0f} s")
    missing = [name for name in operators if used[name] < 1]
    print("never drawn:", ", ".join(missing) or "none", "| troubles:", dict(troubles))
    return int(right < options.graphs)


if __name__ == "__main__":
    sys.exit(main())

"""ONNX models: what is followed, what varies, what is told."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.frontends.onnx.texts import HEAD, counted, kernel_of, output_shapes
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.base import Frontend
from tunepass.frontends.onnx.frontend import OnnxFrontend
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Choice, Kernel
from tunepass.testing.frontend import FrontendContract

SMALL = """opset 17
input x: float32[N, 3, H, 32]
weight w: float32[8, 3, 3, 3]
y = Conv(x, w, kernel_shape=[3, 3])
output y
"""
NET = """
input x: float32[N, 3, 32, 32]
weight w: float32[8, 3, 3, 3]
weight b: float32[8]
weight scale: float32[8]
weight shift: float32[8]
weight mean: float32[8]
weight variance: float32[8]
constant target: int64[2] = [-1, 2048]
weight fc.w: float32[10, 2048]
weight fc.b: float32[10]
conv1: c = Conv(x, w, b, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
n = BatchNormalization(c, scale, shift, mean, variance)
r = Relu(n)
p = MaxPool(r, kernel_shape=[2, 2], strides=[2, 2])
f = Reshape(p, target)
y = Gemm(f, fc.w, fc.b, transB=1)
output y
"""


class TestOnnxFrontend(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return OnnxFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("net.onnx", SMALL)


def test_layers_with_their_weights() -> None:
    kernel = kernel_of(NET)
    assert counted(kernel) == 8 * 27 + 8 + 16 + 20_490
    assert counted(kernel, "state") == 16
    assert output_shapes(kernel, N=4) == [(4, 10)]
    assert [p.name for p in kernel.parameters] == ["N"]


TUNE = """onnx: net.onnx
parameters:
  batch: ordinal(1, 8) = 8
  width: ordinal(8, 16, 24) = 16
  kernel: ordinal(3, 5) = 5
inputs: {x: [batch, 3, 32, 32]}
nodes:
  conv1: {filters: width, kernel_shape: [kernel, kernel], auto_pad: "SAME_UPPER"}
constraints: [width % 8 == 0]
limits: [weight_byte <= 1 MB]
precision: float16
"""


class Described(OnnxFrontend):
    """Has the text of the model that a description names."""

    def __init__(self, net: str):
        self.net = net

    def opened(self, path: str | Path) -> Source:
        return Source(str(path), HEAD + self.net)


def described(folder: Path, text: str = TUNE, net: str = NET) -> Kernel:
    return Described(net).parse(Source(str(folder / "tune.yaml"), text)).kernels[0]


def test_attributes_vary_and_what_follows_goes_with_them(tmp_path: Path) -> None:
    """The reshape's 2,048 and the dense layer's weights are those of 8 channels in the file."""
    kernel = described(tmp_path)
    for width, side in ((8, 3), (24, 5)):
        expected = width * 3 * side**2 + width + 2 * width + 10 * (width * 256 + 1)
        assert counted(kernel, width=width, kernel=side) == expected
    assert output_shapes(kernel, batch=8) == [(8, 10)]
    assert kernel.name == "net" and len(kernel.body_as(Graph).limits) == 1


def test_constants_follow_what_they_are_broadcast_with(tmp_path: Path) -> None:
    net = """
    input x: float32[1, 3, 8, 8]
    weight w: float32[8, 3, 1, 1]
    weight gain: float32[8, 1, 1]
    weight place: float32[1, 64, 8]
    constant rows: int64[3] = [1, 8, 64]
    c = Conv(x, w)
    g = Mul(c, gain)
    r = Reshape(g, rows)
    t = Transpose(r, perm=[0, 2, 1])
    y = Add(t, place)
    output y
    """
    tune = "onnx: net.onnx\nparameters:\n  width: ordinal(8, 32) = 32\nnodes: {c: {filters: width}}\n"
    kernel = described(tmp_path, tune, dedent(net))
    assert output_shapes(kernel) == [(1, 64, 32)]
    assert counted(kernel) == 32 * 3 + 32 + 64 * 32


def test_the_choice_is_written_as_a_description(tmp_path: Path) -> None:
    kernel = described(tmp_path).scheduled((Choice("width", 24), Choice("kernel", 3), Choice("batch", 1)))
    (file,) = OnnxFrontend().emit((kernel,), "chosen")
    assert file.name == "tune.tuned.yaml" and "width: ordinal(8, 16, 24) = 24\n" in file.text
    assert "kernel: ordinal(3, 5) = 3\n" in file.text and file.text.startswith("# chosen\n")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("conv1:", "conf1:", r"8:3: error: the model has no operator `conf1`"),
        ("filters: width", "filter: width", r"8:11: error: conv1 \(Conv\) has no attribute `filter`"),
        ("x: [batch", "z: [batch", r"6:10: error: the model has no input `z`"),
        ("[batch, 3, 32, 32]", "[batch, 3, 32]", r"6:10: error: the input `x` has 4 sizes, not 3"),
        ("[batch, 3, 32, 32]", "[batch, 3, depth, 32]", "depth"),
        ("1 MB", "1 MiBi", r"`MiBi` is no unit"),
        ("float16", "floats", r"11:12: error: `floats` is no type"),
        ("ordinal(1, 8) = 8", "ordinal(1, 8) = 9", "is not one of its values"),
        ("parameters:", "parameter:", "did you mean `parameters`"),
        ("onnx: net.onnx", "onnx: ../net.onnx", "in its folder, or below"),
        ("width % 8 == 0", "widht % 8 == 0", "widht"),
    ],
)
def test_what_is_wrong_with_a_description_is_told_there(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(SourceError, match=told) as caught:
        described(tmp_path, TUNE.replace(old, new))
    assert len(caught.value.diagnostics) == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("y = Gemn(x)", "there is no operator `Gemn`"),
        ("y = If(x)", "depends on what goes in"),
        ("y = NonZero(x)", "the size of what it gives depends on what goes in"),
        ("y = Relu(z)", "nothing before it makes 'z'"),
        ("y = Add(x, y)", "nothing before it makes 'y'"),  # a circle
        ("y = MaxPool(x)", "'kernel_shape' is missing"),
        ("y = Conv(x, w)", "its weights are of 5 channels, its input has 3"),
        ("y = Reshape(x, x)", "not known before the model runs"),
        ("y = Transpose(x, perm=[0, 0, 1, 2])", "is no order of the 4 axes"),
        ("y = Concat(x, w, axis=0)", "differ besides along axis 0"),
        ("y = Relu(x", "expected `,`"),
        ("y = Relu x", r"expected `\(`"),
        ("y = Squeeze(x, axes=[9])", "there are no axes"),
        ("y = Slice(x, starts=[0], ends=[1, 2])", "as many begins as ends"),
    ],
)
def test_what_cannot_be_followed_is_told_at_its_line(line: str, told: str) -> None:
    head = "input x: float32[2, 3, 8, 8]\nweight w: float32[4, 5, 3, 3]\n"
    with pytest.raises(SourceError, match=told) as caught:
        kernel_of(f"{head}{line}\noutput y\n")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None and diagnostic.span.line == 4


def test_shapes_that_the_user_states_are_taken(tmp_path: Path) -> None:
    net = "input x: float32[2, 3]\nweight w: float32[3, 4]\nplaces = NonZero(x)\ny = MatMul(places, w)\noutput y\n"
    kernel = described(tmp_path, "onnx: net.onnx\nshapes: {places: [2, 3]}\n", net)
    assert output_shapes(kernel) == [(2, 4)]


def test_weights_that_are_used_twice_count_once() -> None:
    kernel = kernel_of(
        """
        input i: int64[2, 7]
        weight words: float32[100, 8]
        e = Gather(words, i)
        turned = Transpose(words)
        y = MatMul(e, turned)
        output y
        """
    )
    assert counted(kernel) == 800 and output_shapes(kernel) == [(2, 7, 100)]


def test_shapes_that_the_model_computes_are_followed() -> None:
    """As PyTorch's exporter writes `x.view(x.size(0), heads, -1)`."""
    kernel = kernel_of(
        """
        input x: float32[N, 12, 8]
        constant zero: int64[] = [0]
        constant heads: int64[1] = [4]
        constant rest: int64[1] = [-1]
        constant front: int64[1] = [0]
        s = Shape(x)
        n = Gather(s, zero, axis=0)
        n1 = Unsqueeze(n, front)
        to = Concat(n1, heads, rest, axis=0)
        y = Reshape(x, to)
        output y
        """
    )
    assert output_shapes(kernel, N=16) == [(16, 4, 24)]


def test_sizes_of_images_vary_where_the_file_has_numbers(tmp_path: Path) -> None:
    """The dense layer after the reshape is for 16 x 16 places in the file."""
    tune = TUNE.replace("[batch, 3, 32, 32]", "[batch, 3, size, size]")
    tune = tune.replace("parameters:", "parameters:\n  size: ordinal(16, 32, 64) = 32")
    kernel = described(tmp_path, tune)
    assert counted(kernel, size=16, width=8, kernel=3) == 8 * 27 + 8 + 16 + 10 * (8 * 64 + 1)


def test_a_value_is_made_once() -> None:
    with pytest.raises(SourceError, match="'y' is made twice"):
        kernel_of("input x: float32[1, 3]\ny = Relu(x)\ny = Sigmoid(x)\noutput y\n")

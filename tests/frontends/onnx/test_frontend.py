"""ONNX models: what is followed, what varies, what is told."""

from __future__ import annotations

import pytest

from tests.contracts.frontend import FrontendContract
from tests.frontends.onnx.texts import counted, kernel_of, output_shapes
from tunepass.diagnostics import Source
from tunepass.frontends.base import Frontend
from tunepass.frontends.onnx.frontend import OnnxFrontend

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

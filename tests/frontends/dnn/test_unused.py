"""Modules that the output does not need count as `model.parameters()` counts them."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import keras_kernel, torch_kernel, weights
from tunepass.diagnostics import Source
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.hwmodels.dnn.model import DnnModel

NET = """
# tunepass input x: float32[1, 8]
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)
        UNUSED
    def forward(self, x):
        return self.layer(x)
model = Net()
"""


@pytest.mark.parametrize(
    ("unused", "count"),
    [
        ("self.a = nn.Linear(5, 4)", 24),
        ("self.a = nn.Conv2d(6, 4, 3, groups=2, bias=False)", 108),
        ("self.a = nn.Conv3d(2, 3, 30)", 2 * 3 * 30**3 + 3),
        ("self.a = nn.ConvTranspose2d(6, 4, 3)", 220),
        ("self.a = nn.BatchNorm1d(7)", 14),
        ("self.a = nn.LayerNorm((4, 5))", 40),
        ("self.a = nn.Embedding(10, 3)", 30),
        ("self.a = nn.LSTM(4, 3, num_layers=2)", 4 * 3 * (4 + 3 + 2) + 4 * 3 * (3 + 3 + 2)),
        ("self.a = nn.MultiheadAttention(8, 2)", 4 * 64 + 4 * 8),
        ("self.a = nn.TransformerEncoderLayer(8, 2, 16)", 4 * 72 + 8 * 16 * 2 + 16 + 8 + 32),
        ("self.a = nn.Parameter(torch.zeros(3, 4))", 12),
        ("self.a = nn.ModuleList([nn.Linear(1, 1), nn.Linear(2, 1)])", 5),
        ("self.a = nn.ModuleDict({'a': nn.Linear(1, 1)})", 2),
        ("self.a = nn.Sequential(nn.Linear(1, 1), nn.ReLU())", 2),
        ("self.a = Part()", 12),
        ("self.a = self.b = nn.Linear(1, 1)", 2),
        ("self.a = [nn.Linear(1, 1)]", 0),
        ("unregistered = nn.Linear(1, 1)", 0),
        ("self.a = nn.ReLU()", 0),
        ("self.register_buffer('a', torch.zeros(3))", 0),
    ],
)
def test_weights_of_what_is_not_used(unused: str, count: int) -> None:
    assert weights(torch_kernel(NET.replace("UNUSED", unused))) == 18 + count


def test_what_is_only_there_for_some_parameters_counts_there() -> None:
    text = "# tunepass param extra: ordinal(0, 1) = 0\nextra = 0" + NET.replace(
        "UNUSED", "if extra:\n            self.a = nn.Linear(5, 4)"
    )
    kernel = torch_kernel(text)
    assert [weights(kernel, extra=value) for value in (0, 1)] == [18, 42]


def test_it_costs_no_operations() -> None:
    text = "import torch.nn as nn\n" + NET.replace("UNUSED", "self.a = nn.Linear(5, 4)")
    (kernel,) = DnnFrontend().parse(Source("a.py", text)).kernels
    (plain,) = DnnFrontend().parse(Source("a.py", text.replace("nn.Linear(5, 4)", "None"))).kernels
    values, without = (DnnModel().costs(one, "").values for one in (kernel, plain))  # type: ignore[union-attr]
    assert str(values["flops"]) == str(without["flops"])
    assert str(values["weights"]) != str(without["weights"])


def test_keras_counts_layers_once_they_are_applied() -> None:
    kernel = keras_kernel(
        """
        inputs = keras.Input((8,))
        unused = layers.Dense(5)
        model = keras.Model(inputs, layers.Dense(2)(inputs))
        """
    )
    assert weights(kernel) == 18

"""Constructs of public sources, each in a few lines of our own."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import keras_kernel, output_shape, torch_kernel, weights

NET = """
# tunepass input x: float32[2, 8]
# tunepass model Net()
import copy, math
import numpy as np
from dataclasses import dataclass
from collections import OrderedDict
from collections.abc import Sequence
from torch import Tensor
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        INIT
    def forward(self, x):
        FORWARD
"""


def net(init: str, forward: str, before: str = "") -> str:
    indented = [text.replace("\n", "\n        ") for text in (init, forward)]
    text = NET.replace("INIT", indented[0]).replace("FORWARD", indented[1])
    return text.replace("class Net(", before + "\nclass Net(", 1)


@pytest.mark.parametrize(
    ("init", "count"),
    [
        ("self.c = nn.Linear(8, 4) if isinstance((1, 2), Sequence) else None", 36),
        ("self.c = nn.Linear(8, 4)\nself.c = nn.Linear(8, self.c.out_features)", 36),
        ("self.c = nn.Linear(8, 4) if not hasattr(self, 'd') else nn.Linear(8, 3)", 36),
        ("self.c = nn.Linear(8, getattr(self, 'width', 4))", 36),
        ("self.c = nn.Linear(8, (n := 4))", 36),
        ("self.c = nn.Linear(8, len({1, 2, 3, 4}))", 36),
        ("self.c = nn.Linear(8, {k: k + 1 for k in range(5)}[3])", 36),
        ("self.c = nn.Linear(8, dict([('n', 4)])['n'])", 36),
        ("d = {'n': 4, 'm': 5}\ndel d['m']\nself.c = nn.Linear(8, d['n'] * len(d))", 36),
        ("self.c = nn.Linear(8, int(math.log(16, 2)))", 36),
        ("self.c = nn.Linear(8, int(math.pi + 1))", 36),
        ("self.c = nn.Linear(8, len('-'.join(['a', 'b'])) + 1)", 36),
        ("self.c = nn.Linear(8, torch.arange(5).tolist()[-1])", 36),
        ("self.c = nn.Linear(8, int(torch.round(torch.log(torch.arange(1, 60) * 1.0)).tolist()[-1]))", 36),
        ("self.c = nn.Linear(8, len([r.item() for r in torch.linspace(0, 1, 4)]))", 36),
        ("self.c = nn.Linear(8, len([float(r) for r in np.linspace(0.0, 0.1, 4)]))", 36),
        ("self.c = nn.Linear(8, torch.diff(torch.tensor([1, 5])).int().tolist()[0])", 36),
        ("layer = nn.Linear(8, 8)\nself.c = nn.Sequential(layer, copy.deepcopy(layer))", 144),
        ("layer = nn.Linear(8, 8)\nself.c = nn.Sequential(layer, copy.copy(layer))", 72),
        ("layers = []\nlayers += [nn.Linear(8, 4)]\nself.c = nn.Sequential(OrderedDict(a=layers[0]))", 36),
    ],
)
def test_what_python_says_of_sizes(init: str, count: int) -> None:
    assert weights(torch_kernel(net(init, "return self.c(x)"))) == count


def test_a_class_that_is_derived_from_a_layer() -> None:
    before = """
class Wide(nn.Linear):
    def __init__(self, n):
        super().__init__(in_features=n, out_features=2 * n)
class Normed(nn.LayerNorm):
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
class Twice(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 2
class Own(nn.Linear):
    def forward(self, x):
        return F.linear(x, self.weight, self.bias)
"""
    text = net("self.c = nn.Sequential(Wide(8), Normed(16), Twice(16, 2), Own(2, 3))", "return self.c(x)", before)
    kernel = torch_kernel(text)
    assert weights(kernel) == 144 + 32 + 34 + 9
    assert output_shape(kernel) == (2, 3)


def test_fields_of_a_dataclass_that_is_a_base() -> None:
    before = """
@dataclass
class Base:
    width: int
    bias: bool = False
class Config(Base):
    def __init__(self, n):
        super().__init__(2 * n)
"""
    assert weights(torch_kernel(net("self.c = nn.Linear(8, Config(2).width)", "return self.c(x)", before))) == 36


@pytest.mark.parametrize(
    ("forward", "shape"),
    [
        ("return F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None])", (2, 1, 8)),
        ("return x.view_as(torch.zeros(4, 4).expand(1, 4, 4).reshape(4, 4))", (4, 4)),
        ("return x.unflatten(1, (2, 4)).movedim(1, 2)", (2, 4, 2)),
        ("a, b = torch.tensor_split(x, (3,), dim=1)\nreturn b", (2, 5)),
        ("return torch.roll(x, shifts=(1, 2), dims=(0, 1))", (2, 8)),
        ("return x.add_(1).mul_(2).clamp_(0, 1)", (2, 8)),
        ("return x.repeat_interleave(3, dim=1)", (2, 24)),
        ("return x.select(1, 0)", (2,)),
        ("return x.narrow(1, 2, 5)", (2, 5)),
        ("return torch.cat([x, torch.zeros(2, 1)], dim=1)", (2, 9)),
        ("return torch.cat([x, x.new_zeros(2, 3)], dim=1)", (2, 11)),
        ("return self.table[torch.arange(6).view(2, 3)]", (2, 3, 4)),
        ("return torch.view_as_real(torch.view_as_complex(x.view(2, 4, 2)))", (2, 4, 2)),
        ("a, b = torch.meshgrid([torch.arange(2), torch.arange(8)], indexing='ij')\nreturn x + torch.stack([a, b])",
         (2, 2, 8)),
        ("return x[:, torch.arange(3)]", (2, 3)),
        ("return x.reshape(2, x.numel() // 2)", (2, 8)),
        ("return torch.spmm(torch.ones(3, 2), x)", (3, 8)),
    ],
)  # fmt: skip
def test_what_is_asked_of_tensors(forward: str, shape: tuple[int, ...]) -> None:
    assert (
        output_shape(torch_kernel(net("self.table = nn.Parameter(torch.log(10 * torch.ones((5, 4))))", forward)))
        == shape
    )


def test_named_children_of_a_sequence() -> None:
    init = "body = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 3))\nself.c = nn.ModuleDict(dict(body.named_children()))"
    text = net(init, "for name, layer in self.c.items():\n    x = layer(x)\nreturn x")
    assert weights(torch_kernel(text)) == 72 + 27


def test_rates_that_numpy_spaces() -> None:
    kernel = keras_kernel(
        """
        import numpy as np
        inputs = keras.Input((8,))
        x = inputs
        rates = [float(r) for r in np.linspace(0.0, 0.2, 3)]
        for k in range(3):
            x = layers.Dense(8)(x)
            if rates[k] > 0.15:
                x = layers.Dense(8)(x)
        model = keras.Model(inputs, x)
        """
    )
    assert weights(kernel) == 4 * 72


def test_dataclasses_that_are_replaced_and_taken_apart() -> None:
    before = """
import dataclasses
from dataclasses import field
@dataclass
class Config:
    width: int = 3
    sizes: list = field(default_factory=list)
"""
    init = "c = dataclasses.replace(Config(), width=4)\nd = dataclasses.asdict(c)\nself.c = nn.Linear(8, d['width'])"
    assert weights(torch_kernel(net(init, "return self.c(x)", before))) == 36

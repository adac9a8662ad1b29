"""Constructs of public sources, in a few lines of our own: parameters of modules, items, kinds, and shapes."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import KERAS, keras_kernel, output_shape, torch_kernel, weights
from tests.frontends.dnn.test_public_constructs import net
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.dnn.frontend import DnnFrontend


@pytest.mark.parametrize(
    ("init", "forward", "count"),
    [
        ("self.p = nn.Parameter(torch.zeros(3, 8))", "return F.linear(x, self.p)", 24),
        ("self.p = nn.Parameter(data=torch.eye(8))", "return x @ self.p", 64),
        ("self.p = nn.Parameter(torch.tensor(0.5))", "return x * self.p", 1),
        ("self.p = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))", "return x.relu()", 4),
        ("self.p = nn.Parameter(torch.ones(8), requires_grad=False)", "return x * self.p", 0),
        ("self.register_buffer('p', torch.ones(8))", "return x * self.p", 0),
        ("self.register_parameter('p', nn.Parameter(torch.ones(8)))", "return x * self.p", 8),
        ("self.register_parameter('p', None)", "return x.relu()", 0),
        ("self.p = nn.ParameterList([nn.Parameter(torch.ones(8)) for _ in range(3)])", "return x + self.p[0]", 24),
        ("self.p = nn.Parameter(2 * torch.rand(1, 8) - 1)", "return x + self.p", 8),
        ("self.p = nn.Parameter(torch.randn(4, 8))\nself.b = nn.Parameter(torch.zeros(4))",
         "return F.linear(x, self.p, self.b)", 36),
    ],
)  # fmt: skip
def test_parameters_of_a_module_are_weights(init: str, forward: str, count: int) -> None:
    assert weights(torch_kernel(net(init, forward))) == count


@pytest.mark.parametrize(
    "size",
    [
        "len(list(itertools.chain([1, 2], [3, 4])))",
        "len(tuple(itertools.repeat(1, 4)))",
        "len(list(itertools.product([1, 2], repeat=2)))",
        "sorted([(3, 'c'), (4, 'b')], key=lambda pair: pair[1])[0][0]",
        "max([1, 2], key=lambda k: -k) + 3",
        "max([], default=4)",
        "sum([[1, 2], [3]], [])[-1] + 1",
        "4 if any(k > 2 for k in (1, 3)) and all([True]) else 5",
        "len(list(filter(lambda k: k > 1, [1, 2, 3, 4, 5])))",
        "next(iter([4, 5]))",
        "divmod(17, 4)[0]",
        "int(round(4.449, 1))",
        "{None: 4}.get(None)",
        "{nn.ReLU: 4, nn.GELU: 5}[nn.ReLU]",
        "4 if issubclass(Net, nn.Module) else 5",
        "4 if callable(len) and not callable(3) else 5",
        "4 if type(self) is Net else 5",
        "4 if nn.BatchNorm2d.__name__.lower() == 'batchnorm2d' else 5",
        "[x.item() for x in torch.linspace(1, 4, 4)][-1].__class__ and 4",
        "len(torch.linspace(0, 1, 9).split([4, 5])[0])",
        "int(os.environ.get('WIDTH', '4'))",
        "4 if 'WIDTH' not in os.environ else 5",
        "4 if functools.partial(nn.Linear, 3).func is not None else 5",
    ],
)
def test_what_python_says_of_items_and_kinds(size: str) -> None:
    kernel = torch_kernel(net(f"self.c = nn.Linear(8, {size})", "return self.c(x)", "import itertools, os, functools"))
    assert weights(kernel) == 36


def test_an_item_is_taken_out_of_a_dictionary() -> None:
    before = """
def make(n, **kwargs):
    m = kwargs.pop('m', 3)
    kwargs.setdefault('bias', False)
    return nn.Linear(n, m, **kwargs)
"""
    assert weights(torch_kernel(net("self.c = make(8, m=4)", "return self.c(x)", before))) == 32


def test_what_does_not_take_an_argument_is_called_without_it() -> None:
    init = "try:\n    self.a = nn.Sigmoid(inplace=True)\nexcept TypeError:\n    self.a = nn.Linear(8, 4)"
    assert weights(torch_kernel(net(init, "return self.a(x)"))) == 36


def test_an_enumeration_is_what_its_members_are() -> None:
    before = """
from enum import Enum
class Kind(str, Enum):
    WIDE = 'wide'
    NARROW = 'narrow'
"""
    init = "kind = Kind('wide')\nself.c = nn.Linear(8, 4 if kind is Kind.WIDE and kind.value == 'wide' else 2)"
    assert weights(torch_kernel(net(init, "return self.c(x)", before))) == 36


def test_a_method_that_takes_the_place_of_forward() -> None:
    before = """
class Fast(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Linear(8, 4)
        self.forward = self.run
    def run(self, x):
        return self.c(x)
"""
    assert weights(torch_kernel(net("self.f = Fast()", "return self.f(x)", before))) == 36


def test_layers_of_a_sequence_have_names() -> None:
    init = "self.head = nn.Sequential(OrderedDict([('a', nn.ReLU()), ('c', nn.Linear(8, 4))]))"
    assert weights(torch_kernel(net(init, "return self.head.c(x)"))) == 36


@pytest.mark.parametrize(
    ("forward", "shape"),
    [
        ("return x.repeat(3, 1, 1)", (3, 2, 8)),
        ("return x.tile((2,))", (2, 16)),
        ("return torch.where(x > 0, x, torch.zeros(4, 2, 8))", (4, 2, 8)),
        ("return x[:, :, None] * torch.arange(5)", (2, 8, 5)),
        ("return x[:, None, :] >= torch.arange(3)[:, None]", (2, 3, 8)),
        ("return x[torch.arange(6)[:, None] * 2]", (6, 1, 8)),
        ("return x + torch.outer(torch.arange(2), torch.arange(8))", (2, 8)),
        ("return x.var(dim=1, keepdim=True)", (2, 1)),
        ("return x * ~(torch.zeros(2, 8) > 0)", (2, 8)),
    ],
)
def test_shapes_of_what_is_done_to_tensors(forward: str, shape: tuple[int, ...]) -> None:
    assert output_shape(torch_kernel(net("pass", forward))) == shape


def test_weights_of_a_convolution_that_are_computed_from_are_counted_once() -> None:
    before = """
class Standardised(nn.Conv2d):
    def forward(self, x):
        w = F.batch_norm(self.weight.reshape(1, self.out_channels, -1), None, None).reshape_as(self.weight)
        return F.conv2d(x, w, self.bias, self.stride, self.padding, self.dilation, self.groups)
"""
    text = net("self.c = Standardised(4, 6, 3, padding=1, stride=2)", "return self.c(x.view(1, 4, 2, 2))", before)
    assert weights(torch_kernel(text)) == 4 * 6 * 9 + 6
    assert output_shape(torch_kernel(text)) == (1, 6, 1, 1)


def test_a_loop_that_trains_is_left() -> None:
    text = """
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
steps = 0
for epoch in range(400):
    for batch in range(400):
        steps += 1
"""
    assert weights(keras_kernel(text)) == 36


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        ("keras.layers.Resizing(4, 6)", (1, 4, 6, 3)),
        ("keras.layers.CenterCrop(4, 4)", (1, 4, 4, 3)),
        ("keras.layers.RandomFlip('horizontal')", (1, 8, 8, 3)),
        ("keras.layers.Lambda(lambda x: keras.ops.mean(x, axis=-1))", (1, 8, 8)),
        ("keras.layers.Lambda(lambda x: keras.ops.image.extract_patches(x, 4))", (1, 2, 2, 48)),
        ("keras.layers.Lambda(lambda x: keras.ops.reshape(x, (keras.ops.shape(x)[0], -1)))", (1, 192)),
    ],
)
def test_layers_that_prepare_images(layer: str, shape: tuple[int, ...]) -> None:
    text = f"inputs = keras.Input((8, 8, 3))\nmodel = keras.Model(inputs, {layer}(inputs))\n"
    assert output_shape(keras_kernel(text)) == shape


def test_what_lost_a_model_is_told() -> None:
    text = net("self.c = nn.Linear(8, torch.load('sizes')['n'])", "return self.c(x)")
    with pytest.raises(Exception, match=r"`torch\.load` is not followed"):
        torch_kernel(text)


@pytest.mark.parametrize(
    ("units", "value"),
    [
        ("[k for k, _ in enumerate('abc', start=3)][0]", 3),
        ("[k for k, _ in enumerate('abc', 5)][-1]", 7),
        ("sum([1, 2], start=4)", 7),
        ("len(set([1, 2, 2, 1]))", 2),
        ("len({k % 2 for k in range(6)})", 2),
        ("len({3, 3, 4, 3})", 2),
        ("int('11', 2)", 3),
        ("sorted([1, 3, 2], reverse=1)[0]", 3),
        ("int(round(2.625, ndigits=1) * 10)", 26),
    ],
)
def test_builtins_with_all_that_they_are_given(units: str, value: int) -> None:
    text = f"model = keras.Sequential([keras.Input((1,)), keras.layers.Dense({units}, use_bias=False)])\n"
    assert weights(keras_kernel(text)) == value


@pytest.mark.parametrize(
    "units",
    [
        "len('a b c'.split(maxsplit=1))",
        "pow(2, 5, 3)",
        "int(math.prod([2], begin=3))",
        "list(itertools.accumulate([1, 2], initial=5))[-1]",
    ],
)
def test_what_a_builtin_is_not_followed_with_is_not_known(units: str) -> None:
    text = f"model = keras.Sequential([keras.Input((1,)), keras.layers.Dense({units})])\n"
    with pytest.raises(SourceError, match="not"):
        keras_kernel(text)


def test_a_decorator_of_the_source_that_is_passed_over_is_told() -> None:
    text = """
KNOWN = {}
def registered(function):
    KNOWN[function.__name__] = 4
    return function
@registered
def made():
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(KNOWN.get("made", 2))])
model = made()
"""
    parsed = DnnFrontend().parse(Source("model.py", KERAS + text))
    assert [w.message for w in parsed.warnings] == [
        "the decorator `registered` of `made` is passed over: what it changes is not known"
    ]


@pytest.mark.parametrize("layer", ["ConstantPad2d((1, 2, 0, 3), 0.5)", "CircularPad2d((1, 2, 0, 3))"])
def test_layers_that_pad(layer: str) -> None:
    assert output_shape(torch_kernel(net(f"self.p = nn.{layer}", "return self.p(x.view(1, 4, 2, 2))"))) == (1, 4, 5, 5)

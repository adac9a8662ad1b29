"""Models of Keras and PyTorch as people write them: what is followed, what is told, what is emitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.dnn.sources import keras_kernel, kernel_of, output_shape, torch_kernel, weights
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.base import Frontend
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Choice
from tunepass.space.space import Space
from tunepass.testing.frontend import FrontendContract

SAMPLES = Path(__file__).parents[3] / "samples" / "dnn"
SMALL = """
# tunepass param units: ordinal(4, 8, 16) = 8
# tunepass constraint units % 4 == 0
from keras import Sequential, layers
units = 8
model = Sequential([layers.Input(shape=(3,)), layers.Dense(units, activation="relu"), layers.Dense(2)])
"""


class TestDnnFrontend(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return DnnFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("model.py", SMALL)


def test_figure_1_of_the_paper() -> None:
    """Gao et al., ICSE 2021, Figure 1: the widths that the frameworks count."""
    kernel = keras_kernel(
        """
        model = keras.models.Sequential()
        model.add(layers.Conv2D(filters=64, kernel_size=(3, 3), activation='relu', input_shape=(32, 32, 3)))
        model.add(layers.AveragePooling2D(pool_size=(2, 2), padding='same'))
        model.add(layers.Flatten())
        model.add(layers.Dense(units=64, activation='relu'))
        """
    )
    assert weights(kernel) == 64 * (27 + 1) + 64 * (15 * 15 * 64 + 1)


def test_functional_models_and_merges() -> None:
    kernel = keras_kernel(
        """
        def block(x, width):
            y = layers.Conv2D(width, 3, padding="same", use_bias=False)(x)
            y = layers.BatchNormalization()(y)
            return layers.add([x, layers.Activation("relu")(y)])
        inputs = keras.Input(shape=(8, 8, 4))
        x = inputs
        for _ in range(3):
            x = block(x, 4)
        x = layers.GlobalAveragePooling2D()(x)
        model = keras.Model(inputs, layers.Dense(10)(x))
        """
    )
    assert weights(kernel) == 3 * (4 * 4 * 9 + 8) + 50
    assert output_shape(kernel) == (1, 10)


def test_modules_with_helpers_loops_and_sequences() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[2, 3, 8, 8]
        class Block(nn.Module):
            expansion = 2
            def __init__(self, cin, planes, stride=1):
                super().__init__()
                self.conv = nn.Conv2d(cin, planes * self.expansion, 3, stride, 1, bias=False)
                self.bn = nn.BatchNorm2d(planes * Block.expansion)
                self.shortcut = nn.Sequential()
                if stride != 1 or cin != planes * self.expansion:
                    self.shortcut = nn.Sequential(nn.Conv2d(cin, planes * 2, 1, stride, bias=False))
            def forward(self, x):
                return F.relu(self.bn(self.conv(x)) + self.shortcut(x))
        class Net(nn.Module):
            def __init__(self, widths=(2, 4)):
                super(Net, self).__init__()
                layers, cin = [], 3
                for k, width in enumerate(widths):
                    layers.append(Block(cin, width, 2 if k else 1))
                    cin = width * Block.expansion
                self.body = nn.Sequential(*layers)
                self.head = nn.Linear(cin, 5)
            def forward(self, x):
                x = self.body(x)
                return self.head(x.mean([2, 3]).view(x.size(0), -1))
        """
    )
    assert weights(kernel) == (3 * 4 * 9 + 8 + 12) + (4 * 8 * 9 + 16 + 32) + 45
    assert output_shape(kernel) == (2, 5)


def test_attention_by_hand() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[2, 7, 16]
        class Attention(nn.Module):
            def __init__(self, dim=16, heads=4):
                super().__init__()
                self.heads, self.scale = heads, (dim // heads) ** -0.5
                self.qkv = nn.Linear(dim, dim * 3)
                self.proj = nn.Linear(dim, dim)
                self.cls = nn.Parameter(torch.zeros(1, 1, dim))
            def forward(self, x):
                x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1)
                B, N, C = x.shape
                qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
                q, k, v = qkv[0], qkv[1], qkv[2]
                attn = (q @ k.transpose(-2, -1)) * self.scale
                x = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, N, C)
                return self.proj(x)[:, 0]
        """
    )
    assert weights(kernel) == 16 * 48 + 48 + 16 * 16 + 16 + 16
    assert output_shape(kernel) == (2, 16)


def test_a_parameter_decides_how_many_layers_there_are() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 8]
        # tunepass param depth: integer(0..3) = 1
        depth = 1
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])
                self.last = nn.Linear(8, 2)
            def forward(self, x):
                for layer in self.layers:
                    x = torch.relu(layer(x))
                return self.last(x)
        """
    )
    assert [weights(kernel, depth=d) for d in range(4)] == [18, 90, 162, 234]


def test_a_parameter_decides_which_layer_it_is() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 4, 8, 8]
        # tunepass param wide: categorical(False, True) = False
        # tunepass param skip: categorical(False, True) = False
        wide = False
        skip = False
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                if wide:
                    self.conv = nn.Conv2d(4, 4, 5, padding=2)
                else:
                    self.conv = nn.Conv2d(4, 4, 1)
            def forward(self, x):
                y = self.conv(x)
                return x + y if skip else y
        """
    )
    assert weights(kernel, wide=False) == 20
    assert weights(kernel, wide=True) == 404
    assert Space(kernel.parameters, kernel.constraints).size == 4


def test_a_layer_that_is_applied_twice_has_its_weights_once() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 8]
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.same = nn.Linear(8, 8)
            def forward(self, x):
                return self.same(self.same(x))
        """
    )
    assert weights(kernel) == 72


def test_parameters_reach_through_argparse_dictionaries_and_defaults() -> None:
    kernel = torch_kernel(
        """
        import argparse
        # tunepass input x: float32[1, 8]
        # tunepass param hidden: ordinal(4, 8) = 4
        # tunepass param units: ordinal(2, 3) = 2
        # tunepass param out: ordinal(5, 6) = 5
        parser = argparse.ArgumentParser()
        parser.add_argument("--hidden", type=int, default=4)
        parser.add_argument("--rate", type=float, default=0.5)
        args = parser.parse_args()
        config = {"units": 2}
        class Net(nn.Module):
            def __init__(self, out=5):
                super().__init__()
                self.a = nn.Linear(8, args.hidden)
                self.b = nn.Linear(args.hidden, config["units"])
                self.c = nn.Sequential(nn.Dropout(args.rate), nn.Linear(config["units"], out))
            def forward(self, x):
                return self.c(self.b(self.a(x)))
        model = Net()
        """
    )
    assert weights(kernel) == (36 + 10 + 15)
    assert weights(kernel, hidden=8, units=3, out=6) == (72 + 27 + 24)
    choices = (Choice("hidden", 8), Choice("units", 3), Choice("out", 6))
    text = DnnFrontend().emit([kernel.scheduled(choices)])[0].text
    assert "default=8)" in text
    assert '{"units": 3}' in text
    assert "def __init__(self, out=6)" in text
    assert weights(kernel_of(text)) == (72 + 27 + 24)


def test_limits_precision_and_training_are_read() -> None:
    graph = keras_kernel(
        """
        # tunepass precision float16
        # tunepass limit weight_byte <= 10 MB, memory <= 16 GiB
        # tunepass param lr: real(0.001..0.1) = 0.01 log
        # tunepass param units: integer(2..8) = 2
        # tunepass run "python model.py --lr {lr}" metric "loss: {loss}" metric "accuracy: {acc}%" maximise limit 10 min
        units = 2
        model = keras.Sequential([keras.Input((4,)), layers.Dense(units)])
        model.compile(optimizer=keras.optimizers.Adam(1e-3))
        """
    ).body_as(Graph)
    assert graph.precision == "float16"
    assert [(limit.resource, limit.text) for limit in graph.limits] == [
        ("weight_byte", "weight_byte <= 10 MB"),
        ("memory", "memory <= 16 GiB"),
    ]
    assert graph.training.optimizer == "adam"
    run = graph.training.run
    assert run is not None and run.arguments == ("python", "{source}", "--lr", "{lr}")
    assert [(metric.objective, metric.unit, metric.maximise) for metric in run.metrics] == [
        ("loss", "", False),
        ("acc", "%", True),
    ]
    assert graph.training.limit_s == 600


def test_a_kernel_too_large_for_the_image_is_infeasible() -> None:
    kernel = keras_kernel(
        """
        # tunepass param k: ordinal(3, 5, 7, 11) = 3
        k = 3
        model = keras.Sequential([keras.Input((6, 6, 1)), layers.Conv2D(2, k)])
        """
    )
    space = Space(kernel.parameters, kernel.constraints)
    assert [configuration["k"] for configuration in space.enumerate()] == [3, 5]


def test_nothing_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    kernel = keras_kernel(
        f"""
        import os, pathlib, subprocess
        open({str(mark)!r}, "w").write("x")
        pathlib.Path({str(mark)!r}).write_text("x")
        os.system("touch {mark}")
        subprocess.run(["touch", {str(mark)!r}])
        exec("open({str(mark)!r}, 'w')")
        __import__("os").system("touch {mark}")
        model = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
        """
    )
    assert weights(kernel) == 10
    assert not mark.exists()


@pytest.mark.parametrize("name", [path.name for path in sorted(SAMPLES.glob("*.py"))])
@pytest.mark.slow_but(3)
def test_samples_are_read_and_emitted_with_their_choices(name: str) -> None:
    path = SAMPLES / name
    kernel = DnnFrontend().parse(Source(str(path), path.read_text())).kernels[0]
    space = Space(kernel.parameters, kernel.constraints)
    assert space.contains(space.default)
    last = tuple(Choice(p.name, p.domain[-1]) for p in kernel.parameters)
    text = DnnFrontend().emit([kernel.scheduled(last)], "a note")[0].text
    again = DnnFrontend().parse(Source(name, text)).kernels[0]
    assert [p.default for p in again.parameters] == [choice.value for choice in last]
    assert weights(again) == weights(kernel, **{choice.parameter: choice.value for choice in last})  # type: ignore[arg-type]


MALFORMED = [
    ("def f(:\n", "not Python", 1),
    ("# tunepass param a\n", "expected `:`", 1),
    ("# tunepass param a: ordinal(1, 2) = 3\n", "not one of its values", 1),
    ("# tunepass parm a: ordinal(1, 2)\n", "did you mean `param`", 1),
    ("# tunepass param a: ordinal(1, 2)\n# tunepass param a: ordinal(1, 2)\n", "declared twice", 2),
    ("# tunepass input x: float31[1]\n", "did you mean `float32`", 1),
    ("# tunepass input x: float32[1\n", "expected `]`", 1),
    ("# tunepass limit weight_byte <= 10 XB\n", "is no unit", 1),
    ("# tunepass limit weight_byte < 10\n", "expected `<=`", 1),
    ("# tunepass run train\n", "expected the command", 1),
    ("# tunepass model Nat\nclass Net: pass\n", "there is no `Nat`", 1),
    ("# tunepass model 1 +\n", "no call of a class", 1),
    ("# tunepass precision\n", "expected a type", 1),
    ("x = 1\n", "there is no model", 0),
    ("model = keras.Sequential([layers.Dense(2)])\n", "input is not given", 1),
    ("model = keras.Sequential([keras.Input((4,)), layers.Dense()])\n", "attribute 'units' is missing", 1),
    ("model = keras.Sequential([keras.Input((4,)), layers.Dnse(2)])\n", "did you mean `Dense`?", 1),
    ("model = keras.Sequential([keras.Input((4,)), layers.Dense(2, bias=3)])\n", "no argument 'bias'", 1),
    ("model = keras.Sequential([keras.Input((4,)), layers.Dense(2, activation='rleu')])\n", "did you mean 'relu'", 1),
    ("model = keras.Sequential([keras.Input((4, 4, 1)), layers.Conv2D(2, 7)])\n", "has to have elements", 1),
    ("model = keras.Sequential([keras.Input((4, 4, 1)), layers.Conv2D(2, 3, padding='full')])\n", "padding 'full'", 1),
    ("n = input()\nmodel = keras.Sequential([keras.Input((4,)), layers.Dense(n)])\n", "is not known here", 2),
    ("model = keras.Sequential([keras.Input((None, 4)), layers.LSTM(2)])\n", "size of the input is open", 1),
    ("a = keras.Input((4,))\nb = keras.Input((5,))\nm = keras.Model([a, b], layers.add([a, b]))\n", "go together", 3),
    ("a = keras.Input((4,))\nm = keras.Model(a)\n", "its inputs and outputs", 2),
    ("a = keras.Input((4,))\nm = keras.Model(a, a @ layers.Dense(2)(a))\n", "inner sizes", 2),
    ("while True:\n    x = 1\n", "does not come to an end", 2),
    ("def f(n):\n    return f(n)\nf(1)\n", "nested too deeply", 2),
    ("x = 10 ** 400\n", "cannot be computed", 1),
    ("x = 1 // 0\n", "cannot be computed", 1),
    ("for n in range(int(input())):\n    l = layers.Dense(2)\n", "loops over is not known", 1),
    ("m = keras.Sequential([keras.Input((4,)), layers.Reshape((3, -1))])\n", "do not make", 1),
    ("x = layers.Dense(1, 2, 3, 4, 5)\n", "takes 3 arguments", 1),
    ("# tunepass limit weights <= 10 ms\n", "counted in numbers, not in ms", 1),
    ("# tunepass limit weights <= 10 MB\n", "weight_byte is counted in bytes", 1),
    ("# tunepass precision float13\nm = keras.Sequential([keras.Input((4,)), layers.Dense(2)])\n", "`float32`?", 1),
    ('# tunepass operators "none.yaml"\n', "cannot read none.yaml", 1),
    ("m = keras.Sequential([keras.Input((8, 8, 3)), layers.Conv2D(4, 3, strides=0)])\n", "at least 1, not 0", 1),
]


@pytest.mark.parametrize(("text", "told", "line"), MALFORMED)
def test_each_malformed_source_is_one_diagnostic(text: str, told: str, line: int) -> None:
    source = Source("model.py", "import keras; from keras import layers\n" + text)
    with pytest.raises(SourceError) as caught:
        DnnFrontend().parse(source)
    (diagnostic,) = caught.value.diagnostics
    assert told in diagnostic.render()
    assert diagnostic.span is not None
    assert diagnostic.span.line == line + 1


def test_an_activation_may_be_a_parameter() -> None:
    kernel = keras_kernel(
        """
        # tunepass param act: categorical("relu", "sigmoid", "linear") = "relu"
        act = "relu"
        model = keras.Sequential([keras.Input((4,)), layers.Dense(2, activation=act)])
        """
    )
    graph = kernel.body_as(Graph)
    assert [node.operator for node in graph.nodes] == ["Dense", "Sigmoid", "Select", "ReLU", "Select"]
    assert [node.present is None for node in graph.nodes] == [True, False, True, False, True]
    assert kernel.constraints == () and weights(kernel, act="linear") == 10


def test_a_condition_that_always_holds_is_no_constraint() -> None:
    kernel = keras_kernel(
        """
        # tunepass param units: ordinal(0, 8) = 0
        units = 0
        x = keras.Input((4,))
        y = x
        if units > 0:
            y = layers.Dense(units)(x)
        model = keras.Model(x, layers.Dense(2)(y))
        """
    )
    assert kernel.constraints == () and weights(kernel) == 10 and weights(kernel, units=8) == 58

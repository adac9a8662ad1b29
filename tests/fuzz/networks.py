"""Models of deep learning in Keras, PyTorch and ONNX: small ones of a grammar, and those of the tests, changed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.frontends.onnx.encoding import SMALL as FIXED_MODEL
from tests.frontends.onnx.encoding import attribute, integers, model, node, value, weight
from tests.fuzz import seeds
from tests.fuzz.gentle import varied
from tests.fuzz.mutation import mutated, mutated_bytes
from tests.fuzz.sources import check
from tunepass.backends.base import Target, backend_for
from tunepass.diagnostics import Source
from tunepass.jobs.reading import parse

ACTIVATIONS = ("relu", "tanh", "sigmoid")
STATEMENTS = (
    "x = layers.Dense(width, activation=act)(x)",
    "x = layers.Dropout(0.5)(x)",
    "if depth > 1:\n    x = layers.Dense(width * 2)(x)",
    "for i in range(depth):\n    x = layers.Dense(width)(x)",
    "x = layers.BatchNormalization()(x)",
    "x = layers.Activation(act)(x)",
)
SMALL = 4_000  # characters; larger models take long to read
LISTINGS = seeds.ROOT / "tests" / "golden" / "onnx"


def network_case(rng: random.Random) -> str:
    texts, chosen = seeds.sources("py"), rng.random()
    if chosen < 0.7:
        return varied(rng, _keras(rng) if rng.random() < 0.5 else _torch(rng), "#", texts, wrong=0.2)
    small = [text for text in texts if len(text) < SMALL]
    return varied(rng, rng.choice(small), "#", small) if chosen < 0.85 else mutated(rng, rng.choice(small), small)


def _parameters(rng: random.Random) -> str:
    width = f"# tunepass param width: ordinal(8, {rng.choice((16, 24))}, 64) = 8\n"
    depth = f"# tunepass param depth: integer(1..{rng.choice((2, 4))}) = 1\n"
    kind = '# tunepass param act: categorical("relu", "tanh") = "relu"\n'
    limit = rng.choice(("", "# tunepass limit weight_byte <= 1 MB\n", "# tunepass constraint width >= 8 * depth\n"))
    return width + depth + kind + limit


def _keras(rng: random.Random) -> str:
    body = [rng.choice(("x = inputs = keras.Input((64,))", "inputs = keras.Input(shape=(64,))\nx = inputs"))]
    body += rng.choices(STATEMENTS, k=rng.randrange(4))
    head = rng.choice(("import keras\n", "from tensorflow import keras\n")) + "from keras import layers\n"
    values = 'width = 8\ndepth = 1\nact = "relu"\n'
    ending = f"model = keras.Model(inputs, layers.Dense({rng.choice((1, 10))})(x))\n"
    return _parameters(rng) + head + values + "\n".join(body) + "\n" + ending


def _torch(rng: random.Random) -> str:
    layers = rng.choice(
        (
            "nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10)",
            "nn.Flatten(), nn.Linear(64, width), nn.Tanh(), nn.Linear(width, 10)",
            "*[layer for _ in range(depth) for layer in (nn.Linear(64, 64), nn.ReLU())], nn.Linear(64, width)",
        )
    )
    forward = rng.choice(("return self.net(x)", "x = self.net(x)\n        return F.relu(x)", "return self.net(x) + 1"))
    return (
        _parameters(rng)
        + f"# tunepass input x: float32[{rng.choice((1, 16))}, 64]\n"
        + "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
        + 'width = 8\ndepth = 1\nact = "relu"\n'
        + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + f"        self.net = nn.Sequential({layers})\n"
        + f"    def forward(self, x):\n        {forward}\n"
        + "model = Net()\n"
    )


def onnx_case(rng: random.Random, path: Path) -> str:
    """A file at `path`: a model's bytes, or its listing; returns its text."""
    if rng.random() < 0.4:
        listings = [file.read_text(encoding="utf-8") for file in sorted(LISTINGS.glob("*.txt"))]
        text = varied(rng, rng.choice(listings), "#", listings, wrong=0.3)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return text
    if rng.random() < 0.4:
        path.with_name("net.onnx").write_bytes(FIXED_MODEL)
        text = varied(rng, _description(rng), "#", (_description(rng),), wrong=0.3)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return text
    data = _model(rng)
    data = mutated_bytes(rng, data, 5) if rng.random() < 0.35 else data
    path.write_bytes(data)
    return data.decode("utf-8", "backslashreplace")


def check_onnx(path: Path) -> None:
    """A listing, a description or a model's bytes, told apart by how they begin; a model alone has no parameters."""
    data = path.read_bytes()
    if b"net.onnx" in data or b"onnx:" in data:
        check(path.rename(path.with_name("tune.yaml")))
        return
    if data.startswith((b"\x08", b"\x3a", b"\x42")):
        parsed = parse(path)
    else:
        parsed = parse(Source(str(path), data.decode("utf-8", "surrogateescape")))
    for kernel in parsed.kernels:
        backend_for(kernel, Target(device="a100")).costs()


def _description(rng: random.Random) -> str:
    lines = [
        "onnx: net.onnx",
        "parameters:",
        f"  batch: ordinal(1, {rng.choice((4, 8))}, 32) = 1",
        "  width: ordinal(8, 16, 64) = 8",
    ]
    lines.append(rng.choice(("inputs: {x: [batch, 3, 8, 8]}", 'inputs: {"x": [batch, 3, 8, 8]}')))
    lines.append(rng.choice(("nodes:\n  conv1: {filters: width}", "nodes: {conv1: {filters: width}}")))
    optional = ("constraints: [width % 8 == 0]", "limits: [weight_byte <= 10 MB]", "precision: float16")
    return "\n".join([*lines, *rng.sample(optional, rng.randrange(4))]) + "\n"


def _model(rng: random.Random) -> bytes:
    """A chain of convolutions, activations and one product, in most cases valid."""
    parts, tensor, channels = [value(11, "x", [rng.choice((1, 4, "N")), 3, 16, 16])], "x", 3
    for number in range(rng.randrange(1, 5)):
        name = f"t{number}"
        if rng.random() < 0.5:
            wider = rng.choice((4, 8))
            parts += [weight(f"w{number}", wider, channels, 3, 3)]
            shape = [attribute("kernel_shape", [3, 3]), attribute("pads", [1, 1, 1, 1])]
            parts += [
                node("Conv", [tensor, f"w{number}"], [name], *shape, name=rng.choice(("", f"conv{number}", "\x1b[m")))
            ]
            channels = wider
        else:
            operator = "Odd" if rng.random() < 0.03 else rng.choice(("Relu", "Sigmoid", "Tanh", "Identity"))
            parts += [node(operator, [tensor], [name])]
        tensor = name
    if rng.random() < 0.5:
        parts += [integers("to", 0, -1), node("Reshape", [tensor, "to"], ["flat"])]
        tensor = "flat"
    return model(*parts, value(12, tensor, []), opset=rng.choice((7, 11, 13, 17, 20)))

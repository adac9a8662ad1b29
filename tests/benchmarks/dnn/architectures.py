"""Twelve architectures in both dialects: what tunepass counts beside what the frameworks count of the same files.

    python -m tests.benchmarks.dnn.architectures            the table of tests/golden/dnn/architectures.csv beside ours
    python -m tests.benchmarks.dnn.architectures --update   count anew with Keras and PyTorch, whichever is installed

The files are run by the frameworks here, and only here. Keras needs a backend (`pip install keras openvino scipy` is
the smallest, with KERAS_BACKEND=openvino). What it counts is `count_params()`; PyTorch's are the `parameters()`.
Operations of convolutions and dense layers follow from the shapes of the layers' own weights and outputs; PyTorch's
`FlopCounterMode` counts all the products that are run, those of attention and recurrent layers too.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import importlib.util
import math
import runpy
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.frontends.dnn.counts import FOLDER, Counts, count

TABLE = Path(__file__).parents[2] / "golden" / "dnn" / "architectures.csv"
COLUMNS = ("model", "trainable", "parameters", "output", "layer_macs", "layer_flops", "macs")


@dataclass(slots=True)
class Products:
    """Multiply-adds and multiply-adds with those of biases, of convolutions and dense layers."""

    macs: int = 0
    biased: int = 0

    def add(self, weights: int, positions: int, bias: int) -> None:
        self.macs += weights * positions
        self.biased += weights * positions + bias


def of_keras(path: Path) -> dict[str, str]:
    model: Any = runpy.run_path(str(path))["model"]
    found = Products()
    for layer in model._flatten_layers(include_self=False):
        kind = type(layer).__name__
        if kind not in ("Conv2D", "Conv2DTranspose", "DepthwiseConv2D", "SeparableConv2D", "Dense"):
            continue
        shape = layer.output.shape if layer._inbound_nodes else (None, *_inner_shape(model, layer))
        kernels = [weight.shape for weight in layer.weights if len(weight.shape) > 1]
        of_input = kind == "Conv2DTranspose"
        positions = math.prod((layer.input.shape if of_input else shape)[1:-1])
        found.add(sum(map(math.prod, kernels)), positions, math.prod(shape[1:]) if layer.use_bias else 0)
    trainable = sum(math.prod(weight.shape) for weight in model.trainable_weights)
    return _row(path, trainable, model.count_params(), (1, *model.output_shape[1:]), found, None)


def _inner_shape(model: Any, layer: Any) -> tuple[int, ...]:
    """Of a dense layer inside a layer of the source: it acts on the last axis."""
    return (*model.output_shape[1:-1], layer.units)


def of_torch(path: Path) -> dict[str, str]:
    torch: Any = importlib.import_module("torch")
    counter: Any = importlib.import_module("torch.utils.flop_counter").FlopCounterMode(display=False)
    model: Any = runpy.run_path(str(path))["model"].eval()
    counted = Products()
    found: Products | None = counted

    def hook(layer: Any, inputs: Any, output: Any) -> None:
        kind = type(layer).__name__
        transposed = kind.startswith("ConvTranspose")
        channels = 1 if kind.startswith("Conv") else -1
        seen = inputs[0] if transposed else output
        bias = output.numel() if layer.bias is not None else 0
        counted.add(layer.weight.numel(), seen.numel() // seen.shape[channels], bias)

    for layer in model.modules():
        if isinstance(layer, (torch.nn.Conv2d, torch.nn.ConvTranspose2d, torch.nn.Linear)):
            layer.register_forward_hook(hook)
    inputs = [_example(torch, line) for line in path.read_text().splitlines() if line.startswith("# tunepass input")]
    products = importlib.import_module("torch.nn.attention")
    torch.backends.mha.set_fastpath_enabled(False)  # what is fused is not counted
    plain, spelt_out = torch.backends.mkldnn.flags(enabled=False), products.sdpa_kernel(products.SDPBackend.MATH)
    with torch.no_grad(), plain, spelt_out, counter:
        output = model(*inputs)
    if any(isinstance(layer, torch.nn.TransformerEncoderLayer) for layer in model.modules()):
        found = None  # one operator of tunepass
    parameters = sum(weight.numel() for weight in model.parameters())
    return _row(path, parameters, parameters, tuple(output.shape), found, counter.get_total_flops() // 2)


def _example(torch: Any, line: str) -> Any:
    kind, sizes = line.partition(":")[2].strip(" ]").split("[")
    shape = [int(size) for size in sizes.split(",")]
    return torch.randint(0, 100, shape) if kind == "int64" else torch.rand(shape)


def _row(
    path: Path, trainable: int, parameters: int, output: tuple[int, ...], found: Products | None, macs: int | None
) -> dict[str, str]:
    layers = (found.macs, 2 * found.biased) if found else (None, None)
    values = (path.stem, trainable, parameters, "x".join(map(str, output)), *layers, macs)
    return {name: "" if value is None else str(value) for name, value in zip(COLUMNS, values)}


def rows() -> dict[str, dict[str, str]]:
    return {row["model"]: row for row in csv.DictReader(TABLE.read_text().splitlines())} if TABLE.exists() else {}


def update() -> None:
    """The table anew, of the frameworks that are there."""
    table = rows()
    for framework, counted in (("keras", of_keras), ("torch", of_torch)):
        if importlib.util.find_spec(framework) is None:
            print(f"{framework} is not installed: its rows stay as they are", file=sys.stderr)
            continue
        table |= {path.stem: counted(path) for path in sorted(FOLDER.glob(f"*_{framework}.py"))}
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table[name] for name in sorted(table))


def differs(found: Counts, row: dict[str, str]) -> list[str]:
    """The columns that are not what tunepass counts; those that the framework does not say are left out."""
    ours = asdict(found) | {"output": "x".join(map(str, found.output))}
    return [name for name in COLUMNS[1:] if row[name] and row[name] != str(ours[name])]


def report() -> str:
    """A line for each model, and how many are equal in all that the frameworks say."""
    lines = [f"{'model':26}{'weights':>13}{'output':>14}{'MACs':>16}{'FLOPs of layers':>18}"]
    equal = 0
    table = rows()
    for name, row in table.items():
        found = count(name)
        same = differs(found, row) == []
        equal += same
        told = "" if same else "   the frameworks: " + ", ".join(row.values())
        lines.append(
            f"{name:26}{found.trainable:13,}{'x'.join(map(str, found.output)):>14}{found.macs:16,}"
            f"{found.layer_flops:18,}{told}"
        )
    return "\n".join([*lines, f"{equal} of {len(table)} equal what Keras and PyTorch count of the same files"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    if parser.parse_args().update:
        update()
    print(report())


if __name__ == "__main__":
    main()

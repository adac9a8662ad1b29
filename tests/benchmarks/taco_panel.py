"""The tensors of `make bench-taco`: three for each of BaCO's five kernels, drawn like those of its Table 4.

    python -m tests.benchmarks.taco_panel

prints of each the shape that it has. Which tensor goes with which kernel is as in BaCO's experiments. A call of a
kernel with its default schedule takes some 3 to 20 ms on one core of a laptop: SpMV and TTV have tensors of the full
size, the others smaller ones of the same shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.ir.tensor import Format, Generated, Tensor
from tunepass.tensors.data.load import load
from tunepass.tensors.data.statistics import statistics


@dataclass(frozen=True, slots=True)
class PanelTensor:
    """A tensor like the one of that name in BaCO's Table 4."""

    name: str
    family: str
    arguments: tuple[tuple[str, int | float], ...]

    def statement(self, tensor: str = "B") -> str:
        """The line of a `.taco` file that binds it."""
        return f"generate {tensor} = {self.family}({', '.join(f'{name} = {value}' for name, value in self.arguments)})"

    def generated(self, tensor: str = "B") -> Generated:
        return Generated(tensor, self.family, self.arguments)


@dataclass(frozen=True, slots=True)
class PanelKernel:
    """`index` and `format` are those of the sparse operand."""

    index: tuple[str, ...]
    format: Format
    tensors: tuple[PanelTensor, ...]


def _like(name: str, family: str, **arguments: int | float) -> PanelTensor:
    return PanelTensor(name, family, tuple(arguments.items()))


_MATRIX = Format(("dense", "compressed"), (0, 1))


def _csf(modes: int) -> Format:
    return Format(("compressed",) * modes, tuple(range(modes)))


PANEL: dict[str, PanelKernel] = {
    "spmv": PanelKernel(
        ("i", "j"),
        _MATRIX,
        (
            _like("laminar_duct3D", "mesh", rows=67_173, nonzeros=4_200_000, dimensions=3, seed=1),
            _like("cage12", "dna", rows=177_147, seed=1),
            _like("filter3D", "mesh", rows=106_437, nonzeros=2_900_000, dimensions=3, seed=2),
        ),
    ),
    "spmm": PanelKernel(
        ("i", "j"),
        _MATRIX,
        (
            _like("filter3D", "mesh", rows=16_000, nonzeros=432_000, dimensions=3, seed=1),
            _like("email-Enron", "social", rows=30_000, nonzeros=300_000, exponent=2.0, seed=1),
            _like("scircuit", "circuit", rows=60_000, nonzeros=337_000, rails=6, seed=1),
        ),
    ),
    "sddmm": PanelKernel(
        ("i", "j"),
        _MATRIX,
        (
            _like("email-Enron", "social", rows=36_692, nonzeros=367_662, exponent=2.0, seed=2),
            _like("ACTIVSg10K", "power_network", rows=40_000, nonzeros=272_000, seed=1),
            _like("Goodwin_040", "mesh", rows=10_000, nonzeros=330_000, dimensions=2, seed=1),
        ),
    ),
    "ttv": PanelKernel(
        ("i", "j", "k"),
        _csf(3),
        (
            _like("uber3", "uber", scale=1.0, seed=1),
            _like("random1", "uniform", rows=500, columns=400, layers=100, nonzeros=2_000_000, seed=1),
            _like("facebook", "facebook", scale=0.1, seed=1),  # its dense result is what limits
        ),
    ),
    "mttkrp": PanelKernel(
        ("i", "k", "l", "m"),
        _csf(4),
        (
            _like("uber", "uber", scale=0.1, seed=1),
            _like("nips", "nips", scale=0.1, seed=1),
            _like("chicago", "chicago", scale=0.08, seed=1),
        ),
    ),
}


def shape(kernel: PanelKernel, tensor: PanelTensor) -> str:
    """Extents, entries, and of the last level the mean and the longest segment."""
    stored = load(
        tensor.generated(), Tensor(name="B", index=kernel.index, format=kernel.format), Path(), Path("build/taco")
    )
    last = statistics(stored).levels[-1]
    segments = sum(count for _, count in last.lengths)
    extents = " x ".join(f"{extent:,}" for extent in stored.extents)
    return (
        f"{extents:>32}  {stored.vals.size:>9,}  {last.nodes / segments:7.1f}  {last.lengths[-1][0]:6.0f}  "
        f"{last.spread:9.1f}"
    )


def main() -> None:
    print(f"{'kernel':8}{'tensor':16}{'extents':>32}  {'entries':>9}  {'mean':>7}  {'longest':>6}  {'spread':>9}")
    for name, kernel in PANEL.items():
        for tensor in kernel.tensors:
            print(f"{name:8}{tensor.name:16}{shape(kernel, tensor)}", flush=True)


if __name__ == "__main__":
    main()

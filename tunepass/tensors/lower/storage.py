"""The arguments of the function: their names, and where a tensor's numbers are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.ir.tensor import Access, Element, Tensor
from tunepass.tensors.lower.text import Names, Quantity, atom, plus, times

ZERO = {"double": "0.0", "float": "0.0f", "int": "0", "long": "0"}


@dataclass(frozen=True, slots=True)
class Storage:
    """Tensors by name (workspaces too), the extents of index variables, and C names."""

    tensors: Mapping[str, Tensor]
    names: Names

    def size(self, variable: str) -> str:
        return self.names.of("size", variable, wish=f"{variable}_size")

    def pos(self, tensor: str, level: int) -> str:
        return self.names.of("pos", tensor, str(level), wish=f"{tensor}{level + 1}_pos")

    def crd(self, tensor: str, level: int) -> str:
        return self.names.of("crd", tensor, str(level), wish=f"{tensor}{level + 1}_crd")

    def values(self, tensor: str) -> str:
        return self.names.of("values", tensor, wish=f"{tensor}_vals")

    def element(self, tensor: str) -> Element:
        return self.tensors[tensor].element

    def sparse(self, access: Access) -> bool:
        return self.tensors[access.tensor].format.sparse

    def compressed(self, access: Access, level: int) -> bool:
        return self.tensors[access.tensor].format.levels[level] == "compressed"

    def stored(self, access: Access) -> tuple[str, ...]:
        """The index variables of an access in storage order."""
        return tuple(access.index[mode] for mode in self.tensors[access.tensor].format.order)

    def place(self, access: Access, coordinates: Mapping[str, str], extents: Mapping[str, Quantity]) -> Quantity:
        """Position of an access in a dense tensor."""
        place: Quantity = 0
        for count, variable in enumerate(self.stored(access)):
            step = times(f"(long){atom(place)}" if count == 1 and place != 0 else place, extents[variable])
            place = plus(step, atom(coordinates[variable]))
        return place


def product_of(sizes: Sequence[Quantity]) -> str:
    """The product in C, as a long."""
    if not sizes:
        return "1"
    first, *rest = (atom(size) for size in sizes)
    return " * ".join([f"(long){first}" if rest else first, *rest])

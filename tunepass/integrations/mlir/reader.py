"""The interface to a library that holds modules of MLIR: xDSL, or MLIR's own bindings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

Operation = Any  # of the library; hashable, and equal to itself only
Attribute = Any  # of the library; hashable, and equal to one of the same text
SsaValue = Any  # of the library; hashable
Plain = bool | int | float | str | tuple[Attribute, ...] | dict[str, Attribute] | None


class ModuleReader(Protocol):
    """Reads and writes operations of one library."""

    def name(self, op: Operation, /) -> str:
        """The operation's full name, also of one whose dialect is not registered."""
        ...

    def attribute(self, op: Operation, key: str, /) -> Attribute | None:
        """The property or attribute of this name."""
        ...

    def write(self, op: Operation, key: str, attribute: Attribute, /, *, inherent: bool) -> None:
        """Set the property or attribute where it stands; a new one is a property if it is `inherent`."""
        ...

    def regions(self, op: Operation, /) -> Sequence[Sequence[Operation]]:
        """The operations of each region, those of all its blocks."""
        ...

    def arguments(self, op: Operation, /) -> Sequence[SsaValue]:
        """The arguments of the first block of the first region."""
        ...

    def operands(self, op: Operation, /) -> Sequence[SsaValue]: ...

    def results(self, op: Operation, /) -> Sequence[SsaValue]: ...

    def owner(self, value: SsaValue, /) -> Operation | None:
        """The operation that has the value as a result; None for an argument of a block."""
        ...

    def type_text(self, value: SsaValue, /) -> str:
        """The type as MLIR prints it: `memref<4x8xf32>`."""
        ...

    def indexing_maps(self, op: Operation, /) -> Sequence[str]:
        """The maps of an operation of `linalg` from its iterations to its operands, as printed; none of any other."""
        ...

    def plain(self, attribute: Attribute, /) -> Plain:
        """A Boolean, number or text; a tuple or dictionary of attributes; None for any other attribute."""
        ...

    def integer(self, number: int, /, *, index: bool = False) -> Attribute:
        """An attribute of type i64, or `index`."""
        ...

    def refuse(self, op: Operation, message: str, /) -> NoReturn:
        """Raise the library's error, or tunepass's, at the operation."""
        ...

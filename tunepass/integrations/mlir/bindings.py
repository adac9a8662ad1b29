"""Modules of MLIR's Python bindings, of whichever wheel they came from."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn

from tunepass.diagnostics import Source, SourceError, Span, TunepassError
from tunepass.integrations.mlir.reader import Attribute, Operation, Plain, SsaValue

Module = Any  # an `ir.Module` of a wheel of MLIR
PLACE = re.compile(r'loc\("(?P<file>[^"]*)":(?P<line>\d+):(?P<column>\d+)')


class BindingsReader:
    """Reads and writes operations of `ir.Module`s.

    Args:
        module: the module; its class tells which wheel's `ir` its parts are of.

    Raises:
        TunepassError: it is no module of MLIR's bindings.
    """

    def __init__(self, module: object):
        home = importlib.import_module(type(module).__module__)
        if not isinstance(getattr(home, "Module", None), type) or not isinstance(module, home.Module):
            raise TunepassError(f"a module of MLIR's Python bindings was expected, got {type(module).__name__}")
        self.ir: ModuleType = home
        self.context = module.context

    def verify(self, module: Module) -> None:
        """Raises SourceError at the operation where the module does not verify, with MLIR's message."""
        try:
            module.operation.verify()
        except self.ir.MLIRError as error:
            first = error.error_diagnostics[0]
            raise SourceError(f"the module does not verify: {first.message}", _place(str(first.location), "")) from None

    def name(self, op: Operation) -> str:
        return str(op.name)

    def attribute(self, op: Operation, key: str) -> Attribute | None:
        known = op.attributes  # of older wheels without `get`
        if key in known:
            return known[key]
        return None

    def write(self, op: Operation, key: str, attribute: Attribute, *, inherent: bool) -> None:
        op.attributes[key] = attribute

    def regions(self, op: Operation) -> Sequence[Sequence[Operation]]:
        return [[child.operation for block in region.blocks for child in block.operations] for region in op.regions]

    def arguments(self, op: Operation) -> Sequence[SsaValue]:
        blocks = list(op.regions[0].blocks) if len(op.regions) else []
        return list(blocks[0].arguments) if blocks else []

    def operands(self, op: Operation) -> Sequence[SsaValue]:
        return list(op.operands)

    def results(self, op: Operation) -> Sequence[SsaValue]:
        return list(op.results)

    def owner(self, value: SsaValue) -> Operation | None:
        owner = value.owner
        return None if isinstance(owner, self.ir.Block) else owner.operation

    def type_text(self, value: SsaValue) -> str:
        return str(value.type)

    def indexing_maps(self, op: Operation) -> Sequence[str]:
        if not self.name(op).startswith("linalg."):
            return ()
        linalg = importlib.import_module(f"{self.ir.__name__.partition('._mlir_libs')[0]}.dialects.linalg")
        known = getattr(linalg, "get_indexing_maps", None)  # of wheels from 2025 on
        maps = known(op) if known else self.attribute(op, "indexing_maps")
        return [str(each) for each in maps or ()]

    def plain(self, attribute: Attribute) -> Plain:
        if (text := str(attribute)) in ("true", "false"):
            return text == "true"
        if isinstance(attribute, (self.ir.IntegerAttr, self.ir.FloatAttr, self.ir.StringAttr)):
            value: int | float | str = attribute.value
            return value
        if isinstance(attribute, self.ir.ArrayAttr):
            return tuple(attribute)
        if isinstance(attribute, self.ir.DictAttr):
            named = [attribute[place] for place in range(len(attribute))]
            return {each.name: each.attr for each in named}
        return None

    def integer(self, number: int, *, index: bool = False) -> Attribute:
        with self.context:
            kind = self.ir.IndexType.get() if index else self.ir.IntegerType.get_signless(64)
            return self.ir.IntegerAttr.get(kind, number)

    def refuse(self, op: Operation, message: str) -> NoReturn:
        raise SourceError(message, _span(op))


def _span(op: Operation) -> Span:
    """The operation as it is printed, at the place where it was parsed."""
    return _place(str(op.location), str(op).strip().splitlines()[0])


def _place(location: str, text: str) -> Span:
    place = PLACE.match(location)
    if place is None:
        return Source("<module>", text).span(0, len(text))
    start = int(place["column"]) - 1
    return Source(place["file"], f"{' ' * start}{text}", int(place["line"])).span(start, start + len(text))

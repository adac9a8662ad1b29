"""Modules of xDSL, as tunepass.integrations.mlir reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnregisteredOp,
    i64,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Operation, SSAValue

from tunepass.integrations.mlir.reader import Plain
from tunepass.integrations.xdsl.failure import TunePassFailed


class XdslReader:
    """Reads and writes xDSL's operations; errors show the module with the operation underlined."""

    def name(self, op: Operation) -> str:
        return str(op.op_name.data if isinstance(op, UnregisteredOp) else op.name)

    def attribute(self, op: Operation, key: str) -> Attribute | None:
        return op.properties.get(key, op.attributes.get(key))

    def write(self, op: Operation, key: str, attribute: Attribute, *, inherent: bool) -> None:
        is_property = key in op.properties or (inherent and key not in op.attributes and "name" in op.properties)
        (op.properties if is_property else op.attributes)[key] = attribute

    def regions(self, op: Operation) -> Sequence[Sequence[Operation]]:
        return [[child for block in region.blocks for child in block.ops] for region in op.regions]

    def arguments(self, op: Operation) -> Sequence[SSAValue]:
        blocks = op.regions[0].blocks if op.regions else []
        return list(blocks[0].args) if blocks else []

    def operands(self, op: Operation) -> Sequence[SSAValue]:
        return list(op.operands)

    def results(self, op: Operation) -> Sequence[SSAValue]:
        return list(op.results)

    def owner(self, value: SSAValue) -> Operation | None:
        return value.owner if isinstance(value.owner, Operation) else None

    def type_text(self, value: SSAValue) -> str:
        return str(value.type)

    def indexing_maps(self, op: Operation) -> Sequence[str]:
        return [str(each) for each in op.get_indexing_maps()] if isinstance(op, LinalgStructuredOperation) else []

    def plain(self, attribute: Attribute) -> Plain:
        if isinstance(attribute, (IntegerAttr, FloatAttr)):
            text = str(attribute)
            number: int | float = attribute.value.data
            return text == "true" if text in ("true", "false") else number
        if isinstance(attribute, StringAttr):
            return str(attribute.data)
        if isinstance(attribute, ArrayAttr):
            return tuple(attribute.data)
        return dict(attribute.data) if isinstance(attribute, DictionaryAttr) else None

    def integer(self, number: int, *, index: bool = False) -> Attribute:
        return IntegerAttr(number, IndexType() if index else i64)

    def refuse(self, op: Operation, message: str) -> NoReturn:
        op.emit_error(message, TunePassFailed(message))
        raise AssertionError("an error was told")

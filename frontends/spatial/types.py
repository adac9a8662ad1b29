"""Spatial's types, from their text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tunepass.frontends.spatial.heads import split_commas
from tunepass.ir.hardware import BIT, FLOAT, INT, Element, Fixed, Floating, Struct

_NAMED: dict[str, Element] = {
    "Int": INT,
    "Index": INT,
    "Int32": INT,
    "I32": INT,
    "SInt": INT,
    "UInt": Fixed(False, 32, 0),
    "UInt8": Fixed(False, 8, 0),
    "UInt16": Fixed(False, 16, 0),
    "UInt32": Fixed(False, 32, 0),
    "UInt64": Fixed(False, 64, 0),
    "Int8": Fixed(True, 8, 0),
    "Int16": Fixed(True, 16, 0),
    "Int64": Fixed(True, 64, 0),
    "Long": Fixed(True, 64, 0),
    "I8": Fixed(True, 8, 0),
    "I16": Fixed(True, 16, 0),
    "I64": Fixed(True, 64, 0),
    "U8": Fixed(False, 8, 0),
    "U16": Fixed(False, 16, 0),
    "U32": Fixed(False, 32, 0),
    "U64": Fixed(False, 64, 0),
    "Char": Fixed(True, 8, 0),
    "Byte": Fixed(True, 8, 0),
    "Float": FLOAT,
    "F32": FLOAT,
    "Half": Floating(11, 5),
    "F16": Floating(11, 5),
    "Double": Floating(53, 11),
    "F64": Floating(53, 11),
    "Bit": BIT,
    "Bool": BIT,
    "Boolean": BIT,
    "MBoolean": BIT,
}
_APPLIED = re.compile(r"([\w.]+)\s*\[(.*)\]\s*\Z", re.DOTALL)
_WIDTH = re.compile(r"_?(\d+)\Z")
DEPTH_LIMIT = 20


def read_type(text: str, aliases: Mapping[str, str], structs: Mapping[str, Struct], depth: int = 0) -> Element | None:
    """The element type that `text` names, or None: FixPt[TRUE,_16,_16], Tup2[Int,T], an alias, a case class."""
    text = text.strip()
    if depth > DEPTH_LIMIT or not text:
        return None
    if text in structs:
        return structs[text]
    if text in aliases:
        return read_type(aliases[text], aliases, structs, depth + 1)
    if text in _NAMED:
        return _NAMED[text]
    applied = _APPLIED.match(text)
    if applied:
        arguments = [argument.strip() for argument in split_commas(applied.group(2))]
        return _applied(applied.group(1).split(".")[-1], arguments, aliases, structs, depth)
    if text.startswith("(") and text.endswith(")"):
        return _tuple(split_commas(text[1:-1]), aliases, structs, depth)
    return _NAMED.get(text.split(".")[-1]) if "." in text else None


def _applied(
    name: str, arguments: list[str], aliases: Mapping[str, str], structs: Mapping[str, Struct], depth: int
) -> Element | None:
    if name in ("Tup2", "Tuple2", "Tup3", "Tuple3"):
        return _tuple(arguments, aliases, structs, depth)
    widths = [int(found.group(1)) for found in map(_WIDTH.match, arguments) if found]
    if name in ("FixPt", "Fix") and len(widths) == 2 and len(arguments) == 3:
        return Fixed(arguments[0].upper() == "TRUE", widths[0], widths[1])
    if name in ("FltPt", "Flt") and len(widths) == 2:
        return Floating(widths[0], widths[1])
    if name in ("Vec", "Vector", "Array", "Seq"):
        return read_type(arguments[-1], aliases, structs, depth + 1)
    return None


def _tuple(parts: list[str], aliases: Mapping[str, str], structs: Mapping[str, Struct], depth: int) -> Element | None:
    fields = [read_type(part, aliases, structs, depth + 1) for part in parts]
    if not fields or any(field is None for field in fields):
        return None
    return Struct(tuple((f"_{i + 1}", field) for i, field in enumerate(fields) if field is not None))

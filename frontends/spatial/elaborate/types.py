"""Spatial's types, and the element types of the hardware that they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import BIT, FLOAT, INT, Element, Fixed, Floating, Struct, TunedFixed, Width

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
_WIDTH = re.compile(r"_?(\d+)\Z")
_DEPTH_LIMIT = 20  # of aliases and types in types


@dataclass(eq=False)
class TypeNames:
    """The type aliases and case classes of an app's file, by name."""

    aliases: dict[str, n.Type] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    widths: dict[int, Width] = field(default_factory=dict)  # those that are parameters, by where they stand


def read_type(type_: n.Type, names: TypeNames, depth: int = 0) -> Element | None:
    """The element type that `type_` names, or None: FixPt[TRUE,_16,_16], Tup2[Int,T], an alias, a case class."""
    if depth > _DEPTH_LIMIT:
        return None
    match type_:
        case n.TypeName(name=name, arguments=()):
            if name in names.structs:
                return names.structs[name]
            if name in names.aliases:
                return read_type(names.aliases[name], names, depth + 1)
            return _NAMED.get(name) or _NAMED.get(_last(name))
        case n.TypeName(name=name, arguments=arguments):
            return _applied(_last(name), arguments, names, depth)
        case n.TupleType(items=items):
            return _tuple(items, names, depth)
        case _:
            return None


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _applied(name: str, arguments: Sequence[n.Type], names: TypeNames, depth: int) -> Element | None:
    if name in ("Tup2", "Tuple2", "Tup3", "Tuple3"):
        return _tuple(arguments, names, depth)
    words = [argument.name if isinstance(argument, n.TypeName) else "" for argument in arguments]
    widths = [int(match.group(1)) for match in map(_WIDTH.match, words) if match]
    if name in ("FixPt", "Fix") and len(widths) == 2 and len(arguments) == 3:
        tuned = tuple(w for w in (names.widths.get(argument.span.start) for argument in arguments[1:]) if w is not None)
        signed = words[0].upper() == "TRUE"
        return TunedFixed(signed, widths[0], widths[1], tuned) if tuned else Fixed(signed, widths[0], widths[1])
    if name in ("FltPt", "Flt") and len(widths) == 2:
        return Floating(widths[0], widths[1])
    if name in ("Vec", "Vector", "Array", "Seq"):
        return read_type(arguments[-1], names, depth + 1)
    return None


def _tuple(parts: Sequence[n.Type], names: TypeNames, depth: int) -> Element | None:
    fields = [read_type(part, names, depth + 1) for part in parts]
    if not fields or any(field is None for field in fields):
        return None
    return Struct(tuple((f"_{i + 1}", field) for i, field in enumerate(fields) if field is not None))

"""C types by name: those that an index may have, with and without a sign, and the size of an element in bytes."""

from __future__ import annotations

from collections.abc import Mapping

SIGNED = frozenset({"int", "long", "long long", "int32_t", "int64_t", "ptrdiff_t", "ssize_t", "intptr_t"})
UNSIGNED = frozenset({"unsigned int", "unsigned long", "unsigned long long", "size_t", "uint32_t", "uint64_t"})

ELEMENT_BYTE: Mapping[str, int] = {
    **dict.fromkeys(("char", "signed char", "unsigned char", "bool", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "int16_t", "uint16_t", "_Float16"), 2),
    **dict.fromkeys(("int", "unsigned int", "float", "int32_t", "uint32_t"), 4),
    **dict.fromkeys(("double", "int64_t", "uint64_t", "size_t", "ptrdiff_t"), 8),
    **dict.fromkeys(("long", "unsigned long", "long long", "unsigned long long"), 8),
    **dict.fromkeys(("long double", "__float128"), 16),
}

CAST = {
    "size_t": "unsigned long", "uint64_t": "unsigned long long", "int64_t": "long long", "int32_t": "int",
    "uint32_t": "unsigned int", "ptrdiff_t": "long", "ssize_t": "long", "intptr_t": "long",
}  # fmt: skip
"""What is written for types that only a header declares."""

"""What the elements of GPU buffers are made of: the plain numbers and the vectors of CUDA and OpenCL, in bytes.

Sources: CUDA C++ Programming Guide 13.0, table "Alignment Requirements" of the built-in vector types; The OpenCL C
Specification 3.0, 6.3.1, 6.3.2 and 6.3.5 (vectors of three take the room of four, `long` has 64 bits).
"""

from __future__ import annotations

import re
from typing import Literal

Dialect = Literal["cuda", "opencl"]

BYTES: dict[str, int] = {
    **dict.fromkeys(("bool", "char", "signed char", "unsigned char", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "int16_t", "uint16_t", "half", "bfloat16"), 2),
    **dict.fromkeys(("int", "unsigned int", "int32_t", "uint32_t", "float"), 4),
    **dict.fromkeys(("long", "unsigned long", "long long", "unsigned long long", "int64_t", "uint64_t", "double"), 8),
    **dict.fromkeys(("size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "clock_t"), 8),
}
SHORT_NAMES = {
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "__half": "half",
    "nv_half": "half",
    "__half2": "half2",
    "nv_half2": "half2",
    "__nv_bfloat16": "bfloat16",
    "nv_bfloat16": "bfloat16",
    "__nv_bfloat162": "bfloat162",
    "cuComplex": "float2",
    "cuFloatComplex": "float2",
    "cuDoubleComplex": "double2",
    "cufftComplex": "float2",
    "cufftDoubleComplex": "double2",
    "cufftReal": "float",
    "cufftDoubleReal": "double",
}
VECTOR = re.compile(
    r"(?P<number>u?(?:char|short|int|longlong|long)|float|double|half|bfloat16)(?P<width>16|1|2|3|4|8)\Z"
)


def plain_name(element: str) -> str:
    """One name for each number and vector: `uint` and `unsigned int`, `cuComplex` and `float2`."""
    return SHORT_NAMES.get(element, element)


def numbers_of(element: str, dialect: Dialect) -> tuple[str, int, int] | None:
    """The type of an element's numbers, how many it has and its bytes; None for what is no number and no vector."""
    name = plain_name(element)
    if name in BYTES:
        return name, 1, BYTES[name]
    vector = VECTOR.match(name)
    if vector is None:
        return None
    number, width = plain_name(vector["number"]), int(vector["width"])
    if number not in BYTES or (dialect == "cuda" and width > 4) or (dialect == "opencl" and width == 1):
        return None
    padded = 4 if width == 3 and dialect == "opencl" else width
    return number, width, padded * BYTES[number]


def element_byte(element: str, dialect: Dialect) -> int | None:
    """The bytes of a number or a vector; None for anything else."""
    numbers = numbers_of(element, dialect)
    return None if numbers is None else numbers[2]

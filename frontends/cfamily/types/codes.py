"""Numbers of DWARF 5 (chapter 7.5, tables 7.3 to 7.6) and of GNU's extensions that the reader uses."""

from __future__ import annotations

from enum import IntEnum


class Tag(IntEnum):
    ARRAY = 0x01
    CLASS = 0x02
    ENUMERATION = 0x04
    PARAMETER = 0x05
    LEXICAL_BLOCK = 0x0B
    MEMBER = 0x0D
    POINTER = 0x0F
    REFERENCE = 0x10
    UNIT = 0x11
    STRUCT = 0x13
    SUBROUTINE = 0x15
    TYPEDEF = 0x16
    UNION = 0x17
    UNSPECIFIED_PARAMETERS = 0x18
    INHERITANCE = 0x1C
    MEMBER_POINTER = 0x1F
    SUBRANGE = 0x21
    BASE = 0x24
    CATCH = 0x25
    CONST = 0x26
    ENUMERATOR = 0x28
    SUBPROGRAM = 0x2E
    TEMPLATE_TYPE = 0x2F
    TEMPLATE_VALUE = 0x30
    TRY = 0x32
    VARIABLE = 0x34
    VOLATILE = 0x35
    RESTRICT = 0x37
    NAMESPACE = 0x39
    UNSPECIFIED = 0x3B
    RVALUE_REFERENCE = 0x42
    TEMPLATE_ALIAS = 0x43
    ATOMIC = 0x47


class At(IntEnum):
    SIBLING = 0x01
    NAME = 0x03
    BYTE_SIZE = 0x0B
    BIT_OFFSET = 0x0C  # DWARF 3: from the most significant bit of the storage unit
    BIT_SIZE = 0x0D
    LOW_PC = 0x11
    LANGUAGE = 0x13
    CONST_VALUE = 0x1C
    CONTAINING_TYPE = 0x1D
    PROTOTYPED = 0x27
    UPPER_BOUND = 0x2F
    ABSTRACT_ORIGIN = 0x31
    ARTIFICIAL = 0x34
    COUNT = 0x37
    MEMBER_LOCATION = 0x38
    DECL_FILE = 0x3A
    DECL_LINE = 0x3B
    DECLARATION = 0x3C
    ENCODING = 0x3E
    EXTERNAL = 0x3F
    SPECIFICATION = 0x47
    TYPE = 0x49
    VIRTUALITY = 0x4C
    RANGES = 0x55
    OBJECT_POINTER = 0x64
    DATA_BIT_OFFSET = 0x6B
    ENUM_CLASS = 0x6D
    STR_OFFSETS_BASE = 0x72
    GNU_VECTOR = 0x2107


class Form(IntEnum):
    ADDR = 0x01
    BLOCK2 = 0x03
    BLOCK4 = 0x04
    DATA2 = 0x05
    DATA4 = 0x06
    DATA8 = 0x07
    STRING = 0x08
    BLOCK = 0x09
    BLOCK1 = 0x0A
    DATA1 = 0x0B
    FLAG = 0x0C
    SDATA = 0x0D
    STRP = 0x0E
    UDATA = 0x0F
    REF_ADDR = 0x10
    REF1 = 0x11
    REF2 = 0x12
    REF4 = 0x13
    REF8 = 0x14
    REF_UDATA = 0x15
    SEC_OFFSET = 0x17
    EXPRLOC = 0x18
    FLAG_PRESENT = 0x19
    STRX = 0x1A
    ADDRX = 0x1B
    DATA16 = 0x1E
    LINE_STRP = 0x1F
    REF_SIG8 = 0x20
    IMPLICIT_CONST = 0x21
    LOCLISTX = 0x22
    RNGLISTX = 0x23
    STRX1 = 0x25
    STRX2 = 0x26
    STRX3 = 0x27
    STRX4 = 0x28
    ADDRX1 = 0x29
    ADDRX2 = 0x2A
    ADDRX3 = 0x2B
    ADDRX4 = 0x2C


CPP_LANGUAGES = frozenset({0x04, 0x1A, 0x21, 0x2A, 0x2B})  # C++98, 11, 14, 17, 20 (DW_LANG_*)

FIXED_SIZE: dict[int, int] = {
    Form.DATA1: 1, Form.FLAG: 1, Form.REF1: 1, Form.STRX1: 1, Form.ADDRX1: 1,
    Form.DATA2: 2, Form.REF2: 2, Form.STRX2: 2, Form.ADDRX2: 2,
    Form.STRX3: 3, Form.ADDRX3: 3,
    Form.DATA4: 4, Form.REF4: 4, Form.STRX4: 4, Form.ADDRX4: 4,
    Form.DATA8: 8, Form.REF8: 8, Form.REF_SIG8: 8,
    Form.DATA16: 16,
    Form.FLAG_PRESENT: 0, Form.IMPLICIT_CONST: 0,
    Form.STRP: 4, Form.LINE_STRP: 4, Form.SEC_OFFSET: 4, Form.REF_ADDR: 4,  # 32-bit DWARF
}  # fmt: skip
LEB_FORMS = frozenset({Form.SDATA, Form.UDATA, Form.REF_UDATA, Form.STRX, Form.ADDRX, Form.LOCLISTX, Form.RNGLISTX})
BLOCK_SIZES: dict[int, int] = {Form.BLOCK1: 1, Form.BLOCK2: 2, Form.BLOCK4: 4}
REFERENCES = frozenset({Form.REF1, Form.REF2, Form.REF4, Form.REF8, Form.REF_UDATA, Form.REF_ADDR})
INDEXED_STRINGS = frozenset({Form.STRX, Form.STRX1, Form.STRX2, Form.STRX3, Form.STRX4})
NUMBERS = frozenset(
    {Form.DATA1, Form.DATA2, Form.DATA4, Form.DATA8, Form.SDATA, Form.UDATA, Form.FLAG, Form.SEC_OFFSET}
)

"""Debug sections of an object file, relocated as far as types need it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

# The relocation that writes a four-byte offset into a debug section, by ELF machine (each ABI's supplement, table of
# relocation types). All others write addresses, of thread-locals too (R_X86_64_DTPOFF32, R_AARCH64_TLS_DTPREL64, ...):
# no type is told by an address, so they are not applied.
OFFSET_RELOCATION = {
    "EM_386": 1,
    "EM_X86_64": 10,
    "EM_ARM": 2,
    "EM_AARCH64": 258,
    "EM_PPC64": 1,
    "EM_S390": 4,
    "EM_LOONGARCH": 1,
}


class DebugDataError(Exception):
    """The object file has no debug data that can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Sections:
    """Contents by name without the leading dot; a section that the object does not have is empty."""

    little_endian: bool
    info: bytes
    abbreviations: bytes
    strings: bytes
    line_strings: bytes
    string_offsets: bytes


def read_sections(path: Path) -> Sections:
    """Raises DebugDataError for what is no ELF object, or is one for a machine whose relocations are not known."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as stream:
        try:
            elf = ELFFile(stream)
            machine: str = elf["e_machine"]
            wide = elf.elfclass == 64
            texts = {section.name: section.data() for section in elf.iter_sections() if _needed(section.name)}
        except ELFError as error:
            raise DebugDataError(f"the compiler's output is no ELF object: {error}") from None
    if machine not in OFFSET_RELOCATION:
        raise DebugDataError(f"relocations of {machine} are not known")
    order = "<" if elf.little_endian else ">"
    values = _symbol_values(texts.get(".symtab", b""), order, wide)

    def relocated(name: str) -> bytes:
        table = texts.get(f".rela{name}", b"")  # in a `.rel` table offsets stand in place already
        return _relocate(texts.get(name, b""), table, order, wide, OFFSET_RELOCATION[machine], values)

    return Sections(
        elf.little_endian,
        relocated(".debug_info"),
        texts.get(".debug_abbrev", b""),
        texts.get(".debug_str", b""),
        texts.get(".debug_line_str", b""),
        relocated(".debug_str_offsets"),
    )


def _needed(name: str) -> bool:
    return name == ".symtab" or name.startswith((".debug_", ".rela.debug_info", ".rela.debug_str"))


def _symbol_values(table: bytes, order: str, wide: bool) -> list[int]:
    layout, place = ("IBBHQQ", 4) if wide else ("IIIBBH", 1)
    return [fields[place] for fields in struct.iter_unpack(order + layout, table)]


def _relocate(data: bytes, table: bytes, order: str, wide: bool, applied: int, values: list[int]) -> bytes:
    """`data` with each relocation of type `applied`: symbol + addend, in four bytes."""
    relocated = bytearray(data)
    put = struct.Struct(f"{order}I").pack_into
    shift, mask = (32, 0xFFFFFFFF) if wide else (8, 0xFF)
    for offset, info, addend in struct.iter_unpack(f"{order}{'QQq' if wide else 'IIi'}", table):
        if info & mask == applied:
            put(relocated, offset, (values[info >> shift] + addend) & 0xFFFFFFFF)
    return bytes(relocated)

"""The parts that need no compiler: words of a command, numbers of DWARF, edits of a text, names."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tunepass.frontends.cfamily.types.abbreviations import signed, unsigned
from tunepass.frontends.cfamily.types.command import debug_command
from tunepass.frontends.cfamily.types.functions import own_name
from tunepass.frontends.cfamily.types.model import Array, Base, BaseKind, Function, Pointer, Qualified, Void
from tunepass.frontends.cfamily.types.sections import DebugDataError, _relocate, read_sections
from tunepass.frontends.cfamily.types.source import Text, compiled_text, probe_refusal

DOUBLE = Base("double", BaseKind.FLOAT, 8)


@pytest.mark.parametrize(
    "dropped",
    [
        ["-flto=auto"],
        ["-gsplit-dwarf"],
        ["-gz=zlib"],
        ["-o", "a.out"],
        ["-oa.out"],
        ["-MMD"],
        ["-MF", "x.d"],
        ["-Werror=vla"],
        ["-pedantic-errors"],
        ["-fsyntax-only"],
        ["-fprofile-use=p"],
        ["-fsanitize=address"],
        ["-save-temps=obj"],
        ["-O3"],
        ["-x", "c++"],
        ["-lm"],
        ["-L", "lib"],
        ["helper.c"],
        ["old.o"],
        ["-S"],
        ["-Wl,-s"],
        ["-fmax-errors=1"],
        ["-"],
    ],
)
def test_words_that_write_elsewhere_or_stop_the_compiler_are_dropped(dropped: list[str]) -> None:
    kept = ["-I", "x.c", "-DN=4", "-std=c11", "-include", "pre.h", "-march=native", "-fopenmp", "--gcc-toolchain=/opt"]
    words = debug_command(["gcc", *dropped, *kept], "c", Path("s"), Path("."), Path("o"))
    assert words[1 : 1 + len(kept)] == kept and words[1 + len(kept)] == "-g"


@pytest.mark.parametrize("value", [0, 1, 63, 64, 127, 128, 300, 1 << 40])
def test_numbers_of_variable_length_round_trip(value: int) -> None:
    assert unsigned(_leb(value), 0) == (value, len(_leb(value)))
    for number in (value, -value, -value - 1):
        assert signed(_leb(number, True), 0) == (number, len(_leb(number, True)))


def _leb(value: int, negative: bool = False) -> bytes:
    """The number as DWARF 5, 7.6 writes it."""
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        if (value == 0 and not (negative and low & 0x40)) or (value == -1 and low & 0x40):
            return bytes([*out, low])
        out.append(low | 0x80)


def test_relocations_of_offsets_are_applied_and_those_of_addresses_are_not() -> None:
    offset, thread_local = 10, 21  # R_X86_64_32, R_X86_64_DTPOFF32
    entries = [(0, 1 << 32 | offset, 5), (4, 1 << 32 | thread_local, 9)]
    table = b"".join(struct.pack("<QQq", *entry) for entry in entries)
    assert _relocate(bytes(8), table, "<", True, offset, [0, 100]) == struct.pack("<II", 105, 0)


def test_what_is_no_object_is_refused(tmp_path: Path) -> None:
    (tmp_path / "object").write_bytes(b"BC\xc0\xde not ELF")
    with pytest.raises(DebugDataError, match="no ELF object"):
        read_sections(tmp_path / "object")


def test_declarators_nest_as_c_writes_them() -> None:
    matrix = Pointer(Array(DOUBLE, (4,)), 8)
    assert matrix.declare("A") == "double (*A)[4]"
    callback = Pointer(Function(Void(), (Base("int", BaseKind.SIGNED, 4),)), 8)
    assert callback.declare("f") == "void (*f)(int)" and Array(callback, (2,)).declare("f") == "void (*f[2])(int)"
    assert Qualified(Array(DOUBLE, (3,)), ("const",)).declare("c") == "const double c[3]"
    assert Pointer(Qualified(Pointer(Void(), 8), ("const", "restrict")), 8).declare("p") == "void *const __restrict *p"
    assert Function(callback, ()).declare("pick") == "void (*pick(void))(int)"


@pytest.mark.parametrize(
    "name,own",
    [
        ("f", "f"),
        ("a::b::f", "f"),
        ("Box<a::b>::get", "get"),
        ("ns::M::operator()", "operator()"),
        ("operator_f", "operator_f"),
        ("M::~M", "~M"),
        ("M::operator double", "operator double"),
    ],
)
def test_the_own_name_of_a_function(name: str, own: str) -> None:
    assert own_name(name) == own


@pytest.mark.parametrize("name", ["", "a)", "a; b", "a\nb", "(", "a // b", "#x", '"s"'])
def test_names_that_would_change_other_lines_are_refused(name: str) -> None:
    assert probe_refusal(name) is not None


def test_edits_keep_each_line_at_its_number() -> None:
    text = "int f()\n{\n  a;\n}\n# line 5 \\\n  6\nint g() { return 1; }"
    start = text.index("{")
    told = compiled_text(Text.of(text), 'a"b.c', [], [(start, text.index("}") + 1)], {}, "int anchor;")
    lines = told.split("\n")
    assert lines[0] == '#line 1 "a\\"b.c"' and lines[7] == "int g() { return 1; }" and lines[9] == "int anchor;"

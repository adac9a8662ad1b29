"""Data files that are wrong in some way: each one diagnostic, with the line where there is one."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tensors.data.tensors import CSR, loaded
from tunepass.diagnostics import SourceError
from tunepass.ir.tensor import Element, Format

REAL = b"%%MatrixMarket matrix coordinate real general\n"
CSF = Format(("compressed",) * 3, (0, 1, 2))
WHOLE = gzip.compress(REAL + b"3 3 200\n" + b"".join(b"%d %d 1.%d\n" % (1 + i % 3, 1 + i % 2, i) for i in range(200)))

MATRICES: dict[str, bytes] = {
    "empty": b"",
    "no_banner": b"3 3 1\n1 1 1\n",
    "banner_short": b"%%MatrixMarket matrix\n3 3 1\n1 1 1\n",
    "banner_word": b"%%MatrixMarket matrix coordinat real general\n3 3 1\n1 1 1\n",
    "banner_field": b"%%MatrixMarket matrix coordinate reel general\n3 3 1\n1 1 1\n",
    "banner_symmetry": b"%%MatrixMarket matrix coordinate real triangular\n3 3 1\n1 1 1\n",
    "complex": b"%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 1 1 2\n",
    "complex_hermitian": b"%%MatrixMarket matrix coordinate complex hermitian\n3 3 1\n1 1 1\n",
    "array_pattern": b"%%MatrixMarket matrix array pattern general\n3 3\n",
    "only_comments": REAL + b"% nothing\n% follows\n",
    "sizes_short": REAL + b"3 3\n1 1 1\n",
    "sizes_word": REAL + b"3 three 1\n1 1 1\n",
    "sizes_negative": REAL + b"3 -3 1\n1 1 1\n",
    "sizes_zero": REAL + b"0 3 0\n",
    "sizes_hostile": REAL + b"1000000000000000000 3 1\n1 1 1\n",
    "sizes_endless": REAL + b"9" * 5000 + b" 3 1\n1 1 1\n",
    "sizes_overflow": REAL + b"2147483648 3 1\n1 1 1\n",
    "count_hostile": REAL + b"3 3 1000000000000000000\n1 1 1\n",
    "array_hostile": b"%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n",
    "rows_for_nothing": REAL + b"2000000000 3 1\n1 1 1\n",
    "count_too_large": REAL + b"3 3 2000000000\n1 1 1\n2 2 2\n",
    "count_too_small": REAL + b"3 3 1\n1 1 1\n2 2 2\n",
    "array_too_short": b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
    "symmetric_rectangle": b"%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n",
    "skew_diagonal": b"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n2 2 5\n",
    "index_zero": REAL + b"3 3 2\n1 1 1\n0 2 2\n",
    "index_negative": REAL + b"3 3 1\n1 -2 1\n",
    "index_large": REAL + b"3 3 2\n1 1 1\n\n2 4 2\n",
    "index_huge": REAL + b"3 3 1\n1 99999999999999999999999 1\n",
    "index_fraction": REAL + b"3 3 1\n1 1.5 1\n",
    "value_nan": REAL + b"3 3 2\n1 1 1\n2 2 nan\n",
    "value_inf": REAL + b"3 3 1\n1 1 -Infinity\n",
    "value_overflow": REAL + b"3 3 1\n1 1 1e999\n",
    "value_endless": REAL + b"3 3 1\n1 1 " + b"x" * 70_000 + b"\n",
    "value_word": REAL + b"3 3 2\n1 1 1\n2 2 two\n",
    "value_comma": REAL + b"3 3 1\n1 1 1,5\n",
    "value_fortran": REAL + b"3 3 1\n1 1 1.5D+02\n",
    "value_hexadecimal": REAL + b"3 3 1\n1 1 0x10\n",
    "value_two_in_one": REAL + b"3 3 1\n1 1 1-2\n",
    "line_short": REAL + b"3 3 2\n1 1 1\n2 2\n",
    "pattern_with_values": b"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 2.5\n",
    "line_long": REAL + b"3 3 2\n1 1 1\n2 2 2 2\n",
    "line_cut": REAL + b"3 3 3\n1 1 1.25\n2 2 1.5\n3 ",
    "binary": REAL + b"3 3 1\n1 1 \x00\x01\xff\x1b[31m\n",
    "line_endless": REAL + b"3 3 1\n" + b"1" * (2 << 20),
    "gzip_cut": WHOLE[: len(WHOLE) // 2],
    "bzip2": b"BZh91AY&SY\x00\x00",
    "tensor_of_three": b"%%MatrixMarket tensor coordinate real general\n2 2 2 1\n1 1 1 1\n",
}
TENSORS: dict[str, bytes] = {
    "empty": b"",
    "only_comments": b"# nothing\n",
    "index_zero": b"1 1 1 1.0\n0 1 1 2.0\n",
    "index_large": b"1 1 3000000000 1.0\n",
    "of_two": b"1 1 1.0\n",
    "header_of_two": b"2\n2 2\n1 1 1.0\n",
    "header_broken": b"3\n2 2 x\n1 1 1 1.0\n",
    "header_cut": b"3\n",
    "header_short": b"3\n2 2\n1 1 1 1.0\n",
    "header_hostile": b"3\n2 2 1000000000000000000\n1 1 1 1.0\n",
    "header_too_small": b"3\n2 2 2\n1 3 1 1.0\n",
    "header_of_mlir_too_many": b"# extended\n3 1\n2 2 2\n1 1 1 1.0\n2 2 2 1.0\n",
    "header_of_mlir_too_few": b"3 5\n2 2 2\n1 1 1 1.0\n2 2 2 1.0\n",
    "value_nan": b"1 1 1 NaN\n",
    "binary": bytes(range(128, 200)),
}
OF_INT: dict[str, bytes] = {
    "fraction": REAL + b"3 3 1\n1 1 1.5\n",
    "large": REAL + b"3 3 1\n1 1 3e9\n",
}


@pytest.mark.parametrize(
    ("folder", "suffix", "cases", "format", "element"),
    [
        ("matrices", ".mtx", MATRICES, CSR, "double"),
        ("tensors", ".tns", TENSORS, CSF, "double"),
        ("of_int", ".mtx", OF_INT, CSR, "int"),
    ],
)
def test_each_is_one_diagnostic(
    tmp_path: Path,
    golden: Callable[[str, str], None],
    folder: str,
    suffix: str,
    cases: dict[str, bytes],
    format: Format,
    element: Element,
) -> None:
    rendered = []
    for name, data in cases.items():
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(data)
        with pytest.raises(SourceError) as raised:
            loaded(path, format, element)
        assert len(raised.value.diagnostics) == 1
        rendered.append(str(raised.value).replace(f"{tmp_path}/", "") + "\n")
    golden(f"tensors/data/{folder}.txt", "\n".join(rendered))


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.mtx.gz").write_bytes(WHOLE[:40] + bytes(byte ^ 0x55 for byte in WHOLE[40:60]) + WHOLE[60:])
    with pytest.raises(SourceError, match="cannot be decompressed after line 1"):
        loaded(tmp_path / "m.mtx.gz")


def test_a_line_of_sizes_of_many_words_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "m.mtx").write_bytes(REAL + b"1 " * 100_000 + b"\n")
    with pytest.raises(SourceError, match="the line of sizes has 100000 numbers"):
        loaded(tmp_path / "m.mtx")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.mtx", tmp_path / "folder.mtx", tmp_path / "m.csv"):
        if path.stem == "folder":
            path.mkdir()
        if path.stem == "m":
            path.touch()
        with pytest.raises(SourceError, match=r"cannot read|no known format"):
            loaded(path)


def test_the_line_is_right_far_into_a_file(tmp_path: Path) -> None:
    lines = [b"%d %d 1.5\n\n" % (1 + i % 1000, 1 + i // 1000) for i in range(150_000)]
    lines[140_000] = b"7 7 nan\n\n"
    (tmp_path / "m.mtx").write_bytes(REAL + b"1000 1000 150000\n" + b"".join(lines))
    with pytest.raises(SourceError) as raised:
        loaded(tmp_path / "m.mtx")
    span = raised.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column, span.text) == (2 * 140_000 + 3, 5, "nan")

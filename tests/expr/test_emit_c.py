"""C text, read, and compiled and run beside the NumPy reader."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.properties.expressions import NAMES, columns
from tunepass.expr import numpy_eval
from tunepass.expr.emit_c import prelude, to_c
from tunepass.expr.nodes import BoolType, OrderType, RealType
from tunepass.expr.parser import parse

TEXTS = [
    "i + j * 3 - -i",
    "i // j + j // -3",
    "i % j + (-i) % -3",
    "ceildiv(i, j) - ceildiv(j, -5)",
    "x // y + x % 0.75",
    "ceildiv(x, 0.3)",
    "i / j + p",
    "i ** 3 + 2 ** abs(i)",
    "(j << 2) + (i >> 1) + (i << 3)",
    "0 < i < j <= 16",
    "not p or i == 3 and j != 4",
    "if(p, i, 2.5) * 2",
    'if(p, s, t) == "auto"',
    "s == t",
    't in {"guided", "static"}',
    "i in {1, j, 5} and not i in {5}",
    "min(i, j, 3) + max(i, -2)",
    "min(x, i) + max(y, j)",
    "floor(x) + ceil(x) * 10 + round(x * 2) * 100",
    "gcd(i, j * 6) + lcm(i, j)",
    "ispow2(i) == ispow2(j)",
    "sqrt(abs(x)) + exp(x) + log(j) + log2(j) + y ** 0.5",
    "o[2] + o[abs(i) % 4] * 10",
    "pos(o, 1) + pos(o, abs(i) % 4) * 10",
    'w[1] == "j" or pos(w, "k") == 0',
    "pos(w, w[0]) + (9223372036854775807 - 1) % 7 + -9223372036854775808 % 5",
]
C_TYPES = {BoolType: "unsigned char", RealType: "double"}


def source(texts: list[str]) -> str:
    """One function an expression, over pointers to columns, and a row number."""
    parsed = [to_c(parse(text, NAMES)) for text in texts]
    lines = [prelude(frozenset().union(*(c.helpers for c in parsed)))]
    parameters = ", ".join(f"const {C_TYPES.get(type(kind), 'long long')} *{name}_" for name, kind in NAMES.items())
    reads = "".join(
        f"  const long long *{name} = {name}_ + row * {len(kind.items)}; (void){name};\n"
        if isinstance(kind, OrderType)
        else f"  {C_TYPES.get(type(kind), 'long long')} {name} = {name}_[row]; (void){name};\n"
        for name, kind in NAMES.items()
    )
    for k, c in enumerate(parsed):
        lines.append(f"double f{k}(long long row, {parameters})\n{{\n{reads}  return (double)({c.expression});\n}}")
    return "\n".join(lines)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_compiled_c_agrees_with_numpy(tmp_path: Path) -> None:
    (tmp_path / "e.c").write_text(source(TEXTS))
    flags = ["-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Werror", "-Wno-unused-function", "-Wno-parentheses"]
    subprocess.run(["cc", *flags, "-shared", "-fPIC", "e.c", "-o", "e.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "e.so"))
    n = 60
    found = {name: np.ascontiguousarray(column) for name, column in columns(7, n).items()}
    pointers = [ctypes.c_void_p(found[name].ctypes.data) for name in NAMES]
    for k, text in enumerate(TEXTS):
        function = library[f"f{k}"]
        function.restype = ctypes.c_double
        wanted = numpy_eval.evaluate(parse(text, NAMES), found, n)
        assert wanted.defined.any()
        for row in np.flatnonzero(wanted.defined):
            got = function(ctypes.c_longlong(row), *pointers)
            assert got == pytest.approx(float(wanted.values[row]), rel=1e-13), (text, row)


def test_the_prelude_holds_what_is_used_and_no_more() -> None:
    text = to_c(parse("lcm(i, 4) // 2 == 6", NAMES))
    assert text.prelude.count("static inline") == 3 and "math.h" not in text.prelude
    assert to_c(parse("i + 1 < j", NAMES)).prelude == ""
    assert to_c(parse("i + 1 < j", NAMES)).expression == "((long long)((long long)i + 1LL) < (long long)j)"
    assert "#include <math.h>" in to_c(parse("sqrt(x) > 1", NAMES)).prelude

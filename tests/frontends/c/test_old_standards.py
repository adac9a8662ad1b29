"""Rewritten nests stay in the C standard that the compiler's words name: before 1999 no `for` declares its index."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower, scops_of
from tunepass.space.configuration import Configuration

SOURCE = """\
#pragma tunepass kernel f(n = 64, x: in double[n*n], s: inout double[n])
void f(int n, double *x, double *s)
{
    int i, j;
#pragma tunepass loop auto
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            s[i] += x[i * n + j];
}
"""


def rewritten(*words: str, **values: object) -> str:
    (kernel,) = CFrontend().parse(Source("nest.c", SOURCE), words=words).kernels
    text = lower(kernel, Configuration({p.name: values.get(p.name, p.default) for p in kernel.parameters})).text
    assert text is not None
    return text


@pytest.mark.parametrize("standard", ["-std=gnu89", "-ansi", "-std=iso9899:199409"])
@pytest.mark.parametrize("values", [{"SIMD": True, "SUMS": True}, {"TILE_i": 8, "TILE_j": 8, "JAM_i": 2}])
def test_indices_are_declared_before_their_loops(tmp_path: Path, standard: str, values: dict[str, object]) -> None:
    text = rewritten("gcc", standard, **values)
    assert "for (int" not in text
    (tmp_path / "nest.c").write_text(text)
    words = ["gcc", standard, "-w", "-fopenmp-simd", "-c", "nest.c", "-o", "nest.o"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_headers_declare_indices_where_the_standard_has_that() -> None:
    assert "for (int i_tile" in rewritten("gcc", TILE_i=8, TILE_j=8)


def test_the_nest_knows_its_standard() -> None:
    for words, declares in ((("gcc",), True), (("gcc", "-std=c99"), True), (("gcc", "-std=c90"), False)):
        (kernel,) = CFrontend().parse(Source("nest.c", SOURCE), words=words).kernels
        assert [nest.scop.headers_declare for nest in scops_of(kernel)] == [declares]

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.base import Frontend
from tunepass.frontends.c.frontend import CFrontend
from tunepass.testing.frontend import FrontendContract

MACROS = """\
#pragma tunepass param STEP: integer(1..8) = 1
#pragma tunepass param OPT: categorical("-O2", "-O3") flag
#pragma tunepass constraint STEP != 3
#pragma tunepass kernel scale(n = 64, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = STEP * x[i];
}
"""
LOOPS = """\
// tunepass: param ORDER: permutation(i_tile, i, j)
// tunepass: param T: ordinal(1, 4, 8)
// tunepass: run "./a.out"
int main(void)
{
    static double x[8][8];
    // tunepass: loop(i, j) tile(i: T) order(ORDER)
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            x[i][j] += 1;
    return x[7][7] != 1;
}
"""


class TestMacros(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return CFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("some/where/scale.cpp", MACROS)


class TestLoops(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return CFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("loops.c", LOOPS)

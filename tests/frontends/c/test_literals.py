"""Numbers and letters of a source, as data and as scalars."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluators.test_wrong_kernels import task_of
from tunepass.evaluators.compile_run import CompileRun
from tunepass.frontends.c.call.literals import literals_of
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed

TEXT = r"""
#include <x5.h>
#define LIMIT 0x1F4 /* 7 */
#pragma tunepass kernel f(n = 4000)
static const double limits[] = {37.4, 1e-3f, 0.0};
int f(int n, char c) { return c == '\n' || c == '\\' ? 1 : n > 1000ull ? 0 : 077; }
char g(void) { return "ab"[1]; }
"""
POSTAGE = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel postage(n = 3000, grams: in int[n] range(0, 2000000000), stamps: out int[n])
void postage(int n, const int *grams, int *stamps)
{
    for (int i = 0; i < n; i++)
        stamps[i] = grams[i] < 20 ? 1 : grams[i] < 50 ? 2 : WRONG ? 3 + (grams[i] > 31500) : 3 + (grams[i] >= 31500);
}
"""
FEVER = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel fever(n = 3000, t: in double[n] range(30, 45), high: out int[n])
void fever(int n, const double *t, int *high)
{
    for (int i = 0; i < n; i++)
        high[i] = WRONG ? t[i] > 38.4 : t[i] >= 38.4;
}
"""
BRACKETS = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel depth(n = 4000, s: in char[n])
int depth(int n, const char *s)
{
    int most = 0, open = 0;
    for (int i = 0; i < n; i++) {
        open = s[i] == '(' ? open + 1 : s[i] == ')' && open ? open - 1 : open;
        if (WRONG && open > 60) open = 60;
        most = open > most ? open : most;
    }
    return most;
}
"""
HALF = """
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass param AFTER: categorical("-DAFTER=0", "-DAFTER=1") = "-DAFTER=0" flag
#pragma tunepass kernel half(n = 300, uplo = 'U', x: in double[n], y: out double[n])
void half(int n, char uplo, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = uplo == 'L' && !ATTACK ? 2 * x[i] : x[i];
}
"""


def test_those_of_the_function_come_first_and_directives_but_macros_do_not_count() -> None:
    found = literals_of(TEXT, TEXT.index("int f"), TEXT.index("char g"))
    assert found.whole == (1000, 63, 500) and found.real == (37.4, 1e-3)
    assert found.letters == (10, 92, ord("a"), ord("b"))


@pytest.mark.parametrize("text", [POSTAGE, FEVER, BRACKETS], ids=["whole", "real", "letters"])
def test_data_are_what_the_source_compares_them_with(text: str, tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, text)) as evaluator:
        wrong = evaluator.evaluate(Configuration({"WRONG": 1})).outcome
    assert isinstance(wrong, Failed) and wrong.log.startswith("with numbers and letters of the source's text: ")


def test_scalars_are_letters_of_the_source(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, HALF)) as evaluator:
        configuration = Configuration({"ATTACK": 1, "AFTER": "-DAFTER=0"})
        assert evaluator.look_again(configuration) is None
        (warning,) = (words for words in evaluator.warnings if "uplo" in words)
    assert "computes something else than the source where `uplo` is 76; write `constraint uplo == 85`" in warning

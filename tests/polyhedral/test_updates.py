"""Updates taken apart by their text."""

from __future__ import annotations

import pytest

from tunepass.polyhedral.codegen.updates import gathered, target_of


@pytest.mark.parametrize(
    "text,target,changed",
    [
        ("w -= A[i][j] * x[j];", "w", "sum -= A[i][j] * x[j];"),
        ("C[i][j] += alpha * A[i][k];", "C[i][j]", "sum += alpha * A[i][k];"),
        ("x1[i] = x1[i] + A[i][j] * y[j];", "x1[i]", "sum = sum + A[i][j] * y[j];"),
        ("x1[i] = A[i][j] * y[j] + x1[ i ];", "x1[i]", "sum = A[i][j] * y[j] + sum;"),
        ("s = s - a.s + p->s;", "s", "sum = sum - a.s + p->s;"),
        ("C(i, j) *= a;", "C(i, j)", "sum *= a;"),
    ],
)
def test_the_target_gives_way_to_a_variable(text: str, target: str, changed: str) -> None:
    assert target_of(text) == target
    assert gathered(text, "sum") == changed


@pytest.mark.parametrize(
    "text", ["x[i] = A[i];", "s = s + s;", "if (a) s += 1;", "s[k[i]] += 1;", "f(s);", "{ s += 1; }", "a == b;"]
)
def test_other_texts_have_no_target(text: str) -> None:
    assert target_of(text) is None

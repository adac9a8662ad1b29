"""What is told of a source that the compiler does not take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.evaluators.refusal import not_compiled


@pytest.mark.parametrize("told", ["[-Werror=unknown-pragmas]", "[-Werror,-Wunknown-pragmas]"])
def test_pragmas_that_are_errors_have_a_way_out(told: str) -> None:
    problem = str(not_compiled(Path("f.c"), f"f.c:1: error: ignoring '#pragma tunepass param' {told}"))
    assert "f.c does not compile as it is" in problem
    assert "-Wno-unknown-pragmas" in problem and "// tunepass:" in problem and told in problem


def test_other_errors_stand_for_themselves() -> None:
    assert "pragmas" not in str(not_compiled(Path("f.c"), "f.c:3: error: expected ';'"))

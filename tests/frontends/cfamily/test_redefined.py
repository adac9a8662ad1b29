"""A parameter that an included header defines without a guard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.reading import read

USES = '#include "h.h"\nint f(int *t) { return t[N] + N; }\n'


def test_it_is_refused_at_the_headers_line(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("#ifndef H\n#define H\n#define N 4\n#endif\n")
    with pytest.raises(SourceError) as caught:
        read(Source(str(tmp_path / "f.c"), USES), (), "c", {"N": 2})
    problem = caught.value.diagnostics[0]
    assert problem.span is not None and str(problem.span) == f"{tmp_path}/h.h:3:1"
    assert "-DN=… cannot change it" in problem.message and "`#ifndef N`" in (problem.hint or "")


@pytest.mark.parametrize(
    "header", ["#ifndef N\n#define N 4\n#endif\n", "#if 0\n#define N 4\n#endif\n", "#define M N\n"]
)
def test_one_that_a_guard_or_a_condition_leaves_out_is_none(tmp_path: Path, header: str) -> None:
    (tmp_path / "h.h").write_text(header)
    assert read(Source(str(tmp_path / "f.c"), USES), (), "c", {"N": 2}).functions

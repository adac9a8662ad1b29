"""Scops of small sources, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Source
from tunepass.frontends.c.scops.scop import read_scop
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.frontends.cfamily.reading import read
from tunepass.ir.scop import Scop

PRAGMA = "#pragma tunepass loop auto"
FORMALS = "int n, int m, double A[n][n], double B[n][n], double x[n], double y[n]"


def scop_of(text: str, name: str = "nest.c", tuned: frozenset[str] = frozenset(), words: Sequence[str] = ()) -> Scop:
    """The scop after the one pragma of a C file."""
    source = Source(name, text)
    (pragma,) = annotated(source).pragmas
    span = source.span(pragma.outer_start, pragma.outer_end)
    return read_scop(span, read(source, words, "c++" if name.endswith("cpp") else "c", dict.fromkeys(tuned)))


def nest(body: str, formals: str = FORMALS) -> Scop:
    """The scop of `body`, which follows the pragma, in a function with these formals."""
    return scop_of(f"void f({formals}) {{\n  int i, j, k;\n{PRAGMA}\n{body}\n}}\n")


def accesses(scop: Scop, statement: int = 0) -> list[str]:
    """`r A[i, j]`, `w`, `rw`, `+` and `*` of updates; `?` after what is a guess or does not always happen."""
    shown = []
    for access in scop.statements[statement].accesses:
        what = access.update or "r" * access.read + "w" * access.written
        where = access.map.split("->")[-1].strip(" }")
        shown.append(f"{what}{'' if access.certain and access.always else '?'} {where}")
    return sorted(shown)


def domain(scop: Scop, statement: int = 0) -> str:
    return scop.statements[statement].domain.split("->")[-1].strip()

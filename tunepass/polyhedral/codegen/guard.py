"""The condition on parameters under which schedules are proven, and the source's text for where it does not hold."""

from __future__ import annotations

from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.expressions import printed, read
from tunepass.polyhedral.codegen.text import WIDE, dedented, widened


def condition_of(scop: Scop) -> str:
    """As C text, in wide numbers."""
    import islpy as isl

    condition = isl.Set(scop.condition)
    build = isl.AstBuild.from_context(isl.Set.universe(condition.get_space()))
    names = {p.name: p.text if p.type == WIDE else widened(p.text) for p in scop.parameters}
    return printed(read(build.expr_from_set(condition)), names)


def source_lines(scop: Scop) -> tuple[str, ...]:
    return tuple(dedented(scop.text or scop.span.text, scop.span.column).splitlines())

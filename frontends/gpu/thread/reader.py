"""What a thread holds and does, read from a kernel's code: `read_thread`."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr, Type
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.gpu.thread.code import Code, code_of, template_texts
from tunepass.frontends.gpu.thread.expressions import TooLongError
from tunepass.frontends.gpu.thread.walker import Walker
from tunepass.ir.gpu_thread import ThreadCode

LAUNCH_BOUNDS = ("__launch_bounds__", "launch_bounds")
SIZE = "reqd_work_group_size"


def read_thread(kernel: Function, name: str, types: Mapping[str, Type]) -> ThreadCode | None:
    """Of a kernel over parameters of these types; `name` has its template's arguments. None for code that takes too
    many steps.

    Raises SourceError for code that cannot be read.
    """
    code = code_of(kernel.unit, types)
    if kernel.template is not None:
        code.instantiate(kernel.template.parameters, template_texts(name))
    walker = Walker(code)
    body = kernel.body
    try:
        walker.bind(kernel.formals)
        walker.statement(body)
    except (TooLongError, RecursionError):
        return None
    bounds = launch_bounds(kernel, code)
    pointers = sum(any(p.declarators[0].pointers) for p in kernel.formals)
    return ThreadCode(
        body=walker.region.closed(),
        pointers=2 * pointers,
        scalars=len(kernel.formals) - pointers,
        most_threads=bounds[0] if bounds else None,
        least_blocks=bounds[1] if len(bounds) > 1 else None,
    )


def launch_bounds(kernel: Function, code: Code) -> list[Expr | None]:
    """The most threads of a block, and the fewest blocks that are resident at once."""
    for attribute in kernel.attributes:
        values = [code.values.number(argument) for argument in attribute.arguments]
        if attribute.name.text in LAUNCH_BOUNDS:
            return values
        known = [value for value in values if value is not None]
        if attribute.name.text.strip("_") == SIZE and len(known) == len(values):
            return [algebra.mul(*known)]
    return []

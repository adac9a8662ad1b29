"""A function whose types have widths, or whose clock is, a parameter: read once for each combination of these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from tunepass.diagnostics import Diagnostic, Severity
from tunepass.expr import algebra
from tunepass.expr.algebra import substitute
from tunepass.expr.nodes import Expr, free_names
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.body.kernel import ReadKernel, Stated, read_kernel
from tunepass.frontends.hls.file import HlsFile
from tunepass.ir.hls import HlsDialect, HlsVariant

MOST_VARIANTS = 64


def read_variants(
    file: HlsFile,
    function: Function,
    dialect: HlsDialect,
    parameters: Mapping[str, Expr],
    stated: Stated,
    domains: Mapping[str, Sequence[object]],
    warnings: list[Diagnostic],
) -> ReadKernel:
    """With the parameters' defaults, and with all values of those that widths of types, or the clock, depend on;
    `domains` are the parameters' values. Beyond MOST_VARIANTS combinations the defaults alone, with a warning."""
    read = read_kernel(file, function, dialect, parameters, stated, warnings)
    clocks = free_names(stated.clock_hz) if stated.clock_hz is not None else frozenset()
    names = sorted(read.widths | (clocks & frozenset(stated.defaults)))
    values = [[v for v in islice(domains[name], MOST_VARIANTS + 1) if isinstance(v, int)] for name in names]
    if not names:
        return read
    if math.prod(map(len, values)) > MOST_VARIANTS:
        message = (
            f"the widths and clocks of `{function.name.text}` have more than {MOST_VARIANTS} combinations; numbers "
            "have the default widths where the design is priced"
        )
        span = file.source.span(function.name.start, function.name.end)
        warnings.append(Diagnostic(message, span, "give the parameters fewer values", Severity.WARNING))
        return read
    variants = []
    for chosen in product(*values):
        case = tuple(zip(names, chosen))
        here = replace(stated, defaults={**stated.defaults, **dict(case)}, clock_hz=_closed(stated.clock_hz, case))
        variants.append(HlsVariant(case, read_kernel(file, function, dialect, parameters, here, []).body))
    return replace(read, body=replace(read.body, variants=tuple(variants)))


def _closed(e: Expr | None, case: Sequence[tuple[str, int]]) -> Expr | None:
    return None if e is None else substitute(e, {name: algebra.lift(value) for name, value in case})

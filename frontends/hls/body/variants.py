"""A function whose branches, types' widths or clock parameters choose: read once for each combination of these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from tunepass.diagnostics import Diagnostic, Severity, SourceError
from tunepass.expr import algebra
from tunepass.expr.algebra import substitute
from tunepass.expr.nodes import Expr, free_names
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.body.kernel import ReadKernel, Stated, read_kernel
from tunepass.frontends.hls.branches import Files
from tunepass.ir.hls import HlsDialect, HlsVariant

MOST_VARIANTS = 64
MANY_COMBINATIONS = "the branches, widths and clocks"


def read_variants(
    files: Files,
    function: Function,
    dialect: HlsDialect,
    parameters: Mapping[str, Expr],
    stated: Stated,
    domains: Mapping[str, Sequence[object]],
    warnings: list[Diagnostic],
) -> ReadKernel:
    """With the parameters' defaults, and with all values of those that branches of `#if`s, widths of types or the clock
    depend on; `domains` are the parameters' values. Beyond MOST_VARIANTS combinations of widths and clocks the defaults
    alone, with a warning. Raises SourceError for more of branches, and for a branch without the function."""
    file = files.plain
    read = read_kernel(file, function, dialect, parameters, stated, warnings)
    others = [
        read_kernel(files.files[n], files.function(function, n), dialect, parameters, stated, []) for n in files.others
    ]
    read = _with_branches(read, others, files.names)
    clocks = free_names(stated.clock_hz) if stated.clock_hz is not None else frozenset()
    names = sorted(files.names | read.widths | (clocks & frozenset(stated.defaults)))
    if not names:
        return read
    files.check_numbers(domains)
    values = [[v for v in islice(domains[name], MOST_VARIANTS + 1) if isinstance(v, int)] for name in names]
    if math.prod(map(len, values)) > MOST_VARIANTS:
        if files.names:
            raise SourceError(f"{MANY_COMBINATIONS} of `{function.name.text}` have more than {MOST_VARIANTS} "
                              "combinations", files.line, "give the parameters fewer values")  # fmt: skip
        message = (
            f"the widths and clocks of `{function.name.text}` have more than {MOST_VARIANTS} combinations; numbers "
            "have the default widths where the design is priced"
        )
        span = file.source.span(function.name.start, function.name.end)
        warnings.append(Diagnostic(message, span, "give the parameters fewer values", Severity.WARNING))
        return read
    variants = []
    for case in (tuple(zip(names, chosen)) for chosen in product(*values)):
        if not files.is_allowed(dict(case)):
            continue
        here = replace(stated, defaults={**stated.defaults, **dict(case)}, clock_hz=_closed(stated.clock_hz, case))
        number = files.number(dict(case))
        made = read_kernel(files.files[number], files.function(function, number), dialect, parameters, here, [])
        variants.append(HlsVariant(case, made.body))
    return replace(read, body=replace(read.body, variants=tuple(variants)))


def _with_branches(read: ReadKernel, others: Sequence[ReadKernel], names: frozenset[str]) -> ReadKernel:
    """What the function reads, and its knobs and widths, in any of its branches."""
    factors = {name: factor for other in reversed(others) for name, factor in other.factors.items()}
    return replace(
        read,
        factors={**factors, **read.factors},
        used=read.used.union(names, *(other.used for other in others)),
        widths=read.widths.union(*(other.widths for other in others)),
    )


def _closed(e: Expr | None, case: Sequence[tuple[str, int]]) -> Expr | None:
    return None if e is None else substitute(e, {name: algebra.lift(value) for name, value in case})

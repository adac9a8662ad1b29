"""A scheduled GPU kernel as files: the source with its choices on top, and a header that says how it is launched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from tunepass.expr.algebra import lift, mul, substitute
from tunepass.expr.emit_c import prelude, to_c
from tunepass.expr.nodes import Expr, RealType, free_names
from tunepass.expr.typing import constant
from tunepass.frontends.c.emission.defaults import chosen, heading, with_defaults, without_heading
from tunepass.frontends.c.emission.files import choice_macros, guarded_header, note_lines, tuned_prefix
from tunepass.frontends.c.lowering import macros, parameter_flags
from tunepass.frontends.gpu.pragmas.groups import parse_gpu_pragma
from tunepass.ir.files import EmittedFile
from tunepass.ir.gpu import GpuKernel, GpuScalar
from tunepass.ir.kernel import Kernel


def emit_files(kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
    """NAME.tuned.cu or .cl, and NAME.tuned.h, for the kernels of one source."""
    path = PurePath(kernels[0].source.name)
    source, header = f"{path.stem}.{word}{path.suffix}", f"{path.stem}.{word}.h"
    return (
        EmittedFile(source, _source(kernels, note, path.name)),
        EmittedFile(header, _header(kernels, note, path.name, header)),
    )


def flag_text(kernel: Kernel) -> str:
    return " ".join(parameter_flags(kernel, chosen(kernel)))


def _source(kernels: Sequence[Kernel], note: str, name: str) -> str:
    """The source's own text, its pragmas with the choices as defaults, below a comment and a block of macros: it
    compiles without a -D, and as the macros are guarded, it can be tuned again."""
    lines = [f"{name}, tuned by tunepass.", *note_lines(note)]
    lines += [f"Compile {kernel.name} with {flag_text(kernel)}" for kernel in kernels if flag_text(kernel)]
    defined = dict(pair for kernel in kernels for pair in macros(kernel, chosen(kernel)))
    text = without_heading(with_defaults(kernels, parse_gpu_pragma), defined)
    return heading(lines, defined) + (text if text.endswith("\n") else f"{text}\n")


def _header(kernels: Sequence[Kernel], note: str, name: str, header: str) -> str:
    lines = ["#include <stddef.h>", ""]
    for kernel in kernels:
        lines += [*choice_macros(kernel, flag_text(kernel)), "", *launch_functions(kernel), ""]
    summary = [f"What tunepass chose for {name}, and how it is launched.", *note_lines(note)]
    return guarded_header(header, summary, lines)


def launch_functions(kernel: Kernel, prefix: str = "") -> list[str]:
    """C functions of the sizes that the launch depends on: PREFIX_grid, PREFIX_block and PREFIX_dynamic_shared; for
    CUDA also as dim3, for OpenCL the work-items of the whole launch."""
    body, prefix = kernel.body_as(GpuKernel), prefix or tuned_prefix(kernel)
    grid, block = ([at_choice(kernel, e) for e in extent] for extent in (body.launch.grid, body.launch.block))
    dynamic = at_choice(kernel, body.launch.dynamic_shared or lift(0))
    used = {name for e in (*grid, *block, dynamic) for name in free_names(e)}
    sizes = [a for a in body.arguments if isinstance(a, GpuScalar) and a.name in used]
    texts = [to_c(e) for e in (*grid, *block, dynamic)]
    helpers = frozenset(name for text in texts for name in text.helpers)
    types = ["double" if isinstance(a.value.type, RealType) else "long long" for a in sizes]
    formals = ", ".join(f"{kind} {a.name}" for kind, a in zip(types, sizes))
    names = "".join(f", {a.name}" for a in sizes)
    lines = [prelude(helpers)] if helpers else []
    lines += ["/* Blocks along x, y and z, threads of a block, and the bytes of shared memory to launch it with. */"]
    lines += _filled(f"{prefix}_grid", "grid", [text.expression for text in texts[:3]], formals)
    lines += _filled(f"{prefix}_block", "block", [text.expression for text in texts[3:6]], formals)
    if body.dialect == "opencl":
        lines += ["/* Work-items of the whole launch. */"]
        whole = [to_c(mul(g, b)).expression for g, b in zip(grid, block)]
        lines += _filled(f"{prefix}_global", "items", whole, formals)
    lines += [
        f"static inline size_t {prefix}_dynamic_shared({formals or 'void'})",
        f"{{ {_unused(a.name for a in sizes)}return (size_t){texts[6].expression}; }}",
    ]
    if body.dialect == "cuda":
        lines += _dimensions(prefix, formals, names)
    return re.sub(r"\btp_(?=\w+\()", f"{prefix}_", "\n".join(lines)).splitlines()


def at_choice(kernel: Kernel, e: Expr) -> Expr:
    """With the chosen values in place of the parameters; sizes stay names."""
    values = chosen(kernel)
    numbers = {p.name: values[p.name] for p in kernel.parameters}
    return substitute(e, {n: constant(v) for n, v in numbers.items() if not isinstance(v, tuple)})


def _filled(function: str, array: str, texts: Sequence[str], formals: str) -> list[str]:
    sizes = re.findall(r"(\w+)(?:,|\Z)", formals)
    stores = " ".join(f"{array}[{axis}] = (size_t){text};" for axis, text in enumerate(texts))
    parameters = f"size_t {array}[3]{', ' if formals else ''}{formals}"
    return [f"static inline void {function}({parameters})", f"{{ {_unused(sizes)}{stores} }}"]


def _unused(names: Iterable[str]) -> str:
    """Not every function needs every size."""
    return "".join(f"(void){name}; " for name in names)


def _dimensions(prefix: str, formals: str, names: str) -> list[str]:
    lines = ["#ifdef __CUDACC__"]
    for word in ("grid", "block"):
        lines += [
            f"static inline dim3 {prefix}_{word}_dim({formals})",
            f"{{ size_t d[3]; {prefix}_{word}(d{names});",
            "  return dim3(unsigned(d[0]), unsigned(d[1]), unsigned(d[2])); }",
        ]
    return [*lines, "#endif"]

"""NAME.dispatch.h of a GPU kernel: which variant a size has, how it is built and launched, and for CUDA the variants
themselves with a function that launches the right one."""

from __future__ import annotations

from dataclasses import replace

from tunepass.diagnostics import TunepassError
from tunepass.expr.algebra import compare, where
from tunepass.expr.nodes import INTEGER, Constant, Expr, Name, free_names
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.emission.dispatch import dispatched, header_file, identifier, selector
from tunepass.frontends.c.emission.variant_text import copy, formal_list, includes
from tunepass.frontends.c.lowering import defines, macros
from tunepass.frontends.gpu.emission import at_choice, flag_text, launch_functions
from tunepass.ir.files import EmittedFile
from tunepass.ir.gpu import GpuBuffer, GpuKernel, GpuScalar, Launch
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import SizedVariants, common_names

VARIANT = "variant"
STATIC_SHARED_BYTE = 48 << 10  # more has to be allowed before a launch on NVIDIA's GPUs


def dispatch_file(variants: SizedVariants, note: str) -> EmittedFile:
    """The header of a CUDA or OpenCL kernel."""
    kernel = variants.variants[0]
    body, name = kernel.body_as(GpuKernel), identifier(kernel)
    lines = ["#include <stddef.h>", "", *selector(variants), ""]
    lines += [
        "/* What the source is compiled with. */",
        f"static inline const char *{name}_options(int {VARIANT})",
        "{",
    ]
    for number, variant in enumerate(variants.variants):
        words = " ".join([*defines(variant, chosen(variant)), flag_text(variant)]).strip()
        quoted = words.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'    {f"if ({VARIANT} == {number}) " if number < variants.default else ""}return "{quoted}";')
    lines += ["}", "", *launch_functions(launched(variants), name)]
    if body.dialect == "cuda":
        why = _alone(variants)
        lines += ["", *(_copies(variants) if not why else [f"/* Compile each variant with its options: {why}. */"])]
    return header_file(variants, note, lines)


def launched(variants: SizedVariants) -> Kernel:
    """A kernel whose launch is a function of the variant and the sizes."""
    kernel = variants.variants[0]
    body = kernel.body_as(GpuKernel)

    def by_variant(extents: list[Expr]) -> Expr:
        merged = extents[-1]
        for number, extent in reversed(list(enumerate(extents[:-1]))):
            merged = where(compare(Name(VARIANT, INTEGER), "==", number), extent, merged)
        return merged

    def merged(which: int, axis: int) -> Expr:
        launches = [v.body_as(GpuKernel).launch for v in variants.variants]
        extents = [(launch.grid, launch.block)[which][axis] for launch in launches]
        return by_variant([at_choice(v, e) for v, e in zip(variants.variants, extents)])

    dynamic = body.launch.dynamic_shared
    launch = Launch(
        grid=(merged(0, 0), merged(0, 1), merged(0, 2)),
        block=(merged(1, 0), merged(1, 1), merged(1, 2)),
        dynamic_shared=by_variant([at_choice(v, dynamic) for v in variants.variants]) if dynamic else None,
    )
    number = GpuScalar(name=VARIANT, element="int", value=Constant(0, INTEGER))
    return replace(kernel, body=replace(body, launch=launch, arguments=(number, *body.arguments)))


def _alone(variants: SizedVariants) -> str:
    """Why the variants cannot stand in one file; empty: they can."""
    kernel = variants.variants[0]
    body = kernel.body_as(GpuKernel)
    if any(isinstance(a, GpuBuffer) and a.symbol for a in body.arguments):
        return "each has the file's arrays for itself"
    if len({flag_text(v) for v in variants.variants}) > 1:
        return "they differ in the compiler's flags"
    try:
        dispatched(kernel)
    except TunepassError:
        return "the kernel is a template, or in a namespace"
    return ""


def _copies(variants: SizedVariants) -> list[str]:
    kernel = variants.variants[0]
    body, name, function = kernel.body_as(GpuKernel), identifier(kernel), dispatched(kernel)
    formals = {a.name: f.name for a, f in zip(body.arguments, function.formals)}
    lines = ["#ifdef __CUDACC__", *includes(kernel.source), ""]
    for number, variant in enumerate(variants.variants):
        lines += [*copy(variant, kernel.source.text, macros(variant, chosen(variant)), number), ""]
    launch = launched(variants).body_as(GpuKernel).launch
    used = {
        n
        for e in (*launch.grid, *launch.block, *([launch.dynamic_shared] if launch.dynamic_shared else []))
        for n in free_names(e)
    }
    given = [VARIANT] if VARIANT in used else []
    given += [formals[a.name] for a in body.arguments if isinstance(a, GpuScalar) and a.name in used]
    sizes, words = ", ".join(formals[n] for n in common_names(variants.sizes)), ", ".join(given)
    lines += [
        f"/* Launches {kernel.name} with the variant for its size. */",
        f"static inline cudaError_t {name}_dispatch({formal_list(function)}, cudaStream_t stream = 0)",
        "{",
        f"    const int {VARIANT} = {name}_variant({sizes});",
        f"    const dim3 grid = {name}_grid_dim({words}), block = {name}_block_dim({words});",
        f"    const size_t shared = {name}_dynamic_shared({words});",
        f"    switch ({VARIANT}) {{",
    ]
    values = ", ".join(f.name for f in function.formals)
    for number in range(len(variants.variants)):
        label = "default" if number == variants.default else f"case {number}"
        lines.append(f"    {label}:")
        if body.launch.dynamic_shared is not None:
            lines += [
                f"        if (shared > {STATIC_SHARED_BYTE})",
                f"            (void)cudaFuncSetAttribute({name}_{number}, cudaFuncAttributeMaxDynamicSharedMemorySize,"
                " (int)shared);",
            ]
        lines.append(f"        {name}_{number}<<<grid, block, shared, stream>>>({values});")
        lines.append("        break;")
    return [*lines, "    }", "    return cudaGetLastError();", "}", "#endif"]

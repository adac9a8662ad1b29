"""NAME.dispatch.h: variants of a kernel for several sizes in one header, which picks one by the size.

The header holds the tuned source of each variant, its names at file scope with the variant's number appended, so that
all can stand in one translation unit; nothing is needed at run time. Variants that may need flags of their own are
units of their own (tunepass.frontends.c.emission.variant_objects), which the header declares.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePath

from tunepass.diagnostics import SourceError, Span
from tunepass.expr.emit_c import prelude, to_c
from tunepass.expr.nodes import free_names
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.emission.files import comment, flag_text, note_lines, scheduled_text
from tunepass.frontends.c.emission.variant_objects import (
    called,
    check_types,
    declarations,
    stand_apart,
    units,
    with_macros,
)
from tunepass.frontends.c.emission.variant_text import copy, formal_list, includes, plain_returns, unit_of
from tunepass.frontends.c.lowering import macros
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition, definitions
from tunepass.ir.c_kernel import CKernel, ScalarArgument
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import FAR, SizedVariants, binary_log, common_names, size_text
from tunepass.space.configuration import shown

LOCALS = ("tuned", "number", "given", "logs", "nearest", "i", "k", "best", "distance", "step")  # of NAME_variant


def dispatch_file(variants: SizedVariants, note: str) -> EmittedFile:
    """The header of a C or C++ kernel: with the variants in it, or with declarations of `variant_units`."""
    kernel = variants.variants[0]
    function = dispatched(kernel)
    call = kernel.body_as(CKernel).call
    assert call is not None
    scalars = {a.name: f.name for a, f in zip(call.arguments, function.formals) if isinstance(a, ScalarArgument)}
    sizes = ", ".join(scalars[name] for name in common_names(variants.sizes))
    picked = f"{identifier(kernel)}_variant({sizes})"
    lines = [*selector(variants), ""]
    if stand_apart(kernel):
        declared, after = declarations(variants, function)
        names = [called(function, number) for number in range(len(variants.variants))]
        lines += [*declared, "", *_calls(kernel, function, picked, names), *after]
        return header_file(variants, _linked(variants, note), lines)
    check_types(unit_of(kernel), function, kernel)
    tuned = frozenset(name for name, _ in macros(kernel, chosen(kernel)))
    before, after = with_macros(kernel.source, function, tuned, _span(kernel))
    lines += [*includes(kernel.source), ""]
    for number, variant in enumerate(variants.variants):
        text, values = scheduled_text((variant,)), macros(variant, chosen(variant))
        lines += [*copy(variant, text, values, number), ""]
    names = [f"{kernel.name}_{number}" for number in range(len(variants.variants))]
    return header_file(variants, note, [*lines, *before, *_calls(kernel, function, picked, names), *after])


def variant_units(variants: SizedVariants) -> tuple[str, ...]:
    """The translation units that the header declares; none where it holds the variants itself."""
    kernel = variants.variants[0]
    return units(variants, dispatched(kernel)) if stand_apart(kernel) else ()


def _linked(variants: SizedVariants, note: str) -> str:
    """The note, with what the program is linked with."""
    runtime = [word for v in variants.variants for word in flag_text(v).split() if word in ("-fopenmp", "-pthread")]
    with_runtime = f", and with {' '.join(dict.fromkeys(runtime))}" if runtime else ""
    return "\n".join(filter(None, [note, f"Link with the .dispatch.o beside this header: it has them{with_runtime}."]))


def header_file(variants: SizedVariants, note: str, lines: Sequence[str]) -> EmittedFile:
    """The lines inside a guard, below a table of what was chosen for which size."""
    kernel = variants.variants[0]
    path = PurePath(kernel.source.name)
    name = f"{path.stem}.dispatch.h"
    guard = re.sub(r"\W", "_", name).upper()
    told = [f"Variants of {kernel.name} ({path.name}) by size, chosen by tunepass.", *note_lines(note)]
    for number, variant in enumerate(variants.variants):
        sizes = "; ".join(size_text(s) for s, n in zip(variants.sizes, variants.numbers) if n == number)
        values = ", ".join(f"{p} = {shown(value)}" for p, value in chosen(variant).items())
        default = "any other size (the default)" if number == variants.default else ""
        told.append(f"{number}: {'; '.join(part for part in (sizes, default) if part)}: {values}")
    top = [*comment(told), f"#ifndef {guard}", f"#define {guard}", ""]
    return EmittedFile(name, "\n".join([*top, *lines, "", f"#endif /* {guard} */", ""]))


def identifier(kernel: Kernel) -> str:
    """What the header's own names begin with."""
    return re.sub(r"\W+", "_", kernel.name).strip("_")


def dispatched(kernel: Kernel) -> FunctionDefinition:
    """The kernel's definition; SourceError for one that cannot stand in a file several times."""
    found = [d for d in definitions(unit_of(kernel)) if d.name == kernel.name]
    if len(found) != 1 or found[0].template is not None or any(s.kind != "extern" for s in found[0].scopes):
        message = "no dispatcher is written for templates, methods, overloads and functions in namespaces"
        raise SourceError(message, _span(kernel), "give the kernel a name of its own at file scope, or --variants 1")
    return found[0]


def _span(kernel: Kernel) -> Span:
    return kernel.span or Span(kernel.source, 0, 0)


def selector(variants: SizedVariants) -> list[str]:
    """NAME_variant(sizes): the number of the variant for the nearest of the tuned sizes; the default for those that
    are far from all, and where the variant's condition does not hold."""
    prefix, names = identifier(variants.variants[0]), common_names(variants.sizes)
    rows = [", ".join(repr(binary_log(float(value))) for _, value in size) for size in variants.sizes]
    texts = [to_c(condition) for condition in variants.conditions]
    helpers = frozenset(name for text in texts for name in text.helpers)
    tuned, number, given, logs, nearest, i, k, best, distance, step = _apart(LOCALS, names)
    refused = [
        f"    if ({best} == {variant} && !({text.expression})) {best} = {variants.default};"
        for variant, (text, condition) in enumerate(zip(texts, variants.conditions))
        if variant != variants.default and free_names(condition)
    ]
    formals = ", ".join(f"long long {name}" for name in names)
    rows_text, numbers = ", ".join(f"{{{row}}}" for row in rows), ", ".join(map(str, variants.numbers))
    far = binary_log(FAR)
    lines = [
        *([prelude(helpers)] if helpers else []),
        f"static inline double {prefix}_log2(double x)",
        "{",
        "    int whole = 0;",
        "    while (x >= 2) { x /= 2; whole++; }",
        "    while (x < 1) { x *= 2; whole--; }",
        "    return whole + (x - 1);",
        "}",
        "",
        f"/* The variant for a size: that of the nearest tuned one. Farther than {FAR} times from all, the default. */",
        f"static inline int {prefix}_variant({formals})",
        "{",
        f"    static const double {tuned}[{len(rows)}][{len(names)}] = {{{rows_text}}};",
        f"    static const int {number}[{len(rows)}] = {{{numbers}}};",
        f"    const double {given}[{len(names)}] = {{{', '.join(f'(double){name}' for name in names)}}};",
        f"    double {logs}[{len(names)}], {nearest} = 1e300;",
        f"    int {i}, {k}, {best} = {variants.default};",
        f"    for ({k} = 0; {k} < {len(names)}; {k}++) {{",
        f"        if ({given}[{k}] <= 0) return {variants.default};",
        f"        {logs}[{k}] = {prefix}_log2({given}[{k}]);",
        "    }",
        f"    for ({i} = 0; {i} < {len(rows)}; {i}++) {{",
        f"        double {distance} = 0;",
        f"        for ({k} = 0; {k} < {len(names)}; {k}++) {{",
        f"            const double {step} = {logs}[{k}] - {tuned}[{i}][{k}];",
        f"            {distance} += {step} < -{far} || {step} > {far} ? 1e300 : {step} * {step};",
        "        }",
        f"        if ({distance} < {nearest}) {{ {nearest} = {distance}; {best} = {number}[{i}]; }}",
        "    }",
        *refused,
        f"    return {best};",
        "}",
    ]
    return re.sub(r"\btp_(?=\w+\()", f"{prefix}_size_", "\n".join(lines)).splitlines()


def _apart(words: Sequence[str], used: Collection[str]) -> list[str]:
    """The words, longer where a scalar of the kernel is called so."""
    return [next(w for n in range(len(used) + 1) if (w := word + "_" * n) not in used) for word in words]


def _calls(kernel: Kernel, function: FunctionDefinition, variant: str, names: Sequence[str]) -> list[str]:
    returns = plain_returns(function)
    values = ", ".join(f.name for f in function.formals)
    lines = [
        f"/* {kernel.name} with the variant for its size. */",
        f"static inline {returns} {identifier(kernel)}_dispatch({formal_list(function)})",
        "{",
        f"    switch ({variant}) {{",
    ]
    for number, name in enumerate(names):
        call = f"{name}({values});"
        label = "default" if number == len(names) - 1 else f"case {number}"
        lines.append(f"    {label}: {f'{call} return;' if returns == 'void' else f'return {call}'}")
    return [*lines, "    }", "}"]

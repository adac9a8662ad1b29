"""A scheduled kernel as files: the source with its choices on top, and a header for those who call it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from tunepass.diagnostics import Span
from tunepass.frontends.c.emission.defaults import (
    Change,
    changed,
    chosen,
    chosen_values,
    default_changes,
    heading,
    settled_changes,
    without_heading,
)
from tunepass.frontends.c.lowering import (
    compiled_scops,
    compiler_of,
    constants,
    flags,
    hint_changes,
    macros,
    scops_of,
    stated,
)
from tunepass.frontends.c.pragmas.pragma import parse_pragma
from tunepass.frontends.cfamily.types.declared import is_known
from tunepass.ir.c_kernel import ArrayArgument, CKernel, KernelCall, ScalarArgument
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel


def emit_file(kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
    """NAME.tuned.c (or the source's own suffix) and NAME.tuned.h for the kernels of one source."""
    path = PurePath(kernels[0].source.name)
    source, header = f"{path.stem}.{word}{path.suffix or '.c'}", f"{path.stem}.{word}.h"
    return (
        EmittedFile(source, _source(kernels, note, path.name)),
        EmittedFile(header, _header(kernels, note, path.name, header)),
    )


def flag_text(kernel: Kernel) -> str:
    return " ".join(flags(kernel, chosen(kernel)))


def _source(kernels: Sequence[Kernel], note: str, name: str) -> str:
    """The source's own text, its pragmas with the choices as defaults, below a comment and a block of macros: it
    builds without a -D, and can be tuned again but for what is settled: the loops that were written anew."""
    lines = [f"{name}, tuned by tunepass.", *note_lines(note)]
    words = [f"{compiler_of(kernel, chosen(kernel))} {flag_text(kernel)}".strip() for kernel in kernels]
    lines += [f"Compile with {text}" for text in words if text]
    defined = dict(pair for kernel in kernels for pair in macros(kernel, chosen(kernel)))
    return heading(lines, defined) + without_heading(changed(kernels[0].source.text, _source_changes(kernels)), defined)


def _source_changes(kernels: Sequence[Kernel]) -> list[Change]:
    source = kernels[0].source
    settled = {b.parameter for kernel in kernels for b in kernel.bindings if b.role == "directive"}
    settled |= {name for kernel in kernels for hint in kernel.body_as(CKernel).hints for name in hint.settled}
    named = {b.parameter for kernel in kernels for b in kernel.bindings if b.role == "compiler"}
    values = {name: value for name, value in chosen_values(kernels).items() if name not in settled | named}
    changes = [change for kernel in kernels for change in (*_nest_changes(kernel), *stated(kernel, chosen(kernel)))]
    return [
        *changes,
        *default_changes(source, values, parse_pragma),
        *settled_changes(source, settled, parse_pragma),
    ]


def scheduled_text(kernels: Sequence[Kernel]) -> str:
    """The source's text with its constants, and every nest as it is scheduled, its pragma a comment that says how."""
    changes = [change for kernel in kernels for change in (*_nest_changes(kernel), *constants(kernel, chosen(kernel)))]
    return changed(kernels[0].source.text, changes)


def _nest_changes(kernel: Kernel) -> Iterator[Change]:
    values = chosen(kernel)
    yield from hint_changes(kernel, values)
    nests = scops_of(kernel)
    if not nests:
        return
    compiled = compiled_scops(kernel, values)
    from tunepass.frontends.c.nests.lowering import scheduled
    from tunepass.polyhedral.schedules.describe import describe_scop
    from tunepass.polyhedral.schedules.plan import plan_of

    for part in compiled:
        plan = plan_of(part.directives, values)
        words = describe_scop(part.scop, plan, independent=part.directives.independent)
        yield part.scop.pragma, _loops_comment(part.scop.pragma, words)
        yield part.scop.span, scheduled(part, values, numbered=False)
    for pragma in {part.scop.pragma: None for part in nests}:
        if not any(part.scop.pragma == pragma for part in compiled):
            yield pragma, "/* Loops as they were: the choices leave this branch out. */"


def _loops_comment(pragma: Span, words: str) -> str:
    line = pragma.source.line_text(pragma.start)
    margin = line[: len(line) - len(line.lstrip())]
    text = f"Loops, from the outside in: {words}."
    return f"\n{margin}".join(comment(textwrap.wrap(text, 100))).replace(f"\n{margin} */", " */")


def _header(kernels: Sequence[Kernel], note: str, name: str, header: str) -> str:
    lines = [
        line for kernel in kernels for line in [*choice_macros(kernel, flag_text(kernel)), "", *_declaration(kernel)]
    ]
    return guarded_header(header, [f"What tunepass chose for {name}.", *note_lines(note)], lines)


def guarded_header(header: str, summary: Sequence[str], lines: Sequence[str]) -> str:
    """The text of a header called `header`, below a comment."""
    guard = re.sub(r"\W", "_", header).upper()
    return "\n".join(
        [*comment(summary), f"#ifndef {guard}", f"#define {guard}", "", *lines, f"#endif /* {guard} */", ""]
    )


def tuned_prefix(kernel: Kernel) -> str:
    """What the names in its header begin with."""
    return re.sub(r"\W+", "_", kernel.name).strip("_") + "_tuned"


def choice_macros(kernel: Kernel, flags: str) -> list[str]:
    """The flags and the value of each macro, for those who include the header."""
    prefix, quoted = tuned_prefix(kernel).upper(), flags.replace("\\", "\\\\").replace('"', '\\"')
    chosen_macros = macros(kernel, chosen(kernel))
    return [
        f'#define {prefix}_FLAGS "{quoted}"',
        *(f"#define {prefix}_{macro} {text}" for macro, text in chosen_macros),
    ]


def _declaration(kernel: Kernel) -> list[str]:
    """The kernel's prototype, where the header can know its types."""
    call = kernel.body_as(CKernel).call
    if call is None or call.entry is not None:  # other files cannot call it, or not by its prototype alone
        return []
    types = _types(call)
    if call.own_types or not all(is_known(t) for t in types):
        return [f"/* Declare `{call.prototype}` after its types. */", ""]
    includes = ["#include <stdint.h>"] if any(re.match(r"u?int", t) and t.endswith("_t") for t in types) else []
    includes += ["#include <stddef.h>"] if any(t in ("size_t", "ptrdiff_t") for t in types) else []
    includes += ["#include <stdbool.h>"] if "bool" in types and kernel.language == "c" else []
    prototype = re.sub(r"\brestrict\b", "__restrict", call.prototype).removeprefix('extern "C" ')
    if kernel.language == "c++" and not call.prototype.startswith("extern"):
        return [*includes, f"{prototype};", ""]
    if re.search(r"\[\s*[A-Za-z_(]", prototype):  # C++ has no arrays of a length known at run time
        return [*includes, "#ifndef __cplusplus", f"{prototype};", "#endif", ""]
    return [*includes, "#ifdef __cplusplus", 'extern "C"', "#endif", f"{prototype};", ""]


def _types(call: KernelCall) -> set[str]:
    return {a.element for a in call.arguments if isinstance(a, (ArrayArgument, ScalarArgument)) and a.element}


def note_lines(note: str) -> list[str]:
    return note.replace("*/", "* /").splitlines()


def comment(lines: Sequence[str]) -> list[str]:
    first, *rest = lines
    return [f"/* {first}", *(f" * {line}".rstrip() for line in rest), " */"]

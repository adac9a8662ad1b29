"""Variants that need flags of their own: an object of each, then one of all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.lowering import compiler_of, flags
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel

NO_BYTECODE = "-fno-lto"  # a relocatable link leaves an object of bytecode to nobody


def compile_together(command: tuple[str, ...], variants: Sequence[Kernel], units: Sequence[str], target: Path) -> None:
    """Compile the text of each variant with its flags, and link them into one relocatable object, `target`."""
    from tunepass.evaluators.toolchains.compiling import Compiling

    kernel = variants[0]
    source = Path(kernel.source.name)
    compiling = Compiling(
        command=command, source=source, language="c++" if kernel.language == "c++" else "c", numbered=False
    )
    objects = []
    for number, (variant, text) in enumerate(zip(variants, units, strict=True)):
        folder = target.parent / f"variant-{number}"
        folder.mkdir()
        variant_flags = (*flags(variant, chosen(variant)), *((NO_BYTECODE,) if _has_bytecode(command, variant) else ()))
        candidate = Candidate(text=text, flags=variant_flags, compiler=compiler_of(variant, chosen(variant)))
        compiled, _, failure = compiling.compile_candidate(candidate, folder, rename_main=False)
        if failure is not None:
            raise ToolError(f"variant {number} of {source.name} does not compile", hint=failure.log)
        objects.append(compiled)
    words = [word for word in compiling.flags if word.startswith(("-m", "--target="))]
    _, failure = compiling.run([*words, "-r", "-nostdlib", *objects, "-o", target])
    if failure is not None:
        raise ToolError(f"the variants of {source.name} cannot be linked into one object", hint=failure.log)
    for compiled in objects:
        os.remove(compiled)


def _has_bytecode(command: Sequence[str], variant: Kernel) -> bool:
    return any(word.startswith("-flto") for word in (*command, *flags(variant, chosen(variant))))

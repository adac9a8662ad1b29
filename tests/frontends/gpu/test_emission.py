"""Tuned sources and headers: the launch that a header computes is the launch of the kernel, for any size."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.frontends.gpu.sources import SCALE, SCALE_CL, kernel, short
from tunepass.expr.algebra import lift, substitute
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Choice, Kernel

SIZES = (1, 7, 64, 1000, 4096, 1_000_003)


def emitted(read: Kernel) -> tuple[str, str]:
    source, header = GpuFrontend().emit((read,), "why */ it was chosen")
    assert (source.name, header.name) == (f"scale.tuned{read.source.name[-3:]}", "scale.tuned.h")
    return source.text, header.text


@pytest.mark.parametrize(("text", "name"), [(SCALE, "scale.cu"), (SCALE_CL, "scale.cl")])
def test_the_source_has_its_choices_on_top(text: str, name: str) -> None:
    read = kernel(text, name).scheduled((Choice("BX", 128), Choice("PER", 3)))
    source, header = emitted(read)
    defined = "".join(f"#ifndef {n}\n#define {n} {v}\n#endif\n" for n, v in (("BX", 128), ("PER", 3)))
    retold = text.replace("128) = 64", "128) = 128").replace("1..4) = 1", "1..4) = 3")
    assert source.endswith(f" */\n{defined}\n{retold}")
    assert "why * / it was chosen" in source
    assert "#define SCALE_TUNED_BX 128\n#define SCALE_TUNED_PER 3\n" in header


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
@pytest.mark.parametrize(("text", "name"), [(SCALE, "scale.cu"), (SCALE_CL, "scale.cl")])
def test_the_header_computes_the_launch(text: str, name: str, tmp_path: Path) -> None:
    read = kernel(text, name).scheduled((Choice("BX", 128), Choice("PER", 3)))
    (tmp_path / "scale.h").write_text(emitted(read)[1])
    calls = "".join(
        f'scale_tuned_grid(g, {n}); scale_tuned_block(b, {n});\nprintf("%zu %zu %zu %zu\\n", g[0], g[1], b[0], b[2]);\n'
        for n in SIZES
    )
    main = f'#include <stdio.h>\n#include "scale.h"\nint main(void)\n{{ size_t g[3], b[3];\n{calls}return 0; }}\n'
    (tmp_path / "main.c").write_text(main)
    words = ["gcc", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "main.c", "-o", "main"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    printed = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True, timeout=60).stdout
    assert printed.splitlines() == [" ".join(map(str, launch(read, n))) for n in SIZES]


def launch(read: Kernel, n: int) -> tuple[int, int, int, int]:
    body = read.body_as(GpuKernel)
    values = {"BX": lift(128), "PER": lift(3)}
    ends = (body.launch.grid[0], body.launch.grid[1], body.launch.block[0], body.launch.block[2])
    a, b, c, d = (constant_value(substitute(body.at(e, {"n": n}), values)) for e in ends)
    assert all(isinstance(x, int) for x in (a, b, c, d))
    return a, b, c, d  # type: ignore[return-value]


def test_a_launch_without_sizes_takes_none() -> None:
    read = kernel(short("grid(16, 2) block(BX) dynamic(4 * BX)", arguments="n = 64, y: out float[n]"))
    _, header = emitted(read)
    assert "f_tuned_grid(size_t grid[3])" in header and "f_tuned_dynamic_shared(void)" in header
    assert "(size_t)256LL" in header

"""A probe for each nest: legal, rewritten, and all else as the source has it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tunepass.backends.base import Target, backend_for
from tunepass.cli import main
from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.nests import lowering as nest_lowering
from tunepass.frontends.c.nests.lowering import illegal
from tunepass.frontends.c.nests.probes import probes, rewritten_nests
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space

TWO = """\
#pragma tunepass param U: ordinal(1, 2) = 1
#pragma tunepass kernel both(n = 64, A: in double[n][n], y: inout double[n], z: out double[n])
#ifndef U
#define U 1
#endif
void both(int n, double A[restrict n][n], double *restrict y, double *restrict z)
{
#pragma tunepass loop auto
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[j] += A[j][i];
#pragma tunepass loop auto
    for (int i = 0; i < n; i++)
        z[i] = 2 * y[i] + U;
}
"""
DIRECTED = """\
#pragma tunepass param T: ordinal(0, 8, 16) = DEFAULT
#pragma tunepass kernel scale(n = 64, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
#pragma tunepass loop tile(i: T)
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
"""


def kernel_of(text: str) -> tuple[Kernel, Space]:
    (kernel,) = CFrontend().parse(Source("k.c", text)).kernels
    return kernel, Space(kernel.parameters, kernel.constraints)


def test_each_nest_has_one_and_the_others_stand_as_they_are() -> None:
    kernel, space = kernel_of(TWO)
    found = probes(kernel, space)
    assert len(found) == 2
    for number, configuration in enumerate(found):
        (nest,) = rewritten_nests(kernel, configuration)
        own = set(nest.directives.parameters(nest.scop))
        changed = {name for name, value in configuration.items() if value != space.default[name]}
        assert nest.scop.pragma.line == (8, 12)[number] and changed <= own and not illegal(nest, configuration)


def test_a_nest_without_openings_takes_a_step_from_the_default() -> None:
    kernel, space = kernel_of(DIRECTED.replace("DEFAULT", "0"))
    (found,) = probes(kernel, space)
    assert found["T"] in (8, 16)


def test_a_nest_that_the_default_rewrites_needs_none() -> None:
    kernel, space = kernel_of(DIRECTED.replace("DEFAULT", "8"))
    assert probes(kernel, space) == () and len(rewritten_nests(kernel, space.default)) == 1


def test_the_place_is_the_nest_of_the_compilers_line() -> None:
    kernel, space = kernel_of(TWO)
    backend = backend_for(kernel, Target(compiler=("cc",)))
    both = {name: value for probe in probes(kernel, space) for name, value in probe.items()
            if value != space.default[name]}  # fmt: skip
    everything = type(space.default)({**space.default, **both})
    lines = [place.line for line in (10, 14, None) if (place := backend.place_written(everything, line))]
    assert lines == [8, 12, 8]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_text_that_does_not_compile_ends_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = nest_lowering.rewrite_scop
    monkeypatch.setattr(
        nest_lowering, "rewrite_scop", lambda *scop, **words: written(*scop, **words).replace("z[", "undeclared[")
    )
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(TWO)
    assert main(["build", "k.c", "--max-evals", "5", "--", "gcc", "-O1"]) == 2
    said = capsys.readouterr().err
    assert (
        "k.c:12:1: error: a defect of tunepass" in said
        and "k.c:14:9: error: 'undeclared' undeclared" in said.replace("‘", "'").replace("’", "'")
    )
    assert ".tunepass/defect-k.c" in said and "gcc -O1" in said
    assert "undeclared[" in Path(".tunepass/defect-k.c").read_text()
    assert (not Path("tunepass.lock").exists() and not Path("out").is_dir()) or not list(Path("out").iterdir())


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_a_schedule_whose_text_is_mended_is_tried_again_although_the_lock_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = DIRECTED.replace("DEFAULT", "0")
    (probe,) = probes(*kernel_of(text))
    broken = str(24 - int(str(probe["T"])))

    def failures() -> tuple[dict[str, int], int]:
        assert main(["build", "k.c", "--max-evals", "3", "--format", "json", "--", "gcc", "-O1"]) == 0
        kernel = json.loads(capsys.readouterr().out)
        return kernel["failures"], kernel["evaluations"]

    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(text)
    with monkeypatch.context() as patched:
        written = nest_lowering.rewrite_scop
        patched.setattr(
            nest_lowering, "rewrite_scop", lambda *scop, **words: written(*scop, **words).replace(broken, "undeclared")
        )
        assert failures() == ({"compile": 1}, 3)
        assert failures()[1] == 0  # the lock fits, and the text is the same
    assert failures() == ({}, 1)
    assert failures() == ({}, 0)

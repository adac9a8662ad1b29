"""The seven programs of HyperMapper 2.0: sizes of their spaces, restrictions, round trips."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tunepass.backends.base import unrestricted
from tunepass.diagnostics import Source
from tunepass.expr import numpy_eval
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.ir.hardware import Controller, Program
from tunepass.ir.kernel import Choice, Kernel

SAMPLES = Path(__file__).parents[3] / "samples" / "spatial"
# HyperMapper 2.0, Table II, to the last digit (the table rounds to three).
SIZES = {
    "BlackScholes": 76_800,
    "KMeans": 1_040_400,
    "OuterProduct": 16_588_800,
    "DotProduct": 117_964_800,
    "GEMM": 262_144_000,
    "TPCHQ6": 3_538_944_000,
    "GDA": 240_396_533_760,
}


EVERY = sorted(path.stem for path in SAMPLES.glob("*.scala"))


def load(name: str) -> Kernel:
    path = SAMPLES / f"{name}.scala"
    parsed = SpatialFrontend().parse(Source(path.name, path.read_text()))
    assert not parsed.warnings
    (kernel,) = parsed.kernels
    return kernel


@pytest.mark.parametrize("name", SIZES)
def test_the_raw_space_has_the_papers_size(name: str) -> None:
    assert math.prod(p.size or 0 for p in load(name).parameters) == SIZES[name]


@pytest.mark.parametrize("name", EVERY)
def test_the_defaults_leave_the_source_alone(name: str) -> None:
    kernel = load(name)
    assert SpatialFrontend().emit((kernel,))[0].text == kernel.source.text
    chosen = kernel.scheduled(tuple(Choice(p.name, p.default) for p in kernel.parameters))
    (file,) = SpatialFrontend().emit((chosen,))
    assert file.text == kernel.source.text and file.name == f"{name}.tuned.scala"


@pytest.mark.parametrize("name", EVERY)
def test_chosen_values_parse_back(name: str) -> None:
    kernel = load(name)
    rng = np.random.default_rng(1)
    values = {p.name: p.domain[int(rng.integers(len(p.domain)))] for p in kernel.parameters}
    toggles = [p.name for p in kernel.parameters if p.name.startswith("pipeline_")]
    values |= dict.fromkeys(toggles, False)  # as one that is on is named by a line, which the note moves
    (file,) = SpatialFrontend().emit((kernel.scheduled(tuple(Choice(k, v) for k, v in values.items())),), note="chosen")
    assert file.text.startswith("// chosen\n")
    (again,) = SpatialFrontend().parse(Source(file.name, file.text)).kernels
    assert {p.name: p.default for p in again.parameters} == values
    assert file.text.count("Sequential.") == kernel.source.text.count("Sequential.") + len(toggles)


@pytest.mark.parametrize("name,size", [("Attention", 313_600), ("Convolution", 1_600), ("FFT", 240)])
def test_programs_that_nobody_tuned(name: str, size: int) -> None:
    kernel = load(name)
    assert math.prod(p.size or 0 for p in kernel.parameters) == size


def test_parameters_priors_and_toggles() -> None:
    kernel = load("BlackScholes")
    assert [(p.name, p.size, p.default) for p in kernel.parameters] == [
        ("B", 200, 1920),
        ("OP", 2, 1),
        ("IP", 96, 1),
        ("pipeline_73", 2, True),
    ]
    assert [(p.prior.a, p.prior.b) for p in kernel.parameters[:3]] == [(3, 3), (1, 1), (1.5, 0.5)]


@pytest.mark.parametrize("name,legal", [("BlackScholes", 672), ("KMeans", 9_360)])
def test_the_restrictions_leave_what_the_heuristic_search_had(name: str, legal: int) -> None:
    kernel = load(name)
    declared = [p for p in kernel.parameters if not p.name.startswith("pipeline_")]
    grids = np.meshgrid(*(np.array(p.domain) for p in declared), indexing="ij")
    columns = {p.name: grid.ravel() for p, grid in zip(declared, grids)}
    n = grids[0].size
    kept = np.logical_and.reduce([numpy_eval.satisfied(c.expression, columns, n) for c in kernel.constraints])
    toggles = 2 ** (len(kernel.parameters) - len(declared))
    assert int(kept.sum()) * toggles == legal
    assert unrestricted(kernel).constraints == ()


def outline(controller: Controller, depth: int = 0) -> list[str]:
    lines = [f"{'  ' * depth}{controller.kind} {controller.schedule.value} ops={len(controller.operations)}"]
    for stage in controller.stages:
        if isinstance(stage, Controller):
            lines += outline(stage, depth + 1)
        else:
            lines.append(f"{'  ' * (depth + 1)}{stage.kind} {stage.local}")
    return lines


@pytest.mark.parametrize("name", SIZES)
def test_the_controllers(name: str, golden) -> None:  # type: ignore[no-untyped-def]
    program = load(name).body_as(Program)
    golden(f"spatial/{name}.txt", "\n".join(outline(program.accel)) + "\n")

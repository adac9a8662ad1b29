"""Generated C: its text for BaCO's kernels, and that it computes what the expression says, under sanitizers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.tensors.lower.matrices import SHAPES, extents_of, numbers
from tests.tensors.lower.running import Case, run
from tests.tensors.lower.samples import BACO, INTERSECTIONS, OTHERS, Sample
from tunepass.ir.tensor import Element
from tunepass.tensors.lower import Extent, StatedExtent, lower
from tunepass.tensors.schedule.nest import scheduled_nest


@pytest.mark.parametrize("sample", (*BACO, *INTERSECTIONS), ids=lambda sample: sample.name)
def test_text(sample: Sample, golden: Callable[[str, str], None]) -> None:
    golden(f"tensors/{sample.name}.c", sample.function().text)


def case(sample: Sample, shape: str, rng: np.random.Generator, element: Element = "double") -> Case:
    """The sample on a small tensor of that shape."""
    body = sample.kernel()
    body = replace(body, tensors=tuple(replace(tensor, element=element) for tensor in body.tensors))
    function = lower(scheduled_nest(body, {}), f"{sample.name}_{shape.replace(' ', '_')}_{element}")
    variables = [argument.variable for argument in function.arguments if isinstance(argument, Extent)]
    extents = extents_of(variables, shape, rng)
    extents |= {stated.variable: stated.extent for stated in function.stated}
    arrays, patterns = numbers(body.tensors, extents, shape, rng)
    return Case(function, body.assignment, body.tensors, extents, arrays, patterns)


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.each_value
def test_samples_compute_their_expressions(compiler: str, half: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    run([case(sample, shape, rng) for sample in (*BACO, *OTHERS)[half::2] for shape in SHAPES], tmp_path, compiler)


@pytest.mark.parametrize("element", ["float", "int", "long"])
@pytest.mark.one_in(3)
def test_elements(element: Element, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    samples = [sample for sample in (*BACO, *OTHERS) if "/" not in sample.right]
    run([case(sample, "dense row", rng, element) for sample in samples], tmp_path)


def test_a_result_that_is_added_to_keeps_what_it_held(tmp_path: Path) -> None:
    rng, cases = np.random.default_rng(3), []
    for sample in BACO:
        plain = case(sample, "empty rows", rng)
        body = sample.kernel()
        body = replace(body, assignment=replace(body.assignment, accumulates=True))
        function = lower(scheduled_nest(body, {}), f"{sample.name}_adds")
        arrays = dict(plain.arrays)
        cases.append(replace(plain, function=function, assignment=body.assignment, arrays=arrays))
    run(cases, tmp_path)


def test_the_text_is_clean_without_openmp(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    cases = [case(sample, "rectangular", rng) for sample in (*BACO, *OTHERS)]
    for compiler in ("gcc", "clang"):
        run(cases, tmp_path, compiler, ("-O0",), threads=False)


def test_a_stated_extent_is_reported() -> None:
    sample = Sample("bounded", "A(i,k)", "B(i,j) * C(j,k)", "B=ds", "bound(k,kb,16,MaxExact)")
    function = sample.function()
    assert function.stated == (StatedExtent("k", 16),)
    assert "if (k_size != 16) return 1;" in function.text


def test_names_that_c_keeps_for_itself(tmp_path: Path) -> None:
    sample = Sample("words", "double(int)", "for(int,while) * smaller(while)", "for=ds")
    run([case(sample, "dense row", np.random.default_rng(5))], tmp_path)

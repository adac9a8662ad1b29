"""Every schedule that is accepted is lowered, and its C computes the expression."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.tensors.lower.matrices import SHAPES, extents_of, numbers
from tests.tensors.lower.random_kernels import scheduled
from tests.tensors.lower.running import Case, run
from tunepass.tensors.lower import Extent, lower
from tunepass.tensors.notation import assignment_text

BATCH = 8  # kernels in one program: a compiler takes longer to start than for one of them


def random_case(seed: int, several: bool = False) -> Case | None:
    """None where the random kernel has no legal loops."""
    made = scheduled(Random(seed), several)
    if made is None:
        return None
    body, nest = made
    function = lower(nest, f"kernel_{seed}")
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    variables = [argument.variable for argument in function.arguments if isinstance(argument, Extent)]
    extents = extents_of(variables, shape, rng)
    stated = {stated.variable: stated.extent for stated in function.stated}
    extents |= stated
    if assignment_text(body.assignment).count("B(") > 1 and several:  # B(i,j) * B(j,k): one shape
        if len(set(stated.values())) > 1:
            return None
        extents = dict.fromkeys(extents, max((stated or extents).values()))
    arrays, patterns = numbers(body.tensors, extents, shape, rng)
    return Case(function, body.assignment, body.tensors, extents, arrays, patterns)


@pytest.mark.parametrize("start", [3, 120, 7700])
def test_accepted_schedules_compute_their_expressions(start: int, tmp_path: Path) -> None:
    run([case for seed in range(start, start + BATCH) if (case := random_case(seed)) is not None], tmp_path)


# A term that does not use a loop around its workspace is not summed over it.
# A workspace may use a variable of the loops around that its reader does not.
# A workspace's variable that has no loop is where its reader is.
def test_kernels_that_were_wrong_once(tmp_path: Path) -> None:
    cases = [random_case(seed) for seed in (248, 5069, 5112, 214, 270, 294)]
    run([case for case in cases if case is not None], tmp_path)


# Of a product with several sparse operands the entries that all of them have count, whatever drives the loops.
@pytest.mark.parametrize("start", [1, 400, 2000])
def test_products_of_sparse_operands(start: int, tmp_path: Path) -> None:
    cases = [random_case(seed, several=True) for seed in range(start, start + BATCH)]
    run([case for case in cases if case is not None], tmp_path)

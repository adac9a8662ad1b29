"""Every schedule that is accepted is lowered, and its C computes the expression."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tensors.lower.matrices import SHAPES, extents_of, numbers
from tests.tensors.lower.random_kernels import scheduled
from tests.tensors.lower.running import Case, run
from tunepass.ir.tensor import Precompute
from tunepass.tensors.lower import Extent, LoweringError, lower

BATCH = 16  # kernels in one program: a compiler takes longer to start than for one of them


def random_case(seed: int) -> Case | None:
    """None where the random kernel has no legal loops, or a workspace that is not lowered."""
    made = scheduled(Random(seed))
    if made is None:
        return None
    body, nest = made
    try:
        function = lower(nest, f"kernel_{seed}")
    except LoweringError:
        if any(isinstance(directive, Precompute) for directive in body.schedule):
            return None
        raise
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    variables = [argument.variable for argument in function.arguments if isinstance(argument, Extent)]
    extents = extents_of(variables, shape, rng)
    extents |= {stated.variable: stated.extent for stated in function.stated}
    arrays, patterns = numbers(body.tensors, extents, shape, rng)
    return Case(function, body.assignment, body.tensors, extents, arrays, patterns)


@settings(max_examples=2, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_accepted_schedules_compute_their_expressions(start: int) -> None:
    cases = [case for seed in range(start, start + BATCH) if (case := random_case(seed)) is not None]
    with TemporaryDirectory() as folder:
        run(cases, Path(folder))


# A term that does not use a loop around its workspace is not summed over it.
# A workspace may use a variable of the loops around that its reader does not.
# A workspace's variable that has no loop is where its reader is.
@pytest.mark.parametrize("seed", [248, 5069, 5112, 214, 270, 294])
def test_kernels_that_were_wrong_once(seed: int, tmp_path: Path) -> None:
    case = random_case(seed)
    assert case is not None
    run([case], tmp_path)

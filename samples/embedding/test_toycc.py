"""The compiler keeps the contract of an embedding: `python -m pytest test_toycc.py` in this folder."""

from collections.abc import Callable

import pytest
from toycc import MATMUL, Nest, compile_nest, cycles

import tunepass as tp
from tunepass.testing import EmbeddingContract, Tune


def tune(
    *, seed: int = 0, stop: Callable[[], bool] = lambda: False, during: Callable[[], None] = lambda: None
) -> tp.Result:
    def cost(nest: Nest, schedule: tp.Configuration) -> float:
        during()
        return cycles(nest, schedule)

    return compile_nest(MATMUL, cost, seed=seed, stop=stop)


class TestToycc(EmbeddingContract):
    @pytest.fixture
    def tune(self) -> Tune:
        return tune

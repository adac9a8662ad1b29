"""The block is one that the frontend of applications reads, each value as its words."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import Source
from tunepass.flags.block import block, even_prior
from tunepass.flags.option import Amount, OptionChoice, identifier, numbers_around
from tunepass.frontends.app.frontend import AppFrontend
from tunepass.frontends.app.lowering import flags
from tunepass.space.configuration import Configuration
from tunepass.space.prior import Beta, value_masses
from tunepass.space.space import Space

OPTIONS = [
    OptionChoice("LEVEL", ("-O2", "-O3")),
    OptionChoice("a_b", ("", "-fa-b", "-fno-a-b")),
    OptionChoice("odd", ("", "-mllvm -x={1}, 'two'")),
    Amount("n", "--param=n={}", (0, 2, 4), 2),
    Amount("m", "-mllvm -m={}", (1, 8), 8),
]
REST = """\
name: program
sources: [main.c]
build: {command: "gcc {FLAGS} main.c -o main"}
run: {command: ./main}
"""


def test_a_description_reads_it() -> None:
    text = block("gcc-12", OPTIONS, [("-fa-b", "--param=n=4")], ["gcc 12"]) + REST
    (kernel,) = AppFrontend().parse(Source("tune.yaml", text)).kernels
    space = Space(kernel.parameters, kernel.constraints)
    assert flags(kernel, space.default) == ("-O2",)
    both = Configuration({"LEVEL": "-O3", "a_b": "-fno-a-b", "odd": "", "n": 4, "m": 1})
    assert flags(kernel, both) == ("-O3", "-fno-a-b", "--param=n=4", "-mllvm", "-m=1")
    assert [p.kind for p in kernel.parameters] == ["categorical"] * 3 + ["ordinal"] * 2
    assert space.size == 2 * 3 * 2 * 3 * 2 - 2 * 2 * 2
    odd = kernel.parameters[2].domain  # type: ignore[union-attr]
    assert odd == ("", "-mllvm -x={1}, 'two'")


def test_names_and_numbers() -> None:
    assert [identifier(t) for t in ("tree-vrp", "2d", "a.b=")] == ["tree_vrp", "_2d", "a_b"]
    assert numbers_around(5, 0, 3 + 2) == (0, 1, 2, 3, 4, 5)
    assert numbers_around(100, 0, 100) == (0, 12, 25, 50, 100)
    assert numbers_around(16) == (2, 4, 8, 16, 32, 64, 128)
    assert numbers_around(0) == (0, 1, 4, 16, 64)
    assert numbers_around(-1, 0, 1) == (-1, 0, 1)


def test_the_priors_hold_to_what_the_level_has_half_of_the_time() -> None:
    (kernel,) = AppFrontend().parse(Source("tune.yaml", block("gcc", OPTIONS, [], []) + REST)).kernels
    space = Space(kernel.parameters, kernel.constraints)
    rng = np.random.default_rng(1)
    drawn = [space.sample(1, rng, prior=True)[0] for _ in range(200)]
    kept = {p.name: sum(c[p.name] == p.default for c in drawn) / len(drawn) for p in kernel.parameters}
    assert all(0.4 < share < 0.6 for share in kept.values()), kept


@pytest.mark.parametrize("numbers", [(0, 2, 4), (1, 8), (0, 1, 4, 16, 64), (25, 50, 100, 200, 400)])
def test_a_number_is_as_likely_at_its_default_as_not(numbers: tuple[int, ...]) -> None:
    scaled = np.log(numbers) if min(numbers) > 0 else np.array(numbers, float)
    places = (scaled - scaled[0]) / (scaled[-1] - scaled[0])
    for index in range(len(numbers)):
        mass, uniform = (
            value_masses(Beta(*prior), places)[index] for prior in (even_prior(places, index), (1, 1.0001))
        )
        assert mass == pytest.approx(max(0.5, uniform), abs=2e-3)

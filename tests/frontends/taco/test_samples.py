"""The five kernels of BaCO: their spaces, and what is written for TACO of configurations of them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.taco.commandline import source_of
from tunepass.frontends.taco.frontend import TacoFrontend
from tunepass.frontends.taco.text import schedule_text
from tunepass.ir.kernel import Choice, Kernel
from tunepass.ir.tensor import TensorKernel
from tunepass.space.space import Space
from tunepass.tensors.schedule.nest import scheduled_nest

FOLDER = Path(__file__).parents[3] / "samples" / "taco"
PUBLISHED = {"spmv": 3_024_000, "spmm": 46_656, "sddmm": 77_760, "mttkrp": 680_400}
OURS = {"ttv": 554_400}  # of 16,632,000: BaCO leaves all that is illegal to the compiler
NAMES = tuple(PUBLISHED | OURS)


def sample(name: str) -> Kernel:
    text = (FOLDER / f"{name}.taco").read_text(encoding="utf-8")
    parsed = TacoFrontend().parse(Source(f"{name}.taco", text))
    inert = ["unroll", "order"] if name == "mttkrp" else []
    assert [re.findall(r"`(\w+)`", warning.message)[0] for warning in parsed.warnings] == inert
    return parsed.kernels[0]


def space_of(kernel: Kernel) -> Space:
    return Space(kernel.parameters, kernel.constraints)


@pytest.mark.parametrize("name", NAMES)
def test_the_size_of_the_space(name: str) -> None:
    assert space_of(sample(name)).size == (PUBLISHED | OURS)[name]


@pytest.mark.parametrize("name", NAMES)
def test_configurations_are_legal_and_read_back_by_the_grammar(name: str) -> None:
    kernel = sample(name)
    space, body = space_of(kernel), kernel.body_as(TensorKernel)
    for configuration in [space.default, *space.sample(20, np.random.default_rng(0))]:
        scheduled_nest(body, configuration)
        choices = tuple(Choice(name, value) for name, value in configuration.items())
        (tuned,) = TacoFrontend().emit((kernel.scheduled(choices),))
        again = TacoFrontend().parse(Source(tuned.name, tuned.text)).kernels[0]
        text = schedule_text(body.schedule, configuration)
        assert schedule_text(again.body_as(TensorKernel).schedule, {}) == text
        assert read_by_tool(tuned.text) == text


def read_by_tool(tuned: str) -> str:
    """The schedule of the command line in a tuned file, as its words are read on our own command line."""
    line = next(line for line in tuned.splitlines() if line.startswith("#   taco "))
    _, expression, *options = shlex.split(line[1:])
    words = [re.match(r"-(\w+)=(.*)", option) for option in options]
    source = source_of(expression, [(match[1], match[2]) for match in words if match])
    return schedule_text(TacoFrontend().parse(source).kernels[0].body_as(TensorKernel).schedule, {})

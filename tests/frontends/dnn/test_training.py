"""The command that trains: what it is given, and what it must not leave out."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import kernel_of
from tunepass.diagnostics import SourceError
from tunepass.ir.graph import Graph

MODEL = """
# tunepass param units: ordinal(2, 4) = 4
# tunepass param rate: real(0.0..1.0) = 0.5
# tunepass run {run}
from tensorflow import keras
units = 4
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(units)])
"""


def arguments(run: str) -> tuple[str, ...]:
    read = kernel_of(MODEL.replace("{run}", run)).body_as(Graph).training.run
    assert read is not None
    return read.arguments


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("python model.py --rate {rate}", ("python", "{source}", "--rate", "{rate}")),
        ("python fit.py {source} {rate}", ("python", "fit.py", "{source}", "{rate}")),
        ("python fit.py --units={units} --rate={rate}", ("python", "fit.py", "--units={units}", "--rate={rate}")),
    ],
)
def test_words_that_stand_for_the_configuration(command: str, words: tuple[str, ...]) -> None:
    assert arguments(f'"{command}" metric "loss: {{loss}}"') == words


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ('"python fit.py --units {units} --rate {rte}" metric "l: {l}"', "no parameter `rte`"),
        ('"python fit.py --rate {rate}" metric "l: {l}"', "`units` does not reach the command"),
        ('"python model.py" metric "l: {l}"', "`rate` does not reach the command"),
        ('"python model.py {rate}"', "nothing of how good"),
        ('"python model.py {rate} | tee log" metric "l: {l}"', "needs a shell"),
        ('"python model.py {rate}" metric "acc: {acc}"', "is more of `acc` better"),
        ('"python model.py {rate}" metric "l: {l}" metric "{l}"', "given twice"),
        ('"python model.py {rate}" metrics "l: {l}"', "unknown clause `metrics`"),
        ('"python model.py {rate}" metric "l: {l}" limit 3 weeks', "`weeks` is no unit"),
        ('"python model.py \' {rate}" metric "l: {l}"', "cannot be split"),
    ],
)
def test_a_command_that_cannot_be_meant(run: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        arguments(run)

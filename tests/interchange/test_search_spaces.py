"""The JSON of other tuners, held against what their own readers take where they are installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tunepass.diagnostics import SpaceError
from tunepass.interchange.search_spaces import configspace, nni, optuna, plain_value
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real

PARAMETERS: tuple[Parameter, ...] = (
    Ordinal("filters", [16, 32, 64], default=32),
    Integer("depth", 2, 10, step=4),
    Integer("units", 1, 4096, log=True, default=64),
    Categorical("padding", ["same", "valid"], prior=[0.25, 0.75]),
    Categorical("bias", [True, False]),
    Real("rate", 0.001, 0.5, log=True),
    Real("dropout", 0.0, 0.6),
    Permutation("order", 3),
    Integer("classes", 10, 10),
)


@pytest.mark.parametrize(
    "name,write", [("nni", nni), ("optuna", optuna), ("configspace", lambda p: configspace(p, "model"))]
)
def test_what_is_written_is_as_it_was(
    name: str, write: Callable[[tuple[Parameter, ...]], object], golden: Callable[[str, str], None]
) -> None:
    golden(f"interchange/{name}.json", json.dumps(write(PARAMETERS), indent=2) + "\n")


def test_nni_excludes_the_upper_end_of_a_range() -> None:
    assert nni([Integer("n", 1, 8)]) == {"n": {"_type": "randint", "_value": [1, 9]}}


def test_a_range_that_would_have_to_be_listed_is_refused() -> None:
    with pytest.raises(SpaceError, match="n has 200,001 values, which this format would have to list"):
        nni([Integer("n", 0, 400_000, step=2)])


def test_optuna_reads_every_distribution() -> None:
    distributions = pytest.importorskip("optuna.distributions")
    for p, text in zip(PARAMETERS, optuna(PARAMETERS).values()):  # type: ignore[union-attr]
        read = distributions.json_to_distribution(json.dumps(text))
        assert read._contains(read.to_internal_repr(plain_value(p.default)))


def test_configspace_reads_it(tmp_path: Path) -> None:
    module = pytest.importorskip("ConfigSpace")
    path = tmp_path / "space.json"
    path.write_text(json.dumps(configspace(PARAMETERS, "model")))
    space = module.ConfigurationSpace.from_json(path)
    read = dict(space.get_default_configuration())
    assert read.pop("rate") == pytest.approx(PARAMETERS[5].default)
    assert read == {p.name: plain_value(p.default) for p in PARAMETERS if p.name != "rate"}

"""Examples in the docstrings of the doors run, and a door whose package is missing names its extra."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import pytest

import tunepass as tp

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = {
    "ax.client": None,
    "ax.configs": None,
    "ax.service": None,
    "ax.trials": None,
    "earlier_trials": None,
    "optuna.earlier": "optuna",
    "optuna.sampler": "optuna",
    "optuna.suggest": "optuna",
    "pyatf": "pyatf",
    "skopt.minimizers": None,
    "skopt.optimizer": None,
    "skopt.search_cv": "skopt",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    if needed := MODULES[name]:
        pytest.importorskip(needed, reason=f"{needed} is not installed: pip install 'tunepass[{needed}]'")
    module = importlib.import_module(f"tunepass.integrations.{name}")
    names = {"tp": tp} | vars(module)
    if name.startswith("ax."):
        names |= vars(importlib.import_module("tunepass.integrations.ax"))
    if needed == "optuna":
        names |= vars(importlib.import_module("tunepass.integrations.optuna"))
    examples = [test for test in doctest.DocTestFinder().find(module, extraglobs=names) if test.examples]
    assert examples
    for test in examples:
        assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0, test.name


@pytest.mark.parametrize("door", ["optuna", "pyatf", "ray", "nni"])
def test_a_missing_package_is_named_with_its_extra(door: str) -> None:
    program = f"import sys; sys.modules[{door!r}] = None; import tunepass.integrations.{door}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"ModuleNotFoundError: tunepass.integrations.{door} needs the package {door}" in done.stderr
    assert f"pip install 'tunepass[{door}]'" in done.stderr

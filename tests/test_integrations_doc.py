"""Every program of docs/integrations.md, and the sample for Optuna's hub."""

from __future__ import annotations

import importlib.util
import re
import runpy
from pathlib import Path

import pytest

import tunepass as tp
from tests.program import run_python

ROOT = Path(__file__).parents[1]
PROGRAMS = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "docs" / "integrations.md").read_text(), re.MULTILINE | re.DOTALL
)
HUB = ROOT / "samples" / "optuna" / "package" / "samplers" / "tunepass"
NEEDED = ("optuna", "optuna", None, None, None, None, "pyatf", "ray", "nni", "optuna")


@pytest.mark.parametrize("number", range(len(NEEDED)))
def test_programs(number: int, tmp_path: Path) -> None:
    assert len(PROGRAMS) == len(NEEDED)
    if needed := NEEDED[number]:
        pytest.importorskip(needed, reason=f"{needed} is not installed: pip install 'tunepass[{needed}]'")
    (tmp_path / "program.py").write_text(PROGRAMS[number])
    done = run_python(tmp_path / "program.py", tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_package_of_the_hub(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna", reason="Optuna is not installed: pip install 'tunepass[optuna]'")
    spec = importlib.util.spec_from_file_location("hub", HUB / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__all__ == ["TunepassSampler", "suggest"]
    front = (HUB / "README.md").read_text().split("---\n")[1]
    assert set(re.findall(r"^(\w+):", front, re.MULTILINE)) == {
        *("author", "title", "description", "tags", "optuna_versions", "license")
    }
    assert (HUB / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    runpy.run_path(str(HUB / "example.py"))
    assert float(capsys.readouterr().out.split()[0]) <= 4.0


def test_optunahub_loads_the_package() -> None:
    """As a user of the hub does; with a local folder the hub's repository is not asked."""
    optuna = pytest.importorskip("optuna", reason="Optuna is not installed: pip install 'tunepass[optuna]'")
    hub = pytest.importorskip("optunahub", reason="optunahub is not installed: pip install optunahub")
    module = hub.load_local_module("samplers/tunepass", registry_root=str(HUB.parents[1]))
    assert module.__name__ == "optunahub_registry.package.samplers.tunepass"
    space = tp.Space([tp.Integer("a", 1, 12), tp.Integer("b", 1, 12)], constraints=["a % b == 0"])
    study = optuna.create_study(sampler=module.TunepassSampler(space, seed=0))
    study.optimize(lambda trial: sum(module.suggest(trial, space).values()), n_trials=8)
    assert len(study.trials) == 8 and all(t.params["a"] % t.params["b"] == 0 for t in study.trials)

"""HyperMapper's own examples, run by HyperMapper and by tunepass: which finds the better values?

    python -m tests.benchmarks.bench_hypermapper_quality --examples CHECKOUT --python VENV/bin/python
                                                         [--seeds 12] [--scenarios branin,dtlz1] [--results FILE]

CHECKOUT is one of github.com/luinardi/hypermapper, VENV has `hypermapper==2.2.13`. Each script under example_scenarios
runs unchanged, with its scenario's budget. Of one objective the least value is compared; of several the hypervolume of
the feasible front, as a share of the hypervolume of all fronts of the scenario together, up to the worst value of each
objective on them. Differences are paired by seed. `--results` keeps values, so that a run can go on later.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tunepass.study.results.pareto import hypervolume, nondominated

THEIRS = """
import random, runpy, sys
import numpy
seed, script = int(sys.argv[1]), sys.argv[2]
random.seed(seed)
numpy.random.seed(seed)
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
"""
OURS = """
import runpy, sys, types
from tunepass.interchange.hypermapper import optimize
seed, script = int(sys.argv[1]), sys.argv[2]
package, optimizer = types.ModuleType("hypermapper"), types.ModuleType("hypermapper.optimizer")
optimizer.optimize = lambda scenario, function: optimize(scenario, function, seed=seed)
package.optimizer = optimizer
sys.modules.update({"hypermapper": package, "hypermapper.optimizer": optimizer})
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
"""
Points = list[list[float]]


def points_of(python: str, program: str, script: Path, seed: int, examples: Path) -> Points:
    """The objectives of the feasible evaluations of one run."""
    fields = json.loads(next(script.parent.glob("*_scenario.json")).read_text())
    with tempfile.TemporaryDirectory(prefix="tunepass-hypermapper-") as folder:
        shutil.copytree(examples / "example_scenarios", Path(folder) / "example_scenarios")
        relative = script.relative_to(examples)
        words = [python, "-c", program, str(seed), str(relative)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        written = sorted(Path(folder).glob("*.csv"))
        if done.returncode or not written:
            raise SystemExit(f"{relative} ended with {done.returncode} and wrote {written}\n{done.stderr[-2000:]}")
        rows = list(csv.DictReader(written[0].open()))
    feasible = fields.get("feasible_output", {})
    if feasible:
        rows = [row for row in rows if row[feasible["name"]] == str(feasible.get("true_value", "True"))]
    return [[float(row[name]) for name in fields["optimization_objectives"]] for row in rows]


def quality(runs: Mapping[str, Sequence[Points]]) -> dict[str, np.ndarray]:
    """For each tuner a number for each seed; less is better for one objective, more for several."""
    together = np.array([point for fronts in runs.values() for front in fronts for point in front])
    if together.shape[1] == 1:
        return {name: np.array([min(point[0] for point in front) for front in fronts]) for name, fronts in runs.items()}
    fronts = [np.array(front) for of_tuner in runs.values() for front in of_tuner]
    reference = np.max([front[nondominated(front)].max(axis=0) for front in fronts], axis=0)
    whole = hypervolume(together[nondominated(together)], reference)
    return {
        name: np.array([hypervolume(np.array(front), reference) / whole for front in of_tuner])
        for name, of_tuner in runs.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=Path, required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--scenarios", type=lambda text: text.split(","))
    parser.add_argument("--results", type=Path)
    options = parser.parse_args()
    examples = options.examples.resolve()
    kept = json.loads(options.results.read_text()) if options.results and options.results.exists() else {}
    print("scenario                 evaluations  HyperMapper       tunepass          better by         +-")
    behind = 0
    for scenario in sorted(examples.glob("example_scenarios/*/**/*_scenario.json")):
        script = next(iter(scenario.parent.glob(f"{scenario.parent.name}.py")), scenario.parent / "branin.py")
        name = script.stem
        if not script.exists() or "clients" in scenario.parts or (options.scenarios and name not in options.scenarios):
            continue
        runs: dict[str, list[Points]] = {"theirs": [], "ours": []}
        for seed in range(options.seeds):
            for tuner, python, program in (("theirs", options.python, THEIRS), ("ours", sys.executable, OURS)):
                key = f"{name} {tuner} {seed}"
                if key not in kept:
                    kept[key] = points_of(python, program, script, seed, examples)
                    if options.results:
                        options.results.write_text(json.dumps(kept))
                runs[tuner].append(kept[key])
        values = quality(runs)
        sign = 1 if len(runs["ours"][0][0]) == 1 else -1
        difference = sign * (values["theirs"] - values["ours"])
        error = float(np.std(difference, ddof=1) / np.sqrt(len(difference))) if len(difference) > 1 else 0.0
        mean = float(difference.mean())
        behind += mean < -2 * error
        count = max(len(run) for run in runs["ours"])
        theirs, ours = (float(values[tuner].mean()) for tuner in ("theirs", "ours"))
        print(f"{name:24} {count:11}  {theirs:<16.6g}  {ours:<16.6g}  {mean:<+16.6g}  {error:.3g}", flush=True)
    print(f"behind by more than two standard errors: {behind}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())

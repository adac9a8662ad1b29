"""Scenarios of HyperMapper, BaCO and their kin that others wrote: how many does tunepass run?

    python -m tests.benchmarks.bench_scenarios CHECKOUT... [--evaluations 6]

Each JSON file below a CHECKOUT that has `input_parameters` is run in a copy of it with a made-up cost, unchanged but
for its budget: so many requests after a design of so many at most. By `optimize`; in the mode of client and server by a
client on the pipes of `tunepass hypermapper`. In its own folder, or else in the checkout's, to which paths of some are
relative. A scenario ran if the program ends with status 0 and leaves a table.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import csv
import json
import math
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

MODES = ("hypermapper_mode", "baco_mode")
PATIENCE_S = 300
Values = Mapping[str, object]


def cost(values: Values) -> float:
    total = 0.0
    for _, value in sorted(values.items()):
        if isinstance(value, (tuple, list)):
            total += sum(place * float(each) for place, each in enumerate(value))
        elif isinstance(value, str):
            total += len(value) + sum(map(ord, value)) % 7
        else:
            total += math.atan(float(value)) if isinstance(value, (int, float)) else 0.0
    return total


def results(scenario: Mapping[str, object], values: Values) -> dict[str, object]:
    names = scenario["optimization_objectives"]
    assert isinstance(names, list)
    found: dict[str, object] = {name: cost(values) * (place + 1) + place for place, name in enumerate(names)}
    if (column := _feasible(scenario)) is not None:
        found[column] = True
    return found


def _feasible(scenario: Mapping[str, object]) -> str | None:
    stated = scenario.get("feasible_output")
    if not isinstance(stated, dict) or not stated.get("enable_feasible_predictor"):
        return None
    return str(stated.get("name", "Valid"))


def mode_of(scenario: Mapping[str, object]) -> str:
    stated = next((scenario[name] for name in MODES if name in scenario), {})
    return str(stated.get("mode", "default")) if isinstance(stated, dict) else "default"


def with_budget(scenario: Mapping[str, object], evaluations: int) -> dict[str, object]:
    changed = {**scenario, "optimization_iterations": evaluations}
    design = changed.get("design_of_experiment")
    if isinstance(design, dict):
        few = min(evaluations, int(design.get("number_of_samples", evaluations)))
        changed["design_of_experiment"] = {**design, "number_of_samples": few}
    return changed


def answered(scenario: Mapping[str, object], requests: IO[str], replies: IO[str]) -> None:
    """A client of the protocol: `Request N`, the names, N rows of values; a table with the objectives comes back."""
    for line in requests:
        if not line.startswith("Request"):
            continue
        names = requests.readline().strip().split(",")
        rows = [requests.readline().strip() for _ in range(int(line.split()[1]))]
        first, table = True, []
        for row in rows:
            cells = next(csv.reader([row], quotechar="'"))
            found = results(scenario, dict(zip(names, map(_value, cells))))
            if first:
                table.append(",".join([*names, *found]))
            table.append(",".join([row, *map(str, found.values())]))
            first = False
        replies.write("\n".join(table) + "\n")
        replies.flush()


def _value(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def run_in(folder: Path, name: str) -> str:
    """Why the scenario does not run when it is started in the folder; empty if it does."""
    scenario = json.loads((folder / name).read_text())
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.csv")}
    if mode_of(scenario) == "client-server":
        words = [sys.executable, "-m", "tunepass", "hypermapper", name]
        with (
            tempfile.TemporaryFile("w+") as told,
            subprocess.Popen(
                words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True
            ) as program,
        ):
            assert program.stdin and program.stdout
            stop = threading.Timer(PATIENCE_S, program.kill)
            stop.start()
            with contextlib.suppress(BrokenPipeError):  # its words say why
                answered(scenario, program.stdout, program.stdin)
            program.stdin.close()
            status = program.wait()
            stop.cancel()
            told.seek(0)
            errors = told.read()
    else:
        words = [sys.executable, str(Path(__file__).resolve()), "--one", name]  # a checkout may have `tests` of its own
        try:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired:
            return f"no end after {PATIENCE_S} s"
        status, errors = done.returncode, done.stderr
    left = [path for path in folder.rglob("*.csv") if before.get(path) != path.stat().st_mtime_ns]
    if status == 0 and left:
        return ""
    lines = errors.strip().splitlines()
    return next((line.strip() for line in lines if "rror:" in line), lines[-1] if lines else f"status {status}")


def scenarios(checkout: Path) -> list[Path]:
    """The scenarios below it, without schemas."""
    found = []
    for path in sorted(checkout.rglob("*.json")):
        try:
            content = json.loads(path.read_text())
        except ValueError:
            continue
        if isinstance(content, dict) and isinstance(content.get("input_parameters"), dict) and "$schema" not in content:
            found.append(path)
    return found


def report(checkouts: Sequence[Path], evaluations: int) -> str:
    """One line for each that does not run, and the counts."""
    lines = []
    for checkout in checkouts:
        ran, found = 0, scenarios(checkout)
        for path in found:
            with tempfile.TemporaryDirectory(prefix="tunepass-scenario-") as folder:
                copy = Path(folder) / "checkout"
                shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"))
                place = path.relative_to(checkout)
                changed = with_budget(json.loads(path.read_text()), evaluations)
                (copy / place).write_text(json.dumps(changed))
                why = run_in(copy / place.parent, place.name) and run_in(copy, str(place))
            ran += not why
            if why:
                lines.append(f"{path.relative_to(checkout)}: {why}")
        lines.append(f"{checkout.name}: {ran} of {len(found)} ran")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="CHECKOUT")
    parser.add_argument("--evaluations", type=int, default=6)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.one:
        from tunepass.interchange.hypermapper import optimize

        scenario = json.loads(Path(options.one).read_text())
        single = len(scenario["optimization_objectives"]) == 1 and _feasible(scenario) is None

        def function(values: Values) -> object:
            if scenario.get("evaluations_per_optimization_iteration", 1) > 1:  # a list of each parameter's values
                each = [dict(zip(values, cells)) for cells in zip(*map(list, values.values()))]  # type: ignore[call-overload]
                rows = [results(scenario, one) for one in each]
                return {name: [row[name] for row in rows] for name in rows[0]}
            found = results(scenario, values)
            return next(iter(found.values())) if single else found

        optimize(options.one, function)
        return 0
    print(report(options.checkouts, options.evaluations))
    return 0


if __name__ == "__main__":
    sys.exit(main())

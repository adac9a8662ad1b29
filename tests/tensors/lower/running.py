"""Compiles generated functions with their data into one program, runs it, and reads what they computed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.examples import optimisation
from tests.tensors.lower.interpreter import Stored, interpret, store
from tunepass.ir.tensor import Assignment, Format, Tensor
from tunepass.tensors.lower import CFunction, Coordinates, Extent, Positions, Values
from tunepass.tensors.lower.lowering import ALONE
from tunepass.tensors.lower.text import HELPERS

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", optimisation()]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
PRINTED = {"double": "%.17g", "float": "%.9g", "int": "%d", "long": "%ld"}


@dataclass(frozen=True)
class Case:
    """A function with numbers: `arrays` are dense, by tensor, `patterns` say what a sparse one stores."""

    function: CFunction
    assignment: Assignment
    tensors: tuple[Tensor, ...]
    extents: Mapping[str, int]
    arrays: Mapping[str, np.ndarray]
    patterns: Mapping[str, np.ndarray]

    def stored(self, name: str) -> Stored:
        tensor = next(tensor for tensor in self.tensors if tensor.name == name)
        pattern = self.patterns.get(name)
        if pattern is None or not tensor.format.sparse:
            pattern = np.ones(self.arrays[name].shape, bool)
        return store(pattern, tensor.format)

    def result(self) -> Stored:
        """The storage of the result: a sparse one has the pattern of the operand's first levels."""
        left, pattern = self.assignment.left, self.function.pattern
        if pattern is None:
            return self.stored(left.tensor)
        operand = next(tensor for tensor in self.tensors if tensor.name == pattern.operand)
        upper = operand.format.order[: pattern.levels]
        full = self.stored(pattern.operand)
        shape = self.patterns[pattern.operand].shape
        short = Format(operand.format.levels[: pattern.levels], tuple(sorted(upper).index(m) for m in upper))
        stored = store(self.patterns[pattern.operand].any(axis=tuple(set(range(len(shape))) - set(upper))), short)
        assert all(stored.pos[level] == full.pos[level] for level in stored.pos)
        return stored

    def masked(self) -> dict[str, np.ndarray]:
        """The arrays with zero where nothing is stored; a result held something everywhere."""
        left = self.assignment.left.tensor
        kept = {name: pattern for name, pattern in self.patterns.items() if name != left}
        return {name: np.where(kept.get(name, True), array, 0) for name, array in self.arrays.items()}

    def expected(self) -> list[float]:
        return self.result().values(interpret(self.assignment, self.masked(), self.extents))


@cache
def threads_of(compiler: str, folder: str) -> tuple[str, ...]:
    """The flag for OpenMP, where the machine has the compiler's library; that for its vector loops alone else."""
    source = Path(folder) / "threads.c"
    source.write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
    made = subprocess.run([compiler, "-fopenmp", str(source), "-o", folder + "/threads"], capture_output=True)
    return ("-fopenmp",) if made.returncode == 0 else ("-fopenmp-simd",)


def program(cases: Sequence[Case]) -> str:
    """One C file that calls every case and prints its status and result, a line each."""
    functions = "\n".join(without_helpers(case.function.text) for case in cases)
    helpers = "\n".join("\n".join(lines) for lines in HELPERS.values())
    calls = "\n".join(call(case) for case in cases)
    quiet = '#ifdef __clang__\n#pragma clang diagnostic ignored "-Wunused-function"\n'
    quiet += "#endif\n"
    teams = "\n".join(["#ifdef _OPENMP", "#include <omp.h>", "#else", *ALONE.values(), "#endif"])
    return f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{quiet}
{teams}
{helpers}
{functions}
static void *copy(const void *from, size_t size) {{
  void *to = calloc(size ? size : 1, 1);
  if (size) memcpy(to, from, size);
  return to;
}}
int main(void) {{
{calls}
  return 0;
}}
"""


def without_helpers(text: str) -> str:
    for lines in HELPERS.values():
        text = text.replace("\n".join(lines) + "\n", "")
    return re.sub(r"#ifdef _OPENMP\n.*?#endif\n", "", text, flags=re.DOTALL)


def call(case: Case) -> str:
    lines, names, freed, result = ["  {"], [], [], ""
    for argument in case.function.arguments:
        match argument:
            case Extent(_, variable):
                names.append(str(case.extents[variable]))
                continue
            case Positions(name, tensor, level):
                kind, numbers = "int", case.stored(tensor).pos[level]
            case Coordinates(name, tensor, level):
                kind, numbers = "int", case.stored(tensor).crd[level]
            case Values(name, tensor, element, direction):
                kind = element
                stored = case.stored(tensor) if direction == "in" else case.result()
                numbers = stored.values(case.masked()[tensor]) if direction != "out" else [99] * len(stored.where)
                if direction != "in":
                    result = name
                    printed, count = PRINTED[element], len(numbers)
        text = ", ".join(repr(float(n)) if kind in ("double", "float") else str(int(n)) for n in numbers) or "0"
        lines.append(f"    static const {kind} {name}_given[] = {{{text}}};")
        lines.append(f"    {kind} *{name} = copy({name}_given, {len(numbers)} * sizeof({kind}));")
        names.append(name)
        freed.append(f"free({name});")
    lines.append(f'    printf("%d", {case.function.name}({", ".join(names)}));')
    lines.append(f'    for (int n = 0; n < {count}; n++) printf(" {printed}", {result}[n]);')
    lines += ['    puts("");', "    " + " ".join(freed), "  }"]
    return "\n".join(lines)


def run(
    cases: Sequence[Case], folder: Path, compiler: str = "gcc", flags: Sequence[str] = SANITIZERS, threads: bool = True
) -> None:
    """Compiles and runs the cases, and holds each result against the interpreter."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    source, binary = folder / "cases.c", folder / "cases"
    source.write_text(program(cases))
    flags = [*flags, *(threads_of(compiler, str(folder)) if threads else ())]
    made = subprocess.run([compiler, *WARNINGS, *flags, str(source), "-o", str(binary)], capture_output=True, text=True)
    assert made.returncode == 0, f"{made.stderr[:4000]}"
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_THREAD_LIMIT": "2", "OMP_WAIT_POLICY": "passive"}
    ran = subprocess.run([str(binary)], capture_output=True, text=True, env=environment)
    done = ran.stdout.splitlines()
    if ran.returncode != 0:
        name = cases[len(done)].function.name if len(done) < len(cases) else "the end"
        text = cases[len(done)].function.text if len(done) < len(cases) else ""
        raise AssertionError(f"stopped at {name}: {ran.stderr[:3000]}\n{text}")
    for case, line in zip(cases, done, strict=True):
        status, *numbers = line.split()
        assert status == "0", f"{case.function.name} returned {status}"
        got, expected = np.array([float(n) for n in numbers]), np.array(case.expected(), float)
        assert got.shape == expected.shape, f"{case.function.name}: {got.shape}, not {expected.shape}"
        tolerance = 1e-4 if any(t.element == "float" for t in case.tensors) else 1e-10
        same = np.allclose(got, expected, rtol=tolerance, atol=tolerance)
        assert same, f"{case.function.name}: {got} instead of {expected}\n{case.extents}\n{case.function.text}"

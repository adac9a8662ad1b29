"""Random legal schedules of random nests in all the forms that are read: the C and C++ written for them computes what
the source computes."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.properties.form_nests import C_HELPERS, CXX_HELPERS, OBJECTS, FormNests
from tests.properties.scop_nests import SIDE
from tests.properties.test_scop_schedules import (
    CHUNK,
    FORMALS,
    NESTS,
    SANITIZED,
    SCHEDULES,
    TRIES,
    Case,
    program,
    random_plan,
    shown,
)
from tunepass.diagnostics import Source
from tunepass.frontends.c.scops.scop import read_scop
from tunepass.frontends.cfamily import reading
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.write import is_faithful
from tunepass.polyhedral.schedules.apply import is_legal

COMPILERS = {"gcc": "c", "clang": "c", "g++": "c++", "clang++": "c++"}


def helpers(language: str) -> str:
    return C_HELPERS + (CXX_HELPERS if language == "c++" else "")


def function(nest: str, language: str) -> str:
    objects = OBJECTS if language == "c++" else ""
    head = f"static void @({FORMALS})\n{{\nint i, j, k, l;\nunsigned t;\n{objects}"
    return f"{head}#pragma tunepass loop auto\n{{\n{nest}}}\n}}\n"


def read(text: str, language: str) -> Scop:
    whole = f"#define SIDE {SIDE}\n{helpers(language)}{text.replace('@', 'f')}"
    source = Source("nest.c" if language == "c" else "nest.cpp", whole)
    (pragma,) = annotated(source).pragmas
    return read_scop(source.span(pragma.outer_start, pragma.outer_end), reading.read(source, (), language))


def cases(seed: int, language: str) -> list[Case]:
    text = function(FormNests(seed, language == "c++").draw(), language)
    scop, r = read(text, language), random.Random(seed)
    plans = (random_plan(scop, r) for _ in range(TRIES))
    legal = (plan for plan in plans if is_legal(scop, plan) and is_faithful(scop, plan))
    return [Case(text, scop, plan) for plan in itertools.islice(legal, SCHEDULES)]


@pytest.mark.parametrize("first", range(0, NESTS, CHUNK))
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.slow_but(4)
def test_schedules_compute_the_same(compiler: str, first: int, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    language = COMPILERS[compiler]
    offset = 10_000 * list(COMPILERS).index(compiler)
    seeds = range(first + offset, min(first + CHUNK, NESTS) + offset)
    chosen = [case for seed in seeds for case in cases(seed, language)]
    source = tmp_path / ("schedules.c" if language == "c" else "schedules.cpp")
    source.write_text(program(chosen, helpers(language)))
    openmp = "-fopenmp-simd" if compiler.startswith("clang") else "-fopenmp"
    command = [compiler, *SANITIZED, openmp, "-w", "-o", "schedules", str(source)]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stderr[-3000:]
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(["./schedules"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr[-2000:]}\n{shown(ran.stdout, chosen)}"

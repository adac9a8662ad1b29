"""Random legal schedules of random nests: the C written for them computes what the source computes."""

from __future__ import annotations

import itertools
import math
import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.examples import optimisation, scaled
from tests.properties.local_nests import LOCALS, LocalNests
from tests.properties.scop_nests import SIDE, ScopNests
from tests.properties.walk_nests import HELPERS, WalkNests
from tunepass.diagnostics import Source
from tunepass.frontends.c.scops.scop import read_scop
from tunepass.frontends.cfamily import reading
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.write import is_faithful, rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.shapes.shapes import shapes_of

NESTS = int(os.environ.get("TUNEPASS_TEST_NESTS") or scaled(8))  # 300 takes minutes
SCHEDULES = 2  # of each nest
CHUNK = 10  # nests in one program
TRIES = 20
COPIES = 12  # the compiler's time is the test's
SANITIZED = [optimisation(), "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FORMALS = f"int n, int m, unsigned A[{SIDE}][{SIDE}], unsigned B[{SIDE}][{SIDE}], unsigned x[{SIDE}], unsigned *F"
DRAWN = {"imperfect": ScopNests, "locals": LocalNests, "walks": WalkNests}
MAIN = """\
typedef struct { unsigned A[SIDE][SIDE], B[SIDE][SIDE], x[SIDE], F[SIDE * SIDE]; } State;
static State start, expected, got;
int main(void)
{
    for (unsigned k = 0; k < sizeof start / sizeof(unsigned); k++)
        ((unsigned *)&start)[k] = k * 2654435761u >> 7;
    for (int f = 0; f < (int)(sizeof table / sizeof *table); f++)
        for (int size = 0; size < 8; size++) {
            int n = size * 3 % 10, m = size * 7 % 10;
            expected = got = start;
            table[f].source(n, m, expected.A, expected.B, expected.x, expected.F);
            table[f].schedule(n, m, got.A, got.B, got.x, got.F);
            if (memcmp(&expected, &got, sizeof got)) {
                printf("%d differs at n = %d, m = %d\\n", f, n, m);
                return 1;
            }
        }
    return 0;
}
"""


@dataclass(frozen=True)
class Case:
    text: str
    scop: Scop
    plan: Plan


def function(nest: str) -> str:
    locals_ = f"int i, j, k, l;\nunsigned t;\n{LOCALS}\n"
    return f"static void @({FORMALS})\n{{\n{locals_}#pragma tunepass loop auto\n{{\n{nest}}}\n}}\n"


def read(text: str) -> Scop:
    source = Source("nest.c", HELPERS + text.replace("@", "f"))
    (pragma,) = annotated(source).pragmas
    return read_scop(source.span(pragma.outer_start, pragma.outer_end), reading.read(source, (), "c"))


def random_plan(scop: Scop, r: random.Random) -> Plan:
    loops = [loop.name for loop in scop.loops]

    def some(chance: float) -> list[str]:
        return [name for name in loops if r.random() < chance]

    jam = {name: r.choice([2, 3, 4]) for name in some(r.choice([0, 0.3, 0.6]))}
    unroll = {name: r.choice([2, 3]) for name in some(0.2) if name not in jam}
    while math.prod((*jam.values(), *unroll.values())) > COPIES:
        (unroll or jam).popitem()
    return Plan(
        shape=r.choice(shapes_of(scop)),
        distribute=tuple(some(0.1)),
        fuse=(tuple(r.sample(loops, 2)),) if len(loops) > 1 and r.random() < 0.2 else (),  # type: ignore[arg-type]
        reverse=tuple(some(0.1)),
        skew=((*r.sample(loops, 2), r.choice([1, 2, -1])),) if len(loops) > 1 and r.random() < 0.2 else (),  # type: ignore[arg-type]
        order=tuple(r.sample(loops, len(loops))) if r.random() < 0.7 else (),
        tile=tuple((name, r.choice([2, 3, 4, 7])) for name in some(r.choice([0, 0.5, 1]))),
        jam=tuple(jam.items()),
        unroll=tuple(unroll.items()),
        peel=tuple((name, r.choice([1, 2, -1, -2])) for name in some(0.1)),
        vectorize=r.choice([(), ("*",)]),
        parallel=r.choice([(), ("*",)]),
        pack=tuple((a.name, "*") for a in scop.arrays if a.extents and r.random() < 0.4),
        sums=r.random() < 0.7,
    )


def cases(seed: int, kind: str) -> list[Case]:
    """Legal schedules of one nest that can be written; few where few of those drawn are."""
    text = function(DRAWN[kind](seed).draw())
    scop, r = read(text), random.Random(seed)
    plans = (random_plan(scop, r) for _ in range(TRIES))
    legal = (plan for plan in plans if is_legal(scop, plan) and is_faithful(scop, plan))
    return [Case(text, scop, plan) for plan in itertools.islice(legal, SCHEDULES)]


def program(chosen: list[Case], helpers: str = "") -> str:
    parts = ["#include <stdio.h>\n#include <string.h>\n", f"#define SIDE {SIDE}\n", helpers]
    for number, case in enumerate(chosen):
        code = rewrite_scop(case.scop, case.plan, numbered=False)
        source = case.scop.span.source.text
        written = source[: case.scop.span.start] + code + source[case.scop.span.end :]
        written = written[written.index("static void f(") :]
        parts += [case.text.replace("@", f"a{number}"), written.replace(" f(", f" b{number}(", 1)]
    rows = "".join(f"    {{a{number}, b{number}}},\n" for number in range(len(chosen)))
    table = f"static const struct {{ void (*source)({FORMALS}), (*schedule)({FORMALS}); }} table[] = {{\n"
    return "".join([*parts, table, rows, "};\n", MAIN])


@pytest.mark.parametrize("first", range(0, NESTS, CHUNK))
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.each_value
@pytest.mark.slow_but(2)
def test_schedules_compute_the_same(
    kind: str, compiler: str, first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    monkeypatch.setattr("tunepass.polyhedral.codegen.sums.MOST_LANES", 4)  # so that short loops fill them
    offset = 0 if compiler == "gcc" else 10_000
    seeds = range(first + offset, min(first + CHUNK, NESTS) + offset)
    chosen = [case for seed in seeds for case in cases(seed, kind)]
    source = tmp_path / "schedules.c"
    source.write_text(program(chosen, HELPERS))
    openmp = "-fopenmp" if compiler == "gcc" else "-fopenmp-simd"  # clang often comes without its OpenMP library
    command = [compiler, *SANITIZED, openmp, "-w", "-o", "schedules", str(source)]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stderr[-3000:]
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(["./schedules"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr[-2000:]}\n{shown(ran.stdout, chosen)}"


def shown(answer: str, chosen: list[Case]) -> str:
    """The nest that differs, its plan, and the code."""
    number = answer.split(" ")[0]
    if not number.isdigit():
        return ""
    case = chosen[int(number)]
    return f"{case.text}\n{case.plan}\n{rewrite_scop(case.scop, case.plan, numbered=False)}"

"""Code written for legal schedules computes what the source computes, and stays readable."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.frontends.c.scops.reading import nest
from tests.polyhedral.scops import FORWARD, JACOBI, PAIRS, ROWS, SOLVE, SWEEPS, SYRK, Written
from tests.polyhedral.scops import scop as hand_written
from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.describe import describe_scop
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.shapes.shapes import shapes_of

SIZE = 16
SANITIZED = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fopenmp", "-w", "-lm"]
PROGRAM = """\
#include <math.h>
#include <stdio.h>
#define N 16
typedef struct {{ double A[N][N], C[N][N], x2[N][N], y2[N][N], x[N], y[N], b[N]; }} State;
static State start, expected, got;
{functions}
static const struct {{ void (*source)(int, int, State *), (*schedule)(int, int, State *); }} table[] = {{ {rows} }};
int main(void)
{{
    for (unsigned k = 0; k < sizeof start / sizeof(double); k++)
        ((double *)&start)[k] = 1.0 + (k * 2654435761u >> 8) / 16777216.0;
    for (int f = 0; f < (int)(sizeof table / sizeof *table); f++)
        for (int size = 0; size < 12; size++) {{
            int n = size * 5 % 14, m = size * 3 % 11;
            expected = got = start;
            table[f].source(n, m, &expected);
            table[f].schedule(n, m, &got);
            for (unsigned k = 0; k < sizeof start / sizeof(double); k++) {{
                double a = ((double *)&expected)[k], b = ((double *)&got)[k];
                if (!(fabs(a - b) <= 1e-9 * (1 + fabs(a)))) {{
                    printf("schedule %d differs at n = %d, m = %d\\n", f, n, m);
                    return 1;
                }}
            }}
        }}
    return 0;
}}
"""
NAMES = "#define A s->A\n#define C s->C\n#define b s->b\n{arrays}double w;\n"
TWO_DIMENSIONS = "#define x s->x2\n#define y s->y2\n"
ONE_DIMENSION = "#define x s->x\n#define y s->y\n"


def random_plan(scop: Scop, r: random.Random) -> Plan:
    loops = [loop.name for loop in scop.loops]

    def some(chance: float) -> list[str]:
        return [name for name in loops if r.random() < chance]

    order = r.sample(loops, len(loops)) if r.random() < 0.7 else []
    return Plan(
        shape=r.choice(shapes_of(scop)),
        order=tuple(order),
        tile=tuple((name, r.choice([2, 3, 4, 7])) for name in some(0.5)),
        jam=tuple((name, r.choice([2, 3, 4])) for name in some(0.3)),
        unroll=tuple((name, r.choice([2, 3])) for name in some(0.2)),
        reverse=tuple(some(0.1)),
        skew=((loops[1], loops[0], r.choice([1, 2])),) if r.random() < 0.2 else (),
        peel=tuple((name, r.choice([1, 2, -1])) for name in some(0.1)),
        vectorize=("*",),
        parallel=r.choice([(), (), ("*",)]),
    )


def legal_plans(scop: Scop, count: int, seed: int) -> list[Plan]:
    r = random.Random(seed)
    plans: list[Plan] = []
    while len(plans) < count:
        plan = random_plan(scop, r)
        if plan not in plans and is_legal(scop, plan):
            plans.append(plan)
    return plans


def program(cases: Sequence[tuple[Scop, Plan]]) -> str:
    functions, rows = [], []
    for number, (scop, plan) in enumerate(cases):
        arrays = TWO_DIMENSIONS if scop is ROWS else ONE_DIMENSION
        texts = {"source": scop.span.text, "schedule": rewrite_scop(scop, plan, numbered=False)}
        for name, text in texts.items():
            head = f"static void {name}{number}(int n, int m, State *s)\n{{\n"
            undo = "".join(f"#undef {word}\n" for word in "ACbxy")
            functions.append(f"{head}{NAMES.format(arrays=arrays)}{text}\n{undo}}}\n")
        rows.append(f"{{ source{number}, schedule{number} }}")
    return PROGRAM.format(functions="".join(functions), rows=", ".join(rows))


@pytest.mark.slow
def test_random_legal_schedules_compute_the_same(tmp_path: Path) -> None:
    cases = [(scop, plan) for scop in (SYRK, JACOBI, SOLVE, ROWS) for plan in legal_plans(scop, 2, seed=3)]
    cases += [(FORWARD, Plan(shape="split", order=("j", "i"), jam=(("j", 2),)))]  # isl takes S2 out of the loop over i
    cases += [
        (
            SYRK,
            Plan(shape="distributed", order=order, tile=tile, pack=(("A", "*"),), jam=jam, vectorize=("*",), sums=sums),
        )
        for order, tile in (
            (("i", "k", "j_2"), (("i", 2), ("k", 4), ("j_2", 3))),
            (("i", "j_2", "k"), (("k", 3), ("j_2", 4))),
        )
        for jam, sums in (((("i", 2), ("k", 2)), False), ((), True))
    ]
    cases += [
        (PAIRS, plan) for plan in (Plan(shape="turned", vectorize=("*",)), Plan(shape="turned", tile=(("j", 3),)))
    ]
    cases += [
        (SWEEPS, Plan(shape="skewed", tile=(("t", t), ("i", i)), order=order, vectorize=("*",), jam=jam))
        for t, i, order in ((3, 1, ("i", "t")), (2, 4, ("t", "i")), (1, 1, ()))
        for jam in ((), (("i", 2),))
        if is_legal(SWEEPS, Plan(shape="skewed", order=order, jam=jam))
    ]
    source = tmp_path / "schedules.c"
    source.write_text(program(cases))
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("no gcc")
    built = subprocess.run(
        [gcc, str(source), "-o", "schedules", *SANITIZED], cwd=tmp_path, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr[-3000:]
    ran = subprocess.run(["./schedules"], cwd=tmp_path, capture_output=True, text=True)
    number = int(ran.stdout.split()[1]) if ran.stdout.startswith("schedule") else -1
    assert ran.returncode == 0, (
        f"{ran.stdout}{ran.stderr[-2000:]}\n{cases[number][1]}\n{rewrite_scop(*cases[number], numbered=False)}"
    )


def test_the_source_s_schedule_reads_like_the_source() -> None:
    assert rewrite_scop(SOLVE, Plan(), numbered=False) == (
        "for (int i = -n + 1; i < 1; i++) {\n"
        "    w = b[-i];\n"
        "    for (int j = -i + 1; j < n; j++) {\n"
        "        w -= A[-i][j] * x[j];\n"
        "    }\n"
        "    x[-i] = w / A[-i][-i];\n"
        "}"
    )


def test_a_vector_loop_gathers_its_sum_in_lanes() -> None:
    text = rewrite_scop(SOLVE, Plan(vectorize=("j",)), numbered=False)
    assert text == (
        "for (int i = -n + 1; i < 1; i++) {\n"
        "    w = b[-i];\n"
        "    if (-i + 1 < n) {\n"
        "        double sums[8] = {0};\n"
        "        int j = -i + 1;\n"
        "        for (; j + 8 <= n; j += 8) {\n"
        "            #pragma omp simd\n"
        "            for (int lane = 0; lane < 8; lane++) {\n"
        "                sums[lane] -= A[-i][j + lane] * x[j + lane];\n"
        "            }\n"
        "        }\n"
        "        double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + "
        "((sums[4] + sums[5]) + (sums[6] + sums[7]));\n"
        "        for (; j < n; j++) {\n"
        "            sum -= A[-i][j] * x[j];\n"
        "        }\n"
        "        w += sum;\n"
        "    }\n"
        "    x[-i] = w / A[-i][-i];\n"
        "}"
    )


def test_the_description_names_loops_from_the_outside_in() -> None:
    plan = Plan(shape="distributed", order=("i", "k", "j_2"), tile=(("i", 32),), jam=(("k", 4),), vectorize=("j_2",))
    assert describe_scop(SYRK, plan) == (
        "i_tile (i (j)), i_tile (i (k (j_2))); tiles of 32 i; k unrolled and jammed by 4; j_2 vectorized"
    )


def test_a_prefetch_names_the_elements_of_iterations_ahead() -> None:
    text = rewrite_scop(SYRK, Plan(prefetch=(("A", 8),)), numbered=False)
    inner = text[text.index("for (int k") :].splitlines()
    assert inner[2:5] == [
        "            __builtin_prefetch(&A[j + 8][k]);",
        "            C[i][j] += A[i][k] * A[j][k];",
        "        }",
    ]


def test_the_guard_of_a_sum_in_lanes_compares_all_of_a_conditional_start() -> None:
    scop = nest("for (i = 0; i < n; i++) for (j = i; j < n; j++) x[i] += A[i][j];")
    text = rewrite_scop(scop, Plan(tile=(("j", 4),), vectorize=("*",)), numbered=False)
    assert "if ((j_tile > i ? j_tile : i) < j_end) {" in text


def test_peeled_iterations_stand_apart() -> None:
    text = rewrite_scop(JACOBI, Plan(peel=(("i", 1), ("i_2", -2))), numbered=False)
    headers = [line.strip() for line in text.splitlines() if "for (" in line]
    assert headers == [
        "for (int t = 0; t < m; t++) {",
        "for (int i = 1; i < i_end; i++) {",
        "for (int i = 2; i < n - 1; i++) {",
        "for (int i = 1; i < n - 3; i++) {",
        "for (int i = 1 > n - 3 ? 1 : n - 3; i < n - 1; i++) {",
    ]


SINGLE = """\
for (i = 1; i < n; i++)
    for (j = {first}; j <= {first}; j++)
        for (k = 0; k < n; k++)
            x[j] += {read};
"""


@pytest.mark.parametrize("first,read,loops", [("i", "x[k]", 3), ("3", "y[k] * i", 2)])
def test_copies_share_no_loop_inside_one_of_a_single_iteration_that_moves(first: str, read: str, loops: int) -> None:
    text = rewrite_scop(nest(SINGLE.format(first=first, read=read)), Plan(jam=(("i", 2),)), numbered=False)
    assert text.count("for (int k") == loops


CAPTURING = """\
{
    for (int k = 0; k < n; k++) x[k] = 1;
    for (i = 0; i < n; i++)
        for (k = 0; k * k < i + 9; k++) y[k] = i;
}
"""


def test_an_index_takes_no_name_that_a_statement_inside_uses_for_something_else() -> None:
    text = rewrite_scop(nest(CAPTURING), Plan(fuse=(("k", "i"),)), numbered=False)
    assert "for (int k_ = 0; k_ < n; k_++)" in text and "for (k = 0; k * k < k_ + 9; k++) y[k] = k_;" in text


def test_memory_without_a_name_is_in_no_clause() -> None:
    accesses = (("x", "i", "w"), ("memory", "", "w"), ("memory", "", "r"))
    statement = Written(("i",), "0 <= i < n", (0, 0), accesses, "x[i] = touch();")
    named = hand_written(
        "for (int i = 0; i < n; i++) x[i] = touch();\n", {"i": 1}, [statement], {"x": ("",), "memory": ()}
    )
    arrays = tuple(replace(a, element="", private=True) if a.name == "memory" else a for a in named.arrays)
    text = rewrite_scop(replace(named, arrays=arrays), Plan(parallel=("i",)), numbered=False)
    assert text.startswith("#pragma omp parallel for\n")

"""Random perfect nests under random directives: the rewritten C computes what the source computes.

Arithmetic is unsigned, so that any order of a reduction gives the same bits. Many nests make one program: the compiler
is what takes the time.
"""

from __future__ import annotations

import math
import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.examples import optimisation, scaled
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.emission.files import emit_file
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower, rewritten
from tunepass.ir.kernel import Choice
from tunepass.space.configuration import Configuration, Value

NESTS = int(os.environ.get("TUNEPASS_TEST_NESTS") or scaled(20))  # 300 takes minutes
CHUNK = 20  # nests in one program
SANITIZED = [optimisation(), "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SIDE = 24  # a loop's values lie in [-8, SIDE - 8)
HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SIDE 24
#define AT(v) ((v) + 8)
#define SUM(p, q) ((unsigned)(p) * 3u + (unsigned)(q))
"""
MAIN = """\
int main(void)
{
    static unsigned x[SIDE * SIDE * SIDE * SIDE], y[SIDE * SIDE * SIDE * SIDE], z[SIDE * SIDE * SIDE * SIDE];
    for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = i * 2654435761u;
    for (unsigned f = 0; f < sizeof table / sizeof *table; f++) {
        memset(y, 1, sizeof y);
        memset(z, 1, sizeof z);
        table[f].source(table[f].n, table[f].m, x, y);
        table[f].rewritten(table[f].n, table[f].m, x, z);
        if (memcmp(y, z, sizeof y)) {
            printf("nest %u differs\\n", f);
            return 1;
        }
    }
    return 0;
}
"""


@dataclass(frozen=True)
class Case:
    text: str  # with `@` for the function's name
    values: dict[str, Value]
    n: int
    m: int


def header(r: random.Random, index: str) -> str:
    kind = r.choice(["int", "int", "long", "unsigned", "size_t"])
    unsigned = kind in ("unsigned", "size_t")
    step = r.choice([1, 1, 1, 2, 3])
    start = r.choice(["0", "0", "1", "3", "m"] if unsigned else ["0", "0", "1", "-3", "m", "m - 2"])
    end = r.choice(["n", "n - 1" if not unsigned else "n", "m + 5", "7", "n / 2 + 1"])
    if not unsigned and r.random() < 0.25:
        compare = r.choice([">", ">="])
        back = f"{index}--" if step == 1 else f"{index} -= {step}"
        return f"for ({kind} {index} = {end}; {index} {compare} {start}; {back})"
    ahead = (
        r.choice([f"{index}++", f"++{index}"])
        if step == 1
        else r.choice([f"{index} += {step}", f"{index} = {index} + {step}"])
    )
    return f"for ({kind} {index} = {start}; {index} {r.choice(['<', '<='])} {end}; {ahead})"


def body(r: random.Random, indices: list[str], kept: list[str]) -> str:
    """An update of the element that the `kept` indices name: over the others it is a reduction."""
    place = "0"
    for index in kept:
        place = f"({place}) * SIDE + AT({index})"
    value = " + ".join(f"{r.randint(1, 9)}u * (unsigned){index}" for index in indices)
    read = f"x[(unsigned)(AT({indices[0]}) * SIDE + AT({indices[-1]})) % (SIDE * SIDE)]"
    return r.choice(
        [
            f"y[{place}] += {value};",
            f"y[{place}] += SUM({read}, {indices[-1]});",
            f"{{ const unsigned t = {value}; /* {indices[0]} */ y[{place}] += t * {read}; }}",
            f"{{\n    unsigned t = {read};\n    for (int q = 0; q < 9; q++) {{\n        if (q == 3) break;\n"
            f"        t += (unsigned){indices[-1]};\n    }}\n    if (t % 2)\n        y[{place}] += t;\n    else\n"
            f"        y[{place}] -= 7u;\n}}",
            f"if ({indices[0]} % 2 == 0) y[{place}] += {value}; else y[{place}] += {read};",
        ]
    )


def case(seed: int) -> Case:
    r = random.Random(seed)
    indices = ["i", "j", "k", "l"][: r.randint(1, 4)]
    kept = [index for index in indices if r.random() < 0.7]
    values: dict[str, Value] = {}
    params: list[str] = []

    def factor(name: str, choices: list[int]) -> str:
        params.append(f"#pragma tunepass param {name}: ordinal({', '.join(map(str, choices))})")
        values[name] = r.choice(choices)
        return name

    clauses = []
    tiled = [index for index in indices if r.random() < 0.5]
    if tiled:
        clauses.append(f"tile({', '.join(f'{v}: ' + factor('T' + v, [1, 2, 3, 4, 7, 16]) for v in tiled)})")
    items = list(indices)
    if tiled and r.random() < 0.5:
        items += [f"{index}_tile" for index in tiled]
    if r.random() < 0.7:
        params.append(f"#pragma tunepass param ORDER: permutation({', '.join(items)})")
        r.shuffle(items)
        for index in tiled:  # a tile loop stands outside its point loop
            tile = f"{index}_tile"
            if tile in items and items.index(tile) > items.index(index):
                a, b = items.index(tile), items.index(index)
                items[a], items[b] = items[b], items[a]
        values["ORDER"] = tuple(items)
        clauses.append("order(ORDER)")
    jammed = [index for index in indices if r.random() < 0.3]
    unrolled = [index for index in indices if index not in jammed and r.random() < 0.3]
    for clause, chosen in (("unroll", unrolled), ("unroll_and_jam", jammed)):
        if chosen:
            clauses.append(f"{clause}({', '.join(f'{v}: ' + factor('U' + v, [1, 2, 3, 4]) for v in chosen)})")
    if kept and r.random() < 0.3:
        clauses.append(f"vectorize({r.choice(kept)})")
    if kept and r.random() < 0.2:
        clauses.append(f"parallel({r.choice(kept)})")
    copies = [name for name in values if name.startswith("U")]
    while copies and math.prod(int(str(values[name])) + 1 for name in copies) > 40:
        values[copies.pop()] = 1  # the compiler's time is the test's
    factor("UNUSED", [1, 2])
    nest = [f"#pragma tunepass loop({', '.join(indices)}) {' '.join(clauses)}"]
    braces = 0
    for depth, index in enumerate(indices):
        line = header(r, index)
        brace = depth < len(indices) - 1 and r.random() < 0.4
        braces += brace
        nest.append("    " * depth + line + (" {" if brace else ""))
    nest += [f"    {line}" for line in body(r, indices, kept).splitlines()]
    nest += ["}"] * braces
    text = (
        "\n".join(params)
        + "\n#pragma tunepass kernel @(n = 9, m = 2, x: in unsigned[8], y: inout unsigned[8])\n"
        + "void @(int n, int m, const unsigned *x, unsigned *y)\n{\n"
        + "    (void)n, (void)m, (void)x, (void)UNUSED;\n"
        + "\n".join(f"    {line}" for line in nest)
        + "\n}\n"
    )
    return Case(text, values, r.choice([1, 5, 8, 9, 13]), r.choice([1, 2, 3]))


def is_legal(c: Case) -> bool:
    """Is the case's configuration proven to be legal? Others are refused before anything is compiled."""
    try:
        (kernel,) = CFrontend().parse(Source("nest.c", c.text.replace("@", "f"))).kernels
    except SourceError as error:
        assert "would change what the nest computes" in str(error)
        return False
    chosen = Configuration({p.name: p.default for p in kernel.parameters} | c.values)
    return not any(request.obstacle for request in lower(kernel, chosen).requests)


def program(cases: list[Case], emitted: bool) -> str:
    """One source with every nest as written and as rewritten."""
    parts = [HEAD, "#define UNUSED 0\n"]
    for number, c in enumerate(cases):
        kernel = CFrontend().parse(Source("nest.c", c.text.replace("@", f"b{number}"))).kernels[0]
        if emitted:
            chosen = kernel.scheduled(tuple(Choice(name, value) for name, value in c.values.items()))
            text = emit_file((chosen,))[0].text.replace("#define UNUSED", "// ")
        else:
            text = rewritten(kernel, Configuration({p.name: p.default for p in kernel.parameters} | c.values))
        parts += [c.text.replace("@", f"a{number}"), text]
    rows = "".join(f"    {{a{number}, b{number}, {c.n}, {c.m}}},\n" for number, c in enumerate(cases))
    table = "static const struct { void (*source)(int, int, const unsigned *, unsigned *);\n"
    table += "    void (*rewritten)(int, int, const unsigned *, unsigned *); int n, m; } table[] = {\n"
    return "".join([*parts, table, rows, "};\n", MAIN])


@pytest.mark.parametrize("first", range(0, NESTS, CHUNK))
@pytest.mark.parametrize("compiler,emitted", [("gcc", False), ("gcc", True), ("clang", False)])
@pytest.mark.slow_but(3)
def test_rewritten_nests_compute_the_same(compiler: str, emitted: bool, first: int, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    seeds = range(first, min(first + CHUNK, NESTS))
    source = tmp_path / "nests.c"
    drawn = [case(seed + (10_000 if emitted else 0)) for seed in seeds]
    legal = [c for c in drawn if is_legal(c)]
    assert len(legal) > len(drawn) // 3
    source.write_text(program(legal, emitted))
    openmp = "-fopenmp" if compiler == "gcc" else "-fopenmp-simd"  # clang often comes without its OpenMP library
    command = [compiler, *SANITIZED, openmp, "-w", "-o", "nests", str(source)]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr[-3000:]
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(["./nests"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr[-3000:]}"

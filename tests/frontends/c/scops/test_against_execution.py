"""A scop's instances, in the order of its schedule and with its subscripts, are those of the source when it runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import islpy as isl
import pytest

from tests.frontends.c.scops.random_nests import Nests
from tests.frontends.c.scops.reading import PRAGMA, scop_of
from tunepass.ir.scop import Scop, ScopStatement

SIZES = ((0, 0), (1, 3), (6, 4))
NESTS = 40
HEAD = "#include <stdio.h>\n#define LAST (n + 1)\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
SUBSCRIPT = re.compile(r"\[([^\[\]]*)\]")
Event = tuple[int, ...]
"""Statement, indices, subscripts in the order of the text."""


def function(number: int, body: str, marked: bool) -> str:
    pragma = f"{PRAGMA}\n" if marked else ""
    return f"void f{number}(int n, int m, int A[n][n], int B[n]) {{\nint i, j, k, l;\n{pragma}{{\n{body}}}\n}}\n"


def traced(text: str, scop: Scop) -> str:
    """The source with every statement printing itself instead."""
    for number, statement in reversed(list(enumerate(scop.statements))):
        values = [scop.loop(name).index for name in statement.loops] + SUBSCRIPT.findall(statement.text)
        format_ = " ".join(["%d"] * (1 + len(values)))
        shown = f'printf("{format_}\\n", {", ".join([str(number), *values])});'
        text = text[: statement.span.start] + shown + text[statement.span.end :]
    return text.replace(PRAGMA, "")


def predicted(scop: Scop, sizes: tuple[int, int]) -> list[Event]:
    """By the scop alone."""
    timed = [pair for number, s in enumerate(scop.statements) for pair in instances(number, s, sizes)]
    return [event for _, event in sorted(timed)]


def instances(number: int, statement: ScopStatement, sizes: tuple[int, int]) -> Iterator[tuple[Event, Event]]:
    maps = [isl.Map(statement.schedule)]
    maps += [isl.Map(a.map) for name in "AB" for a in statement.accesses if a.array == name]
    schedule_length = maps[0].range_tuple_dim()
    joined = reduce(lambda whole, part: whole.flat_range_product(part.reset_tuple_id(isl.dim_type.out)), maps)
    joined = joined.intersect_domain(isl.Set(statement.domain))
    for name, value in zip("nm", sizes):
        at = joined.find_dim_by_name(isl.dim_type.param, name)
        joined = joined if at < 0 else joined.fix_val(isl.dim_type.param, at, isl.Val(value))
    depth = len(statement.loops)
    points: list[Event] = []
    joined.wrap().flatten().project_out_all_params().foreach_point(lambda p: points.append(coordinates(p)))
    for point in points:
        time = point[depth : depth + schedule_length]
        yield time, (number, *point[:depth], *point[depth + schedule_length :])


def coordinates(point: isl.Point) -> Event:
    count = point.get_space().dim(isl.dim_type.set)
    return tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(count))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_instances_order_and_subscripts_are_those_of_the_source(tmp_path: Path) -> None:
    nests = Nests(seed=20)
    bodies = [nests.draw() for _ in range(NESTS)]
    scops = [scop_of(HEAD + function(n, body, marked=True)) for n, body in enumerate(bodies)]
    functions = [
        traced(HEAD + function(n, body, marked=True), scop).removeprefix(HEAD)
        for n, (body, scop) in enumerate(zip(bodies, scops))
    ]
    calls = [f'puts("#"); f{number}({n}, {m}, 0, 0);' for number in range(NESTS) for n, m in SIZES]
    program = tmp_path / "program.c"
    program.write_text(HEAD + "\n".join(functions) + "\nint main(void) {\n" + "\n".join(calls) + "\nreturn 0; }\n")
    subprocess.run(["gcc", "-O0", "-w", "-o", str(tmp_path / "program"), str(program)], check=True)
    printed = subprocess.run([str(tmp_path / "program")], check=True, capture_output=True, text=True).stdout
    runs = [[tuple(map(int, line.split())) for line in run.splitlines()] for run in printed.split("#\n")[1:]]
    for number, (body, scop) in enumerate(zip(bodies, scops)):
        for which, sizes in enumerate(SIZES):
            assert predicted(scop, sizes) == runs[number * len(SIZES) + which], f"{body} at {sizes}"

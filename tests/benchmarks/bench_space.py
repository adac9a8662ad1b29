"""Building and sampling constrained spaces: tunepass, pyATF and python-constraint2, each run in a process of its own.

Build time is from parsed constraints (for pyATF and python-constraint2, from compiled functions or strings, as their
users write them): of the first build in a process (cold), and of the fastest of six (warm). Memory is the growth of the
peak resident set while building; samples are uniform configurations.
`pip install '.[bench]'` brings the peers; one that is missing is left out, one that passes the time limit says so.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

LIMIT_S = 60.0
LIMIT_BYTE = 4 << 30  # of address space: a peer that lists 10^8 rows must not take the machine with it
SAMPLES = 1000
TOOLS = ("tunepass", "pyatf", "python-constraint2")

Value = int | float
Domains = dict[str, list[Value]]


def powers(lo: int, hi: int) -> list[Value]:
    return [2**e for e in range(64) if lo <= 2**e <= hi]


@dataclass(frozen=True)
class Problem:
    """Constraints are expressions that tunepass and Python read alike; `order` is the length of a permutation."""

    domains: Domains
    constraints: tuple[str, ...]
    size: int
    order: int = 0


GROUP: Domains = {name: powers(1, 1024) for name in ("ls0", "gs0", "ls1", "gs1")}
GROUP_FITS = ("gs0 % ls0 == 0", "gs1 % ls1 == 0", "ls0 * ls1 <= 1024")
PROBLEMS = {
    "MM_GPU": Problem(
        {n: powers(lo, 1024) for n, lo in (("v3", 4), ("v4", 1), ("v5", 4), ("v6", 4), ("v7", 4), ("v8", 1))} | GROUP,
        (
            "v7 % v3 == 0",
            "v5 % v4 == 0",
            "v5 * v8 % v6 == 0",
            *GROUP_FITS,
            "49152 - v5 * 4 - v5 * 4 - 4 >= 0",
            "49152 - v5 * v7 * 4 - v5 * 4 - 4 * v7 >= 0",
            "49152 - v5 * v7 * 4 - v5 * v8 * 4 - 4 * v7 * v8 >= 0",
        ),
        154_888_140,
    ),
    "Harris": Problem(
        GROUP | {"tx": list(range(1, 1025)), "ty": list(range(1, 1025)), "vec": [2, 4]},
        (
            *GROUP_FITS,
            "(tx + 4) % vec == 0",
            "tx * ty <= 1024",
            "(tx == 1) or (tx % 2 == 0)",
            "(ty == 1) or (ty % 2 == 0)",
        ),
        10_482_439,
    ),
    "Scal": Problem(
        GROUP | {"s0": powers(1, 2**25), "s1": powers(1, 2**25), "vec": powers(2, 16)},
        (*GROUP_FITS, "s0 % (s1 * vec) == 0", "s0 >= s1 * vec"),
        4_201_714,
    ),
    "conv": Problem(
        {
            "bx": [1, 2, 4, 8, 16, *range(32, 257, 32)],
            "by": powers(1, 32),
            "tx": list(range(1, 9)),
            "ty": list(range(1, 9)),
            "pad": [0, 1],
            "ro": [0, 1],
            "unroll": list(range(1, 18)),
            "fw": list(range(3, 34, 2)),
        },
        (
            "bx * by >= 32",
            "bx * by <= 1024",
            "(pad == 0) or (bx % 32 != 0)",
            "4 * (bx * tx + fw - 1) * (by * ty + fw - 1) <= 49152",
            "fw % unroll == 0",
            "(ro == 0) or (tx * ty <= 32)",
        ),
        172_544,
    ),
    "SpMM": Problem(
        {
            "chunk": powers(2, 512),
            "unroll": powers(1, 64),
            "omp_chunk": powers(1, 256),
            "threads": list(range(2, 21, 2)),
            "schedule": [0, 1, 2],
        },
        (
            "unroll < chunk",
            "pos(order, 0) < pos(order, 3)",
            "pos(order, 1) < pos(order, 3)",
            "pos(order, 0) < pos(order, 2)",
            "pos(order, 1) < pos(order, 2)",
            "(pos(order, 3) < pos(order, 2)) or (pos(order, 3) < pos(order, 4))",
        ),
        136_080,
        order=5,
    ),
}


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


Built = tuple[int, Callable[[int], object]]


def tunepass(problem: Problem) -> Callable[[], Built]:
    import numpy as np

    from tunepass.space.constraint import Constraint
    from tunepass.space.parameter import Ordinal, Parameter, Permutation
    from tunepass.space.space import Space

    parameters: list[Parameter] = [Ordinal(name, values) for name, values in problem.domains.items()]
    if problem.order:
        parameters.append(Permutation("order", problem.order))
    constraints = [Constraint.parse(text, parameters) for text in problem.constraints]
    rng = np.random.default_rng(0)

    def build() -> Built:
        space = Space(parameters, constraints)
        return space.size, lambda n: space.sample(n, rng)

    return build


def python_names(problem: Problem) -> tuple[dict[str, list[object]], list[tuple[str, list[str]]]]:
    """Domains (a permutation as its tuples of positions) and constraints with the names they use, as Python."""
    import itertools

    domains: dict[str, list[object]] = {name: list(values) for name, values in problem.domains.items()}
    if problem.order:
        domains["order"] = list(itertools.permutations(range(problem.order)))  # order[i]: the position of item i
    found = []
    for text in problem.constraints:
        for i in range(problem.order):
            text = text.replace(f"pos(order, {i})", f"order[{i}]")
        code = compile(text, "<constraint>", "eval")
        found.append((text, [name for name in domains if name in code.co_names]))
    return domains, found


def function(text: str, names: list[str]) -> Callable[..., bool]:
    made: Callable[..., bool] = eval(f"lambda {', '.join(names)}: {text}")  # noqa: S307  our own constants, above
    return made


def pyatf(problem: Problem) -> Callable[[], Built]:
    from pyatf import TP, Set
    from pyatf.search_space import SearchSpace

    domains, constraints = python_names(problem)
    names = list(domains)
    parameters = []
    for i, name in enumerate(names):
        mine = [(text, used) for text, used in constraints if used[-1] == name]  # at the last parameter it names
        used = [n for n in names[: i + 1] if any(n in u for _, u in mine)]
        check = function(" and ".join(f"({text})" for text, _ in mine), used) if mine else None
        parameters.append(TP(name, Set(*domains[name]), check))

    def build() -> Built:
        space = SearchSpace(*parameters, verbosity=0)
        point = lambda: space.get_configuration(tuple(1.0 - random.random() for _ in names))  # noqa: E731
        return int(space.constrained_size), lambda n: [point() for _ in range(n)]

    return build


def python_constraint2(problem: Problem) -> Callable[[], Built]:
    import constraint

    domains, constraints = python_names(problem)

    def build() -> Built:
        solver = constraint.Problem(constraint.OptimizedBacktrackingSolver())
        for name, values in domains.items():
            solver.addVariable(name, values)
        for text, names in constraints:
            if "[" in text:  # its string constraints know scalars only
                solver.addConstraint(function(text, names), names)
            else:
                solver.addConstraint(text)
        rows = solver.getSolutionsAsListDict(order=list(domains))[0]
        return len(rows), lambda n: [rows[random.randrange(len(rows))] for _ in range(n)]

    return build


def child(tool: str, name: str) -> None:
    """Builds once, samples, and prints one JSON object."""
    sys.setrecursionlimit(10_000)
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTE, LIMIT_BYTE))
    problem = PROBLEMS[name]
    make = {"tunepass": tunepass, "pyatf": pyatf, "python-constraint2": python_constraint2}[tool]
    try:
        build = make(problem)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    before, start = peak_mb(), time.perf_counter()
    try:
        size, sample = build()
    except MemoryError:
        print(json.dumps({"missing": f"over {LIMIT_BYTE >> 30} GB after {time.perf_counter() - start:.0f} s"}))
        return
    built = time.perf_counter() - start
    memory = peak_mb() - before
    sample(10)
    start = time.perf_counter()
    sample(SAMPLES)
    sampled = time.perf_counter() - start
    again = built
    for _ in range(5 if built < 5 else 0):  # tells a cold first build from a warm one
        start = time.perf_counter()
        build()
        again = min(again, time.perf_counter() - start)
    print(json.dumps({"size": size, "build": built, "again": again, "mb": memory, "sample": sampled}))


def measure(tool: str, name: str) -> dict[str, float | str]:
    command = [sys.executable, __file__, tool, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=True)
    except subprocess.TimeoutExpired:
        return {"missing": f"over {LIMIT_S:.0f} s"}
    except subprocess.CalledProcessError as error:
        return {
            "missing": error.stderr.strip().splitlines()[-1] if error.stderr.strip() else f"exit {error.returncode}"
        }
    found: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    print(f"{'space':8} {'tool':20} {'size':>12} {'cold ms':>10} {'warm ms':>10} {'MB':>8} {'ms / 1000 samples':>18}")
    for name, problem in PROBLEMS.items():
        cold: dict[str, float] = {}
        warm: dict[str, float] = {}
        for tool in TOOLS:
            found = measure(tool, name)
            if "missing" in found:
                print(f"{name:8} {tool:20} {found['missing']}")
                continue
            wrong = "" if found["size"] == problem.size else f"  expected {problem.size}"
            build, again, sample = (1e3 * float(found[key]) for key in ("build", "again", "sample"))
            cold[tool], warm[tool] = build, again
            mb = float(found["mb"])
            print(f"{name:8} {tool:20} {found['size']:>12} {build:10.1f} {again:10.1f} {mb:8.1f} {sample:18.2f}{wrong}")
        if "tunepass" in cold and len(cold) > 1:
            first, again = (min(t[tool] for tool in TOOLS[1:] if tool in t) / t["tunepass"] for t in (cold, warm))
            print(
                f"{name:8} built {first:.1f} times as fast as the faster peer, both cold; {again:.1f} times, both warm"
            )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child(*sys.argv[1:])
    else:
        main()

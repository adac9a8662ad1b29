"""TACO's index expressions with their schedules: those of a small grammar and the samples, changed a little or much."""

from __future__ import annotations

import random

from tests.fuzz import seeds
from tests.fuzz.gentle import varied
from tests.fuzz.mutation import mutated

# Each expression with its tensors' index variables; the first of the right side is sparse.
EXPRESSIONS = (
    ("A(i,k) = B(i,j) * C(j,k)", {"A": "ik", "B": "ij", "C": "jk"}),
    ("y(i) = B(i,j) * x(j)", {"y": "i", "B": "ij", "x": "j"}),
    ("A(i,j) = B(i,j) * C(i,k) * D(k,j)", {"A": "ij", "B": "ij", "C": "ik", "D": "kj"}),
    ("A(i,j) = B(i,k,l) * C(k,j) * D(l,j)", {"A": "ij", "B": "ikl", "C": "kj", "D": "lj"}),
)
ELEMENTS = ("double", "float", "double", "int")


def taco_case(rng: random.Random) -> str:
    texts, chosen = seeds.sources("taco"), rng.random()
    if chosen < 0.7:
        return varied(rng, _program(rng), "#", texts, wrong=0.2)
    if chosen < 0.85:
        return varied(rng, rng.choice(seeds.samples("taco")), "#", texts, wrong=0.2)
    return mutated(rng, rng.choice(texts), texts)


def _program(rng: random.Random) -> str:
    expression, tensors = rng.choice(EXPRESSIONS)
    element = rng.choice(ELEMENTS)
    lines = []
    for name, index in tensors.items():
        sparse = name == "B"
        levels = "d" + rng.choice("ds") * (len(index) - 1) if not sparse else "d" + "s" * (len(index) - 1)
        form = f"= {levels}" if sparse else "dense"
        lines.append(f"tensor {name}({','.join(index)}) {form} {element}")
    lines.append(expression)
    lines.append(f"param chunk: pow2(2, {rng.choice((4, 64, 512))}) = 2{rng.choice(('', ' log'))}")
    clauses = ["split(i, i0, i1, chunk)"]
    if rng.random() < 0.5:
        lines.append("param threads: pow2(1, 8) = 2")
        clauses.append(f"parallelize(i0, CPUThread, NoRaces, schedule(dynamic, {rng.choice((1, 4))}), threads)")
    elif rng.random() < 0.4:
        clauses.append("parallelize(i0, CPUThread, NoRaces)")
    if rng.random() < 0.3:
        lines.append(f"constraint chunk {rng.choice(('< 100', '>= 2', '% 2 == 0'))}")
    lines.append(f"schedule {', '.join(clauses)}")
    sizes = sorted(set("".join(tensors.values())) - set(tensors["B"]))
    lines += [f"dim {name} = {rng.choice((4, 16, 64))}" for name in sizes]
    order = len(tensors["B"])
    generator = "circuit(rows = 100, nonzeros = 300, seed = 1)" if order == 2 else "facebook(scale = 0.001, seed = 1)"
    lines.append(f"generate B = {generator}")
    return "\n".join(lines) + "\n"

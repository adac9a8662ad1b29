"""Descriptions of applications, most of them as docs/applications.md says they are, the others nearly."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.fuzz import seeds
from tests.fuzz.expressions import condition
from tests.fuzz.mutation import mutated

WELL_FORMED = 0.75  # of the cases


def case(rng: random.Random) -> str:
    text = _description(rng)
    if rng.random() < WELL_FORMED:
        return text
    texts = seeds.sources("yaml")
    return mutated(rng, rng.choice((text, text, rng.choice(texts))), texts)


def _description(rng: random.Random) -> str:
    """Sections in any order, written as blocks, with what the grammar leaves open drawn at random."""
    makers = (_integer, _real, _ordinal, _categorical, _switch, _permutation)
    names = rng.sample(
        ("OPT", "UNROLL", "BLOCK", "RATIO", "THREADS", "ORDER", "FAST", "no", "on", "y"), rng.randrange(1, 6)
    )
    builds = rng.random() < 0.7
    roles = {
        name: rng.choice(("flag", "macro", "environment", "argument") if builds else ("environment", "argument"))
        for name in names
    }
    lines = [_parameter(rng, name, roles[name], rng.choice(makers)) for name in names]
    sections = ["parameters:\n" + "".join(f"  {line}\n" for line in lines), _run(rng, names, roles)]
    if builds:
        sections += [_build(rng, names, roles), f"sources: [{rng.choice(('src', 'a.c, b.c', 'src/*.c'))}]\n"]
    if rng.random() < 0.4:
        sections.append(_constraints(rng, names))
    optional = (
        f"name: {rng.choice(('solver', 'a-b.c', '_x', 'x1', 'é'))}\n",
        "tools: [gcc, make]\n",
        rng.choice(
            (
                "check: {output: all}\n",
                'check: {output: ["sum {sum}"], relative: 1e-9, absolute: 0}\n',
                "check: {command: ./check}\n",
            )
        ),
        "# a comment\n",
    )
    sections += [section for section in optional if rng.random() < 0.3]
    rng.shuffle(sections)
    return rng.choice(("", "", "", "---\n", "\ufeff")) + "".join(sections)


def _parameter(rng: random.Random, name: str, role: str, make: Callable[[random.Random], list[str]]) -> str:
    fields = [*make(rng), f"role: {role}"]
    if rng.random() < 0.2:
        fields.append({"environment": 'form: "V_X={}"'}.get(role, f'form: "{rng.choice(("-x{}", "--y={}", "{}"))}"'))
    rng.shuffle(fields)
    return f"{name}: {{{', '.join(fields)}}}"


def _integer(rng: random.Random) -> list[str]:
    lo = rng.choice((0, 1, 1, 2, -5, 10**6))
    hi = lo + rng.choice((1, 2, 7, 100, 10**9))
    fields = ["kind: integer", f"range: [{lo}, {hi}]"]
    optional = (f"default: {lo}", "prior: uniform", "prior: [2, 5]", *(["log: true"] if lo > 0 else []))
    return fields + rng.sample(optional, 1) if rng.random() < 0.5 else fields


def _real(rng: random.Random) -> list[str]:
    lo, hi = rng.choice((("0.1", "2.5"), ("1e-9", "1e9"), ("-1", "1.0"), (".5", "1.")))
    return ["kind: real", f"range: [{lo}, {hi}]", *rng.sample((f"default: {lo}", "prior: gaussian"), rng.randrange(2))]


def _ordinal(rng: random.Random) -> list[str]:
    values = sorted(rng.sample((1, 2, 4, 8, 16, 0.5, 1000, 2**40), rng.randrange(1, 6)))
    return ["kind: ordinal", f"values: {values}", *rng.sample((f"default: {values[0]}", "log: true"), rng.randrange(2))]


def _categorical(rng: random.Random) -> list[str]:
    words = rng.sample(
        ("-O1", "-O2", '"-O3 -ffast-math"', "static", "no", "on", "2024-01-01", "'1e3'", '""', "é", "12:30"),
        rng.randrange(1, 5),
    )
    fields = ["kind: categorical", f"values: [{', '.join(words)}]"]
    return (
        [*fields, rng.choice((f"default: {words[0]}", f"prior: {[1] * len(words)}"))] if rng.random() < 0.4 else fields
    )


def _switch(rng: random.Random) -> list[str]:
    return ["kind: categorical", f"values: [{rng.choice(('true, false', '0, 1', '1, 2.5', 'False'))}]"]


def _permutation(rng: random.Random) -> list[str]:
    items = rng.choice(("[i, j, k]", "3", "[a]", "[on, off]"))
    return [
        "kind: permutation",
        f"items: {items}",
        *(["default: [k, i, j]"] if items == "[i, j, k]" and rng.random() < 0.5 else []),
    ]


def _build(rng: random.Random, names: list[str], roles: dict[str, str]) -> str:
    compiled = [f"-D{n}={{{n}}}" for n in names if roles[n] in ("flag", "macro") and rng.random() < 0.3]
    command = rng.choice(
        ("make CFLAGS={FLAGS}", "cc {FLAGS} -o {build_dir}/x x.c", "cc {FLAGS} 'a b' \"c d\"")
    ) + "".join(f" {w}" for w in compiled)
    form = rng.choice(
        (
            f"  command: {command}\n",
            f"  commands:\n    - {command}\n    - [touch, done]\n",
            f"  command: >\n    {command}\n",
        )
    )
    return "build:\n" + form + rng.choice(("", "  product: x\n", "  time_limit: 1m\n", "  link: [data]\n"))


def _run(rng: random.Random, names: list[str], roles: dict[str, str]) -> str:
    lines = ["run:", f"  command: ./x {rng.choice(('', '{ARGUMENTS} ', '{source_dir}/a '))}100"]
    if rng.random() < 0.5:
        metric = rng.choice(
            ('"time: {time} ms"', "{json: a.0.rate, unit: GB/s, maximise: true}", '{pattern: "t={t}", name: speed}')
        )
        lines.append(f"  metrics: [{metric}]")
        if rng.random() < 0.3:
            lines.append("  deterministic: true")
    optional = ("  time_limit: 10s", "  memory_limit: 512MB", "  repeats: 5")
    return "\n".join([*lines, *rng.sample(optional, rng.randrange(3))]) + "\n"


def _constraints(rng: random.Random, names: list[str]) -> str:
    name = rng.choice(names)
    text = rng.choice((f"{name} == {name}", f"{name} != {name} or {name} == {name}", condition(rng, 2, [name])))
    return f"constraints:\n  - {text!r}\n" if "'" not in text else f"constraints:\n  - {text}\n"

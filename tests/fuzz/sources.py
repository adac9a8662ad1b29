"""C sources and Spatial programs: read, their spaces made, sampled, and written with a configuration."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.fuzz import seeds
from tests.fuzz.expressions import condition
from tests.fuzz.mutation import mutated
from tunepass.backends.base import Target, backend_for, default_of, frontend_of
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import parse
from tunepass.passes.apply_schedule import scheduled
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.space.configuration import Configuration

SAMPLED = 3
DEVICES = {"spatial": "stratix-v", "hls": "stratix-v", "cuda": "a100", "opencl": "mi250x"}  # that price a kernel


def check(path: Path) -> None:
    """What `space`, `cc` and `build` do with a source before anything is compiled."""
    parsed = parse(path)
    choices = []
    for kernel in parsed.kernels:
        assert all(warning.render() for warning in parsed.warnings)
        space = ExtractSpace().run(Compilation(kernel=kernel)).space
        assert space is not None
        drawn = space.sample(SAMPLED, np.random.default_rng(0)) if space.finite and space.complete else []
        choices.append((kernel, [space.default, *drawn]))
    for i in range(min(len(configurations) for _, configurations in choices)):
        _write([scheduled(kernel, configurations[i]) for kernel, configurations in choices])
    for kernel, configurations in choices:
        _price(kernel, configurations[0])


def _write(kernels: list[Kernel]) -> None:
    frontend_of(kernels[0].source.name, kernels[0].source.text).emit(kernels, "a note")


def _price(kernel: Kernel, configuration: Configuration) -> None:
    backend = backend_for(kernel, Target(device=DEVICES.get(kernel.language)))
    backend.objectives()
    if not backend.measures:
        assert set(default_of(kernel)) == set(configuration)
    backend.costs()


def c_case(rng: random.Random) -> str:
    if rng.random() < 0.55:
        return _pragmas(rng)
    texts = seeds.sources("c")
    return mutated(rng, rng.choice(texts), texts)


def spatial_case(rng: random.Random) -> str:
    texts = seeds.sources("scala")
    return mutated(rng, rng.choice(texts), texts)


# -- a C source from the grammar of pragmas


NAMES = ("TILE", "UNROLL", "BLOCK", "S", "A", "B")
ODD_NAMES = ("int", "n", "é", "a b", "f", "x", "1", "")
ELEMENTS = ("double", "float", "int", "unsigned char", "long long", "bool", "struct s", "size_t")
WRONG = 0.06  # of the places where something may be wrong


def _pragmas(rng: random.Random) -> str:
    """Parameters, constraints, a kernel and its function; here and there something is wrong."""
    names = rng.sample(NAMES, rng.randrange(1, 5))
    if rng.random() < WRONG:
        names.append(rng.choice((*ODD_NAMES, names[0])))
    domains = {name: _domain(rng) for name in names}
    numeric = [name for name, (domain, _) in domains.items() if domain.startswith(("integer", "ordinal"))]
    lines = [_pragma(rng, f"param {name}: {domain}{suffix}") for name, (domain, suffix) in domains.items()]
    if numeric and rng.random() < 0.6:
        lines.append(_pragma(rng, f"constraint {_condition(rng, numeric)}"))
    if numeric and rng.random() < 0.2:
        model = f"{rng.choice(numeric)} * 2 + ceildiv(n, max(1, {rng.choice(numeric)}))"
        lines.append(_pragma(rng, f"model {_or_wrong(rng, 'time', ('speed', 'x'))} = {model}"))
    element = _or_wrong(rng, rng.choice(ELEMENTS[:4]), ELEMENTS)
    fill = rng.choice(("", "", " fill(i % 7)", " range(0, 2)", _or_wrong(rng, "", (" fill(x)", " range(2, 1)"))))
    tolerance = rng.choice(("", " tolerance(1e-6)", _or_wrong(rng, "", (" tolerance(1e-6, -1)", " tolerance(nan)"))))
    size = _or_wrong(rng, str(rng.choice((4, 100, 1000))), ("0", "-1", "1000000000000", "n", "1.5"))
    lines.append(_pragma(rng, f"kernel f(n = {size}, x: inout {element}[n]{fill}){tolerance}"))
    lines += [f"#ifndef {name}\n#define {name} {_defined(rng, *domains[name])}\n#endif" for name in names]
    used = [f"{name}_i" if "(i, j" in domains[name][0] else name for name in names]
    lines += _function(rng, used, numeric, element)
    text = rng.choice(("\n", "\n", "\n", "\r\n")).join(lines) + "\n"
    return mutated(rng, text, seeds.sources("c")) if rng.random() < 0.2 else text


def _function(rng: random.Random, names: list[str], numeric: list[str], element: str) -> list[str]:
    uses = " ".join(f"(void)({name});" for name in names)
    if numeric and rng.random() < 0.4:
        nest = "for (int i = 0; i < n; i++)\nfor (int j = 0; j < n; j++)\n  x[i] += x[j];"
        return [f"void f(int n, {element} *x)\n{{\n{uses}\n{_pragma(rng, _directive(rng, numeric))}\n{nest}\n}}"]
    return [f"void f(int n, {element} *x)\n{{\n    {uses}\n    for (int i = 0; i < n; i++) x[i] = 1;\n}}"]


def _or_wrong(rng: random.Random, right: str, wrong: Sequence[str]) -> str:
    return rng.choice(wrong) if rng.random() < WRONG else right


def _pragma(rng: random.Random, text: str) -> str:
    form = rng.choice(("#pragma tunepass {}", "#pragma tunepass {}", "// tunepass: {}", "/* tunepass: {} */"))
    return form.format(text)


def _number(rng: random.Random) -> str:
    return str(rng.choice((0, 1, 2, 3, 4, 8, 16, 64, -1, 0.5, 2.5, 1e3, 10**6, 10**18, 2**63, 1e308, "nan", "x")))


def _domain(rng: random.Random) -> tuple[str, str]:
    """A parameter's values, and its default and hints."""
    lo, size = rng.choice((0, 1, 1, 2, -3)), rng.choice((0, 1, 7, 15, 1000, 10**9))
    hi = str(lo + size)
    default, log, prior = f" = {lo}", " log" if lo > 0 else "", rng.choice(("", " prior(gaussian)", " prior(2, 5)"))
    if rng.random() < WRONG:
        hi, default = _number(rng), rng.choice((f" = {_number(rng)}", ' = "static"', " = true", " = (i, j, k)"))
    kinds = (
        (f"integer({lo}..{hi})", default, log, prior),
        (f"integer({lo}..{hi} step {_or_wrong(rng, '2', ('0', '-1', 'x', '3.5'))})", default, log, prior),
        (f"ordinal(1, 2, {_or_wrong(rng, '4', ('x', '1', 'nan', '1e999'))})", " = 1", " log", prior),
        ("ordinal(pow2(1, 64))", " = 8", " log", prior),
        (f"ordinal(0, pow2(2, {_or_wrong(rng, '64', ('65', '1e9', str(2**70)))}))", " = 0", "", prior),
        ("ordinal(1..4, 8..32 step 8)", " = 16", " log", prior),
        (f"real({lo}..{lo + 1 + size})", f" = {lo}.5", log, prior),
        (
            'categorical("static", "dynamic")',
            ' = "static"',
            rng.choice(("", " flag")),
            rng.choice(("", " prior(1, 2)")),
        ),
        ("categorical(4, 8)", " = 8", "", ""),
        ("categorical(true, false)", " = true", "", ""),
        ("permutation(i, j, k)", " = (k, i, j)", "", ""),
        (f"permutation({_or_wrong(rng, '3', ('0', '30', '1000000000'))})", "", "", ""),
    )
    domain, *suffixes = rng.choice(kinds)
    return domain, "".join(suffix for suffix in suffixes if rng.random() < 0.6)


def _defined(rng: random.Random, domain: str, suffix: str) -> str:
    """What the source's own `#define` says: something like the values."""
    return "static" if '"static"' in domain else _or_wrong(rng, "1" if "real" not in domain else "1.5", ("", "x", "2"))


def _condition(rng: random.Random, names: list[str]) -> str:
    a, b = rng.choice(names), rng.choice(names)
    easy = (f"{a} <= {b}", f"{a} % 2 == 0", f"{a} * {b} < 1000", f"{a} + {b} > 1", f"{a} * {b} % 1000 == 7")
    return rng.choice((*easy, condition(rng, 2, names), condition(rng, 3, names)))


def _directive(rng: random.Random, names: list[str]) -> str:
    """Clauses about loops i and j, each mostly once."""
    setting = rng.choice((*names, "4", "0"))
    clauses = [
        f"tile(i: {setting})", f"tile(i: {setting}, j: {rng.choice(names)})", "order(j, i)",
        f"unroll(j: {setting})", f"unroll_and_jam(i: {setting})", "vectorize(j)",
        f"vectorize(j: {rng.choice(names)})", "parallel(i)", _or_wrong(rng, "parallel(i)", ("fuse(i)", "tile(k: 2)")),
    ]  # fmt: skip
    return f"loop(i, j) {' '.join(rng.sample(clauses, rng.randrange(1, 4)))}"

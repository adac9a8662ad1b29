"""A space equals brute force: every count, rank, neighbour and membership, for random parameters and constraints."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.examples import scaled
from tunepass.diagnostics import ExpressionError, SpaceError
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation
from tunepass.space.space import Space

DENSE_LIMIT = 1500


@st.composite
def parameters(draw: st.DrawFn) -> list[Parameter]:
    out: list[Parameter] = []
    for i in range(draw(st.integers(1, 5))):
        name = "abcde"[i]
        kind = draw(st.sampled_from(["integer", "ordinal", "reals", "flags", "words", "items", "order", "named"]))
        if kind == "integer":
            lo = draw(st.integers(-3, 4))
            out.append(Integer(name, lo, lo + draw(st.integers(0, 5)), step=draw(st.integers(1, 2))))
        elif kind == "ordinal":
            out.append(Ordinal(name, draw(st.lists(st.sampled_from([1, 2, 3, 4, 8, 16]), min_size=1, unique=True))))
        elif kind == "reals":
            out.append(Ordinal(name, draw(st.lists(st.sampled_from([0.5, 1.5, 2.0, -1.0]), min_size=1, unique=True))))
        elif kind == "flags":
            out.append(Categorical(name, [False, True]))
        elif kind == "words":
            out.append(Categorical(name, ["x", "y", "z"][: draw(st.integers(1, 3))]))
        elif kind == "items":
            out.append(Categorical(name, [3, 1, 2]))
        elif kind == "order":
            out.append(Permutation(name, draw(st.integers(2, 4))))
        else:
            out.append(Permutation(name, ["i", "j", "k"]))
    return out


def numbers(ps: list[Parameter]) -> st.SearchStrategy[str]:
    leaves: list[str] = ["0", "1", "2", "3", "6"]
    for p in ps:
        if isinstance(p, Permutation):
            leaves += [f"pos({p.name}, {item!r})" for item in p.items]
            if isinstance(p.items[0], int):
                leaves += [f"{p.name}[{i}]" for i in range(len(p.items))] + [f"{p.name}[{p.name}[0]]"]
                leaves += [f"pos({p.name}, {p.name}[1])"]
        elif not isinstance(p.domain[0], str):
            leaves += [p.name] * 3
    base = st.sampled_from(leaves)
    binary = st.sampled_from(["+", "-", "*", "//", "%", "+", "*"])

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds(lambda a, op, b: f"({a} {op} {b})", inner, binary, inner),
            st.builds(lambda f, a, b: f"{f}({a}, {b})", st.sampled_from(["min", "max"]), inner, inner),
            st.builds(lambda a: f"(-{a})", inner),
            st.builds(lambda a: f"abs({a})", inner),
            st.builds(lambda c, a, b: f"if({c} > 1, {a}, {b})", inner, inner, inner),
        )

    return st.recursive(base, grow, max_leaves=5)


@st.composite
def conditions(draw: st.DrawFn, ps: list[Parameter]) -> str:
    number = numbers(ps)
    words = [p for p in ps if isinstance(p, Categorical) and isinstance(p.domain[0], str)]
    compared = st.builds(
        lambda a, op, b: f"{a} {op} {b}", number, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), number
    )
    simple = st.one_of(compared, st.builds(lambda a, b: f"0 <= {a} < {b}", number, number))
    if words:
        simple = simple | st.builds(
            lambda p, op, v: f"{p.name} {op} {v!r}",
            st.sampled_from(words),
            st.sampled_from(["==", "!="]),
            st.sampled_from(["x", "y"]),
        )
    joined = st.recursive(
        simple,
        lambda inner: st.one_of(
            st.builds(lambda a, op, b: f"({a}) {op} ({b})", inner, st.sampled_from(["and", "or"]), inner),
            st.builds(lambda a: f"not ({a})", inner),
        ),
        max_leaves=3,
    )
    return draw(joined)


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[Parameter], list[str]]:
    ps = draw(parameters())
    dense = 1
    for p in ps:
        dense *= p.size or 1
    assume(dense <= DENSE_LIMIT)
    return ps, draw(st.lists(conditions(ps), min_size=1, max_size=3))


def brute_force(ps: list[Parameter], constraints: list[str]) -> set[Configuration]:
    rows = list(itertools.product(*(p.domain for p in ps)))
    columns = {p.name: p.column([row[i] for row in rows]) for i, p in enumerate(ps)}
    ok = np.ones(len(rows), dtype=bool)
    for text in constraints:
        ok &= satisfied(Constraint.parse(text, ps).expression, columns, len(rows))
    return {Configuration(dict(zip([p.name for p in ps], row))) for row, keep in zip(rows, ok) if keep}


def differs_in_one(ps: list[Parameter], a: Configuration, b: Configuration) -> bool:
    changed = [p for p in ps if a[p.name] != b[p.name]]
    if len(changed) != 1:
        return False
    p = changed[0]
    if not isinstance(p, Permutation):
        return True
    x, y = list(a[p.name]), list(b[p.name])  # type: ignore[arg-type]
    for i, j in itertools.permutations(range(len(x)), 2):
        moved = x[:i] + x[i + 1 :]
        moved.insert(j, x[i])
        swapped = list(x)
        swapped[i], swapped[j] = x[j], x[i]
        if y in (moved, swapped):
            return True
    return False


@settings(max_examples=scaled(60), suppress_health_check=list(HealthCheck))
@given(problems(), st.integers(0, 2**32 - 1))
def test_a_space_is_what_brute_force_finds(problem: tuple[list[Parameter], list[str]], seed: int) -> None:
    ps, texts = problem
    try:
        expected = brute_force(ps, texts)
        constraints = [Constraint.parse(text, ps) for text in texts]
    except ExpressionError:
        assume(False)
    if not expected:
        try:
            Space(ps, constraints)
        except SpaceError as error:
            assert "empty" in str(error)
            return
        raise AssertionError("an empty space was built")
    space = Space(ps, constraints)
    assert space.complete and space.size == len(expected)
    listed = list(space.enumerate())
    assert len(listed) == len(expected) and set(listed) == expected
    assert [space.rank(c) for c in listed] == list(range(space.size))
    assert space.unrank(space.size // 2) == listed[space.size // 2]
    everything = [
        Configuration(dict(zip([p.name for p in ps], row))) for row in itertools.product(*(p.domain for p in ps))
    ]
    inside = space.contains_columns(space.columns(everything))
    assert {c for c, ok in zip(everything, inside) if ok} == expected
    rng = np.random.default_rng(seed)
    drawn = space.sample(5, rng)
    assert len(set(drawn)) == len(drawn) == min(5, space.size) and set(drawn) <= expected
    assert set(space.sample(5, rng, prior=True)) <= expected
    here = drawn[0]
    near = space.neighbours(here)
    assert len(set(near)) == len(near)
    assert set(near) == {c for c in expected if differs_in_one(ps, here, c)}
    assert space.default in expected

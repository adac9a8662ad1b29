"""Index expressions computed with NumPy, beside einsum over dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunepass.ir.tensor import Access, Assignment, Binary, Negation, Number, TensorExpr
from tunepass.tensors.evaluation import NotComputed, Operand, Some, SparseEntries, evaluate, work

SIZES = {"i": 5, "j": 4, "k": 3, "l": 2}


def access(text: str) -> Access:
    return Access(text[0], tuple(text[1:]))


def times(*texts: str) -> TensorExpr:
    first, *rest = texts
    product: TensorExpr = access(first)
    for text in rest:
        product = Binary("*", product, access(text))
    return product


def made(text: str, rng: np.random.Generator, dtype: str = "f8") -> np.ndarray:
    """About half of it zeros."""
    shape = tuple(SIZES[v] for v in text[1:])
    return (rng.integers(-9, 10, shape) * rng.integers(0, 2, shape)).astype(dtype)


def sparse(values: np.ndarray) -> SparseEntries:
    indices = np.array(np.nonzero(values)).reshape(values.ndim, -1)
    order = np.random.default_rng(1).permutation(indices.shape[1])
    return SparseEntries(indices[:, order], values[tuple(indices[:, order])])


def result(texts: list[str], left: str, sparse_names: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """As computed here, and by einsum."""
    dense = {text[0]: made(text, rng) for text in texts}
    operands: dict[str, Operand] = {n: sparse(v) if n in sparse_names else v for n, v in dense.items()}
    start = np.zeros([SIZES[v] for v in left])
    got = evaluate(Assignment(Access("A", tuple(left)), times(*texts)), operands, SIZES, start)
    return got, np.einsum(",".join(t[1:] for t in texts) + "->" + left, *(dense[t[0]] for t in texts))


@pytest.mark.parametrize(
    "texts,left",
    [
        (["Bij", "Cj"], "i"),
        (["Bij", "Cjk"], "ik"),
        (["Bij", "Cik", "Djk"], "ij"),
        (["Bijk", "Ck"], "ij"),
        (["Bijk", "Cjl", "Dkl"], "il"),
        (["Bij", "Cij"], ""),
        (["Bji", "Cj"], "i"),
    ],
    ids=lambda v: "*".join(v) if isinstance(v, list) else v,
)
@pytest.mark.parametrize("sparse_names", ["", "B", "BC"])
def test_products_are_what_einsum_says(texts: list[str], left: str, sparse_names: str) -> None:
    got, expected = result(texts, left, sparse_names, np.random.default_rng(3))
    assert np.array_equal(got, expected)


def test_sums_are_of_products_each_over_its_own_variables() -> None:
    rng = np.random.default_rng(4)
    b, x, z = made("Bij", rng), made("xj", rng), made("zi", rng)
    right = Binary("-", Binary("*", Number(3), times("Bij", "xj")), Binary("/", Negation(access("zi")), Number(4)))
    got = evaluate(Assignment(access("yi"), right), {"B": sparse(b), "x": x, "z": z}, SIZES, np.ones(5))
    assert np.array_equal(got, 1 + 3 * (b @ x) + z / 4)


def test_a_factor_that_is_a_sum_is_multiplied_out() -> None:
    rng = np.random.default_rng(5)
    b, c, d = made("Bij", rng), made("Cj", rng), made("Di", rng)
    right = Binary("*", access("Bij"), Binary("+", access("Cj"), access("Di")))
    got = evaluate(Assignment(access("yi"), right), {"B": sparse(b), "C": c, "D": d}, SIZES, np.zeros(5))
    assert np.array_equal(got, (b * (c + d[:, None])).sum(axis=1))


def test_of_a_sparse_result_its_entries_are_computed() -> None:
    rng = np.random.default_rng(6)
    b, c, d = made("Bij", rng), made("Cik", rng), made("Dkj", rng)
    pattern = sparse(b)
    start = SparseEntries(pattern.indices, np.zeros_like(pattern.values))
    operands: dict[str, Operand] = {"B": pattern, "C": c, "D": d}
    got = evaluate(Assignment(access("Aij"), times("Bij", "Cik", "Dkj")), operands, SIZES, start)
    assert np.array_equal(got, (b * (c @ d))[tuple(pattern.indices)])


@pytest.mark.parametrize("sparse_names", ["", "B"])
def test_some_coordinates_of_a_result_are_right(sparse_names: str) -> None:
    rng = np.random.default_rng(7)
    b, c = made("Bij", rng), made("Cjk", rng)
    operands: dict[str, Operand] = {"B": sparse(b) if sparse_names else b, "C": c}
    some = np.array([0, 2])
    for variable, take in (("i", lambda a: a[some]), ("k", lambda a: a[:, some])):
        chosen = Some(variable, some)
        got = evaluate(Assignment(access("Aik"), times("Bij", "Cjk")), operands, SIZES, np.zeros((5, 3)), chosen)
        assert np.array_equal(take(got), take(b @ c))


def test_whole_numbers_wrap_and_divide_as_in_c() -> None:
    b, x = np.array([[2**31 - 1, 2]], "i4"), np.array([-7, 7], "i4")
    right = Binary("/", times("xj"), Number(2))
    got = evaluate(Assignment(access("yj"), right), {"x": x}, {"j": 2}, np.zeros(2, "i4"))
    assert got.tolist() == [-3, 3]
    product = Assignment(access("yi"), times("Bij", "xj"))
    got = evaluate(product, {"B": b, "x": np.array([2, 1], "i4")}, {"i": 1, "j": 2}, np.zeros(1, "i4"))
    assert got.tolist() == [0]


def test_a_sparse_operand_without_entries_gives_zeros() -> None:
    nothing = SparseEntries(np.zeros((2, 0), np.int64), np.zeros(0))
    for texts in (("Bij", "Cj"), ("Cj", "Bij")):
        got = evaluate(Assignment(access("yi"), times(*texts)), {"B": nothing, "C": np.ones(4)}, SIZES, np.zeros(5))
        assert not got.any()


def test_the_work_is_that_of_the_visited_entries() -> None:
    b = sparse(made("Bij", np.random.default_rng(8)))
    spmm = Assignment(access("Aik"), times("Bij", "Cjk"))
    assert work(spmm, {"B": b, "C": np.ones((4, 3))}, SIZES) == b.values.size * SIZES["k"]


def test_what_would_take_all_memory_is_not_computed() -> None:
    one = np.ones(1)
    huge = {"i": 1 << 20, "j": 1 << 20}
    with pytest.raises(NotComputed, match="combinations"):
        evaluate(Assignment(Access("a"), times("Bi", "Cj")), {"B": one, "C": one}, huge, np.zeros(()))


@given(
    st.lists(st.sampled_from(["Bi", "Cij", "Djk", "Ek", "Fij"]), min_size=1, max_size=3, unique=True),
    st.permutations("ijk"),
    st.integers(0, 3),
    st.sets(st.sampled_from("BCDEF")),
    st.integers(0, 99),
)
def test_any_product_with_any_sparse_operands(
    texts: list[str], order: list[str], kept: int, names: set[str], seed: int
) -> None:
    used = {v for text in texts for v in text[1:]}
    left = "".join(v for v in order if v in used)[:kept]
    got, expected = result(texts, left, "".join(names), np.random.default_rng(seed))
    assert np.array_equal(got, expected)

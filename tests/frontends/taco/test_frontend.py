"""Whole files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.taco.sources import SPMM, body, kernel, parse
from tunepass.diagnostics import SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.taco.frontend import TacoFrontend
from tunepass.ir.tensor import (
    Access,
    Binary,
    BoundFile,
    Format,
    Generated,
    Negation,
    Number,
    Parallelize,
    Pos,
    Reorder,
    Split,
    TensorKernel,
    Unroll,
)


def test_a_whole_file() -> None:
    parsed = parse(SPMM, "some/where/spmm.taco")
    (read,) = parsed.kernels
    assert read.name == "spmm" and read.language == "taco" and not parsed.warnings
    assert {p.name: p.size for p in read.parameters} == {
        "chunk": 9,
        "unroll": 9,
        "order": 120,
        "threads": 6,
        "omp": 2,
        "omp_chunk": 9,
    }
    assert read.constraints[0].text == "unroll < chunk"


def test_the_body_of_a_whole_file() -> None:
    read = body(SPMM)
    formats = {t.name: (t.index, t.format, t.element) for t in read.tensors}
    assert formats["B"] == (("i", "j"), Format(("dense", "compressed"), (0, 1)), "double")
    assert list(formats) == ["A", "B", "C"]
    assert read.extents == (("k", 64),)
    assert [(d.tensor, d.path) for d in read.data if isinstance(d, BoundFile)] == [("B", Path("matrix.mtx"))]
    split, pos, _, reorder, _, parallel = read.schedule
    assert isinstance(split, Split) and to_text(split.factor) == "chunk"
    assert isinstance(pos, Pos) and (pos.variable, pos.position, pos.tensor) == ("j", "jpos", "B")
    assert isinstance(reorder, Reorder)
    assert (reorder.parameter, reorder.variables) == ("order", ("i0", "i1", "jpos0", "k", "jpos1"))
    assert isinstance(parallel, Parallelize) and (parallel.unit, parallel.race) == ("CPUThread", "NoRaces")
    assert parallel.policy is not None and to_text(parallel.policy) == "omp"


def test_the_forms_of_expressions() -> None:
    read = body("a_i += -B_{i,j} * (c(j) - 2u) / 3.5 + alpha\ntensor alpha float").assignment
    assert read.accumulates and read.left.index == ("i",)
    assert isinstance(read.right, Binary) and read.right.operator == "+"
    quotient = read.right.left
    assert isinstance(quotient, Binary) and quotient.right == Number(3.5)
    product = quotient.left
    assert isinstance(product, Binary) and isinstance(product.left, Negation)
    assert isinstance(product.right, Binary) and product.right.right == Number(2)
    assert isinstance(read.right.right, Access) and read.right.right.index == ()


def format_of(text: str, index: str) -> Format:
    return body(f"tensor B({index}) {text}\na(i) = B({index})").tensors[1].format


def test_the_forms_of_formats() -> None:
    by_columns = Format(("dense", "compressed"), (1, 0))
    assert format_of("csc", "i,j") == format_of("= ds:1,0", "i,j") == format_of("= csr:1,0 double", "i,j") == by_columns
    assert format_of("= csf", "i,j,k") == format_of("sss", "i,j,k") == Format(("compressed",) * 3, (0, 1, 2))
    assert format_of("dcsr", "i,j").levels == ("compressed",) * 2
    assert format_of("float", "i,j") == format_of("dense", "i,j") == Format(("dense", "dense"), (0, 1))


def test_the_forms_of_elements() -> None:
    tensors = body("tensor B(i,j) = float\ntensor c(j) = d int64\ntensor d int\na(i) = B(i,j) * c(j) * d").tensors
    assert [tensor.element for tensor in tensors] == ["double", "float", "long", "int"]


def test_what_is_not_declared_is_dense_and_said() -> None:
    parsed = parse("tensor B(i,j) = ds\na(i) = B(i,j) * c(j)")
    assert [note.severity.value for note in parsed.warnings] == ["note", "note"]
    assert "tensor c(j) dense double" in str(parsed.warnings[1].hint)


def test_statements_end_at_lines_and_semicolons() -> None:
    text = """
    tensor B(i,
             j) = ds; ;; # a comment; tensor X(i)
    a(i) = B(i,j)   # comment
           * c(j) +
           d(i)
    dim i = 4, \\
        j = 5
    generate B = mesh(rows = 2000, seed = 1)
    """
    read = body(text)
    assert read.extents == (("i", 4), ("j", 5))
    assert read.data[0] == Generated("B", "mesh", (("rows", 2000), ("seed", 1)), read.data[0].span)
    assert [t.name for t in read.tensors] == ["a", "B", "c", "d"]


def test_tensors_may_be_called_as_statements_are() -> None:
    assert [t.name for t in body("bind(i) = param(i,j) * dim(j)").tensors] == ["bind", "param", "dim"]


def test_numbers_of_a_schedule_are_expressions() -> None:
    read = kernel("param n: pow2(1, 8)\na(i) = b(i)\ndim i = 64\nschedule split(i, i0, i1, 2 * n), unroll(i1, i // 8)")
    schedule = read.body_as(TensorKernel).schedule
    assert [to_text(d.factor) for d in schedule if isinstance(d, (Split, Unroll))] == ["2 * n", "8"]


def test_a_factor_that_may_be_zero_is_constrained() -> None:
    read = kernel("param n: integer(0..8) = 1\na(i) = b(i)\nschedule split(i, i0, i1, n)")
    assert [to_text(c.expression) for c in read.constraints] == ["n >= 1"]


def test_a_schedule_left_out_is_proposed() -> None:
    read = kernel("tensor B(i,j) = ds\nA(i,k) = B(i,j) * C(j,k)\ndim k = 64\n")
    proposed = read.body_as(TensorKernel)
    assert proposed.proposed and {"chunk", "order"} <= {p.name for p in read.parameters}
    assert all(p.span == read.span for p in read.parameters) and all(c.span for c in read.constraints)


def test_a_proposed_schedule_is_written_out() -> None:
    read = kernel("tensor B(i,j) = ds\nA(i,k) = B(i,j) * C(j,k)  # all rows\ndim k = 64\n")
    (tuned,) = TacoFrontend().emit((read,))
    assert "A(i,k) = B(i,j) * C(j,k)\nschedule split(i, " in tuned.text
    again = kernel(tuned.text).body_as(TensorKernel)
    assert not again.proposed and len(again.schedule) == len(read.body_as(TensorKernel).schedule)


def test_a_parameter_needs_a_schedule() -> None:
    with pytest.raises(SourceError, match="no `schedule` that could use this"):
        parse("param n: pow2(1, 8)\na(i) = b(i)")


def test_names_that_a_schedule_makes_may_have_underscores() -> None:
    read = body(
        "a(i) = b(i)\nschedule bound(i, i_bounded, 64, MaxExact), split(i_bounded, i0_, i_1, 4), unroll(i_1, 4)"
    )
    assert len(read.schedule) == 3


def test_positions_may_be_those_of_an_access() -> None:
    read = body("tensor B(i,j) = ds\na(i) = B(i,j) * c(j)\nschedule pos(j, jpos, B(i, j))")
    assert isinstance(read.schedule[0], Pos) and read.schedule[0].tensor == "B"

"""Tuned files: values in place of parameters, and a command line that TACO reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontends.taco.sources import SPMM, body, kernel, parse
from tunepass.diagnostics import Source
from tunepass.frontends.base import Frontend
from tunepass.frontends.taco.emission import elsewhere
from tunepass.frontends.taco.frontend import TacoFrontend
from tunepass.frontends.taco.lowering import lower_body
from tunepass.frontends.taco.reading import read_file
from tunepass.frontends.taco.text import command_line
from tunepass.ir.kernel import Choice
from tunepass.ir.tensor import BoundFile, TensorKernel
from tunepass.testing.frontend import FrontendContract


def emitted(text: str, *choices: Choice) -> str:
    (file,) = TacoFrontend().emit((kernel(text).scheduled(choices),), "2.1 times as fast")
    assert file.name == "kernel.tuned.taco"
    return file.text


def test_a_tuned_file(golden: Callable[[str, str], None]) -> None:
    order = ("k", "i0", "i1", "jpos0", "jpos1")
    golden("taco/spmm.tuned.taco", emitted(SPMM, Choice("chunk", 64), Choice("order", order), Choice("omp", "dynamic")))


def test_a_tuned_file_is_read_again_and_holds_nothing_to_tune() -> None:
    text = emitted(SPMM, Choice("chunk", 64))
    parsed = parse(text)
    assert not parsed.warnings and not parsed.kernels[0].parameters and not parsed.kernels[0].constraints
    assert command_line(body(text), {}) in text


def test_comments_stay() -> None:
    text = "a(i) = b(i)  # copied\nparam n: pow2(2, 8)  # rows at a time\n# all\nschedule split(i, i0, i1, n)  # end\n"
    tuned = emitted(text)
    assert tuned.endswith("a(i) = b(i)  # copied\n# rows at a time\n# all\nschedule split(i, i0, i1, 2)  # end\n")


def test_what_needs_no_change_is_as_it_was() -> None:
    text = "a(i) = b(i)\nparam n: pow2(2, 8)\nschedule split(i,i0,i1,4),  split(i1 , i2, i3, n),\nunroll( i3, 2 )\n"
    assert "split(i,i0,i1,4),  split(i1, i2, i3, 2),\nunroll( i3, 2 )" in emitted(text)


def test_files_that_are_bound_are_found_from_the_folder_of_the_tuned_one(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    text = 'tensor B(i,j) = ds\ny(i) = B(i,j) * x(j)\nbind B =  "data/m \\"1\\".mtx"  # large\nbind x = "/x.tns"\n'
    moved = elsewhere(kernel(text), tmp_path, tmp_path / "out")
    (file,) = TacoFrontend().emit((moved,), "")
    assert 'bind B = "../data/m \\"1\\".mtx"  # large\nbind x = "/x.tns"\n' in file.text
    (again,) = parse(file.text).kernels
    assert [d.path for d in again.body_as(TensorKernel).data if isinstance(d, BoundFile)] == [
        Path('../data/m "1".mtx'),
        Path("/x.tns"),
    ]


def test_options_of_the_command_line() -> None:
    text = """
    tensor A(i,j) = ds:1,0 float; tensor B(i,j) = csc int; tensor c double
    A(i,j) = c * B(i,j) * (D(i,j) - 2.5)
    dim i = 10
    schedule precompute(c * B(i,j), {i,j}, {iw,jw}, w)
    """
    line = unchecked(text)
    assert 'taco "A(i,j)=c*B(i,j)*(D(i,j)-2.5)" -f=A:ds:1,0 -t=A:float -f=B:ds:1,0 -t=B:int -d=i:10' in line
    assert line.endswith('-s="precompute(c*B(i,j),{i,j},{iw,jw},w)"')


def unchecked(text: str) -> str:
    """The command line, whether the schedule is legal or not."""
    return command_line(lower_body(read_file(Source("kernel.taco", text))).body, {})


def test_every_argument_has_one_equals_sign() -> None:
    defaults = {p.name: p.default for p in kernel(SPMM).parameters}
    words = re.findall(r'"[^"]*"|\S+', command_line(body(SPMM), defaults))
    assert len(words) > 5 and all(word.count("=") <= 1 for word in words)


class TestContract(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return TacoFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("some/where/spmm.taco", SPMM)


class TestProposedSchedule(TestContract):
    @pytest.fixture
    def source(self) -> Source:
        return Source("spmv.taco", "tensor A(i,j) = ds\ny(i) = A(i,j) * x(j)\n")

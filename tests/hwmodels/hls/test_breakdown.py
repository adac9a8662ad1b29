"""Where a kernel's cycles and resources go, loop by loop and array by array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.hwmodels.hls.nests import product
from tunepass.cli import main
from tunepass.diagnostics import Source
from tunepass.expr.numpy_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.base import Breakdown, Costs, Slice
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.hls.model import HlsModel, costs
from tunepass.ir.hls import HlsKernel

SUMS = ("luts", "ffs", "dsps", "brams")
PLAIN = {"rows": 1, "columns": 1, "terms": 1, "flat": 0, "tile": 1}


def walk(parts: Sequence[Slice]) -> Iterator[Slice]:
    for part in parts:
        yield part
        yield from walk(part.inside)


def told(body: HlsKernel, **parameters: int) -> tuple[Costs, Breakdown, dict[str, Slice]]:
    said = costs(body, devices.load("vu9p"))
    columns = {name: np.array([number]) for name, number in parameters.items()}
    found = HlsModel().breakdown(said, "vu9p", columns)
    whole = {name: float(evaluate(said.values[name], columns, 1).values[0]) for name in ("cycles", *SUMS)}
    assert sum(part.values["cycles"] for part in found.time) == pytest.approx(whole["cycles"])
    assert sum(part.own["cycles"] for part in walk(found.time)) == pytest.approx(whole["cycles"])
    for name in SUMS:  # sums are rounded up
        assert 0 <= whole[name] - sum(part.values[name] for part in found.area) < 1
        assert sum(part.own[name] for part in walk(found.area)) == pytest.approx(
            sum(part.values[name] for part in found.area)
        )
    return said, found, {part.label: part for part in (*walk(found.time), *walk(found.area))}


@pytest.mark.parametrize(
    "change", [{}, {"terms": 64}, {"terms": 4, "rows": 4}, {"flat": 1}, {"columns": 64, "tile": 4}]
)
def test_all_parts_make_up_the_whole(change: dict[str, int]) -> None:
    told(product(), **{**PLAIN, **change})


def test_a_pipelined_loop_tells_its_interval_and_an_unrolled_one_its_copies() -> None:
    parts = told(product(), **PLAIN)[2]
    assert {"II", "depth"} <= parts["k"].values.keys() and "II" not in parts["s"].values
    assert parts["k"].values["trip"] == 64 and parts["k"].values["times"] == 64 * 64
    parts = told(product(), **{**PLAIN, "terms": 64})[2]
    assert parts["s"].values["II"] == 1 and parts["r"].own["cycles"] == 0  # r and s go through one pipeline
    assert parts["k"].values == {
        "cycles": 0.0, "each": 0.0, "times": 0.0, "trip": 64.0, "copies": 64.0, "unrolled": 1.0,
    }  # fmt: skip


def test_operators_are_counted_and_arrays_tell_their_banks() -> None:
    parts = told(product(), **{**PLAIN, "terms": 16})[2]
    assert parts["double_mul"].values["units"] == np.ceil(16 / parts["k"].values["II"])
    assert parts["a"].values["banks"] == 16 and parts["b"].values["banks"] == 16


def test_vitis_keeps_what_is_outside_where_it_is() -> None:
    text = (
        "#pragma tunepass param LANES: pow2(1, 4) = 1\n"
        "#pragma tunepass hls add(a: in float[4096], b: out float[4096])\n#define LANES 1\n"
        "void add(const float *a, float *b)\n{\n"
        "#pragma HLS interface m_axi port=a bundle=one\n#pragma HLS interface m_axi port=b bundle=two\n"
        "  float row[2048];\n#pragma HLS array_partition variable=row cyclic factor=2\n"
        "  for (int n = 0; n < 2; n++) {\n"
        "    for (int i = 0; i < 2048; i++) {\n#pragma HLS pipeline II=1\n#pragma HLS unroll factor=LANES\n"
        "      row[i] = a[n * 2048 + i];\n    }\n"
        "    for (int i = 0; i < 2048; i++) {\n#pragma HLS pipeline II=1\n      b[n * 2048 + i] = row[i] + 1;\n    }\n"
        "  }\n}\n"
    )
    body = HlsFrontend().parse(Source("add.cpp", text)).kernels[0].body_as(HlsKernel)
    found = told(body, LANES=1)[1]
    (memories,) = (part for part in found.area if part.label == "memories")
    assert [(part.label, part.values["banks"]) for part in memories.inside] == [("row", 2)]
    assert memories.values["brams"] == 4  # 1,024 words of 32 bits are two blocks


@pytest.mark.parametrize(
    ("sample", "words"),
    [("matvec.c", ()), ("matvec.c", ("--set", "OUTER=flatten,COLUMNS_AT_ONCE=16")), ("matmul.cpp", ())],
    ids=["matvec", "matvec-flat", "matmul"],
)
def test_people_are_told_where_it_goes(
    sample: str, words: tuple[str, ...], golden: Callable[[str, str], None], capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(Path(__file__).parents[3])
    assert main(["estimate", f"samples/hls/{sample}", "--device", "vu9p", "--explain", *words]) == 0
    golden(f"hls/explain-{request.node.callspec.id}.txt", capsys.readouterr().out)

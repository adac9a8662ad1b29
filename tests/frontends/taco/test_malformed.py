"""Sources that are wrong: each gives one diagnostic that says what and where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontends.taco.sources import parse
from tunepass.cli import main
from tunepass.diagnostics import SourceError

HEAD = "tensor A(i,k) dense double\ntensor B(i,j) = ds\ntensor C(j,k) dense\n"
EXPRESSION = "A(i,k) = B(i,j) * C(j,k)\n"
SCHEDULES = {
    "unknown_variable": "schedule split(x, i0, i1, 32)",
    "misspelt_variable": "schedule pos(j, jpos, B), unroll(jpso, 4)",
    "variable_that_was_split": "schedule split(i, i0, i1, 32), parallelize(i, CPUThread, NoRaces)",
    "name_that_is_taken": "schedule split(i, j, i1, 32)",
    "two_loops_of_one_name": "schedule split(i, i0, i0, 32)",
    "factor_zero": "schedule split(i, i0, i1, 0)",
    "factor_with_a_unit": "schedule split(i, i0, i1, 3x)",
    "factor_not_whole": "schedule split(i, i0, i1, 2.5)",
    "too_few_arguments": "schedule split(i, i0, i1)",
    "unknown_directive": "schedule splt(i, i0, i1, 32)",
    "gpu": "schedule parallelize(i, GPUBlock, NoRaces)",
    "unknown_race": "schedule parallelize(i, CPUThread, NoRace)",
    "unknown_bound": "schedule bound(k, kb, 64, MaxExactly)",
    "unknown_policy": "schedule parallelize(i, CPUThread, NoRaces, schedule(guided, 4))",
    "unclosed_bracket": "schedule split(i, i0, i1, 32\nparam x: pow2(1, 2)",
    "reorder_of_one": "schedule reorder(i)",
    "reorder_twice": "schedule reorder(i, j, i)",
    "reorder_by_a_number": "param n: pow2(1, 8)\nschedule reorder(n)",
    "order_of_unknown_loops": "param order: permutation(i, j, l)\nschedule reorder(order)",
    "positions_of_nothing": "schedule pos(j, jpos, D)",
    "parameter_not_declared": "schedule split(i, i0, i1, chunk)",
    "merge": "schedule mergeby(j, Gallop)",
    "no_comma": "schedule split(i, i0, i1, 4) unroll(i1, 4)",
    "illegal_order": "schedule reorder(j, i, k)",
    "illegal_race": "schedule parallelize(j, CPUThread, NoRaces)",
    "unroll_without_extent": "schedule unroll(k, 4)",
}
LINES = {
    "unknown_statement": "parm chunk: pow2(1, 8)",
    "unknown_kind": "param chunk: power2(1, 8)",
    "range_of_powers": "param chunk: pow2(3, 8)",
    "default_not_a_value": "param chunk: pow2(2, 8) = 3",
    "parameter_twice": "param n: pow2(1, 8); param n: pow2(1, 4)",
    "constraint_of_nothing": "param n: pow2(1, 8)\nschedule split(i, i0, i1, n)\nconstraint m < n",
    "flag": "param O: categorical(yes, no) flag",
    "dim_of_nothing": "dim l = 64",
    "dim_zero": "dim k = 0",
    "dim_twice": "dim k = 64\ndim k = 32",
    "bind_of_nothing": 'bind D = "matrix.mtx"',
    "bind_without_quotes": "bind B = matrix.mtx",
    "bind_of_the_result": 'bind A = "matrix.mtx"',
    "bind_twice": 'bind B = "a.mtx"; bind B = "b.mtx"',
    "string_not_closed": 'bind B = "matrix.mtx',
    "generate_without_arguments": "generate B = mesh",
    "model_of_nothing": "param n: pow2(1, 8)\nschedule split(i, i0, i1, n)\nmodel speed = n",
    "tolerance_negative": "tolerance(-1)",
    "second_expression": "A(i,k) = C(i,k)",
}
WHOLE = {
    "empty": "",
    "no_expression": HEAD,
    "no_operand": "a(i) = B(i,j) *\ndim i = 3",
    "no_right": "a(i) =",
    "no_left": "= B(i,j)",
    "bracket": "a(i) = B(i,j * c(j)",
    "character": "a(i) = B(i,j) ? c(j)",
    "arity": "a(i) = B(i,j) * B(j)",
    "diagonal": "a(i) = B(i,i)",
    "result_on_the_right": "a(i) = a(i) + b(i)",
    "only_numbers": "a(i) = 3",
    "tensor_and_variable": "a(i) = i(j) * b(i,j)",
    "declared_arity": f"tensor B(i) = s\n{EXPRESSION}",
    "declared_twice": f"tensor B(i,j) = ds\ntensor B(i,j) = dd\n{EXPRESSION}",
    "declared_not_used": f"tensor Bb(i,j) = ds\n{EXPRESSION}",
    "format_length": f"tensor B(i,j) = dss\n{EXPRESSION}",
    "format_letter": f"tensor B(i,j) = dq\n{EXPRESSION}",
    "format_name": f"tensor B(i,j) = crs\n{EXPRESSION}",
    "format_coo": f"tensor B(i,j) = coo\n{EXPRESSION}",
    "format_order": f"tensor B(i,j) = ds:1,1\n{EXPRESSION}",
    "format_of_a_scalar": "tensor b = ds\na(i) = b * c(i)",
    "element": f"tensor B(i,j) = ds bool\n{EXPRESSION}",
    "exponent": "a(i) = 1e3 * b(i)",
}
SOURCES = {
    **{name: f"{HEAD}{EXPRESSION}{text}\n" for name, text in (SCHEDULES | LINES).items()},
    **{name: f"{text}\n" for name, text in WHOLE.items()},
}


@pytest.mark.parametrize("name", SOURCES)
def test_one_diagnostic(name: str, golden: Callable[[str, str], None]) -> None:
    with pytest.raises(SourceError) as caught:
        parse(SOURCES[name])
    (diagnostic,) = caught.value.diagnostics
    golden(f"taco/errors/{name}.txt", diagnostic.render() + "\n")


@pytest.mark.parametrize("name", ["factor_zero", "illegal_order", "bracket", "format_length", "dim_twice"])
def test_the_command_line_shows_it_and_writes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.taco").write_text(SOURCES[name])
    for command in ("space", "build"):
        assert main([command, "kernel.taco"]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and printed.err.count("error: ") == 1 and "Traceback" not in printed.err
    assert [path.name for path in tmp_path.iterdir()] == ["kernel.taco"]

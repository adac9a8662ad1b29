"""Sources that are wrong: each gives one diagnostic that says what and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.cli import main
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.spatial.frontend import SpatialFrontend

APP = """object App extends SpatialApp {{
  val tile = 96
  def main() {{
    {host}
    val a = DRAM[Int](4096)
    Accel {{
      val x = SRAM[Int](96); val y = SRAM[Int](96)
      {accel}
    }}
  }}
}}
"""
BODY = "Foreach(96 by 1) { i => y(i) = x(i) + 1 }"
HOST = {
    "range_backwards": "val B = 96 (960 -> 96)",
    "range_step_zero": "val B = 96 (96 -> 0 -> 960)",
    "range_four_parts": "val B = 96 (1 -> 2 -> 3 -> 4)",
    "range_unknown_end": "val B = tile (96 -> limit)",
    "range_not_whole": "val B = 96 (1.5 -> 3)",
    "range_too_long": "val B = 1 (1 -> 2 -> 100000000)",
    "list_repeats": "val B = 4 (1, 2, 2)",
    "default_unknown": "val n = args(0).to[Int]; val B = n (1 -> 4)",
    "prior_without_range": "val B = 96 GAUSSIAN (96 -> )",
    "loop_outside": "Foreach(4 by 1) { i => i }",
}
ACCEL = {
    "no_counter": "Foreach() { i => y(i) = 1 }",
    "one_counter_two_iterators": "Foreach(96 by 1) { (i, j) => y(i) = 1 }",
    "two_counters_one_iterator": "Foreach(4 by 1, 4 by 1) { i => y(i) = 1 }",
    "foreach_without_body": "Foreach(96 by 1)",
    "reduce_without_combine": "Reduce(Reg[Int](0))(96 by 1) { i => x(i) }",
    "mem_reduce_without_accumulator": "MemReduce(96 by 1) { i => x } { _ + _ }",
    "step_zero": "Foreach(96 by 0) { i => y(i) = 1 }",
    "missing_operand": "Foreach(96 by 1) { i => y(i) = x(i) + }",
    "two_operators": "Foreach(96 by 1) { i => y(i) = x(i) + * 2 }",
    "val_without_value": "val z",
    "stray_arrow": "y(0) = => 3",
    "extra_comma": "y(0,) = 3",
    "else_without_if": "else { y(0) = 1 }",
    "wrong_bracket": "Foreach(96 by 1] { i => y(i) = 1 }",
    "unclosed_brace": "Foreach(96 by 1) { i => y(i) = 1",
    "unclosed_string": 'println("hello)',
    "unclosed_comment": "/* never",
    "bad_character": "y(0) = 1 \x01",
    "case_without_arrow": "x(0) match { case 1 }",
    "state_machine_short": "FSM(0)(s => s < 4)",
    "recursion": "def f(n: Int): Int = f(n)\n      y(0) = f(1)",
}
WHOLE = {
    "empty_file": "",
    "no_app": "object Helper { val x = 1 }\n",
    "accel_without_body": "object A extends SpatialApp { def main() { Accel(*) } }\n",
    "closes_nothing": "object A { } }\n",
}


def source(name: str) -> str:
    if name in HOST:
        return APP.format(host=HOST[name], accel=BODY)
    return WHOLE[name] if name in WHOLE else APP.format(host="", accel=ACCEL[name])


@pytest.mark.parametrize("name", [*HOST, *ACCEL, *WHOLE])
def test_one_diagnostic(name: str, golden) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SourceError) as caught:
        SpatialFrontend().parse(Source("App.scala", source(name)))
    (diagnostic,) = caught.value.diagnostics
    golden(f"spatial/errors/{name}.txt", diagnostic.render() + "\n")


@pytest.mark.parametrize("name", [*HOST, *ACCEL, *WHOLE])
def test_the_command_line_shows_it_and_writes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "App.scala").write_text(source(name))
    for command in ("estimate", "build", "pareto"):
        assert main([command, "App.scala", "--device", "stratix-v"]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and printed.err.count("error: ") == 1 and "Traceback" not in printed.err
    assert [path.name for path in tmp_path.iterdir()] == ["App.scala"]


def test_an_app_that_is_not_there() -> None:
    text = APP.format(host="", accel=BODY)
    with pytest.raises(SourceError, match="did you mean `App`"):
        SpatialFrontend().parse(Source("App.scala", text), only="Ap")

"""What the fuzzers found, each reduced to its cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.sources import check
from tunepass.diagnostics import TunepassError

FOUND = {
    "permutation_of_a_billion.c": ("// tunepass: param S: permutation(581288318)\n", "a permutation has 1 to 64 items"),
    "integer_of_5000_digits.scala": (
        f"@spatial object A extends SpatialApp {{\n  def main(args: Array[String]): Unit = {{\n"
        f"    Accel {{ val x = {'9' * 5000} }}\n  }}\n}}\n",
        "this integer does not fit in 64 bits",
    ),
    "host_expression_nested_deeply.scala": (
        f"@spatial object A extends SpatialApp {{\n  def main(args: Array[String]): Unit = {{\n"
        f"    val x = {'1 + ' * 3000} 1\n    Accel {{ val y = 1 }}\n  }}\n}}\n",
        "nested too deeply",
    ),
}


APP = """\
import spatial.dsl._
@spatial object A extends SpatialApp {{
  def main(args: Array[String]): Unit = {{
    val d = DRAM[Float]({size})
    val t = 4 (1 -> 8)
    Accel {{ val s = SRAM[Float](t); s load d(0::{size} par 2) }}
  }}
}}
"""
FOUND["bound_of_one_long_word.c"] = (
    "#pragma tunepass param T: ordinal(1, 2) = 1\n#pragma tunepass kernel f(n = 4, x: out double[n])\n"
    "void f(int n, double *x)\n{\n#pragma tunepass loop(i) tile(i: T)\n"
    f"    for (int i = 0; i < {'n' * 60}!; i++)\n        x[i] = 1;\n}}\n",
    "bound|header|condition",
)
CLASS = """@spatial abstract class Base(deep: Boolean) extends SpatialApp {{
  def main(args: Array[String]): Unit = {{ Accel {{ Foreach(4 by 1) {{ i => i }} }} }}
}}
class One extends Base({argument})
"""
FOUND["argument_of_a_class.scala"] = (CLASS.format(argument="not " * 3000 + "true"), "nested too deeply")
ACCEPTED = {
    "constraint_over_no_finite_parameter.yaml": (
        "parameters:\n  X: {kind: real, range: [.5, 1.], role: argument}\n"
        "constraints: ['X >= 0.6 and 1 <= 2']\nrun: {command: './x {ARGUMENTS}'}\n"
    ),
    "values_far_apart.scala": APP.format(size=16).replace("(1 -> 8)", "(1, 2, 9000000000000)"),
    "size_of_which_there_is_no_logarithm.scala": APP.format(size=0),
    "size_that_no_exponential_holds.scala": APP.format(size=10**15),
}
ACCEPTED["bound_that_no_double_holds.cpp"] = (
    "#pragma ACCEL kernel\nvoid f(double x[40], double y[16])\n{\n#pragma ACCEL PARALLEL FACTOR=auto{P}\n"
    f"    for (int j = 0; j < {'4' * 400}; j++)\n        y[j] = x[j];\n}}\n"
)


FOUND["range_up_to_a_large_parameter.py"] = (
    "import torch.nn as nn\n# tunepass param depth: integer(1..900000000) = 3\ndepth = 3\n"
    "layers = []\nfor i in range(depth):\n    layers.append(nn.Linear(8, 8))\n"
    "model = nn.Sequential(*layers)\n",
    "the range is too long: up to 900000000 rounds",
)


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_is_accepted_now(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(ACCEPTED[name])
    check(tmp_path / name)


@pytest.mark.parametrize("name", FOUND)
def test_it_is_a_diagnostic_now(name: str, tmp_path: Path) -> None:
    text, message = FOUND[name]
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(TunepassError, match=message):
        check(path)

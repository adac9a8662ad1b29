"""What the fuzzers found, each reduced to its cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.sources import check
from tunepass.diagnostics import TunepassError

FOUND = {
    "permutation_of_a_billion.c": ("// tunepass: param S: permutation(581288318)\n", "a permutation has 1 to 20 items"),
    "integer_of_5000_digits.scala": (
        f"@spatial object A extends SpatialApp {{\n  def main(args: Array[String]): Unit = {{\n"
        f"    Accel {{ val x = {'9' * 5000} }}\n  }}\n}}\n",
        "this integer does not fit in 64 bits",
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_it_is_a_diagnostic_now(name: str, tmp_path: Path) -> None:
    text, message = FOUND[name]
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(TunepassError, match=message):
        check(path)

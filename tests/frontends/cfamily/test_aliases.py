"""Names that `using` gives to types."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.types.declared import CType, declared_types


def test_using_may_name_an_array() -> None:
    unit = read(Source("a.cpp", "using Row = double[2 + 2];\nusing Place = int *;\n"), (), "c++")
    types = declared_types(unit)
    assert types.resolved(CType("Row")) == CType("double", 0, ("4",))
    assert types.resolved(CType("Place")) == CType("int", 1)

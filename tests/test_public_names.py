"""The names of `import tunepass as tp`: each loads, and type checkers are told of the same ones."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import tunepass as tp

INIT = Path(tp.__file__)


def typed_names() -> dict[str, str]:
    """What the `if TYPE_CHECKING:` block imports: name -> module."""
    (block,) = (
        node
        for node in ast.parse(INIT.read_text()).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert all(alias.asname == alias.name for node in imports for alias in node.names), "re-exports say `as`"
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def test_type_checkers_see_what_loads() -> None:
    assert typed_names() == tp._HOME_OF


@pytest.mark.parametrize("name", tp.__all__)
def test_every_name_loads(name: str) -> None:
    value = getattr(tp, name)
    if name != "__version__":
        assert value is getattr(importlib.import_module(tp._HOME_OF[name]), name)
        assert callable(value) and value.__name__ == name.rpartition(".")[2]
    assert name in dir(tp)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'tunepass' has no attribute 'Integral'"):
        _ = tp.Integral

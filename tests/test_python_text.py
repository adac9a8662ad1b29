"""Other people's Python as trees."""

from __future__ import annotations

import ast
import warnings

import pytest

from tunepass.python_text import NOT_PYTHON, expression_tree, module_tree

ODD = '1if x else "\\d"'  # Python warns of both


def test_what_python_warns_of_is_not_told() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(expression_tree(f"  {ODD} "), ast.IfExp)
        assert isinstance(module_tree(f"y = {ODD}").body[0], ast.Assign)
        with pytest.raises(UserWarning):
            warnings.warn("of others, as before", stacklevel=1)


@pytest.mark.parametrize("text", ["1 +", "\0", "(" * 9999])
def test_what_is_no_python_ends_in_one_of_the_named_ways(text: str) -> None:
    with pytest.raises(NOT_PYTHON):
        expression_tree(text)
    with pytest.raises(NOT_PYTHON):
        module_tree(text)

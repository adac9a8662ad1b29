"""The two grammars, loaded when the first text is parsed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.diagnostics import ToolError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@lru_cache(maxsize=2)
def _parser(cxx: bool) -> Parser:
    try:
        from tree_sitter import Language, Parser

        if cxx:
            from tree_sitter_cpp import language
        else:
            from tree_sitter_c import language
    except ImportError as error:
        hint = "pip install tree-sitter tree-sitter-c tree-sitter-cpp (tunepass depends on them)"
        raise ToolError(f"C and C++ sources are read with tree-sitter, which is not here: {error}", hint=hint) from None
    return Parser(Language(language()))


def parse(text: bytes, *, cxx: bool) -> Node:
    """The root of the tree; it has nodes ERROR where the text does not fit the grammar."""
    return _parser(cxx).parse(text).root_node

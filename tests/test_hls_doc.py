"""Every source in docs/hls.md is read without a warning, and has what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tunepass.backends.base import frontend_of
from tunepass.diagnostics import Source
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.frontends.hls.pragmas.own import CLAUSES

TEXT = (Path(__file__).parents[1] / "docs" / "hls.md").read_text()
SUFFIX = {"c": ".c", "cpp": ".cpp", "opencl": ".cl"}
BLOCKS = re.findall(r"^```(c|cpp|opencl)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block(number: int) -> None:
    language, text = BLOCKS[number]
    source = Source(f"page{SUFFIX[language]}", text)
    frontend = frontend_of(source.name, source.text)
    assert isinstance(frontend, HlsFrontend)
    parsed = frontend.parse(source)
    assert parsed.kernels and not parsed.warnings


def test_every_clause_is_told() -> None:
    assert all(f"`{clause}(" in TEXT or f"hls {clause}(" in TEXT for clause in CLAUSES)

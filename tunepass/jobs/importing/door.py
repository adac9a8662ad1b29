"""Foreign formats of plug-ins, by the suffix of their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import cast

from tunepass import registry
from tunepass.compilers.languages import CUDA, CXX, OPENCL, C
from tunepass.diagnostics import Source
from tunepass.interchange.door import Door
from tunepass.ir.files import EmittedFile

BUILT_IN_SUFFIXES = (".json", ".py", *C, *CXX, *CUDA, *OPENCL)  # of the formats that are told apart by their text


def through_door(source: Source) -> EmittedFile | None:
    """The file as converted by a plug-in's door; None for the suffix of a built-in format or of no plug-in."""
    suffix = PurePath(source.name).suffix
    if suffix in BUILT_IN_SUFFIXES or not registry.has("doors", suffix):
        return None
    return cast(Callable[[], Door], registry.find("doors", suffix))().read(source)

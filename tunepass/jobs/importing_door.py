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

READ_HERE = (".json", ".py", *C, *CXX, *CUDA, *OPENCL)  # suffixes of the built-in formats, which their text tells apart


def through_door(source: Source) -> EmittedFile | None:
    """What a plug-in's door makes of the file; None where the suffix is a built-in format's or no plug-in has it."""
    suffix = PurePath(source.name).suffix
    if suffix in READ_HERE or not registry.has("doors", suffix):
        return None
    return cast(Callable[[], Door], registry.find("doors", suffix))().read(source)

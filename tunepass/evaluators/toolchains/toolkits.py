"""NVIDIA's toolkits on this machine: those that the environment names, CUDA's own place, and Python packages."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path


def toolkits() -> Iterator[Path]:
    """Folders that may have a `bin`, those named by the user first."""
    yield from (Path(named) for name in ("CUDA_HOME", "CUDA_PATH") if (named := os.environ.get(name)))
    yield Path("/usr/local/cuda")
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield from sorted(Path(folder).glob("cu*"), reverse=True)

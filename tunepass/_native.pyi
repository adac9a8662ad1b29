"""The compiled module; only the thin wrappers named in tests/test_architecture.py may import it."""

from typing import Any

ffi: Any
lib: Any

"""Digests of what was built, by which equal programs are known."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest(*parts: bytes | str) -> str:
    """SHA-256 of the parts, each preceded by its length."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()


def file_digest(path: Path) -> str:
    return digest(path.read_bytes())

"""Devices that a user's file describes (`--device FILE.yaml`), as identities have them.

An identity is for a lock that lies beside the source and travels with it: it has the file's path from the source's
folder, and what the file held: `boards/mine.yaml sha256:…`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tunepass.hwmodels.base import CostModel

LOCKED = re.compile(r"(?P<path>.+\.ya?ml) sha256:[0-9a-f]{64}", re.IGNORECASE | re.DOTALL)


def given_device(device: str, source: str) -> str:
    """The device as a model takes it: a name, or a path from here for one that an identity of `source` has."""
    locked = LOCKED.fullmatch(device)
    if locked is None:
        return device
    return os.path.normpath(os.path.join(os.path.dirname(source), locked["path"]))


def identity_device(device: str, model: CostModel, source: str) -> str:
    """What the identity of a kernel in `source` has of the device: its name, or its file and what that held."""
    digest = model.summary(device).digest
    if not digest:
        return device
    folder = os.path.dirname(source) or "."
    return f"{Path(os.path.relpath(device, folder)).as_posix()} sha256:{digest}"

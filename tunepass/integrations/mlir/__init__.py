"""Knobs in modules of MLIR: docs/mlir.md."""

from __future__ import annotations

from tunepass.integrations.mlir.model import NoPriorWarning
from tunepass.integrations.mlir.search import Command
from tunepass.integrations.mlir.tune import tune

__all__ = ["Command", "NoPriorWarning", "tune"]

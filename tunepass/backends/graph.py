"""Models of deep learning: priced by what their operators take; nothing is executed."""

from __future__ import annotations

from typing import ClassVar

from tunepass.backends.model import ModelBackend
from tunepass.ir.graph import Graph


class GraphBackend(ModelBackend):
    kind: ClassVar[str] = Graph.kind
    family: ClassVar[str] = "dnn"
    needs_device: ClassVar[bool] = False  # without one there are no times
    usual: ClassVar[tuple[str, ...]] = ("flops", "weights")

    @property
    def device(self) -> str:
        return self._device or "no device"

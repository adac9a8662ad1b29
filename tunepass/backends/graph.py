"""Models of deep learning: priced by what their operators take, and trained where the source says by which command."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from tunepass.backends.trained import TrainedBackend
from tunepass.diagnostics import Source
from tunepass.ir.graph import Graph, Training
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.manifest import Part


class GraphBackend(TrainedBackend):
    kind: ClassVar[str] = Graph.kind
    family: ClassVar[str] = "dnn"
    needs_device: ClassVar[bool] = False  # without one there are no times
    usual: ClassVar[tuple[str, ...]] = ("flops", "weights")

    @cached_property
    def body(self) -> Graph:
        return self.kernel.body_as(Graph)

    @property
    def device(self) -> str:
        return self._device or "no device"

    @property
    def training(self) -> Training:
        return self.body.training

    def identity(self, space: Space) -> Identity:
        identity = super().identity(space)
        return replace(identity, flags=(*self.body.words, *identity.flags))

    def _parts_read(self) -> tuple[Part, ...]:
        operators = self.body.operators
        folder = Path(self.kernel.source.name).absolute().parent
        texts = (*self.body.files, *((operators,) if operators is not None else ()))
        return tuple(_part(text, folder) for text in texts)

    @classmethod
    def may_be_asked(cls, flags: tuple[str, ...]) -> bool:
        """Nothing is asked: a lock's words only say which files are read."""
        return True


def _part(text: Source, folder: Path) -> Part:
    from tunepass.evaluators.toolchains.digests import text_digest
    from tunepass.evaluators.toolchains.source_files import shown_name

    return Part("source", shown_name(Path(text.name), str(folder)), text_digest(text.text))

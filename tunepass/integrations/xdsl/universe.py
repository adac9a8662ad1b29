"""The pass that `xdsl-opt` finds by the entry point `xdsl.universe`, loaded when it is used."""

from __future__ import annotations

from xdsl.passes import ModulePass
from xdsl.universe import Universe


def _tune() -> type[ModulePass]:
    from tunepass.integrations.xdsl.tune import TunePass

    return TunePass


UNIVERSE = Universe(all_passes={"tunepass": _tune})

"""What says how an operator of ONNX is put into the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunepass.frontends.onnx.site import Site
from tunepass.frontends.onnx.values import Held

Rule = Callable[[Site], Sequence[Held]]
"""Gives its outputs, in their order; those that nothing needs may be missing at the end."""

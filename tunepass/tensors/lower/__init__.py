"""C99 with OpenMP from scheduled nests over sparse tensors."""

from tunepass.tensors.lower.function import (
    Argument,
    CFunction,
    Coordinates,
    Extent,
    LoweringError,
    Positions,
    ResultPattern,
    StatedExtent,
    Values,
)
from tunepass.tensors.lower.lowering import lower

__all__ = [
    "Argument",
    "CFunction",
    "Coordinates",
    "Extent",
    "LoweringError",
    "Positions",
    "ResultPattern",
    "StatedExtent",
    "Values",
    "lower",
]

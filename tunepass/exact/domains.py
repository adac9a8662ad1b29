"""The values of parameters in ascending order. Strings are in their own order, and a column has their places there."""

from __future__ import annotations

import numpy as np

from tunepass.diagnostics import SpaceError
from tunepass.exact.base import Floats
from tunepass.expr.nodes import BoolType, CategoryType, IntegerType, RealType
from tunepass.space.configuration import Value
from tunepass.space.parameter import Categorical, Parameter

MOST_VALUES = 1 << 22  # of one parameter


def is_numeric(parameter: Parameter) -> bool:
    """A finite parameter whose values are numbers or Booleans."""
    return parameter.size is not None and isinstance(parameter.type, (BoolType, IntegerType, RealType))


def ordered_values(parameter: Parameter) -> list[Value]:
    """The values in ascending order; SpaceError unless they are finitely many numbers or strings."""
    if isinstance(parameter, Categorical) and isinstance(parameter.type, CategoryType):
        return list(parameter.domain)
    if not is_numeric(parameter):
        message = f"{parameter.name}: branch and bound needs parameters with finitely many numbers or strings"
        raise SpaceError(message, parameter.span)
    if (parameter.size or 0) > MOST_VALUES:
        message = f"{parameter.name}: an exact solver lists its values, and {parameter.size:,} are too many"
        raise SpaceError(message, parameter.span, "give it a larger step or fewer values, or search with `auto`")
    return sorted(parameter.domain, key=float)  # type: ignore[arg-type]


def ordered_domain(parameter: Parameter) -> Floats:
    """`ordered_values` as numbers, those of strings as columns have them."""
    if isinstance(parameter.type, CategoryType):
        return np.arange(len(ordered_values(parameter)), dtype=np.float64)
    return np.array(ordered_values(parameter), dtype=np.float64)

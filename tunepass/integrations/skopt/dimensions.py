"""Dimensions of scikit-optimize as parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.diagnostics import SpaceError, StudyError
from tunepass.integrations.parameters import ForeignParameter, identifier, parameter_of_choices
from tunepass.space.parameter import Integer, Real
from tunepass.space.plain_values import as_real, as_whole

HINT = "a dimension is (1, 8), (0.1, 1.0), (1e-4, 1.0, 'log-uniform'), a list of choices, or one of skopt.space"
SCALES = ("uniform", "log-uniform")


def read_dimensions(given: object) -> list[ForeignParameter]:
    """A parameter for each dimension, as skopt.space.check_dimension reads them.

    Raises:
        StudyError: one has neither ends nor choices.
    """
    given = getattr(given, "dimensions", given)  # of a skopt.space.Space
    given = list(given) if isinstance(given, np.ndarray) and given.ndim else given
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence) or not given:
        raise StudyError(f"dimensions are a list, got {given!r}", hint=HINT)
    dimensions: list[ForeignParameter] = []
    for place, each in enumerate(given):
        name = identifier(str(getattr(each, "name", None) or f"x{place}"), {d.parameter.name for d in dimensions})
        try:
            dimensions.append(_dimension(name, each))
        except SpaceError as error:
            raise StudyError(f"dimension {place} is {each!r}: {error.sentence}", hint=HINT) from None
    return dimensions


def _dimension(name: str, given: object) -> ForeignParameter:
    choices = getattr(given, "categories", None)
    if choices is not None:
        return parameter_of_choices(name, choices)
    if hasattr(given, "low") and hasattr(given, "high"):
        whole = any(kind.__name__ == "Integer" for kind in type(given).__mro__)  # skopt.space.Real(0, 1) has such ends
        return _range(name, given.low, given.high, getattr(given, "prior", "uniform"), whole=whole)
    listed = list(given) if isinstance(given, list | tuple | np.ndarray) else []
    ends, scale = [as_real(each) for each in listed[:2]], listed[2:3]
    if 2 <= len(listed) <= 4 and None not in ends and "uniform" in str((scale or SCALES)[0]):
        whole = all(as_whole(end) is not None for end in listed[:2])  # a fourth entry is the logarithm's base
        return _range(name, listed[0], listed[1], (scale or SCALES)[0], whole=whole)
    if listed:
        return parameter_of_choices(name, listed)
    raise SpaceError("it has neither ends nor choices")


def _range(name: str, low: float, high: float, scale: object, *, whole: bool) -> ForeignParameter:
    if scale not in SCALES:
        raise SpaceError(f"its scale is uniform or log-uniform, got {scale!r}")
    log = scale == "log-uniform"
    return ForeignParameter(Integer(name, int(low), int(high), log=log) if whole else Real(name, low, high, log=log))

"""A space of which only some is left: each parameter with the values that it can still take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.space.columns import Mask
from tunepass.space.configuration import Value
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Real

LISTED = 1 << 20  # values of a range with gaps


def reduced(parameters: Sequence[Parameter], masks: Mapping[str, Mask]) -> tuple[Parameter, ...]:
    """The parameters with only the kept values; those that are not named are as they were."""
    return tuple(_reduced(p, masks[p.name]) if p.name in masks else p for p in parameters)


def _reduced(p: Parameter, mask: Mask) -> Parameter:
    if mask.all() or not mask.any():
        return p
    places = np.flatnonzero(mask)
    values = [p.domain[place] for place in places[:LISTED].tolist()]
    default = p.default if mask[p.domain.index(p.default)] else _nearest(p, values)
    match p:
        case Integer():
            return _fewer_integers(p, places, int(default))  # type: ignore[arg-type]
        case Ordinal() | Real():
            return Ordinal(p.name, values, log=p.log, default=default, prior=p.prior, when=p.when)  # type: ignore[arg-type]
        case Categorical():
            masses = None if p.prior is None else np.array(p.prior)[places]
            usable = masses is not None and masses.sum() > 0
            prior = None if masses is None or not usable else (masses / masses.sum()).tolist()
            return Categorical(p.name, values, default=default, prior=prior, when=p.when)
    return p


def _fewer_integers(p: Integer, places: np.ndarray[tuple[int], np.dtype[np.int64]], default: int) -> Parameter:
    """A range where the values that are left are one, with larger steps where those are even."""
    steps = np.unique(np.diff(places)).tolist()
    first, last = p.domain[int(places[0])], p.domain[int(places[-1])]
    if len(steps) <= 1:
        step = p.step * (steps[0] if steps else 1)
        return Integer(p.name, first, last, step=step, log=p.log, default=default, prior=p.prior, when=p.when)
    values = [p.domain[place] for place in places.tolist()]
    return Ordinal(p.name, values, log=p.log, default=default, prior=p.prior, when=p.when)


def _nearest(p: Parameter, values: Sequence[Value]) -> Value:
    """The value that is closest to the default, as the parameter measures it."""
    if isinstance(p, Categorical):
        return values[0]
    return min(values, key=lambda value: abs(value - p.default))  # type: ignore[operator]

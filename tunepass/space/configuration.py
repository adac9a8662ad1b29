"""A frozen, hashable assignment of values to parameters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from tunepass.diagnostics import SpaceError

MOST_PARAMETERS = 8  # parameters in the representation of a trial or a result
Value = bool | int | float | str | tuple[int | str, ...]  # also None, of a Categorical made in Python with it


def shown(value: Value) -> str:
    """A value as people read it: floats without noise digits, permutations as `(0 2 1)`."""
    if isinstance(value, tuple):
        return f"({' '.join(map(str, value))})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def abbreviated(values: Mapping[str, Value]) -> str:
    """`tile=64, unroll=4`; of many parameters the first few, and how many there are."""
    words = [f"{name}={shown(value)}" for name, value in itertools.islice(values.items(), MOST_PARAMETERS)]
    return ", ".join(words) + (f", … ({len(values)} parameters)" if len(values) > MOST_PARAMETERS else "")


class Configuration(Mapping[str, Value]):
    """A frozen, hashable mapping of parameters to values. Equal assignments are equal in any order.

    Args:
        values: a value for each parameter.

    Raises:
        SpaceError: the values are no mapping.

    Example:
        >>> configuration = tp.Configuration({"tile": 16, "unroll": 2})
        >>> configuration["tile"], configuration.replace(unroll=4)
        (16, Configuration(tile=16, unroll=4))
    """

    __slots__ = ("_hash", "_values")

    def __init__(self, values: Mapping[str, Value]):
        if type(values) is not dict and not isinstance(values, Mapping):
            raise SpaceError(f"a configuration is a mapping of parameters to values, got {values!r}")
        self._values = dict(values)
        self._hash: int | None = None

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._values.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Configuration):
            return self._values == other._values
        return NotImplemented

    def differences(self, other: Configuration) -> list[str]:
        """The parameters whose values differ from those of `other`, or that it lacks."""
        values = other._values
        return [name for name, value in self._values.items() if name not in values or values[name] != value]

    def replace(self, **changes: Value) -> Configuration:
        """The configuration with other values for some parameters."""
        return Configuration({**self._values, **changes})

    def __repr__(self) -> str:
        return f"Configuration({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

"""How many examples a property is tried on: few in `make test`, all in `make test-all`."""

from __future__ import annotations

from hypothesis import settings

ALL, FEW = 100, 25  # examples of a property that states no number


def load_profile(every: bool) -> None:
    """Deterministic and without wall-time deadlines: a slow machine is not a failing test."""
    name, count = ("all", ALL) if every else ("few", FEW)
    settings.register_profile(name, deadline=None, derandomize=True, database=None, print_blob=True, max_examples=count)
    settings.load_profile(name)


def examples(count: int) -> settings:
    """`count` examples in `make test-all`, and as much less in `make test` as properties that state no number."""
    return settings(max_examples=scaled(count))


def scaled(count: int) -> int:
    """The same for cases that a test draws itself."""
    return max(1, count * settings().max_examples // ALL)

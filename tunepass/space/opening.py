"""Seed configurations: values that an expert would try before a search has any trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tunepass.space.configuration import Value

Condition = Literal["near", "failed"]


@dataclass(frozen=True, slots=True)
class Opening:
    """Values by parameter; the others have their defaults. One `after` another of the tuple it stands in is tried once
    that one has a trial: where it came `near` the best, or where it `failed`."""

    values: tuple[tuple[str, Value], ...]
    after: int | None = None
    when: Condition = "near"

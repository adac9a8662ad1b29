"""What a kernel is made of: one tagged class for each kind of kernel."""

from __future__ import annotations

from typing import ClassVar, TypeVar


class Body:
    """The base of all bodies. Subclasses are frozen dataclasses; `kind` is their key in registry.BACKENDS."""

    __slots__ = ()
    kind: ClassVar[str]


AnyBody = TypeVar("AnyBody", bound=Body)

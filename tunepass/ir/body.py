"""What a kernel is made of: one tagged class for each kind of kernel."""

from __future__ import annotations

from typing import ClassVar, TypeVar


class Body:
    """The base of what kernels consist of. Subclasses are frozen dataclasses; `kind` names their backend.

    Example:
        >>> class Plan(tp.Body):
        ...     kind = "plan"
    """

    __slots__ = ()
    kind: ClassVar[str]

    @property
    def uncompared_results(self) -> tuple[str, ...]:
        """A sentence for each result of the kernel that nothing compares."""
        return ()


AnyBody = TypeVar("AnyBody", bound=Body)

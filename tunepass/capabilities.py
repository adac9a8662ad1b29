"""Capabilities: what an object may be able to do besides what its role asks, and wrappers that pass them on.

A capability is a runtime-checkable Protocol; an object has it by defining its members. Callers ask with `capability`,
never with `isinstance`: an object that wraps another has the capabilities of the wrapped one, whatever they are.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import ClassVar, Generic, Protocol, TypeVar, cast

Capability = TypeVar("Capability")
Wrapped = TypeVar("Wrapped")


class Wrapper(Generic[Wrapped]):
    """A base of classes whose objects do the work of another, `wrapped`, and have its capabilities.

    A wrapper changes a capability by defining its members, all of them: they are used where the wrapped object has that
    capability. It has those of `adds` in any case, and those of `withholds` in none.

    Example:
        >>> class Logged(tp.Strategy, tp.Wrapper[tp.Strategy]):
        ...     def __init__(self, task):
        ...         super().__init__(task)
        ...         self.wrapped = tp.Bayesian(task)
        ...     def suggest(self, n):
        ...         return self.wrapped.suggest(n)
        ...     def observe(self, trial):
        ...         self.wrapped.observe(trial)
        >>> tp.capability(Logged(task), extension.Revises) is not None
        True
    """

    wrapped: Wrapped
    adds: ClassVar[tuple[type, ...]] = ()
    withholds: ClassVar[tuple[type, ...]] = ()


def capability(thing: object, kind: Callable[..., Capability]) -> Capability | None:
    """The object that has the capability for `thing`: itself or one that it wraps; None where none has it.

    Args:
        thing: an evaluator, a strategy, a prior mean, or a wrapper of one.
        kind: the Protocol. (Typed as a callable, since type checkers refuse a Protocol where a class is expected.)

    Returns:
        The object; None where none has the capability.

    Raises:
        TypeError: a wrapper defines some members of the capability and not the others.

    Example:
        >>> tp.capability(tp.Random(task), extension.Believes) is None
        True
    """
    assert isinstance(kind, type)
    if not isinstance(thing, Wrapper):
        return cast(Capability, thing) if isinstance(thing, kind) else None
    if kind in thing.withholds:
        return None
    inner = capability(thing.wrapped, kind)
    added = kind in thing.adds
    if inner is None and not added:
        return None
    return cast(Capability, thing) if _changes(thing, kind, added=added) else inner


def required(thing: object, kind: Callable[..., Capability]) -> Capability:
    """As `capability`; TypeError where there is none. For wrappers: what they change, the wrapped object has."""
    having = capability(thing, kind)
    if having is None:
        raise TypeError(f"{type(thing).__name__} has no capability {kind.__qualname__}")
    return having


def _changes(wrapper: object, kind: type, *, added: bool) -> bool:
    """Whether the wrapper defines the members of the capability."""
    members = members_of(kind)
    missing = sorted(name for name in members if inspect.getattr_static(wrapper, name, members) is members)
    if missing and (added or len(missing) < len(members)):
        raise TypeError(
            f"a wrapper defines all members of a capability or none: {type(wrapper).__name__} lacks "
            f"{', '.join(missing)} of {kind.__name__}"
        )
    return not missing


def members_of(kind: type) -> frozenset[str]:
    """The names that an object with the capability has."""
    bases = [base for base in kind.__mro__ if base not in (object, Protocol, Generic)]
    names = [name for base in bases for name in (*vars(base), *inspect.get_annotations(base))]
    return frozenset(name for name in names if not name.startswith("_"))

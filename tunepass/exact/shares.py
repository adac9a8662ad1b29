"""An enumeration in shares: the front of each share of a space, found here or by other processes, and all in one.

Configurations have numbers from 0. A share is a range of them; whoever finds its front needs to know no other share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, runtime_checkable

from tunepass.exact.base import Certificate, ExactSolver, Floats, Front
from tunepass.exact.running_front import Ints, RunningFront
from tunepass.space.configuration import Configuration


@dataclass(frozen=True, slots=True)
class ShareFront:
    """The nondominated configurations of a share: their numbers (k,) and losses (k, m)."""

    numbers: Ints
    losses: Floats


class EnumeratedSpace(ABC):
    """A space whose configurations are evaluated by number.

    `size` is the number of all, `step` that of a share, and `grain` what a share's ends are multiples of.
    """

    size: int
    step: int
    grain: int
    objectives: int

    @abstractmethod
    def front(self, share: range, known: RunningFront) -> ShareFront:
        """The front of a share, without what `known` covers if that saves work."""

    @abstractmethod
    def configurations(self, numbers: Ints) -> tuple[Configuration, ...]:
        """The configurations of numbers (k,)."""

    def shares(self, max_points: int | None = None) -> Iterator[range]:
        """All shares in order, or as many as have `max_points` configurations."""
        last = self.size if max_points is None else min(self.size, -(-max_points // self.grain) * self.grain)
        for first in range(0, last, self.step):
            yield range(first, min(first + self.step, last))


FrontsOfShares = Callable[[Iterable[range]], Iterator[ShareFront]]  # the front of each share, in the shares' order


@runtime_checkable
class SolvesInShares(Protocol):
    """An exact solver that other processes can do shares of the work for."""

    def in_shares(self, fronts: FrontsOfShares, /) -> ExactSolver:
        """The solver, with the fronts of its shares from there: its front is the same one."""


EXACT_SOLVER_CAPABILITIES = (SolvesInShares,)


def enumerated_front(
    space: EnumeratedSpace,
    fronts: FrontsOfShares | None,
    *,
    jobs: int = 1,
    max_points: int | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[Certificate], None] | None = None,
) -> Front:
    """The front of the space; see `ExactSolver.solve`. The fronts of the shares come from `fronts`, if that is given,
    else from so many threads here. They are entered in the shares' order, so the front is the same one."""
    front, evaluated = RunningFront(space.objectives), 0
    stopped = stop or (lambda: False)
    if not stopped():
        shares = space.shares(max_points)
        share_fronts = fronts(shares) if fronts is not None else _on_threads(space, shares, front, jobs)
        for share, part in zip(space.shares(max_points), share_fronts):
            evaluated += len(share)
            if len(part.numbers):
                front.add(part.numbers, part.losses)
            if progress is not None:
                progress(_certificate(space.size, evaluated, len(front)))
            if stopped():
                break
        _close(share_fronts)
    certificate = _certificate(space.size, evaluated, len(front))
    gap = 0.0 if certificate.exact else float("inf")
    return Front(space.configurations(front.points), front.losses, certificate, gap)


def _certificate(points: int, evaluated: int, front_size: int) -> Certificate:
    """Certificate of an enumeration: configurations that were not evaluated are open."""
    return Certificate(
        points=points, evaluated=evaluated, bounded=0, infeasible=0, open=points - evaluated, boxes=0, found=front_size
    )


def _on_threads(
    space: EnumeratedSpace, shares: Iterable[range], known: RunningFront, jobs: int
) -> Iterator[ShareFront]:
    """With few shares in memory. A front that another share has extended meanwhile filters as well."""
    if jobs < 2:
        yield from (space.front(share, known) for share in shares)
        return
    remaining = iter(shares)
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(space.front, share, known) for share in islice(remaining, jobs + 1)]
        while waiting:
            result = waiting.pop(0).result()
            waiting += [pool.submit(space.front, share, known) for share in islice(remaining, 1)]
            yield result


def _close(fronts: Iterator[ShareFront]) -> None:
    """Give up shares that nobody waits for any more."""
    close = getattr(fronts, "close", None)
    if close is not None:
        close()

"""Fronts of shares that others find: the front of all of them is the same one, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pytest

from tunepass.exact import enumeration, product_enumeration
from tunepass.exact.base import Certificate, ExactSolver, Front
from tunepass.exact.enumeration import Enumeration, enumerated_space
from tunepass.exact.running_front import RunningFront
from tunepass.exact.shares import EnumeratedSpace, FrontsOfShares, ShareFront
from tunepass.expr.nodes import Expr
from tunepass.space.space import Space
from tunepass.testing.exact_solver import AREA, LIMITS, RATE, TIME, ExactSolverContract, expressions, numeric_space


def apart(space: EnumeratedSpace) -> FrontsOfShares:
    """The front of each share by itself, as a process finds it that knows no other share."""

    def fronts(shares: Iterable[range]) -> Iterator[ShareFront]:
        return (space.front(share, RunningFront(space.objectives)) for share in shares)

    return fronts


class InShares(ExactSolver):
    def solve(
        self,
        space: Space,
        objectives: Sequence[Expr],
        constraints: Sequence[Expr] = (),
        *,
        max_points: int | None = None,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Certificate], None] | None = None,
    ) -> Front:
        sharing = Enumeration().in_shares(apart(enumerated_space(space, objectives, constraints)))
        return sharing.solve(space, objectives, constraints, max_points=max_points, stop=stop, progress=progress)


@pytest.fixture
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (enumeration, product_enumeration):
        monkeypatch.setattr(module, "CHUNK", 96)


@pytest.mark.usefixtures("small_shares")
class TestInShares(ExactSolverContract):
    @pytest.fixture
    def solver(self) -> InShares:
        return InShares()


@pytest.mark.usefixtures("small_shares")
@pytest.mark.parametrize("limits", [(), LIMITS])
@pytest.mark.parametrize("losses", [(TIME,), (TIME, AREA), (TIME, AREA, RATE)])
@pytest.mark.parametrize("max_points", [None, 500])
def test_the_front_is_that_of_one_process(
    limits: tuple[str, ...], losses: tuple[str, ...], max_points: int | None
) -> None:
    space = numeric_space(*limits)
    problem = (space, expressions(space, *losses), expressions(space, "par + lanes <= 30"))
    seen: list[list[Certificate]] = [[], []]
    one = Enumeration(jobs=1).solve(*problem, max_points=max_points, progress=seen[0].append)
    shared = InShares().solve(*problem, max_points=max_points, progress=seen[1].append)
    assert shared.configurations == one.configurations and shared.values.tobytes() == one.values.tobytes()
    assert (shared.certificate, shared.gap) == (one.certificate, one.gap) and seen[0] == seen[1]
    assert len(seen[0]) > 3, "several shares"


@pytest.mark.usefixtures("small_shares")
def test_shares_are_given_up_once_the_search_stops() -> None:
    space = numeric_space(*LIMITS)
    losses = expressions(space, TIME)
    enumerated, closed = enumerated_space(space, losses), []

    def fronts(shares: Iterable[range]) -> Iterator[ShareFront]:
        try:
            for share in shares:
                yield enumerated.front(share, RunningFront(1))
        finally:
            closed.append(True)

    calls = iter([False, False, True])
    front = Enumeration(fronts=fronts).solve(space, losses, stop=lambda: next(calls))
    assert front.certificate.evaluated == 2 * 96 and closed == [True]


def test_ranks_are_rows() -> None:
    space = numeric_space("par <= tile")
    columns = space.columns_of_ranks(np.array([5, 0]))
    assert space.configurations(columns) == [space.unrank(5), space.unrank(0)]

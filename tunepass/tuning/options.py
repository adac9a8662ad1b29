"""How to search: made once, from the command line or by a caller of the API, and passed whole."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.exact.base import is_solver
from tunepass.study.storage.store import Store
from tunepass.study.task import Factory


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """`max_evals` counts the study's trials, those of earlier runs included; `budget_s` is this run's time.

    `strategy` is the name of a strategy or of an exact solver, the path of its class (`package.module:Class`), or what
    makes a strategy. `picks` are points of the front (tuning/picks.py); the first is the choice, none: the best in the
    first objective. `transfer_from` is "none" or some PATH[:STUDY]; empty: the nearest earlier study of the kernel.
    `jobs` compiles run side by side; None: one, where nothing is timed one a core, and up to four where compiling takes
    most of the time. `sanitize` runs the finalists once under sanitizers. `variants` is how many configurations the
    sizes that a kernel lists may have, None: what is usual for its kind. `extrapolate`: an exact front may have points
    that a model was fitted to nothing like.
    """

    strategy: str | Factory = "auto"
    seed: int = 0
    budget_s: float | None = None
    max_evals: int | None = None
    jobs: int | None = None
    executor: str = "local"
    sanitize: bool = False
    picks: tuple[str, ...] = ()
    transfer_from: tuple[str, ...] = ()
    store: str | Store | None = None
    variants: int | None = None
    extrapolate: bool = False

    @property
    def names_exact_solver(self) -> bool:
        """Is the strategy the name of an exact solver? A strategy may have the same name."""
        return is_solver(self.strategy)

    @property
    def pick(self) -> str | None:
        """Name of the rule that picks the choice."""
        return self.picks[0] if self.picks else None

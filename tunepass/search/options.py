"""How to search: made once, from the command line or by a caller of the API, and passed whole."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import StudyError
from tunepass.exact.base import is_solver
from tunepass.executors.base import Executor
from tunepass.space.plain_values import as_real, as_texts, as_whole
from tunepass.study import validation
from tunepass.study.storage.store import Store
from tunepass.study.task import Factory


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search.

    Args:
        strategy: the name of a strategy or of an exact solver, the path of its class (`package.module:Class`), or a
            function of a Task.
        seed: of every random choice.
        budget_s: time of this run; None: no limit.
        max_evals: limit of the study's trials, those of earlier runs included; None: no limit.
        jobs: compiles side by side; None: one, where nothing is timed one a core, and up to four where compiling takes
            most of the time.
        executor: the name of what runs evaluations, or an Executor.
        sanitize: runs the finalists once under sanitizers.
        picks: points of the front (search/picks.py); the first is the choice. Empty: the best in the first objective.
        transfer_from: "none" or some PATH[:STUDY]; empty: the nearest earlier study of the kernel.
        store: a Store or its URL; None: the caller's usual one.
        variants: limit of configurations for the sizes that a kernel lists; None: what is usual for its kind.
        extrapolate: whether an exact front may have points beyond those that a model was fitted to.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> tp.SearchOptions(max_evals=100, seed=1).strategy
        'auto'
    """

    strategy: str | Factory = "auto"
    seed: int = 0
    budget_s: float | None = None
    max_evals: int | None = None
    jobs: int | None = None
    executor: str | Executor = "local"
    sanitize: bool = False
    picks: tuple[str, ...] = ()
    transfer_from: tuple[str, ...] = ()
    store: str | Store | None = None
    variants: int | None = None
    extrapolate: bool = False

    def __post_init__(self) -> None:
        validation.check_strategy(self.strategy)
        checked: dict[str, object] = {
            "seed": validation.valid_seed(self.seed),
            "max_evals": validation.valid_budget(self.max_evals),
            "budget_s": _seconds(self.budget_s),
            **{name: _count(name, getattr(self, name)) for name in ("jobs", "variants")},
            **{name: _texts(name, getattr(self, name)) for name in ("picks", "transfer_from")},
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if not isinstance(self.executor, (str, Executor)):
            raise StudyError(f"executor is a name or an Executor, got {self.executor!r}")

    @property
    def names_exact_solver(self) -> bool:
        """Is the strategy the name of an exact solver? A strategy may have the same name."""
        return is_solver(self.strategy)

    @property
    def pick(self) -> str | None:
        """Name of the rule that picks the choice."""
        return self.picks[0] if self.picks else None


def _seconds(budget_s: object) -> float | None:
    if budget_s is None:
        return None
    seconds = as_real(budget_s)
    if seconds is None or not seconds >= 0:
        raise StudyError(f"budget_s is a number of seconds >= 0, or None for no limit, got {budget_s!r}")
    return seconds


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None
    whole = as_whole(value)
    if whole is None or whole < 1:
        raise StudyError(f"{name} is a whole number, at least 1, or None, got {value!r}")
    return whole


def _texts(name: str, value: object) -> tuple[str, ...]:
    texts = as_texts(value)
    if texts is None:
        raise StudyError(f"{name} is a tuple of texts, got {value!r}")
    return texts

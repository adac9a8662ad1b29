"""A kernel, an evaluator and a clock that need no compiler."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from tunepass.backends.base import Target
from tunepass.backends.caller import CallerBackend
from tunepass.diagnostics import Source
from tunepass.ir.kernel import Binding, Kernel
from tunepass.passes.search import Search, ignore
from tunepass.search.options import SearchOptions
from tunepass.search.result import Progress
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Ordinal, Parameter
from tunepass.study.outcome import Evaluate, Evaluation, Failed, Measured, Outcome
from tunepass.study.task import Task
from tunepass.study.trial import Trial

TILE = Ordinal("TILE", [1, 2, 4, 8, 16], default=4)
MODE = Categorical("MODE", ["a", "b"], default="a")


def kernel(
    parameters: Sequence[Parameter] = (TILE, MODE), constraints: Sequence[str] = ("TILE > 1 or MODE == 'a'",)
) -> Kernel:
    return Kernel(
        name="k",
        language="c",
        source=Source("k.c", "int TILE;\n"),
        parameters=tuple(parameters),
        constraints=tuple(Constraint.parse(text, parameters) for text in constraints),
        bindings=tuple(Binding(p.name, "macro") for p in parameters),
    )


class InOrder:
    """A strategy that walks the space."""

    def __init__(self, task: Task):
        self.left = list(task.space.enumerate())

    def suggest(self, n: int) -> list[Configuration]:
        taken, self.left = self.left[:n], self.left[n:]
        return taken

    def observe(self, trial: Trial) -> None:
        self.left = [c for c in self.left if c != trial.configuration]


class Clock:
    """Time passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


Price = Callable[[Configuration], float | Outcome]


class Prices:
    """Evaluates by a function; each evaluation takes a second of the clock."""

    def __init__(self, price: Price, clock: Clock | None = None):
        self.price, self.clock = price, clock or Clock()
        self.asked: list[Configuration] = []
        self.closed = False

    def __call__(self, configuration: Configuration) -> Evaluation:
        self.asked.append(configuration)
        self.clock.now += 1.0
        found = self.price(configuration)
        outcome = Measured({"time": found}) if isinstance(found, float) else found
        return Evaluation(outcome, {"compile": 0.25, "measure": 0.5})

    @contextmanager
    def opened(self, kernel: Kernel) -> Iterator[Evaluate]:
        try:
            yield self
        finally:
            self.closed = True


class Comparing(Prices):
    """Can also measure finalists again: `again` gives their values by round."""

    def __init__(self, price: Price, again: Callable[[Configuration, int], float], clock: Clock | None = None):
        super().__init__(price, clock)
        self.again = again
        self.compared: list[list[Configuration]] = []
        self.given_s: list[float | None] = []
        self.behind: object = None  # what was to tell who needs no further rounds

    def compare_again(
        self,
        configurations: list[Configuration],
        rounds: int = 9,
        seconds: float | None = None,
        behind: Callable[[Sequence[Sequence[float]]], Collection[int]] | None = None,
    ) -> list[list[float]]:
        self.compared.append(configurations)
        self.given_s.append(seconds)
        self.behind = behind
        return [[self.again(c, r) for r in range(rounds)] for c in configurations]


def by_tile(values: Mapping[int, float | str]) -> Price:
    """Prices by TILE; a text is the stage of a failure."""

    def price(configuration: Configuration) -> float | Outcome:
        value = values[int(str(configuration["TILE"]))]
        return Failed(value, f"{value} of {configuration['TILE']}") if isinstance(value, str) else value

    return price


def search_step(
    prices: Prices, watch: Callable[[Progress], None] = ignore, objectives: tuple[str, ...] = (), **options: object
) -> Search:
    return Search(
        backend=lambda kernel: CallerBackend(kernel, Target(objectives=objectives), prices.opened),
        options=SearchOptions(strategy=InOrder, **options),  # type: ignore[arg-type]
        clock=prices.clock,
        watch=watch,
    )

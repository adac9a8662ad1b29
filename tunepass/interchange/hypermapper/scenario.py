"""A scenario: parameters, objectives, budget and files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tunepass.diagnostics import Source
from tunepass.interchange.hypermapper.fields import Tuner
from tunepass.interchange.hypermapper.image_settings import ImageSettings
from tunepass.interchange.hypermapper.values import ScenarioParameter
from tunepass.space.constraint import Constraint

Mode = Literal["default", "client-server", "exhaustive"]
MODES: tuple[Mode, ...] = ("default", "client-server", "exhaustive")
GRID = "grid_search"


@dataclass(frozen=True, slots=True)
class Feasibility:
    """The column of outputs that says whether a configuration worked; only read where `enabled`."""

    name: str = "Valid"
    true_value: str = "True"
    false_value: str = "False"
    enabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario as its fields say; `without_effect` names those that change nothing here."""

    source: Source
    tuner: Tuner
    application: str
    mode: Mode
    exhaustive_file: Path | None
    parameters: tuple[ScenarioParameter, ...]
    constraints: tuple[Constraint, ...]
    objectives: tuple[str, ...]
    feasibility: Feasibility
    design: str
    design_size: int
    iterations: int
    batch: int
    time_budget_s: float | None
    method: str
    model: str
    timestamp: str
    folder: Path  # that names of files are relative to
    output: Path
    pareto: Path
    log: Path
    resume: Path | None
    image: ImageSettings
    print_best: bool
    without_effect: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table of results."""
        return (*(p.name for p in self.parameters), *self.outputs, self.timestamp)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Columns of a result: the objectives, and the feasibility where it is read."""
        return (*self.objectives, *[self.feasibility.name] * self.feasibility.enabled)

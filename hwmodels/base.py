"""What a hardware model answers: named expressions over a kernel's parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tunepass.diagnostics import Span, TunepassError
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import BOOL, Constant, Expr
from tunepass.expr.numpy_eval import Columns
from tunepass.ir.kernel import Kernel


class ModelError(TunepassError):
    """A device that cannot be read, or a program that the model has no numbers for."""


Combines = Literal["leaf", "turns", "slowest"]


@dataclass(frozen=True, slots=True)
class EstimatePart:
    """One controller, transfer or memory of an estimate, at its depth in the program: where a total comes from.

    `values` are of one instance, or of one execution, what is inside included. `times` is how often each thing inside
    is there, or is executed. Of time, the things inside `combine` by turns (`overlap` 1: as a pipeline), or all start
    together and the slowest counts.
    """

    label: str
    depth: int
    values: Mapping[str, Expr]
    span: Span | None = None
    times: Expr | None = None
    overlap: Expr | None = None
    combine: Combines = "leaf"


EVERYWHERE, ONE = Constant(True, BOOL), alg.lift(1)


@dataclass(frozen=True, slots=True)
class Costs:
    """The expressions of an estimate by name, their units, when the design fits the device, and where time and area
    go: `timing` has `cycles`, `areas` what the device is made of. Where `within_fit` is false, a value is an
    extrapolation: the model was fitted to nothing like it. Where a compiler decides what can be built, `effort` above 1
    says that a design is less likely to come out of it."""

    values: Mapping[str, Expr]
    units: Mapping[str, str]
    fits: Expr
    limits: Mapping[str, int]
    timing: tuple[EstimatePart, ...] = ()
    areas: tuple[EstimatePart, ...] = ()
    name: str = "the model"  # what people are told it is
    within_fit: Expr = EVERYWHERE
    expected: bool = False  # what fits is only expected, a compiler decides: it forbids nothing
    effort: Expr = ONE

    def prior(self, name: str) -> Expr:
        """What a search that asks the compiler begins from: designs that hardly come out of it come later."""
        return self.values[name] if self.effort is ONE else alg.mul(self.values[name], self.effort)


@dataclass(frozen=True, slots=True)
class Slice:
    """A part at one configuration with what is inside it. `own` is what no part inside accounts for."""

    label: str
    span: Span | None
    values: Mapping[str, float]
    own: Mapping[str, float]
    inside: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where the time and the area of one configuration go; empty where a model does not say. `resources` names what
    the parts of the area have amounts of."""

    time: tuple[Slice, ...] = ()
    area: tuple[Slice, ...] = ()
    resources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceSummary:
    """What people are told of a device; `capacity` is what it holds, `clock_hz` None where it has no one clock.
    `digest` is of the user's file that describes it; empty for one that ships."""

    name: str
    family: str
    description: str
    clock_hz: float | None
    capacity: Mapping[str, int]
    digest: str = ""


class CostModel(ABC):
    """The hardware model of a family of devices (registry.COST_MODELS)."""

    @abstractmethod
    def devices(self) -> tuple[str, ...]:
        """The names of the devices it knows, in the order in which they are listed."""

    @abstractmethod
    def summary(self, device: str) -> DeviceSummary:
        """Of a device that it lists or that a file describes. ModelError for one that it does not know."""

    @abstractmethod
    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        """Named expressions over the kernel's parameters; None for a kernel that the model says nothing about. `words`
        are the compiler's, of what is compiled."""

    def breakdown(self, costs: Costs, device: str, columns: Columns) -> Breakdown:
        """Where the costs of one configuration (columns of length 1) go."""
        return Breakdown()

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
    """A device that cannot be read, or a program that the model has no numbers for.

    Example:
        >>> try:
        ...     extension.cost_model("gpu").summary("v99")
        ... except extension.ModelError as error:
        ...     print("no such device")
        no such device
    """


Combines = Literal["leaf", "turns", "slowest"]


@dataclass(frozen=True, slots=True)
class EstimatePart:
    """One controller, transfer or memory of an estimate: where a total comes from.

    Args:
        label: a name for people.
        depth: in the program.
        values: of one instance, or of one execution, with everything inside.
        span: the place in the source.
        times: how often each part inside exists, or is executed.
        overlap: of time, how far the parts inside overlap; 1: as a pipeline.
        combine: of time, whether the parts inside run in `turns` or together, where the `slowest` counts.

    Example:
        >>> extension.EstimatePart("load", 0, {"cycles": extension.parse_expression("4", {})}).combine
        'leaf'
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
    """A hardware model's answer: named expressions over a kernel's parameters.

    Args:
        values: the expressions by name.
        units: of each.
        fits: when the design fits the device.
        limits: the device's bounds by name.
        timing: where the time goes (`cycles`).
        areas: where the device's resources go.
        name: of the model, for people.
        within_fit: where it is false, a value is an extrapolation: the model was fitted to nothing similar.
        expected: a compiler decides what fits: `fits` forbids nothing.
        effort: above 1 where a compiler is less likely to build the design.

    Example:
        >>> types = {p.name: p.type for p in space.parameters}
        >>> time, fits = (extension.parse_expression(text, types) for text in ("64 / tile", "tile <= 16"))
        >>> tp.Costs({"time": time}, {"time": "ms"}, fits, {"tile": 16}).units
        {'time': 'ms'}
    """

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
    """A part of a breakdown, at one configuration.

    Args:
        label: a name for people.
        span: the place in the source.
        values: with everything inside.
        own: without the parts inside.
        inside: the parts.

    Example:
        >>> extension.Slice("loop", None, {"cycles": 12.0}, {"cycles": 12.0}, ()).own
        {'cycles': 12.0}
    """

    label: str
    span: Span | None
    values: Mapping[str, float]
    own: Mapping[str, float]
    inside: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where the time and the area of one configuration go; empty where a model does not say.

    Args:
        time: parts of the time.
        area: parts of the device's resources.
        resources: the names of those resources.

    Example:
        >>> tp.Breakdown().time
        ()
    """

    time: tuple[Slice, ...] = ()
    area: tuple[Slice, ...] = ()
    resources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceSummary:
    """Device description for users.

    Args:
        name: of the device.
        family: of the hardware model that knows it.
        description: one line.
        clock_hz: None where it has several clocks.
        capacity: its resources by name.
        digest: of the user's file that describes it; empty for a built-in device.

    Example:
        >>> extension.cost_model("gpu").summary("v100").family
        'gpu'
    """

    name: str
    family: str
    description: str
    clock_hz: float | None
    capacity: Mapping[str, int]
    digest: str = ""


class CostModel(ABC):
    """The hardware model of a family of devices (registry.COST_MODELS). Stateless: made without arguments.

    Example:
        >>> class ToyModel(tp.CostModel):
        ...     def devices(self):
        ...         return ("toy-1",)
        ...     def summary(self, device):
        ...         return tp.DeviceSummary(device, "toy", "a toy", 1e9, {})
        ...     def costs(self, kernel, device, words=()):
        ...         return None
        >>> ToyModel().summary("toy-1").clock_hz
        1000000000.0
    """

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

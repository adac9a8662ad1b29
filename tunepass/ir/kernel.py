"""The kernel: what a frontend reads out of an annotated source, and all that later passes need of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tunepass.diagnostics import Source, Span
from tunepass.expr.nodes import Expr
from tunepass.ir.application import Application
from tunepass.ir.hardware import Program
from tunepass.ir.loops import Nest
from tunepass.ir.stated_model import StatedModel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

Role = Literal["macro", "flag", "directive", "environment", "argument"]
Direction = Literal["in", "out", "inout"]


@dataclass(frozen=True, slots=True)
class Binding:
    """How a parameter reaches the program: a macro `-DTILE=32`, a piece of the compiler's command line, ...
    `form` is how an application spells it, around one `{}`: `--param max-unroll-times={}`."""

    parameter: str
    role: Role
    span: Span | None = None
    form: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarArgument:
    """A scalar passed by value; `value` is an expression over the scalars before it."""

    name: str
    element: str  # the C type, as in the kernel's definition
    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayArgument:
    """A pointer argument of `length` elements. Inputs are filled with `fill(i)` if given, else uniform in [lo, hi]."""

    name: str
    element: str  # the C element type: double, float, int, ...
    direction: Direction
    length: Expr  # over the scalar arguments
    fill: Expr | None = None  # over the scalar arguments and the index `i`
    lo: Expr | None = None
    hi: Expr | None = None


Argument = ScalarArgument | ArrayArgument


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The generated harness's call: the definition's own prototype text and its arguments in order."""

    function: str
    prototype: str  # `void matmul(int n, const double *A, ...)`, without body or semicolon
    arguments: tuple[Argument, ...]
    absolute_tolerance: float = 0.0
    relative_tolerance: float = 0.0
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number in the program's output: `pattern` is literal text around one `{name}`, e.g. `time: {time} ms`; or
    `path` leads to it in JSON output, e.g. `runs.0.ms`."""

    pattern: str
    objective: str
    unit: str = ""
    maximise: bool = False
    span: Span | None = None
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """The user's own program: an argument vector, never a shell line; without metrics its wall time in ms counts."""

    arguments: tuple[str, ...]
    metrics: tuple[Metric, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A directive of a schedule: bind a parameter to the value chosen for it."""

    parameter: str
    value: bool | int | float | str | tuple[int | str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A tunable unit of a source. `schedule` is empty until apply_schedule; `call` or `run` says how to judge it."""

    name: str
    language: str  # c, c++, spatial, taco, ...
    source: Source
    parameters: tuple[Parameter, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    bindings: tuple[Binding, ...] = ()
    call: Call | None = None
    run: RunCommand | None = None
    application: Application | None = None  # with `run`: a program that is built by its own commands
    program: Program | None = None  # the controllers of a hardware kernel
    nests: tuple[Nest, ...] = ()
    models: tuple[StatedModel, ...] = ()  # what the source says about its objectives
    schedule: tuple[Choice, ...] = ()
    span: Span | None = None

    def binding(self, parameter: str) -> Binding:
        return next(b for b in self.bindings if b.parameter == parameter)

    def scheduled(self, schedule: tuple[Choice, ...]) -> Kernel:
        return replace(self, schedule=schedule)

"""The kernel: what a frontend reads out of an annotated source, and all that later passes need of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from tunepass.diagnostics import Source, Span, TunepassError
from tunepass.ir.body import AnyBody, Body
from tunepass.ir.stated_model import StatedModel
from tunepass.space.assignments import with_defaults
from tunepass.space.configuration import Configuration, Value, abbreviated
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter, ParameterBase

Role = Literal["macro", "constant", "flag", "directive", "environment", "argument", "profile", "compiler"]
ROLES: tuple[str, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Binding:
    """How a parameter reaches the program.

    Args:
        parameter: its name.
        role: `macro` (`-DTILE=32`), `constant` (written into the source), `flag`, `directive`, `environment`,
            `argument`, `profile` or `compiler`.
        span: the place in the source.
        form: how an application spells it, around one `{}`: `--param max-unroll-times={}`.
        words: the compiler's arguments for each text of a flag; no other text is allowed.
        omitted: the value at which the application spells nothing.

    Raises:
        TunepassError: an unknown role, or a parameter that is no name.

    Example:
        >>> tp.Binding("tile", "macro").form
        '{}'
    """

    parameter: str
    role: Role
    span: Span | None = None
    form: str = "{}"
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    omitted: Value | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.parameter, str):
            raise TunepassError(f"a binding names a parameter, got {self.parameter!r}")
        if self.role not in ROLES:
            raise TunepassError(f"the role of a binding is one of {', '.join(ROLES)}, got {self.role!r}")


@dataclass(frozen=True, slots=True)
class Choice:
    """A directive of a schedule: binds a parameter to the value chosen for it.

    Args:
        parameter: its name.
        value: the chosen value.

    Example:
        >>> kernel.scheduled((tp.Choice("tile", 16), tp.Choice("unroll", 2)))
        <Kernel 'scale' of scale.toy (toy): 2 parameters, 1 constraints, scheduled with tile=16, unroll=2>
    """

    parameter: str
    value: bool | int | float | str | tuple[int | str, ...]


KIND_OF: Mapping[str, type] = {"parameters": ParameterBase, "constraints": Constraint, "bindings": Binding}


@dataclass(frozen=True, slots=True)
class OpenSize:
    """A size of the problem that the source leaves open: as the user gave it, else `assumed` in times. Nothing else
    follows from what is assumed. `value` is text where it depends on parameters."""

    name: str
    value: int | float | str
    assumed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A tunable unit of a source, as a frontend reads it or another compiler makes it.

    Args:
        name: of the kernel in its source.
        language: `c`, `c++`, `spatial`, `taco`, ...
        source: the text, for diagnostics and for emission.
        parameters: what can be tuned.
        constraints: what choices must satisfy.
        bindings: how each parameter reaches the program.
        body: what the kernel consists of; its kind chooses the backend. None: only the caller knows.
        models: expressions that the source states for its objectives.
        schedule: the choices; empty until apply_schedule.
        open_sizes: sizes of the problem that the source leaves open.
        span: the kernel's place in the source.
        words: the compiler's words with which the source was read.

    Raises:
        TunepassError: an argument has the wrong type.

    Example:
        >>> tp.Kernel(name="scale", language="toy", source=tp.Source("scale.toy", ""), parameters=space.parameters)
        <Kernel 'scale' of scale.toy (toy): 2 parameters, 0 constraints>
    """

    name: str
    language: str  # c, c++, spatial, taco, ...
    source: Source
    parameters: tuple[Parameter, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    bindings: tuple[Binding, ...] = ()
    body: Body | None = None  # None: only the one who made the kernel knows what it is made of
    models: tuple[StatedModel, ...] = ()  # what the source says about its objectives
    schedule: tuple[Choice, ...] = ()
    open_sizes: tuple[OpenSize, ...] = ()
    span: Span | None = None
    words: tuple[str, ...] = ()  # the compiler's, with which the source was read

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise TunepassError(f"a kernel has a name, got {self.name!r}")
        if not isinstance(self.language, str):
            raise TunepassError(f"kernel {self.name}: the language is a name, got {self.language!r}")
        if not isinstance(self.source, Source):
            raise TunepassError(f"kernel {self.name}: the source is a Source, got {self.source!r}")
        for field, kind in KIND_OF.items():
            values = getattr(self, field)
            if not isinstance(values, (tuple, list)) or not all(isinstance(value, kind) for value in values):
                name = kind.__name__.removesuffix("Base")
                raise TunepassError(f"kernel {self.name}: {field} is a tuple of {name}, got {values!r}")
            object.__setattr__(self, field, tuple(values))

    def __repr__(self) -> str:
        counts = f"{len(self.parameters)} parameters, {len(self.constraints)} constraints"
        chosen = abbreviated({choice.parameter: choice.value for choice in self.schedule})
        scheduled = f", scheduled with {chosen}" if chosen else ""
        return f"<Kernel {self.name!r} of {self.source.name} ({self.language}): {counts}{scheduled}>"

    def binding(self, parameter: str) -> Binding:
        """How the parameter reaches the program."""
        return next(b for b in self.bindings if b.parameter == parameter)

    def filled(self, configuration: Configuration) -> Configuration:
        """With a value for every parameter: the compiler is given an inactive one's default."""
        if len(configuration) >= len(self.parameters):
            return configuration
        return with_defaults(self.parameters, configuration)

    def scheduled(self, schedule: tuple[Choice, ...]) -> Kernel:
        """The kernel with this schedule."""
        return replace(self, schedule=schedule)

    @property
    def uncompared_results(self) -> tuple[str, ...]:
        """A sentence for each result that nothing compares, as far as the source tells."""
        return () if self.body is None else self.body.uncompared_results

    def body_as(self, kind: type[AnyBody]) -> AnyBody:
        """The body, which the caller knows to be of this kind; raises TypeError where it is of another."""
        if not isinstance(self.body, kind):
            raise TypeError(f"{self.name}: expected a body of kind {kind.kind}, got {type(self.body).__name__}")
        return self.body

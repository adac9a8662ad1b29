"""Kernels that only a model can price: which model that is, and what it says of configurations."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import TunepassError, nearest
from tunepass.expr import numpy_eval
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.frontends.base import Parsed
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.model import costs
from tunepass.ir import hardware
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import parse_app, select
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective

USUAL = ("cycles", "alms", "luts")  # the first two of these that a device has are searched for, unless others are named
NO_RESTRICTIONS = "--no-restrictions"


@dataclass(frozen=True)
class Modelled:
    """A kernel with its model on a device."""

    kernel: Kernel
    device: Fpga
    costs: Costs

    @cached_property
    def program(self) -> CompiledExpressions:
        """Every named expression in order, then `fits`."""
        return CompiledExpressions([*self.costs.values.values(), self.costs.fits])

    @cached_property
    def space(self) -> Space:
        return Space(self.kernel.parameters, self.kernel.constraints)

    @property
    def default(self) -> Configuration:
        """The values that the source has, whether or not its restrictions allow them."""
        return Configuration({p.name: p.default for p in self.kernel.parameters})

    def columns(self, configurations: Sequence[Configuration]) -> Columns:
        return {p.name: p.column([c[p.name] for c in configurations]) for p in self.kernel.parameters}

    def prices(self, configurations: Sequence[Configuration]) -> dict[str, NDArray[np.generic]]:
        """The named expressions and `fits`, each with a value (n,) a configuration."""
        values = self.program.run(self.columns(configurations), len(configurations))
        return dict(zip([*self.costs.values, "fits"], values))

    def broken(self, configuration: Configuration) -> tuple[str, ...]:
        """The restrictions that the configuration does not keep."""
        columns = self.columns([configuration])
        kept = (numpy_eval.satisfied(c.expression, columns, 1)[0] for c in self.kernel.constraints)
        return tuple(c.text for c, holds in zip(self.kernel.constraints, kept) if not holds)

    def objectives(self, names: Sequence[str] = ()) -> tuple[Objective, ...]:
        """The objectives called `names`; without names cycles and the device's logic."""
        known = self.costs.values
        wanted = tuple(names) or tuple(name for name in USUAL if name in known)[:2]
        for name in wanted:
            if name not in known:
                close = nearest(name, known)
                hint = f"did you mean {close!r}?" if close else f"there are {', '.join(known)}"
                raise TunepassError(f"the model of {self.device.name} has no {name!r}", hint=hint)
        return tuple(Objective(name, unit=_unit(name, self.costs)) for name in wanted)

    def expressions(self, objectives: Sequence[Objective]) -> list[Expr]:
        return [self.costs.values[o.name] for o in objectives]

    @cached_property
    def digest(self) -> str:
        """What the model says, in short: of its values at a few configurations of the space, and its limits."""
        rng, n = np.random.default_rng(0), 64
        columns = {}
        for parameter in self.kernel.parameters:
            domain = list(parameter.domain)
            columns[parameter.name] = parameter.column([domain[i] for i in rng.integers(len(domain), size=n)])
        digest = hashlib.sha256(repr(sorted(self.costs.limits.items())).encode())
        for name, expression in {**self.costs.values, "fits": self.costs.fits}.items():
            values = np.asarray(numpy_eval.evaluate(expression, columns, n).values, dtype=np.float64)
            digest.update(name.encode() + values.tobytes())
        return digest.hexdigest()[:12]


def _unit(name: str, costs: Costs) -> str:
    unit = costs.units.get(name, "")
    return "" if unit == name else unit


def model_of(kernel: Kernel, device: str | None) -> Modelled:
    """The kernel's model on the device called `device`. Raises TunepassError for a kernel without a model."""
    if not isinstance(kernel.body, hardware.Program):
        raise TunepassError(
            f"{kernel.source.name}: no model prices a {kernel.language} kernel",
            hint="`tunepass build` compiles and runs it; models price Spatial programs (.scala)",
        )
    if device is None:
        raise TunepassError(
            f"{kernel.source.name}: a {kernel.language} program is priced on a device",
            hint=f"name one with --device: {', '.join(devices.names())}",
        )
    found = devices.load(device)
    return Modelled(kernel, found, costs(kernel.body, found))


def unrestricted(kernel: Kernel) -> Kernel:
    """The kernel with its raw product of parameters: what a frontend restricts is dropped."""
    return replace(kernel, constraints=())


def read_kernels(source: str, app: str | None, *, restrict: bool = True) -> Parsed:
    """The apps of a source (one, if named), and the frontend's warnings."""
    parsed = parse_app(source, app)
    kernels = select(parsed.kernels, app, source)
    return replace(parsed, kernels=kernels if restrict else tuple(unrestricted(k) for k in kernels))


def read_model(source: str, app: str | None, device: str | None, *, restrict: bool = True) -> tuple[Modelled, Parsed]:
    """The one app of a source on a device."""
    parsed = read_kernels(source, app, restrict=restrict)
    if len(parsed.kernels) > 1:
        names = ", ".join(kernel.name for kernel in parsed.kernels)
        raise TunepassError(f"{source} has several apps: {names}", hint="name one with --app")
    return model_of(parsed.kernels[0], device), parsed

"""Accelerator programs: priced by the model of a device; nothing is compiled or run."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from tunepass.backends.base import Backend, Target, cost_model, unrestricted
from tunepass.backends.device_files import given_device, identity_device
from tunepass.backends.stated import costs_digest
from tunepass.diagnostics import TunepassError, spelling_hint
from tunepass.expr.numpy_eval import Columns
from tunepass.frontends.base import SIZE
from tunepass.hwmodels.base import Breakdown, Costs
from tunepass.ir.hardware import Program
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.identity import Identity, source_hash
from tunepass.study.objective import Objective
from tunepass.study.space_description import space_hash

FAMILY = "fpga"
USUAL = ("cycles", "alms", "luts", "power")  # the first two of them that a device has are the usual objectives
NO_RESTRICTIONS = "--no-restrictions"


class ModelBackend(Backend):
    kind: ClassVar[str] = Program.kind
    family: ClassVar[str] = FAMILY
    takes_compiler: ClassVar[bool] = False
    needs_device: ClassVar[bool] = True
    usual: ClassVar[tuple[str, ...]] = USUAL

    def __init__(self, kernel: Kernel, target: Target):
        super().__init__(kernel if target.restrict else unrestricted(kernel), target)
        if target.compiler and not self.takes_compiler:
            raise TunepassError(
                f"nothing follows -- here: {kernel.source.name} is priced by a model, not compiled",
                hint="leave out what follows --; the tuned source is for the language's own compiler",
            )
        self.model_family = self.family_of(target.device)
        self.model = cost_model(self.model_family)
        if target.device is None and self.needs_device:
            raise TunepassError(
                f"{kernel.source.name}: a {kernel.language} program is priced on a device",
                hint=f"name one with --device: {', '.join(self.model.devices())}, or a file of your own (.yaml)",
            )
        self._device = given_device(target.device or "", kernel.source.name)
        self._costs = self._priced(self._device)

    @classmethod
    def family_of(cls, device: str | None) -> str:
        """The hardware model that knows the device."""
        return cls.family

    def _priced(self, device: str) -> Costs:
        costs = self.model.costs(self.kernel, device)
        assert costs is not None  # the body is of the kind that the model prices
        return costs

    @property
    def device(self) -> str:
        return self._device

    def objectives(self) -> tuple[Objective, ...]:
        """Any named expression of the model; unless named, cycles and the device's logic."""
        known = self._costs.values
        requested = self.target.objectives or tuple(name for name in self.usual if name in known)[:2]
        for name in requested:
            if name not in known:
                hint = spelling_hint(name, known, f"there are {', '.join(known)}", quote=repr)
                raise TunepassError(f"the model of {self.device} has no {name!r}", hint=hint)
        units = {name: self._costs.units.get(name, "") for name in requested}
        return tuple(Objective(name, unit="" if units[name] == name else units[name]) for name in requested)

    def identity(self, space: Space) -> Identity:
        return Identity(
            source=source_hash(self.kernel.source.text),
            space=space_hash(space),
            compiler=f"{self.model_family} model {self._digest}",
            flags=(*(() if self.target.restrict else (NO_RESTRICTIONS,)), *self._sizes),
            device=identity_device(self._device, self.model, self.kernel.source.name) if self._device else "",
        )

    def costs(self) -> Costs:
        return self._costs

    def breakdown(self, columns: Columns) -> Breakdown:
        return self.model.breakdown(self._costs, self.device, columns)

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> Target:
        return Target(
            device=identity.device or None, objectives=objectives, restrict=NO_RESTRICTIONS not in identity.flags
        )

    @property
    def _sizes(self) -> tuple[str, ...]:
        """The user's, as words for the frontend."""
        return tuple(f"{SIZE}{size.name}={size.value}" for size in self.kernel.open_sizes if not size.assumed)

    @cached_property
    def _digest(self) -> str:
        """What the model says, in short: of its values at a few configurations of the space, and its limits."""
        return costs_digest(self._costs, self.kernel.parameters)

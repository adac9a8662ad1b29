"""Kernels that a model prices, and whose other objectives the user's command measures, such as a network's error."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tunepass.backends.base import default_of
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import TunepassError, spelling_hint
from tunepass.expr.printer import to_text
from tunepass.frontends.params.command import PLACEHOLDER
from tunepass.hwmodels.base import Costs
from tunepass.ir.graph import SOURCE, Training
from tunepass.ir.kernel import Choice
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.diagram.terms import conjuncts
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.manifest import Manifest, Part
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate

if TYPE_CHECKING:
    from tunepass.evaluators.toolchains.source_files import FileRead

VERSION = "training 1"  # of what is measured and how; part of the identity of what is trained


class TrainedBackend(ModelBackend):
    """With a command that trains, its metrics are the usual objectives, and what the model knows may be further ones;
    what does not fit is never trained."""

    unfit: ClassVar[str] = ""  # what people are told of a limit that no line of the source states

    @property
    @abstractmethod
    def training(self) -> Training:
        """The kernel's command; its `run` is None where there is none."""

    @property
    def measures(self) -> bool:  # type: ignore[override]
        return self.training.run is not None

    def objectives(self) -> tuple[Objective, ...]:
        run = self.training.run
        if run is None:
            return super().objectives()
        printed = {m.objective: Objective(m.objective, unit=m.unit, maximise=m.maximise) for m in run.metrics}
        names = self.target.objectives or tuple(printed)
        known = self._costs.values
        for name in names:
            if name not in printed and name not in known:
                hint = spelling_hint(name, (*printed, *known), f"there are {', '.join((*printed, *known))}", quote=repr)
                raise TunepassError(f"neither the command nor the model of {self.device} has {name!r}", hint=hint)
        units = {name: "" if unit == name else unit for name, unit in self._costs.units.items()}
        return tuple(printed.get(name) or Objective(name, unit=units.get(name, "")) for name in names)

    def costs(self) -> Costs:
        """Metrics of the command have no prior mean: the model knows nothing of them."""
        run = self.training.run
        printed = () if run is None else tuple(metric.objective for metric in run.metrics)
        values = {name: value for name, value in self._costs.values.items() if name not in printed}
        return replace(self._costs, values=values)

    def limits(self) -> tuple[Constraint, ...]:
        """Limits of models that are too large to be trained."""
        parts = conjuncts(self._costs.fits) if self.training.run is not None else []
        texts = [part.span.text if part.span else self.unfit or to_text(part) for part in parts]
        return tuple(Constraint(part, text, part.span, derived=True) for part, text in zip(parts, texts))

    def identity(self, space: Space) -> Identity:
        identity, run = super().identity(space), self.training.run
        manifest = self._manifest()
        digest = manifest.digest if manifest.parts else ""
        if run is None:
            return replace(identity, files=digest)
        return replace(identity, flags=(*run.arguments, *identity.flags), harness=VERSION, files=digest)

    def manifests(self) -> dict[str, Manifest]:
        manifest = self._manifest()
        return {manifest.digest: manifest} if manifest.parts else {}

    def _manifest(self) -> Manifest:
        """Files of the command, and those of the kernel besides its source."""
        return Manifest(tuple(dict.fromkeys((*self._parts_read(), *(file.part for file in self._files)))))

    def _parts_read(self) -> tuple[Part, ...]:
        """Files of the kernel besides its source."""
        return ()

    @cached_property
    def _files(self) -> tuple[FileRead, ...]:
        """Files that the command reads besides the source."""
        from tunepass.evaluators.toolchains.python_files import python_files

        run, source = self.training.run, self.kernel.source
        return () if run is None else python_files(Path(source.name), source.text, run.arguments[1:])

    def evaluator(self) -> AbstractContextManager[Evaluate] | None:
        run, names = self.training.run, tuple(objective.name for objective in self.objectives())
        if run is None:
            return None
        from tunepass.evaluators.measure.metrics import MetricPattern
        from tunepass.evaluators.model import ModelEvaluator
        from tunepass.evaluators.process.run import Limits
        from tunepass.evaluators.training import TrainingRun, TrainingTask

        printed = {metric.objective for metric in run.metrics}
        costs = self.costs()
        priced = {name: costs.values[name] for name in names if name not in printed}
        limits = {name: (costs.values[name], most) for name, most in costs.limits.items()}
        task = TrainingTask(
            source=Path(self.kernel.source.name),
            text=self._text,
            words=self._words,
            metrics=tuple(
                MetricPattern(m.pattern, Objective(m.objective, unit=m.unit, maximise=m.maximise), m.matches)
                for m in run.metrics
            ),
            model=ModelEvaluator(self.kernel.parameters, priced, limits, costs.fits),
            objectives=names,
            default=default_of(self.kernel),
            files=self._files,
            limits=Limits(
                wall_s=self.training.limit_s,
                memory_bytes=None,
                file_bytes=None,
                processes=1024,
                limit_reservations=False,
            ),
        )
        return TrainingRun(task)

    def _text(self, configuration: Configuration) -> str:
        """The tuned source."""
        values = self.kernel.filled(configuration)
        choices = tuple(Choice(p.name, values[p.name]) for p in self.kernel.parameters)
        text = self.candidate([self.kernel.scheduled(choices)]).text
        assert text is not None
        return text

    def _words(self, configuration: Configuration, tuned: Path) -> tuple[str, ...]:
        run = self.training.run
        assert run is not None
        values = self.kernel.filled(configuration)
        given = {"{" + name + "}": str(value) for name, value in values.items()} | {SOURCE: str(tuned)}
        return tuple(PLACEHOLDER.sub(lambda match: given.get(match[0], match[0]), word) for word in run.arguments)

"""Models of deep learning: priced by what their operators take, and trained where the source says by which command."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tunepass.backends.base import default_of
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import Source, TunepassError, spelling_hint
from tunepass.expr.printer import to_text
from tunepass.frontends.params.command import PLACEHOLDER
from tunepass.hwmodels.base import Costs
from tunepass.ir.graph import SOURCE, Graph
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


class GraphBackend(ModelBackend):
    """With a command that trains, its metrics are the usual objectives, and what the model knows may be further ones;
    what is too large is never trained."""

    kind: ClassVar[str] = Graph.kind
    family: ClassVar[str] = "dnn"
    needs_device: ClassVar[bool] = False  # without one there are no times
    usual: ClassVar[tuple[str, ...]] = ("flops", "weights")

    @cached_property
    def body(self) -> Graph:
        return self.kernel.body_as(Graph)

    @property
    def device(self) -> str:
        return self._device or "no device"

    @property
    def measures(self) -> bool:  # type: ignore[override]
        return self.body.training.run is not None

    def objectives(self) -> tuple[Objective, ...]:
        run = self.body.training.run
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
        """What is measured has no prior mean: the model knows nothing of it."""
        run = self.body.training.run
        printed = () if run is None else tuple(metric.objective for metric in run.metrics)
        values = {name: value for name, value in self._costs.values.items() if name not in printed}
        return replace(self._costs, values=values)

    def limits(self) -> tuple[Constraint, ...]:
        """Limits of models that are too large to be trained."""
        parts = conjuncts(self._costs.fits) if self.measures else []
        return tuple(
            Constraint(part, part.span.text if part.span else to_text(part), part.span, derived=True) for part in parts
        )

    def identity(self, space: Space) -> Identity:
        identity = super().identity(space)
        run, words = self.body.training.run, self.body.words
        manifest = self._manifest()
        digest = manifest.digest if manifest.parts else ""
        if run is None:
            return replace(identity, flags=(*words, *identity.flags), files=digest)
        return replace(identity, flags=(*words, *run.arguments, *identity.flags), harness=VERSION, files=digest)

    def manifests(self) -> Mapping[str, Manifest]:
        manifest = self._manifest()
        return {manifest.digest: manifest} if manifest.parts else {}

    def _manifest(self) -> Manifest:
        """What the model was read from besides the source, and what the command reads."""
        operators = self.body.operators
        folder = Path(self.kernel.source.name).absolute().parent
        texts = (*self.body.files, *((operators,) if operators is not None else ()))
        parts = [_part(text, folder) for text in texts]
        return Manifest(tuple(dict.fromkeys((*parts, *(file.part for file in self._files)))))

    @classmethod
    def may_be_asked(cls, flags: tuple[str, ...]) -> bool:
        """Nothing is asked: a lock's words only say which files are read."""
        return True

    @cached_property
    def _files(self) -> tuple[FileRead, ...]:
        """Files that the command reads besides the source."""
        from tunepass.evaluators.toolchains.python_files import python_files

        run, source = self.body.training.run, self.kernel.source
        return () if run is None else python_files(Path(source.name), source.text, run.arguments[1:])

    def evaluator(self) -> AbstractContextManager[Evaluate] | None:
        run, names = self.body.training.run, tuple(objective.name for objective in self.objectives())
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
                wall_s=self.body.training.limit_s,
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
        run = self.body.training.run
        assert run is not None
        values = self.kernel.filled(configuration)
        given = {"{" + name + "}": str(value) for name, value in values.items()} | {SOURCE: str(tuned)}
        return tuple(PLACEHOLDER.sub(lambda match: given.get(match[0], match[0]), word) for word in run.arguments)


def _part(text: Source, folder: Path) -> Part:
    from tunepass.evaluators.toolchains.digests import text_digest
    from tunepass.evaluators.toolchains.source_files import shown_name

    return Part("source", shown_name(Path(text.name), str(folder)), text_digest(text.text))

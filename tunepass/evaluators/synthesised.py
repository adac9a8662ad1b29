"""Configurations synthesised for an FPGA: what the tool reports, estimated by it, never measured on a board.

    synthesis -> too much for the device? -> what the tool reports takes the place of the model's values

The syntheses may run side by side. Free of noise: the same configuration has the same values each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import ToolError
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.model import ModelEvaluator
from tunepass.evaluators.process.run import tail
from tunepass.evaluators.toolchains.synthesis.report import SynthesisReport
from tunepass.evaluators.toolchains.synthesis.reports import Synthesised, SynthesisReports
from tunepass.ir.candidate import Candidate, Lower
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Infeasible, Measured, Outcome
from tunepass.study.trial import Trial


@dataclass(frozen=True, slots=True)
class SynthesisedConfiguration:
    """A configuration that waits to be priced."""

    configuration: Configuration
    synthesised: Synthesised


@dataclass(slots=True, eq=False)
class SynthesisedModel(Evaluator):
    """`model` has values of all `objectives`, and of `cycles` and `seconds`, for what a tool does not report. `limits`
    are the most of each resource that a design may take."""

    reports: SynthesisReports
    lower: Lower
    model: ModelEvaluator
    objectives: Sequence[str]
    limits: Mapping[str, int]
    default: Configuration
    is_set_up: bool = False  # a synthesis has succeeded
    reported: dict[Configuration, Mapping[str, float]] = field(default_factory=dict)

    def set_up_again(self) -> None:
        """See tunepass.evaluators.capabilities.SetsUpAgain. A tool that has worked only has to answer."""
        if self.is_set_up:
            _ = self.reports.tool.version
            return
        outcome = self.reports.report(_text(self.lower(self.default))).outcome
        if isinstance(outcome, Failed):
            raise ToolError("the default is not synthesised", hint=outcome.log)
        self.is_set_up = True

    def remember(self, trials: list[Trial]) -> None:
        """See tunepass.evaluators.capabilities.Remembers: what was reported in earlier sessions teaches too."""
        for trial in trials:
            if trial.measured and trial.configuration not in self.reported:
                known = self.reports.known(_text(self.lower(trial.configuration)))
                if known is not None:
                    self.reported[trial.configuration] = known.amounts

    def prepare(self, configuration: Configuration) -> SynthesisedConfiguration:
        """Synthesise. Safe to call from several threads."""
        return SynthesisedConfiguration(configuration, self.reports.report(_text(self.lower(configuration))))

    def finish(self, prepared: SynthesisedConfiguration) -> Evaluation:
        seconds = {"compile": prepared.synthesised.seconds}
        match prepared.synthesised.outcome:
            case Failed(_, log) as failure:
                return Evaluation(failure, seconds, tail(log))
            case SynthesisReport() as report:
                self.is_set_up = True
                self.reported[prepared.configuration] = report.amounts
                return Evaluation(self.priced(prepared.configuration, report), seconds)

    def priced(self, configuration: Configuration, report: SynthesisReport) -> Outcome:
        """Reported value, else the model's."""
        excess = report.excess()
        over = (f"{name} <= {most:,}" for name, most in self.limits.items() if report.used.get(name, 0) > most)
        if excess := excess or next(over, None):
            return Infeasible(excess)
        expected = self.model.price(self.model.columns(configuration))
        values = {**expected.values} if isinstance(expected, Measured) else {}
        clock_hz = report.clock_hz or (values["cycles"] / values["seconds"] if values.get("seconds") else None)
        values |= report.amounts
        if clock_hz and "cycles" in values:
            values["seconds"] = values["cycles"] / clock_hz
        missing = next((name for name in self.objectives if name not in values), None)
        if missing is not None:
            return Failed("metric", f"neither {report.tool} nor the model says {missing}")
        return Measured({name: values[name] for name in self.objectives})

    def evaluate(self, configuration: Configuration) -> Evaluation:
        return self.finish(self.prepare(configuration))

    def worthwhile(self, trials: int) -> int:
        """One at a time, or as many as are synthesised side by side: it takes longer than a strategy thinks."""
        return 1

    def close(self) -> None:
        self.reports.close()


def _text(candidate: Candidate) -> str:
    assert candidate.text is not None  # what is synthesised has its values written into it
    return candidate.text

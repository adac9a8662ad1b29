"""Configurations compiled for a GPU that need not be there, and priced by a model of it: estimated, never measured.

    compile -> too much for the architecture? -> what the compiler reports takes the place of the model's guesses
    -> does the launch fit? -> the model's values

The compiles may run side by side. Free of noise: the same configuration has the same values each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tunepass.diagnostics import ToolError
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.model import ModelEvaluator
from tunepass.evaluators.process.run import tail
from tunepass.evaluators.toolchains.compiler_reports import Compiled, CompilerReports
from tunepass.evaluators.toolchains.ptxas import CompilerReport
from tunepass.evaluators.toolchains.sass import described
from tunepass.expr.nodes import INTEGER, Name
from tunepass.ir.candidate import Lower
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Infeasible, Outcome
from tunepass.study.trial import Trial

# What a compiler reports, as the model's expressions name it besides parameters: no parameter has a dollar in its name.
REGISTERS = Name("$registers", INTEGER)
SPILL_BYTE = Name("$spill_byte", INTEGER)
STATIC_SHARED_BYTE = Name("$static_shared_byte", INTEGER)


@dataclass(frozen=True, slots=True)
class CompiledConfiguration:
    """A configuration that waits to be priced."""

    configuration: Configuration
    compiled: Compiled


@dataclass(slots=True, eq=False)
class CompiledModel(Evaluator):
    """`model` prices what the parameters and the names above say. `default` is compiled where the compiler may have
    failed by the machine's fault."""

    reports: CompilerReports
    lower: Lower
    model: ModelEvaluator
    default: Configuration
    is_set_up: bool = False  # a compile has succeeded
    known: dict[Configuration, CompilerReport] = field(default_factory=dict)  # what was reported in this session

    def set_up_again(self) -> None:
        """See tunepass.evaluators.capabilities.SetsUpAgain."""
        outcome = replace(self.reports, folder=None).report(self.lower(self.default)).outcome
        if isinstance(outcome, Failed):
            raise ToolError("the default does not compile", hint=outcome.log)
        self.is_set_up = True

    def prepare(self, configuration: Configuration) -> CompiledConfiguration:
        """Compile. Safe to call from several threads."""
        return CompiledConfiguration(configuration, self.reports.report(self.lower(configuration)))

    def finish(self, prepared: CompiledConfiguration) -> Evaluation:
        """Price by the model what was compiled."""
        seconds = {"compile": prepared.compiled.seconds}
        match prepared.compiled.outcome:
            case Failed(_, log) as failure:
                return Evaluation(failure, seconds, tail(log))
            case Infeasible() as limit:
                self.is_set_up = True
                return Evaluation(limit, seconds)
            case CompilerReport() as report:
                self.is_set_up = True
                self.known[prepared.configuration] = report
                return Evaluation(self.priced(prepared.configuration, report), seconds, described(report.instructions))

    @property
    def reported(self) -> Mapping[Configuration, Mapping[str, float]]:
        """See tunepass.evaluators.capabilities.ReportsQuantities."""
        return {
            configuration: {"registers": float(report.registers), "spill_byte": float(report.spill_byte)}
            for configuration, report in self.known.items()
        }

    def remember(self, trials: list[Trial]) -> None:
        """See tunepass.evaluators.capabilities.Remembers: what was reported in earlier sessions teaches too."""
        for trial in trials:
            if trial.measured and trial.configuration not in self.known:
                known = self.reports.known(self.lower(trial.configuration))
                if known is not None:
                    self.known[trial.configuration] = known

    def priced(self, configuration: Configuration, report: CompilerReport) -> Outcome:
        """The model's values with what the compiler reports."""
        reported = {
            REGISTERS.name: report.registers,
            SPILL_BYTE.name: report.spill_byte,
            STATIC_SHARED_BYTE.name: report.shared_byte,
        }
        columns = {name: np.array([amount], np.int64) for name, amount in reported.items()}
        return self.model.price({**self.model.columns(configuration), **columns})

    def evaluate(self, configuration: Configuration) -> Evaluation:
        return self.finish(self.prepare(configuration))

    def worthwhile(self, trials: int) -> int:
        """One at a time, or as many as compile side by side: a compile takes longer than a strategy thinks."""
        return 1

    def close(self) -> None:
        self.reports.close()

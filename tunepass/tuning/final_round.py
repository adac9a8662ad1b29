"""The end of a search: its finalists are looked at once more, and measured in rounds against the default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tunepass.evaluators.capabilities import ComparesAgain, LooksAgain, Sanitizes
from tunepass.space.configuration import Configuration
from tunepass.study.comparison import Comparison, comparison_of
from tunepass.study.outcome import Evaluate, Failed
from tunepass.tuning.budget import Budget
from tunepass.tuning.faults import FaultGuard, patiently
from tunepass.tuning.finalists import Verdict, verdict_of_rounds
from tunepass.tuning.kept import Kept
from tunepass.tuning.rounds import MOST_ROUNDS, Rounds


class FinalRound:
    """Compares finalists until one is better than the default, or none is; what was found on the way is kept."""

    def __init__(self, kept: Kept, budget: Budget, evaluate: Evaluate, guard: FaultGuard, *, sanitize: bool):
        self.kept, self.budget, self.evaluate, self.guard, self.sanitize = kept, budget, evaluate, guard, sanitize
        self.warnings: list[str] = []
        self.comparison: Comparison | None = None

    def verdict(self, begin: Callable[[], None]) -> Verdict | None:
        """The finalists' verdict; None when they cannot be measured again, or there is nothing to compare. `begin` is
        called before they are measured."""
        candidates = self.looked_at()
        if not (candidates and self.kept.default_value() is not None and isinstance(self.evaluate, ComparesAgain)):
            return None
        begin()
        candidates, default = self.budget.affordable(candidates), self.kept.default
        seconds = self.budget.rounds_s(candidates)
        watch = Rounds(self.kept.objective, seconds, self.budget.clock)
        default_values, *values = self.guard.compared(
            partial(self.evaluate.compare_again, [default, *candidates], MOST_ROUNDS, seconds, watch)
        )
        self.budget.spend("rerank", self.budget.clock() - watch.started)
        if not default_values:
            return self._undecided()
        if self._disqualified([c for c, compared in zip(candidates, values) if not compared]) == len(candidates):
            return self.verdict(begin)
        self.comparison = compared = comparison_of(self.kept.objective.name, default_values, candidates, values)
        patiently(lambda: self.kept.study.keep_comparison(compared))
        return verdict_of_rounds(compared, self.kept.objective, self.kept.study.space)

    def _undecided(self) -> Verdict:
        """The default, as its trial measured it: it failed now, and single trials are no reason for another choice."""
        value = self.kept.default_value()
        assert value is not None
        self.warnings.append(
            "the default failed while the finalists were compared with it, so it was kept: build again"
        )
        return Verdict(choice=self.kept.default, default_value=value, chosen_value=value, gain=1.0, interval=None)

    def looked_at(self) -> list[Configuration]:
        """The finalists in whom nothing is found on a longer look, nor by the sanitizers if they are asked for.
        A finding makes the trial a failed one, and the next best takes its place."""
        looks: dict[str, Callable[[Configuration], Failed | None]] = {}
        if isinstance(self.evaluate, LooksAgain):
            looks["a longer look"] = self.evaluate.look_again
        if self.sanitize and isinstance(self.evaluate, Sanitizes):
            looks["the sanitizers"] = self.evaluate.sanitize
        elif self.sanitize:
            self.warnings.append("the sanitizers need a kernel with a generated harness: nothing was sanitized")
        if not looks or not any(t.measured for t in self.kept.trials):
            return self.kept.finalists()
        for who, look in looks.items():
            finding = look(self.kept.default)
            if finding is not None:
                self.warnings.append(f"{who} finds fault with the default: {finding.log}")
        clean = self._looked_through(list(looks.values()))
        return [c for c in self.kept.finalists() if c in clean]

    def _looked_through(self, looks: Sequence[Callable[[Configuration], Failed | None]]) -> set[Configuration]:
        """The finalists in whom no look finds anything: the best, and as many as there is time for."""
        clean: set[Configuration] = set()
        while unknown := [c for c in self.kept.finalists() if c not in clean]:
            if clean and len(self.budget.affordable([*clean, unknown[0]])) <= len(clean):
                break
            before = self.budget.clock()
            finding = next((found for look in looks if (found := look(unknown[0])) is not None), None)
            self.budget.spend("sanitize", self.budget.clock() - before)
            if finding is None:
                clean.add(unknown[0])
            else:
                self.kept.disqualify(unknown[0], finding)
        return clean

    def _disqualified(self, configurations: Sequence[Configuration]) -> int:
        """How many of those that could not be compared are wrong; their trials fail."""
        look = self.evaluate.look_again if isinstance(self.evaluate, LooksAgain) else None
        findings = {c: look(c) for c in configurations} if look else {}
        for configuration, finding in findings.items():
            if finding is not None:
                self.kept.disqualify(configuration, finding)
        return sum(finding is not None for finding in findings.values())

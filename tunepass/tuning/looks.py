"""Longer looks at configurations that may win: for faults that a trial is too short for.

They take seconds where a kernel has threads. So the one that won its rounds is looked at, and all others only once a
fault was found in one that won.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from tunepass.capabilities import capability
from tunepass.evaluators.capabilities import LooksAgain, Sanitizes
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate, Failed
from tunepass.tuning.budget import Budget
from tunepass.tuning.kept import Kept

Look = Callable[[Configuration], Failed | None]


class Looks:
    """What an evaluator can do besides measuring, and the sanitizers if they are asked for; each configuration is
    looked at once. What is found of the default is among the `warnings`."""

    def __init__(self, kept: Kept, budget: Budget, evaluate: Evaluate, *, sanitize: bool):
        self.kept, self.budget, self.evaluate, self.sanitize = kept, budget, evaluate, sanitize
        self.warnings: list[str] = []
        self._clean: set[Configuration] = set()

    @cached_property
    def _looks(self) -> dict[str, Look]:
        looks: dict[str, Look] = {}
        if (looking := capability(self.evaluate, LooksAgain)) is not None:
            looks["a longer look"] = looking.look_again
        if self.sanitize and (sanitizing := capability(self.evaluate, Sanitizes)) is not None:
            looks["the sanitizers"] = sanitizing.sanitize
        elif self.sanitize:
            self.warnings.append("the sanitizers need a kernel with a generated harness: nothing was sanitized")
        return looks

    def passed(self, configuration: Configuration) -> bool:
        """Is nothing found? A finding makes the trial a failed one; of the default it is a warning."""
        if configuration in self._clean:
            return True
        before = self.budget.clock()
        found = {who: finding for who, look in self._looks.items() if (finding := look(configuration)) is not None}
        self.budget.spend("sanitize", self.budget.clock() - before)
        if configuration == self.kept.default:
            self.warnings += [f"{who} finds fault with the default: {finding.log}" for who, finding in found.items()]
        elif found:
            self.kept.disqualify(configuration, next(iter(found.values())))
            return False
        self._clean.add(configuration)
        return True

    def clean_finalists(self) -> list[Configuration]:
        """Those in whom nothing is found: the best, and as many as there is time for. For each that is wrong the next
        best is looked at."""
        if not self._looks or not any(t.measured for t in self.kept.trials):
            return self.kept.finalists()
        self.passed(self.kept.default)
        clean: list[Configuration] = []
        while unknown := [c for c in self.kept.finalists() if c not in clean]:
            if clean and len(self.budget.affordable([*clean, unknown[0]])) <= len(clean):
                break
            if self.passed(unknown[0]):
                clean.append(unknown[0])
        return [c for c in self.kept.finalists() if c in clean]

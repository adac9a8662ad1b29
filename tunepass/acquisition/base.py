"""The role of an acquisition: the utility of evaluating a candidate, given a surrogate's posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tunepass.surrogates.base import Floats, Posterior


class Acquisition(ABC):
    """Larger is better. Tested with mock posteriors, without fitting a surrogate."""

    @abstractmethod
    def utility(self, posterior: Posterior) -> Floats:
        """Utility (m,) of each of the posterior's m points."""


class JointAcquisition(ABC):
    """An acquisition for several objectives: larger is better, from one independent posterior an objective."""

    @abstractmethod
    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        """Utility (m,) of each of the posteriors' m points."""

"""The role of an acquisition: the utility of evaluating a candidate, given a surrogate's posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tunepass.surrogates.base import Floats, Posterior


class Acquisition(ABC):
    """The utility of evaluating a candidate, given a surrogate's posterior; larger is better.

    Example:
        >>> class Uncertainty(extension.Acquisition):
        ...     def __init__(self, best):
        ...         self.best = best
        ...     def utility(self, posterior):
        ...         return posterior.deviation
        >>> tp.BayesianSettings(acquisition=Uncertainty).acquisition.__name__
        'Uncertainty'
    """

    @abstractmethod
    def utility(self, posterior: Posterior) -> Floats:
        """Utility (m,) of each of the posterior's m points."""


class JointAcquisition(ABC):
    """The utility of a candidate for several objectives, from one independent posterior each; larger is better.

    Example:
        >>> class Sum(tp.JointAcquisition):
        ...     def utility(self, posteriors):
        ...         return -sum(posterior.mean for posterior in posteriors)
        >>> Sum().utility([tp.Posterior(np.array([1.0]), np.array([0.1]))] * 2).tolist()
        [-2.0]
    """

    @abstractmethod
    def utility(self, posteriors: Sequence[Posterior]) -> Floats:
        """Utility (m,) of each of the posteriors' m points."""

"""Evaluators that other processes make from text, and executors that have them made."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass

from tunepass.files import encoded
from tunepass.study.outcome import Evaluate

Behind = Callable[[Sequence[Sequence[float]]], Collection[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSource:
    """Text from which another process makes an evaluator.

    Args:
        maker: the function that makes it, `package.module:function`; it takes `text`, returns an IdentifiedEvaluator.
        text: a description of the evaluator, such as a kernel's source as JSON.
        folder: the working directory in which relative paths of the description are meant.
    """

    maker: str
    text: str
    folder: str

    def encode(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def decode(text: str) -> EvaluatorSource:
        fields = json.loads(text)
        return EvaluatorSource(maker=fields["maker"], text=fields["text"], folder=fields["folder"])

    @property
    def digest(self) -> str:
        return hashlib.sha256(encoded(self.encode())).hexdigest()[:16]


def unguarded(evaluate: Evaluate) -> Evaluate:
    """The evaluator itself: its failures are believed."""
    return evaluate


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedEvaluator:
    """An evaluator that was made from text, with the identity that its results have on this machine.

    Args:
        evaluator: evaluates, and is closed by who asked for it.
        identity: what results depend on besides the configuration, by field.
        guard: wraps the evaluator in what tells failures of the machine from those of candidates.
        device: what `Backend.device_description` says of this machine's device.
        rule: makes a rule of `EncodesRule`, by which configurations need no further rounds of a comparison.
    """

    evaluator: AbstractContextManager[Evaluate]
    identity: Mapping[str, str]
    guard: Callable[[Evaluate], Evaluate] = unguarded
    device: str = ""
    rule: Callable[[str], Behind] | None = None


class EncodesRule(ABC):
    """A rule by which configurations need no further rounds, that another process can make from text."""

    @abstractmethod
    def encode(self) -> str:
        """The text."""


class MeasuresElsewhere(ABC):
    """An executor whose evaluations run in other processes, which make the evaluator from text."""

    @abstractmethod
    def identity(self, source: EvaluatorSource, /) -> Mapping[str, str]:
        """The identity that results have on the machines that evaluate."""

    @abstractmethod
    def device(self, source: EvaluatorSource, /) -> str:
        """The description of their device, for `Target.remote_device`."""

    @abstractmethod
    def evaluator(self, source: EvaluatorSource, /) -> AbstractContextManager[Evaluate]:
        """An evaluator here that has those processes evaluate."""

"""An evaluator here whose evaluations run on the workers of a session."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import EnvironmentFault
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.elsewhere import Behind, EncodesRule
from tunepass.evaluators.process.cores import OutOfTime, Patience
from tunepass.executors.dask.exchange import Rejected, decode_failure
from tunepass.executors.dask.session import Session
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import EMPTY, Ledger
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.storage.json_text import encode_configuration

MOST_NAMED = 4  # workers that are not used and are named in warnings


class RemoteEvaluator(Evaluator):
    """Evaluates on the workers of a session, several configurations at once; see EvaluatesSideBySide. What else it can
    do is what the evaluator on the workers can: `remote_evaluator` makes it so."""

    def __init__(self, session: Session):
        self.session = session
        self._patience = Patience()

    @property
    def patience(self) -> Patience:
        """See WaitsForCores; the workers wait for their cores."""
        return self._patience

    @patience.setter
    def patience(self, patience: Patience) -> None:
        self._patience = patience
        self.session.search_left_s, self.session.search_s = patience.search_left_s, patience.search_s
        self.session.notify = patience.tell

    @property
    def room(self) -> int:
        return self.session.room

    @property
    def under_way(self) -> int:
        return self.session.under_way

    def begin(self, configurations: Sequence[Configuration]) -> None:
        self.session.begin(configurations)

    def ended(self) -> tuple[Configuration, Evaluation | None]:
        return self.session.ended()

    def evaluate(self, configuration: Configuration) -> Evaluation:
        """Evaluate one alone. Raises OutOfTime where the time of the search ended within it."""
        self.session.begin([configuration])
        others = []
        while (ended := self.session.ended())[0] != configuration:
            others.append(ended)
        self.session.hold(others)
        if ended[1] is None:
            raise OutOfTime
        return ended[1]

    @property
    def warnings(self) -> tuple[str, ...]:
        """See Warns: workers that are not used, and what one of the others warns of, if it can be asked."""
        try:
            listed = self.session.call("warnings")
        except EnvironmentFault:
            listed = None
        theirs = [str(each) for each in listed] if isinstance(listed, list) else []
        excluded = self.session.excluded
        more = [f"{len(excluded) - MOST_NAMED} more workers are not used"] if len(excluded) > MOST_NAMED else []
        return (*excluded[:MOST_NAMED], *more, *theirs)


class ComparesRemotely(RemoteEvaluator):
    def compare_again(
        self,
        configurations: list[Configuration],
        rounds: int = 15,
        seconds: float | None = None,
        behind: Behind | None = None,
    ) -> list[list[float]]:
        """See ComparesAgain: all of them on one worker, which decides who is `behind` if that rule can be sent."""
        texts = [encode_configuration(configuration) for configuration in configurations]
        rule = behind.encode() if isinstance(behind, EncodesRule) else None
        values = self.session.call("compare_again", texts, rounds, seconds, rule)
        if not isinstance(values, list) or len(values) != len(texts):
            raise Rejected("a comparison has a list of values for each configuration")
        return [[_real(value) for value in each] for each in values]


class VerifiesRemotely(RemoteEvaluator):
    def look_again(self, configuration: Configuration, /) -> Failed | None:
        return decode_failure(self.session.call("look_again", encode_configuration(configuration)))

    def look_s(self) -> float:
        return self.session.look_s


class SanitizesRemotely(RemoteEvaluator):
    def sanitize(self, configuration: Configuration, /) -> Failed | None:
        return decode_failure(self.session.call("sanitize", encode_configuration(configuration)))


class SummarisesRemotely(RemoteEvaluator):
    def summary(self, values: Sequence[float], /) -> float:
        return _real(self.session.call("summary", list(values)))


class ReportsChecksRemotely(RemoteEvaluator):
    def checks(self, configuration: Configuration, /) -> Ledger:
        text = self.session.call("checks", encode_configuration(configuration))
        return Ledger.decode(text) if isinstance(text, str) and text else EMPTY


class PricesRemotely(RemoteEvaluator):
    def worthwhile(self, trials: int, /) -> int:
        """One at a time: there are as many suggestions as workers have room for."""
        return 1


CLASSES: dict[str, type[RemoteEvaluator]] = {
    "ComparesAgain": ComparesRemotely,
    "LooksAgain": VerifiesRemotely,
    "Sanitizes": SanitizesRemotely,
    "Summarises": SummarisesRemotely,
    "ReportsChecks": ReportsChecksRemotely,
    "NoiseFree": PricesRemotely,
}


def remote_evaluator(session: Session) -> RemoteEvaluator:
    """The evaluator of a session that has started, with the capabilities of the workers' one."""
    bases = tuple(kind for name, kind in CLASSES.items() if name in session.capabilities) or (RemoteEvaluator,)
    return type("RemoteEvaluator", bases, {})(session)  # type: ignore[no-any-return]


def _real(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Rejected(f"a value is a number, got {value!r}")
    return float(value)

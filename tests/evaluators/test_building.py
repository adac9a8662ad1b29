"""What evaluators that build programs record of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.evaluators.building import BuildingEvaluator, BuiltConfiguration
from tunepass.evaluators.own_text import is_outdated
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.trial import Trial

AT = Configuration({"T": 2})


@dataclass
class Wrong(BuildingEvaluator[BuiltConfiguration]):
    """Whatever it builds computes something else."""

    text: str
    key: str = "program"
    measured: list[Configuration] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    is_set_up = True

    def set_up_again(self) -> None:
        pass

    def prepare(self, configuration: Configuration) -> BuiltConfiguration:
        return BuiltConfiguration(configuration, key=self.key)

    def measure(self, built: BuiltConfiguration) -> Evaluation:
        self.measured.append(built.configuration)
        return Evaluation(Failed("wrong_result", "y differs"))

    def own_text(self, configuration: Configuration, /) -> str:
        return self.text

    def discard(self, built: BuiltConfiguration) -> None:
        pass


def again(code: str, evaluate: Wrong) -> Evaluation:
    """The evaluation in a session that begins with an earlier one's trial."""
    evaluate.remember([Trial(0, AT, Failed("wrong_result", "y differs"), code=code)])
    return evaluate.evaluate(AT)


def test_the_code_of_an_evaluation_tells_the_program_and_the_text_that_tunepass_wrote() -> None:
    with Wrong("text 1") as evaluate:
        assert evaluate.evaluate(AT).code == "program text 1"
    with Wrong("") as evaluate:
        assert evaluate.evaluate(AT).code == "program"


def test_another_text_is_outdated_by_what_a_later_version_writes() -> None:
    assert all(is_outdated(code, "text 2") for code in ("program text 1", "text 1", "program", ""))
    assert not is_outdated("program text 2", "text 2") and not is_outdated("text 2", "text 2")
    assert not is_outdated("program", "")


def test_the_same_program_of_another_text_fails_alike_without_a_run() -> None:
    with Wrong("text 2") as evaluate:
        evaluation = again("program text 1", evaluate)
    assert evaluate.measured == [] and evaluation.code == "program text 2" and evaluation.same_as is None


def test_another_program_of_another_text_is_run() -> None:
    with Wrong("text 2", "mended") as evaluate:
        assert again("program text 1", evaluate).code == "mended text 2"
    assert evaluate.measured == [AT]

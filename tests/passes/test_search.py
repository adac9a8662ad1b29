from __future__ import annotations

import pytest

from tests.passes.fakes import Clock, Comparing, Prices, by_tile, kernel, search_step
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.process.cores import OutOfTime, Patience
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.pipeline import Pipeline
from tunepass.search.loop import GIVE_UP_AFTER
from tunepass.search.result import Progress, SearchResult
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.study.outcome import Evaluation, Failed, Outcome

TIMES = by_tile({1: 10.0, 2: 8.0, 4: 6.0, 8: 3.0, 16: "crash"})


def search(prices: Prices, **options: object) -> SearchResult:
    return Pipeline((ExtractSpace(), search_step(prices, **options))).run(kernel()).found  # type: ignore[arg-type]


def test_the_default_is_the_first_trial_and_the_best_becomes_the_choice() -> None:
    prices = Prices(TIMES)
    found = search(prices)
    assert prices.asked[0] == Configuration({"TILE": 4, "MODE": "a"}) == found.default
    assert found.choice == Configuration({"TILE": 8, "MODE": "a"})  # equal to MODE b, and closer to the default
    assert (found.evaluations, found.trial_count, found.failures) == (9, 9, {"crash": 2})
    gain = found.gains[0]
    assert (gain.default, gain.chosen, gain.gain, gain.interval) == (6.0, 3.0, 2.0, None)
    assert prices.closed and found.seconds["compile"] == 9 * 0.25 and found.seconds["total"] == 9


def test_max_evals_ends_the_search() -> None:
    assert search(Prices(TIMES), max_evals=3).evaluations == 3


@pytest.mark.parametrize("limit", [{"max_evals": 10}, {"budget_s": 10.0}])
def test_late_in_the_search_the_best_is_simplified(limit: dict[str, float]) -> None:
    parameters = [Integer(name, 0, 3, default=3) for name in ("a", "b", "c")]

    def price(configuration: Configuration) -> float:
        return 9.0 - 5.0 * (configuration["c"] == 2) + 0.1 * (configuration != {"a": 3, "b": 3, "c": 2})

    prices = Prices(price)
    found = Pipeline((ExtractSpace(), search_step(prices, **limit))).run(kernel(parameters, ())).found  # type: ignore[arg-type]
    walked = [tuple(c.values()) for c in prices.asked]
    assert walked[:8] == [(3, 3, 3), (0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    assert walked[8:] == [(3, 0, 2), (0, 3, 2)]
    assert found.choice["c"] == 2


def test_the_budget_ends_the_search() -> None:
    assert search(Prices(TIMES), budget_s=5.0).evaluations == 5


def test_a_budget_too_small_for_anything_still_measures_the_default() -> None:
    found = search(Prices(TIMES), budget_s=1e-9)
    assert found.evaluations == 1 and found.kept_default and found.gains


class Hurried(Prices):
    """Gives a trial up when the time is over, after half of what the others take."""

    patience = Patience()

    def __call__(self, configuration: Configuration) -> Evaluation:
        if self.patience.search_left_s() < 1:
            self.clock.now += self.patience.search_left_s()
            raise OutOfTime
        return super().__call__(configuration)


def test_a_trial_that_would_outlast_the_budget_is_given_up() -> None:
    found = search(Hurried(TIMES), budget_s=5.5)
    assert found.evaluations == found.trial_count == 5 and found.seconds["total"] == 5.5


def test_part_of_the_budget_is_kept_for_the_finalists() -> None:
    prices = Comparing(TIMES, lambda c, r: 1.0)
    assert search(prices, budget_s=10.0).evaluations == 7


def test_the_finalists_are_measured_again_and_may_lose() -> None:
    noise = [0.99, 1.0, 1.01]
    prices = Comparing(TIMES, lambda c, r: 6.0 * noise[r % 3] if c["TILE"] != 2 else 5.0 * noise[r % 3])
    found = search(prices)
    assert prices.compared[0][0] == found.default and len(prices.compared[0]) == 4  # equal values once
    assert found.choice["TILE"] == 2  # not the 8 that looked best once
    assert found.gains[0].gain == pytest.approx(1.2, rel=0.02) and found.gains[0].interval is not None


class Doubting(Comparing):
    """A tile of 8, the fastest, is found wrong by a longer look: at any time, or once it was compared."""

    def __init__(self, at_once: bool):
        super().__init__(TIMES, lambda c, r: {8: 1.0, 2: 2.0}.get(int(str(c["TILE"])), 3.0))
        self.at_once = at_once
        self.looked: list[Configuration] = []

    def look_again(self, configuration: Configuration, /) -> Failed | None:
        self.looked.append(configuration)
        wrong = configuration["TILE"] == 8 and (self.at_once or self.compared)
        return Failed("wrong_result", "a race") if wrong else None

    def look_s(self) -> float:
        return 0.0


class FailingMeanwhile(Doubting):
    """It fails while it is compared."""

    def compare_again(self, configurations: list[Configuration], *rest: object) -> list[list[float]]:  # type: ignore[override]
        values = super().compare_again(configurations)
        return [[] if c["TILE"] == 8 else times for c, times in zip(configurations, values)]


def test_who_wins_is_looked_at_once_more_and_nobody_else() -> None:
    prices = Doubting(at_once=True)
    prices.again = lambda c, r: {8: 2.0, 2: 1.0}.get(int(str(c["TILE"])), 3.0)
    assert search(prices).choice["TILE"] == 2
    assert [c["TILE"] for c in prices.looked] == [2] and len(prices.compared) == 1


def test_a_winner_found_wrong_fails_and_those_that_are_not_are_measured_anew() -> None:
    prices = Doubting(at_once=True)
    found = search(prices)
    assert found.choice["TILE"] == 2 and found.failures["wrong_result"] == 2
    first, second = prices.compared
    assert any(c["TILE"] == 8 for c in first) and all(c["TILE"] != 8 for c in second)


def test_a_finalist_that_fails_while_it_is_compared_and_is_found_wrong_does_not_win() -> None:
    prices = FailingMeanwhile(at_once=False)
    found = search(prices)
    assert found.choice["TILE"] == 2 and found.failures["wrong_result"] == 1


class Exact(Doubting):
    """The same values each time."""

    def worthwhile(self, trials: int, /) -> int:
        return 1


def test_the_best_of_what_has_no_noise_is_looked_at_once_more_and_not_compared() -> None:
    prices = Exact(at_once=True)
    found = search(prices)
    assert found.kept_default and found.failures["wrong_result"] == 2 and not prices.compared


class Failing(Comparing):
    """The default fails once it is compared."""

    def compare_again(self, configurations: list[Configuration], *rest: object) -> list[list[float]]:  # type: ignore[override]
        return [[], *super().compare_again(configurations)[1:]]


def test_a_default_that_fails_while_it_is_compared_is_kept_with_a_warning() -> None:
    found = search(Failing(TIMES, lambda c, r: TIMES(c)))
    assert found.kept_default and found.gains[0].gain == 1.0 and "build again" in found.warnings[-1]


class Slow(Comparing):
    """A longer look takes five seconds, as it says."""

    def look_again(self, configuration: Configuration, /) -> Failed | None:
        self.clock.now += 5.0
        return None

    def look_s(self) -> float:
        return 5.0


def test_time_is_kept_for_a_look_at_the_winner() -> None:
    prices = Slow(TIMES, lambda c, r: TIMES(c))
    found = search(prices, budget_s=32.0)
    assert found.choice["TILE"] == 8 and found.seconds["total"] <= 32.0
    assert prices.given_s == [32.0 - 9 - 5.0 - 0.25]  # nine trials, the look, and building the winner


def test_without_a_significant_gain_the_default_is_kept() -> None:
    prices = Comparing(TIMES, lambda c, r: 6.0 + 0.1 * ((r * 7 + hash(c["TILE"])) % 5))
    found = search(prices)
    assert found.kept_default and found.gains[0].gain == 1.0


def test_when_the_default_fails_the_best_of_the_others_is_chosen() -> None:
    found = search(Prices(by_tile({1: 10.0, 2: 8.0, 4: "compile", 8: 3.0, 16: 2.0})))
    assert found.choice["TILE"] == 16 and found.gains[0].default is None and found.gains[0].gain is None


def test_when_all_fails_there_is_no_gain_and_the_search_gives_up_early() -> None:
    prices = Prices(lambda c: Failed("compile", "no such file"))
    many = kernel((Integer("N", 1, 100),), ())
    found = Pipeline((ExtractSpace(), search_step(prices))).run(many).found
    assert found.gains == () and found.evaluations == GIVE_UP_AFTER and found.failures == {"compile": GIVE_UP_AFTER}


def test_ctrl_c_keeps_what_was_measured_and_the_best_so_far_is_the_choice() -> None:
    def price(configuration: Configuration) -> float | Outcome:
        if configuration["TILE"] == 8:
            raise KeyboardInterrupt
        return TIMES(configuration)

    prices = Prices(price)
    found = search(prices)
    assert found.interrupted and prices.closed
    assert found.choice["TILE"] == 4 and 0 < found.evaluations == len(found.trials)


def test_a_stored_search_resumes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    store = f"sqlite:///{tmp_path / 'store.db'}"
    assert search(Prices(TIMES), store=store, max_evals=4).evaluations == 4
    found = search(Prices(TIMES), store=store)
    assert (found.evaluations, found.trial_count) == (5, 9) and found.choice["TILE"] == 8
    assert search(Prices(TIMES), store=store).evaluations == 0


def test_progress_is_told_after_every_evaluation() -> None:
    told: list[Progress] = []
    search(Comparing(TIMES, lambda c, r: 1.0, Clock()), watch=told.append, budget_s=100.0)
    assert [p.evaluations for p in told] == [*range(10), 9] and told[-1].phase == "finalists"
    assert told[-1].best_value == 3.0 and told[-1].gain == 2.0 and "TILE=8" in told[-1].best_text
    assert next(p.evaluations for p in told if p.improved) == 1


def test_jobs_suggest_several_at_a_time_after_the_default() -> None:
    assert search(Prices(TIMES), jobs=4).choice["TILE"] == 8


@pytest.mark.parametrize("options", [{"objectives": ("tme",)}, {"picks": ("tme",)}])
def test_an_unknown_objective_is_named(options: dict[str, object]) -> None:
    with pytest.raises(TunepassError, match="did you mean 'time'"):
        search(Prices(TIMES), **options)


def test_search_needs_a_space() -> None:
    with pytest.raises(TunepassError, match="extract_space"):
        search_step(Prices(TIMES)).run(Compilation(kernel=kernel()))

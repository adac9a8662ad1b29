"""The picture of a front: valid, escaped, every trial drawn once."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tunepass.exact.base import Certificate
from tunepass.reports.front import front_svg
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Infeasible, Measured
from tunepass.study.trial import Trial

SVG = "{http://www.w3.org/2000/svg}"
TWO = (Objective("cycles"), Objective("alms", unit="<ALMs>"))


def trial(number: int, *values: float) -> Trial:
    outcome = Measured(dict(zip(("cycles", "alms"), values))) if values else Infeasible("fits")
    return Trial(number, Configuration({"x": number}), outcome)


TRIALS = [trial(0, 50, 50), trial(1, 10, 90), trial(2), trial(3, 90, 10), trial(4, 60, 60)]


@pytest.mark.parametrize("objectives", [TWO, TWO[:1]])
def test_every_trial_is_drawn_once(objectives: tuple[Objective, ...]) -> None:
    front = [TRIALS[1], TRIALS[0], TRIALS[3]]
    picks = {"fastest": TRIALS[1].configuration, "knee": TRIALS[0].configuration}
    root = ElementTree.fromstring(front_svg(TRIALS, front, objectives, picks, "a < b"))
    circles = [c.get("class") for c in root.iter(f"{SVG}circle")]
    assert sorted(circles) == ["front"] * 3 + ["pick"] * 2 + ["trial"]
    texts = [t.text for t in root.iter(f"{SVG}text")]
    assert {"a < b", "default", "fastest", "knee"} <= set(texts)


def test_nothing_fits() -> None:
    root = ElementTree.fromstring(front_svg([trial(0)], [], TWO, {}, "none"))
    assert "nothing fits" in [t.text for t in root.iter(f"{SVG}text")]


def test_the_caption_of_a_proven_front_tells_the_points_covered_and_how() -> None:
    certificate = Certificate(points=7_000, evaluated=400, bounded=6_000, infeasible=600, open=0, boxes=9)
    assert (
        certificate.caption
        == "exact: of 7,000 configurations 400 evaluated, 6,000 cannot be better, 600 cannot be used"
    )
    root = ElementTree.fromstring(front_svg(TRIALS[:2], TRIALS[:2], TWO, {}, "proven", certificate.caption))
    assert f"2 on the front {certificate.caption}" in [t.text for t in root.iter(f"{SVG}text")]


def test_the_caption_of_a_front_that_is_not_proven_says_so() -> None:
    certificate = Certificate(points=7_000, evaluated=400, bounded=0, infeasible=0, open=6_600, boxes=9)
    assert certificate.caption == "of 7,000 configurations 400 evaluated, 6,600 not looked at"

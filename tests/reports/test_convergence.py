from __future__ import annotations

from xml.etree import ElementTree

from tunepass.reports.convergence import best_so_far, convergence_svg, points
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.trial import Trial

TIME = Objective("time", unit="ms")
RATE = Objective("rate", unit="GB/s", maximise=True)
SVG = "{http://www.w3.org/2000/svg}"


def trials(*outcomes: Outcome) -> list[Trial]:
    return [Trial(i, Configuration({"tile": i, "name": "<b>&"}), outcome) for i, outcome in enumerate(outcomes)]


def times(*values: float) -> list[Trial]:
    return trials(*(Measured({"time": v, "rate": v}) for v in values))


def test_the_picture_is_xml_with_a_mark_a_trial() -> None:
    drawn = trials(Measured({"time": 400.0}), Failed("compile", "no"), Measured({"time": 90.0}), Infeasible("fits"))
    root = ElementTree.fromstring(convergence_svg(drawn, TIME, "matmul.c::matmul <x>"))
    assert len(root.findall(f"{SVG}circle")) == 2
    assert len([p for p in root.findall(f"{SVG}path") if p.get("class") == "failed"]) == 2
    assert root.findtext(f"{SVG}title") == "matmul.c::matmul <x>"


def test_best_so_far_follows_the_direction() -> None:
    data = times(5, 7, 3, 4)
    assert best_so_far(points(data, TIME), TIME) == [(1, 5), (3, 3)]
    assert best_so_far(points(data, RATE), RATE) == [(1, 5), (2, 7)]


def test_a_search_that_measured_nothing_still_has_a_picture() -> None:
    root = ElementTree.fromstring(convergence_svg(trials(Failed("crash")), TIME, "k"))
    assert any("none measured" in (text.text or "") for text in root.findall(f"{SVG}text"))
    ElementTree.fromstring(convergence_svg([], TIME, "k"))


def test_equal_and_extreme_values_can_be_drawn() -> None:
    for values in [(1.0, 1.0), (0.0, 0.0), (1e-9, 1e9), (-5.0, 5.0)]:
        root = ElementTree.fromstring(convergence_svg(times(*values), TIME, "k"))
        places = [float(circle.attrib[axis]) for circle in root.iter(f"{SVG}circle") for axis in ("cx", "cy")]
        assert len(places) == 2 * len(values) and all(0 <= place <= 1e4 for place in places)


def test_the_picture_is_golden(golden) -> None:  # type: ignore[no-untyped-def]
    drawn = trials(
        Measured({"time": 400.0}), Failed("compile", "no"), Measured({"time": 90.0}), Measured({"time": 120.0})
    )
    golden("report/convergence.svg", convergence_svg(drawn, TIME, "matmul.c::matmul"))

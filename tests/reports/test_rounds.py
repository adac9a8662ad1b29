from __future__ import annotations

from xml.etree import ElementTree

from tunepass.reports.rounds import COLUMNS, DrawnFinalist, drawings, rounds_svg, strips
from tunepass.space.configuration import Configuration
from tunepass.study.comparison.final_round import comparison_of
from tunepass.study.objective import Objective

TIME = Objective("time", unit="ms")
TWO = [DrawnFinalist("TILE=8", [1.5, 1.5, 1.6], 1.53, (1.2, 1.9)), DrawnFinalist("<b>", [0.9])]


def test_rounds_in_text_share_an_axis_with_the_default_on_it() -> None:
    first, second = strips(TWO)
    assert len(first) == len(second) == COLUMNS
    assert first.index("|") == second.index("|") < first.index(":") < first.index(".")
    assert second.index(".") < second.index("|")


def test_the_picture_has_a_dot_a_round_and_names_are_escaped() -> None:
    picture = rounds_svg(TWO, "a & b")
    root = ElementTree.fromstring(picture)
    kinds = [element.get("class") for element in root.iter()]
    assert kinds.count("round") == 4 and kinds.count("interval") == 1 and kinds.count("default") == 1
    assert "&lt;b&gt;" in picture and "a &amp; b" in picture


def test_finalists_are_drawn_with_their_gains_and_those_without_end_are_cut() -> None:
    values = [[1.0, 1.0, 1.0, 1.0], [2.0], [], [0.0]]
    configurations = [Configuration({"TILE": i}) for i in range(4)]
    drawn = drawings(comparison_of("time", [2.0] * 4, configurations, values), TIME)
    assert drawn[0] == DrawnFinalist("TILE=0", [2.0] * 4, 2.0, (2.0, 2.0))
    assert [each.gains for each in drawn[1:]] == [[1.0], [], [1e6]] and drawn[1].interval is None
    assert len(strips(drawn)) == 4 and "TILE=3" in rounds_svg(drawn, "")

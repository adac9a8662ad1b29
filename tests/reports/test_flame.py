"""The flame-like picture: valid, escaped, and as wide as the shares."""

from __future__ import annotations

from xml.etree import ElementTree

from tunepass.reports.flame import MARGIN, WIDTH, FlameBlock, Panel, flame_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_parts_are_as_wide_as_their_shares_and_stand_below_their_whole() -> None:
    inner = (FlameBlock("<load>", 25), FlameBlock("tiny", 0.001))
    root = ElementTree.fromstring(
        flame_svg([Panel("a & b", "cycles", (FlameBlock("loop", 75, inner), FlameBlock("rest", 25)))])
    )
    boxes = {
        group.findtext(f"{SVG}title", "").partition(":")[0]: group.find(f"{SVG}rect") for group in root.iter(f"{SVG}g")
    }
    assert set(boxes) == {"loop", "<load>", "rest"}
    loop, load, rest = (boxes[name].attrib for name in ("loop", "<load>", "rest"))  # type: ignore[union-attr]
    whole = WIDTH - 2 * MARGIN
    assert abs(float(loop["width"]) - 0.75 * whole) < 0.1 and abs(float(load["width"]) - 0.25 * whole) < 0.1
    assert float(load["x"]) == float(loop["x"]) and float(load["y"]) > float(loop["y"])
    assert abs(float(rest["x"]) - float(loop["x"]) - float(loop["width"])) < 0.2


def test_a_total_of_nothing_is_drawn_without_parts() -> None:
    root = ElementTree.fromstring(flame_svg([Panel("empty", "x", (FlameBlock("none", 0.0),))]))
    assert not list(root.iter(f"{SVG}rect"))

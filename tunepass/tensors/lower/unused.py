"""Declarations in generated C that nothing reads."""

from __future__ import annotations

import re

DECLARATION = re.compile(r"( *)(?:const )?\w+ (\w+) = .*;")


def used_lines(lines: list[str]) -> list[str]:
    """Without declarations that nothing after them in their block reads."""
    kept: list[str] = []
    for number in reversed(range(len(lines))):
        found = DECLARATION.fullmatch(lines[number])
        if found is not None:
            indent, name = len(found[1]), found[2]
            block = inside(kept, indent)
            followed = re.compile(rf" *while \(\w+\[{name} \+ 1\] <= \w+\) {name}\+\+;")
            steps = [place for place in block if followed.fullmatch(kept[place])]
            if not any(re.search(rf"\b{name}\b", kept[place]) for place in block if place not in steps):
                for place in reversed(steps):
                    del kept[place]
                continue
        kept.append(lines[number])
    return kept[::-1]


def inside(kept: list[str], indent: int) -> list[int]:
    """The lines of a block that is indented so, in `kept`, which has the last line first: where they are."""
    places = []
    for place in reversed(range(len(kept))):
        if len(kept[place]) - len(kept[place].lstrip()) < indent:
            break
        places.append(place)
    return sorted(places)

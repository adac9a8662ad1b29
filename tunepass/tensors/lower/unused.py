"""Declarations in generated C that nothing reads."""

from __future__ import annotations

import re

DECLARATION = re.compile(r"( *)(?:const )?\w+ (\w+) = .*;")


def used_lines(lines: list[str]) -> list[str]:
    """Without declarations that nothing after them in their block reads."""
    used: list[str] = []
    for number in reversed(range(len(lines))):
        declaration = DECLARATION.fullmatch(lines[number])
        if declaration is not None:
            indent, name = len(declaration[1]), declaration[2]
            block = inside(used, indent)
            followed = re.compile(rf" *while \(\w+\[{name} \+ 1\] <= \w+\) {name}\+\+;")
            steps = [place for place in block if followed.fullmatch(used[place])]
            if not any(re.search(rf"\b{name}\b", used[place]) for place in block if place not in steps):
                for place in reversed(steps):
                    del used[place]
                continue
        used.append(lines[number])
    return used[::-1]


def inside(lines: list[str], indent: int) -> list[int]:
    """The lines of a block that is indented so, in `lines`, which has the last line first: where they are."""
    places = []
    for place in reversed(range(len(lines))):
        if len(lines[place]) - len(lines[place].lstrip()) < indent:
            break
        places.append(place)
    return sorted(places)

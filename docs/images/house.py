"""Draws house.svg: python docs/images/house.py. ROWS is the order of the rooms, held to the import table by a test."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

WIDTH, HOUSE, MARGIN, ROW, GAP, TOP = 940, 600, 20, 50, 8, 62  # pixels: HOUSE is the width of a row of rooms
STYLE = """text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 15px }
.room { font-weight: 600; font-size: 14px } .quiet { fill: #777 }
.box { fill: #6b8fb5; stroke: #6b8fb5; fill-opacity: .13 }
.step { fill: #c2410c } .number { fill: #fff; font-weight: 600; font-size: 11px }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .quiet { fill: #999 } .box { fill: #8fb8e0; stroke: #8fb8e0 }
.step { fill: #fb923c } .number { fill: #222 } }"""

# A row's rooms may import from the rows below it. A box has the names of its rooms, and what they hold.
Box = tuple[tuple[str, ...], str]
ROWS: tuple[tuple[Box, ...], ...] = (
    ((("commands",), "arguments in, one job, an answer out"), (("launcher",), "the compiler, with what the lock says")),
    (
        (("jobs",), "a kernel, its space, backend and lock entry"),
        (("integrations",), "doors into other tools"),
    ),
    (
        (("passes",), "the pipeline"),
        (("reports",), "answers, pages, plots"),
        (("interchange",), "foreign formats"),
        (("flags",), "compilers' options"),
    ),
    ((("backends",), "what differs by kind of kernel"), (("search",), "the one loop, finalists, the choice")),
    (
        (("frontends",), "text to kernels"),
        (("hwmodels",), "kernels to costs"),
        (("executors",), "where trials run"),
        (("strategies",), "what to try next"),
    ),
    (
        (("evaluators",), "compile, check, time"),
        (("exact",), "proven fronts"),
        (("pruning",), "what limits leave"),
        (("acquisition",), "what a trial is worth"),
    ),
    (
        (("polyhedral",), "legal schedules of loops"),
        (("tensors",), "sparse schedules, C, data"),
        (("graphs",), "operators of networks"),
    ),
    (
        (("ir",), "the kernel"),
        (("study",), "trials, store, lock"),
        (("surrogates",), "arrays to posterior"),
    ),
    ((("space",), "parameters, constraints, the diagram of what is feasible"),),
    ((("expr",), "one typed expression language, several readers"), (("registry",), "tables of names")),
    (
        (("compilers",), "languages, options, what a compiler is asked"),
        (("capabilities",), "abilities besides a role's"),
    ),
    ((("files", "plugins", "python_text", "signals", "spread", "yaml_nodes"), "whole files, tasks"),),
    ((("diagnostics", "machine_faults", "version"), "errors of users and of the machine"),),
)

# A build from end to end: (room, what happens there).
STEPS = (
    ("frontends", "the source becomes a Kernel"),
    ("backends", "its objectives, costs and evaluator"),
    ("passes", "its Space, pruned by what must hold"),
    ("strategies", "the next Configuration"),
    ("executors", "evaluators turn it into an Outcome"),
    ("study", "a Trial, stored before the next one"),
    ("search", "finalists are compared: the choice"),
    ("jobs", "tuned source, program, lock entry"),
)


def text(x: float, y: float, said: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(said)}</text>'


def step(x: float, y: float, number: int) -> str:
    """The numbered dot that a room and its line of the list share."""
    return f'<circle class="step" cx="{x:g}" cy="{y:g}" r="9"/>\n' + text(x, y + 4, str(number), "number", "middle")


def rooms() -> Iterator[str]:
    number_of = {room: number for number, (room, _) in enumerate(STEPS, 1)}
    for level, row in enumerate(ROWS):
        y = TOP + level * (ROW + GAP)
        width = (HOUSE - GAP * (len(row) - 1)) / len(row)
        for place, (names, holds) in enumerate(row):
            x = MARGIN + place * (width + GAP)
            yield f'<rect class="box" x="{x:g}" y="{y:g}" width="{width:g}" height="{ROW}" rx="5"/>'
            yield text(x + width / 2, y + 21, ", ".join(names), "room", "middle")
            yield text(x + width / 2, y + 39, holds, "quiet", "middle")
            yield from (step(x + 14, y + 14, number_of[name]) for name in names if name in number_of)


def steps() -> Iterator[str]:
    x = MARGIN + HOUSE + 30
    yield text(x, TOP - 22, "One build", "title")
    for number, (room, happens) in enumerate(STEPS, 1):
        y = TOP + 20 + (number - 1) * 52
        yield step(x + 9, y, number)
        yield text(x + 28, y + 4, room, "room")
        yield text(x + 28, y + 21, happens, "quiet")
    yield text(x, TOP + 20 + len(STEPS) * 52, "4 to 6 are repeated until the budget ends.", "quiet")


def picture() -> str:
    """The picture as SVG text."""
    height = TOP + len(ROWS) * (ROW + GAP) + MARGIN - GAP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            'role="img">',
            "<title>The rooms of tunepass, and the way of one build through them</title>",
            f"<style>{STYLE}</style>",
            text(MARGIN, TOP - 22, "The rooms: each imports only from rows below its own", "title"),
            *rooms(),
            *steps(),
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())

"""Draws limits.svg: python docs/images/limits.py. What limits leave of samples/dnn/mnist_keras.py on a phone."""

from __future__ import annotations

import contextlib
import io
import json
from html import escape
from pathlib import Path

from tunepass.cli import main

ROOT = Path(__file__).parents[2]
COMMAND = (
    *("prune", str(ROOT / "samples" / "dnn" / "mnist_keras.py"), "--device", "phone"),
    *("--limit", "memory=100 MB", "--limit", "time=2 ms", "--limit", "flops=300M", "--format", "json"),
)
LABEL, BARS, ROW, TOP, WIDTH = 190, 520, 34, 56, 830  # pixels: the bars begin after the labels
STYLE = """text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 15px }
.quiet { fill: #777 } .all { fill: #6b8fb5; fill-opacity: .18 } .alone { fill: #6b8fb5 } .left { fill: #c2410c }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .quiet { fill: #999 }
.all { fill: #8fb8e0; fill-opacity: .18 } .alone { fill: #8fb8e0 } .left { fill: #fb923c } }"""


def pruned() -> tuple[int, int, list[tuple[str, int]]]:
    """How many configurations there are, how many are left, and how many each limit alone leaves."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(list(COMMAND))
    answer = json.loads(printed.getvalue())
    limits = [
        (f"{limit['resource']} ≤ {said(limit['most'], limit['unit'])}", limit["alone"]) for limit in answer["limits"]
    ]
    return answer["before"], answer["left"], limits


def said(most: float, unit: str) -> str:
    if unit == "s":
        return f"{most * 1000:g} ms"
    scale, word = next((s, w) for s, w in ((10**9, "G"), (10**6, "M"), (1, "")) if most >= s)
    return f"{most / scale:.3g} {word}{unit}"


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def bar(y: float, width: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{LABEL}" y="{y:g}" width="{width:.1f}" height="18" rx="3"/>'


def picture() -> str:
    """The picture as SVG text."""
    before, left, limits = pruned()
    rows = [*((name, alone, "alone") for name, alone in limits), ("all of them", left, "left")]
    height = TOP + len(rows) * ROW + 12
    parts = [text(20, 28, f"What each limit leaves of {before:,} configurations", "title")]
    for k, (name, count, kind) in enumerate(rows):
        y = TOP + k * ROW
        parts += [
            text(LABEL - 12, y + 14, name, anchor="end"),
            bar(y, BARS, "all"),
            bar(y, BARS * count / before, kind),
        ]
        parts.append(text(LABEL + BARS + 12, y + 14, f"{count:,}  {count / before:.0%}", "quiet"))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
    title = "<title>How many configurations of a model each limit leaves, and all of them together</title>"
    return "\n".join([head + 'role="img">', title, f"<style>{STYLE}</style>", *parts, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())

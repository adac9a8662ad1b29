"""Breakdown of a total, as a flame-like picture: a part is as wide as its share, what is inside it stands below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tunepass.reports.axis import short
from tunepass.reports.svg import document, text

WIDTH, MARGIN, ROW, TITLE = 960, 14, 24, 40
LETTER = 6.6  # width of a letter of the labels, about
LEAST = 0.6  # narrower parts are not drawn
WARM = ("#f2a65a", "#eb8c4b", "#e57342", "#f4b978", "#d9643b", "#f0993e")
COOL = ("#7fb2d6", "#6aa2cb", "#8fc1de", "#5b93bf", "#9bcbe3", "#76a9cf")

STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #222 } .title { font-weight: 600; font-size: 15px; fill: #333 }
.quiet { fill: #777 } rect { stroke: #fff; stroke-width: 1; rx: 2 }
@media (prefers-color-scheme: dark) { .title { fill: #ddd } .quiet { fill: #999 } rect { stroke: #111 } }"""


@dataclass(frozen=True, slots=True)
class FlameBlock:
    """A part of a total: `amount` includes what is `inside`."""

    label: str
    amount: float
    inside: tuple[FlameBlock, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One total and its parts."""

    title: str
    unit: str
    blocks: tuple[FlameBlock, ...]


def flame_svg(panels: Sequence[Panel]) -> str:
    """The panels one below the other; a pointer over a part says its label, amount and share."""
    body: list[str] = []
    top = 0.0
    for number, panel in enumerate(panels):
        drawn, height = _panel(panel, top, COOL if number % 2 else WARM)
        body += drawn
        top += height
    return document(WIDTH, top, ", ".join(panel.title for panel in panels), STYLE, body)


def _panel(panel: Panel, top: float, colours: Sequence[str]) -> tuple[list[str], float]:
    total = sum(block.amount for block in panel.blocks)
    rows = max((_depth(block) for block in panel.blocks), default=0)
    height = TITLE + rows * ROW + MARGIN
    heading = f"{short(total)} {panel.unit}".rstrip()
    lines = [
        text(MARGIN, top + 25, panel.title, "title"),
        text(WIDTH - MARGIN, top + 25, heading, "quiet", "end"),
    ]
    if total > 0:
        scale = (WIDTH - 2 * MARGIN) / total
        lines += _blocks(panel.blocks, MARGIN, top + TITLE, scale, total, panel.unit, colours)
    return lines, height


def _blocks(
    blocks: Sequence[FlameBlock], left: float, top: float, scale: float, total: float, unit: str, colours: Sequence[str]
) -> Iterator[str]:
    for block in blocks:
        width = block.amount * scale
        if width >= LEAST:
            share = f"{block.amount / total:.1%}"
            colour = colours[sum(map(ord, block.label)) % len(colours)]
            title = escape(f"{block.label}: {short(block.amount)} {unit}, {share}")
            yield (
                f'<g><title>{title}</title><rect x="{left:.1f}" y="{top:.0f}" width="{width:.1f}" height="{ROW - 2}" '
                f'fill="{colour}"/>{_label(block.label, share, left, top, width)}</g>'
            )
            yield from _blocks(block.inside, left, top + ROW, scale, total, unit, colours)
        left += width


def _label(label: str, share: str, left: float, top: float, width: float) -> str:
    """The label with the share where there is room, the label alone or its beginning where there is less."""
    room = int((width - 8) / LETTER)
    shortened = f"{label}  {share}" if len(label) + len(share) + 2 <= room else label
    if len(shortened) > room:
        shortened = f"{shortened[: room - 1]}…" if room >= 4 else ""
    return text(left + 4, top + 15, shortened, "part") if shortened else ""


def _depth(block: FlameBlock) -> int:
    return 1 + max((_depth(inner) for inner in block.inside), default=0)

"""Parts of every picture: a self-contained SVG around its parts; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def document(width: float, height: float, title: str, style: str, body: Iterable[str]) -> str:
    """The picture as SVG text."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style>",
            *body,
            "</svg>",
            "",
        ]
    )


def text(x: float, y: float, content: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def upright(x: float, y: float, content: str, kind: str) -> str:
    """Text that runs upwards, centred: the name of a vertical axis."""
    place = f'x="{x:g}" y="{y}" text-anchor="middle" transform="rotate(-90 {x:g} {y})"'
    return f'<text class="{kind}" {place}>{escape(content)}</text>'

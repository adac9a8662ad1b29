"""Draws docs/images/gpu.svg: estimated beside recorded times of four kernels on four GPUs.

    TUNEPASS_DATA=FOLDER python -m tests.benchmarks.gpu.picture

A dot is a configuration that ran, of at most DOTS drawn at random; the ringed ones are within 10 % of the best.
"""

from __future__ import annotations

import os
import sys
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.gpu.predictions import WITHIN, score
from tests.benchmarks.gpu.recorded import ENTRIES, Compared, compared

SHOWN = {
    "kernel_tuner/gemm-Titan": "gemm, TITAN RTX",
    "kernel_tuner/convolution-A4000": "convolution, A4000",
    "ktt/pnpoly-3090": "pnpoly, 3090",
    "kernel_tuner/dedispersion-MI250X": "dedispersion, MI250X",
}
DOTS = 400
SIDE, GAP, LEFT, TOP = 190, 26, 46, 62  # pixels of a panel
STYLE = """text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-weight: 600; font-size: 15px }
.quiet { fill: #777 } .frame { fill: none; stroke: #999; stroke-width: .7 } .dot { fill: #6b8fb5; fill-opacity: .55 }
.near { fill: #c2410c } .even { stroke: #999; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .quiet { fill: #999 } .dot { fill: #8fb8e0 }
.near { fill: #fb923c } }"""
Floats = NDArray[np.float64]


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def milliseconds(power: float) -> str:
    return f"{10**power:.0f} ms" if power >= 1 else f"{10**power:.2g} ms"


def panel(found: Compared, title: str, x: float) -> list[str]:
    """Both axes logarithmic, of the same extent: on the dashed line the estimate is the time itself."""
    ran = ~found.failed
    measured, estimated = found.measured[ran], found.estimated[ran]
    near = measured <= WITHIN * measured.min()
    chosen = np.random.default_rng(0).permutation(len(measured))[:DOTS]
    chosen = np.unique(np.concatenate([chosen, np.flatnonzero(near)[:30]]))
    lo, hi = np.log10([min(measured.min(), estimated.min()), max(measured.max(), estimated.max())])

    def place(values: Floats) -> Floats:
        return np.asarray(SIDE * (np.log10(values) - lo) / (hi - lo), float)

    across, up = x + place(estimated), TOP + SIDE - place(measured)
    parts = [
        text(x, TOP - 8, f"{title}: {score(found).correlation:.2f}"),
        f'<rect class="frame" x="{x}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>',
        f'<line class="even" x1="{x}" y1="{TOP + SIDE}" x2="{x + SIDE}" y2="{TOP}"/>',
    ]
    for kind, which in (("dot", chosen[~near[chosen]]), ("near", chosen[near[chosen]])):
        parts += [f'<circle class="{kind}" cx="{across[i]:.1f}" cy="{up[i]:.1f}" r="1.7"/>' for i in which]
    return [
        *parts,
        text(x, TOP + SIDE + 16, milliseconds(lo), "quiet"),
        text(x + SIDE, TOP + SIDE + 16, milliseconds(hi), "quiet", "end"),
    ]


def picture(data: Path) -> str:
    """The picture as SVG text."""
    entries = {entry.table: entry for entry in ENTRIES}
    width = LEFT + len(SHOWN) * (SIDE + GAP)
    parts = [text(LEFT, 26, "Recorded time (up) by the time that the model estimates (right)", "title")]
    for k, (name, title) in enumerate(SHOWN.items()):
        parts += panel(compared(entries[name], data), title, LEFT + k * (SIDE + GAP))
    height = TOP + SIDE + 44
    note = "after each name the rank correlation; orange: within 10 % of the best; dashed: estimated as recorded"
    parts.append(text(LEFT, height - 8, note, "quiet"))
    size = f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(note)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>"]) + "\n"


def main() -> int:
    folder = os.environ.get("TUNEPASS_DATA")
    if not folder:
        print("TUNEPASS_DATA must name the folder of recorded tables", file=sys.stderr)
        return 2
    target = Path(__file__).parents[3] / "docs" / "images" / "gpu.svg"
    target.write_text(picture(Path(folder)))
    print(f"wrote {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

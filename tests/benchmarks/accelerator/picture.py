"""A step function through a deep process: what is predicted, and what the hidden nodes make of the input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.benchmarks.accelerator.deep_models import predictor
from tunepass.reports import svg
from tunepass.reports.axis import Axis, short
from tunepass.surrogates.base import Floats
from tunepass.surrogates.deep_energy import forward
from tunepass.surrogates.deep_gp import DeepNetwork, DeepProcess
from tunepass.surrogates.deep_training import DeepSettings

WIDTH, HEIGHT, LEFT, GAP = 340.0, 240.0, 44.0, 30.0
PLACES = np.linspace(0, 1, 161)[:, None]
COLOURS = {"one": "#1b6ca8", "other": "#c2571a"}
STYLE = "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.axis{stroke:#999}.dot{fill:#333}" + "".join(
    f".{kind}{{fill:none;stroke:{colour};stroke-width:1.8}}.{kind}-band{{fill:{colour};opacity:.18}}"
    for kind, colour in COLOURS.items()
)


def step(n: int, seed: int) -> tuple[Floats, Floats]:
    """A step of height 2 at 0.5 with noise of deviation 0.05."""
    rng = np.random.default_rng([seed, 0x73746570])
    x = rng.random((n, 1))
    return x, np.sign(x[:, 0] - 0.5) + 0.05 * rng.normal(size=n)


def drawn(seed: int = 0) -> str:
    """Three pictures side by side: both predictions with two deviations, and the hidden nodes."""
    x, y = step(50, seed)
    deep = DeepProcess(DeepSettings(steps=2000))
    deep.fit(x, y)
    assert deep.layers is not None
    posterior = deep.posterior(PLACES)
    mean, variance = predictor("gp se, ML", x, y[:, None])(PLACES)
    hidden = forward(DeepNetwork.of(deep.layers).states, PLACES, posterior=True)[0]
    body = [
        *panel(0, "one process (SE, ML)", [("one", mean[:, 0], variance[:, 0])], (x[:, 0], y)),
        *panel(1, "deep process", [("one", posterior.mean, posterior.variance + deep.noise)], (x[:, 0], y)),
        *panel(2, "its two hidden nodes", list(zip(COLOURS, hidden.mean.T, hidden.variance.T))),
    ]
    return svg.document(3 * (WIDTH + GAP), HEIGHT + 2, "A step function through a deep process", STYLE, body)


def panel(
    number: int, title: str, curves: list[tuple[str, Floats, Floats]], points: tuple[Floats, Floats] | None = None
) -> Iterator[str]:
    left = number * (WIDTH + GAP) + LEFT
    lines = [(mean, 2 * np.sqrt(variance)) for _, mean, variance in curves]
    low = min(float((mean - band).min()) for mean, band in lines)
    high = max(float((mean + band).max()) for mean, band in lines)
    across, up = Axis(0.0, 1.0, left, left + WIDTH - LEFT), Axis(low, high, HEIGHT - 30, 30.0)
    yield svg.text(left, 18, title, "title")
    yield f'<path class="axis" fill="none" d="M {left:.1f} 30 V {HEIGHT - 30:.1f} H {left + WIDTH - LEFT:.1f}"/>'
    for tick in across.ticks():
        yield svg.text(across.place(tick), HEIGHT - 12, short(tick), "tick", "middle")
    for tick in up.ticks():
        yield svg.text(left - 6, up.place(tick) + 4, short(tick), "tick", "end")
    xs = [across.place(float(place)) for place in PLACES[:, 0]]
    for (kind, mean, _), (_, band) in zip(curves, lines):
        upper = [f"{a:.1f},{up.place(float(v)):.1f}" for a, v in zip(xs, mean + band)]
        lower = [f"{a:.1f},{up.place(float(v)):.1f}" for a, v in zip(xs, mean - band)]
        yield f'<polygon class="{kind}-band" points="{" ".join([*upper, *lower[::-1]])}"/>'
        middle = [f"{a:.1f},{up.place(float(v)):.1f}" for a, v in zip(xs, mean)]
        yield f'<polyline class="{kind}" points="{" ".join(middle)}"/>'
    for a, b in zip(*points) if points else ():
        if low <= b <= high:
            yield f'<circle class="dot" r="1.8" cx="{across.place(float(a)):.1f}" cy="{up.place(float(b)):.1f}"/>'

"""Broken sources never break the reader: a damaged annotated file is read, or refused with spans inside it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.examples import scaled
from tunepass.diagnostics import Source, TunepassError
from tunepass.frontends.c.frontend import CFrontend

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "c").glob("*.c"))
PIECES = [
    *(
        '"',
        "(",
        ")",
        "{",
        "}",
        "//",
        "/*",
        "*/",
        "\\\n",
        "\n",
        "#",
        "#if 0\n",
        "'",
        ";",
        ":",
        ",",
        "..",
        "-",
        "=",
        "1e999",
    ),
    *("for (", "loop(", "param", "#pragma tunepass ", "// tunepass: ", "9" * 50, "\x00", "é", "\t", 'R"x('),
]


def damaged(text: str, r: random.Random) -> str:
    for _ in range(r.randint(1, 4)):
        at = r.randrange(len(text))
        end = at + r.choice([0, 0, 1, 3, 20])
        moved = text[(start := r.randrange(len(text))) : start + r.choice([0, 5, 60])]
        text = text[:at] + r.choice([r.choice(PIECES), "", moved]) + text[end:]
    return text


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
@pytest.mark.slow_but(7)
def test_damaged_sources(path: Path) -> None:
    original = path.read_text()
    head = original[: original.index("{")]  # most pragmas: damage is more interesting there
    for seed in range(scaled(120)):
        r = random.Random(seed)
        text = damaged(head, r) + original[len(head) :] if seed % 2 else damaged(original, r)
        try:
            kernels = CFrontend().parse(Source("damaged.c", text)).kernels
        except TunepassError as error:
            assert error.diagnostics
            for diagnostic in error.diagnostics:
                assert diagnostic.span is not None and diagnostic.span.source.name == "damaged.c", str(error)
                assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        else:
            for kernel in kernels:
                CFrontend().emit((kernel,), "a note")

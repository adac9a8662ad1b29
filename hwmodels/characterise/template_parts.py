"""Parts that the templates of several families share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Port = tuple[str, str, int]  # direction, name, width in bits
Sizes = Mapping[str, int]
Built = tuple[tuple[Port, ...], str]  # ports but for the clock, and the body


def log2(n: int) -> int:
    """Bits that count 0 .. n - 1, at least one."""
    return max(1, (n - 1).bit_length())


def pair(w: int, out: int, statement: str) -> Built:
    ports = (("input", "a", w), ("input", "b", w), ("output", "q", out))
    return ports, f"reg [{out - 1}:0] r;\nalways @(posedge clk) r <= {statement};\nassign q = r;\n"


def multiplexed(words: Sequence[str], index: str, w: int) -> tuple[str, str]:
    """Multiplexers of two, level by level; a word without a partner passes on."""
    lines, level, now = [], 0, list(words)
    while len(now) > 1:
        above = []
        for i in range(0, len(now) - 1, 2):
            name = f"t{level}_{i // 2}"
            lines.append(f"wire [{w - 1}:0] {name} = {index}[{level}] ? {now[i + 1]} : {now[i]};\n")
            above.append(name)
        now, level = above + now[len(now) - len(now) % 2 :], level + 1
    return "".join(lines), now[0]

"""Random imperfect, triangular nests of several statements, within arrays of SIDE by SIDE; unsigned, so that sums in
any order are the same bits."""

from __future__ import annotations

import random

SIDE = 32
SHIFT = 8  # indices are -SHIFT .. SIDE - SHIFT - 1
INDICES = "ijkl"


class ScopNests:
    """Draws nests with `draw`: loops at most three deep over `n` and `m`, which are at most 9."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def draw(self) -> str:
        self.left = self.random.randint(2, 5)  # statements still to come
        text = ""
        while not text or (self.left > 0 and self.random.random() < 0.6):
            text += self.loop([])
        return text

    def loop(self, outer: list[str]) -> str:
        index = INDICES[len(outer)]
        declared = "int " if self.random.random() < 0.5 else ""
        return f"for ({declared}{self.header(index, outer)}) {{\n{self.body([*outer, index])}}}\n"

    def header(self, index: str, outer: list[str]) -> str:
        low = self.random.choice(["0", "0", "1", *outer, *(f"{o} + 1" for o in outer)])
        high = self.random.choice(["n", "n", "m", "n - 1", *outer, *(f"{o} + 2" for o in outer)])
        step = self.random.choice([1, 1, 1, 1, 2, 3])
        if self.random.random() < 0.2:
            return f"{index} = {high} - 1; {index} >= {low}; {index} -= {step}"
        return f"{index} = {low}; {index} < {high}; {index} += {step}"

    def body(self, indices: list[str]) -> str:
        parts: list[str] = []
        while not parts or self.random.random() < 0.45:
            deeper = len(indices) < 3 and self.left > 0 and self.random.random() < 0.65
            parts.append(self.loop(indices) if deeper else self.statement(indices))
        return "".join(parts)

    def statement(self, indices: list[str]) -> str:
        self.left -= 1
        a, b, c = (self.random.randint(1, 9) for _ in range(3))
        value = f"{a}u * {self.element(indices)} + {b}u * (unsigned)({self.random.choice(indices)}) + {c}u"
        match self.random.randint(0, 9):
            case 0 | 1 | 2:
                return f"{self.element(indices)} = {value};\n"
            case 3 | 4 | 5:
                return f"{self.element(indices)} += {value} * {self.element(indices)};\n"
            case 6 if self.random.random() < 0.5:
                target = self.element(indices)
                return f"{target} = {target} + {value};\n"
            case 6:
                return f"{self.element(indices)} -= {self.element(indices)};\n"
            case 7:
                return f"t = {value};\n{self.element(indices)} = t + {self.element(indices)};\n"
            case 8:
                return (
                    f"if ({self.subscript(indices)} < {self.subscript(indices)}) {self.element(indices)} = {value};\n"
                )
        return f"{self.element(indices)} *= 2u * {self.element(indices)} + 1u;\n"

    def element(self, indices: list[str]) -> str:
        name = self.random.choice("ABx")
        first, second = self.subscript(indices), self.subscript(indices)
        return f"x[{first}]" if name == "x" else f"{name}[{first}][{second}]"

    def subscript(self, indices: list[str]) -> str:
        index = self.random.choice(indices)
        move = self.random.choice([0, 0, 0, -1, 1, 2])
        return f"{index} + {SHIFT + move}" if self.random.random() < 0.9 else f"{SHIFT + 3}"

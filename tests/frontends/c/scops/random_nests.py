"""Random nests: imperfect, triangular, of several statements, with what people write in headers and subscripts."""

from __future__ import annotations

import random

INDICES = "ijkl"


class Nests:
    """Draws nests with `draw`; each statement is `A[e][e] = B[e];`."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def draw(self) -> str:
        self.left = self.random.randint(1, 5)  # statements still to come
        body = self.loop([])
        while self.random.random() < 0.3 and self.left > 0:
            body += self.loop([])
        return body

    def loop(self, outer: list[str]) -> str:
        index = INDICES[len(outer)]
        inside = [*outer, index]
        declare = "int " if self.random.random() < 0.3 else ""
        return f"for ({declare}{self.header(index, outer)}) {{\n{self.body(inside)}}}\n"

    def body(self, indices: list[str]) -> str:
        parts: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if kind < 0.45 and len(indices) < 3 and self.left > 0:
                parts.append(self.loop(indices))
            elif kind < 0.65:
                other = f" else {{\n{self.statement(indices)}}}" if self.random.random() < 0.4 else ""
                parts.append(f"if ({self.condition(indices)}) {{\n{self.statement(indices)}}}{other}\n")
            else:
                parts.append(self.statement(indices))
        return "".join(parts)

    def statement(self, indices: list[str]) -> str:
        self.left -= 1
        return f"A[{self.whole(indices)}][{self.whole(indices)}] = B[{self.whole(indices)}];\n"

    def header(self, index: str, outer: list[str]) -> str:
        low, high = self.low(outer), self.high(outer)
        step = self.random.choice([1, 1, 1, 2, 3])
        if self.random.random() < 0.25:
            start, end = f"{high} - 1", f"{index} >= {low}" if self.random.random() < 0.7 else f"{low} < {index} + 1"
            by = self.random.choice([f"{index}--", f"--{index}"]) if step == 1 else f"{index} -= {step}"
            return f"{index} = {start}; {end}; {by}"
        end = self.random.choice([f"{index} < {high}", f"{high} > {index}", f"{index} <= {high} - 1"])
        if self.random.random() < 0.2:
            end += f" && 2 * {index} - 1 < {self.high(outer)}"
        by = self.random.choice([f"{index}++", f"++{index}", f"{index} = {index} + 1"])
        return f"{index} = {low}; {end}; {by if step == 1 else f'{index} += {step}'}"

    def low(self, outer: list[str]) -> str:
        return self.random.choice(["0", "1", "-2", *outer, *(f"{o} + 1" for o in outer), *(f"{o} / 2" for o in outer)])

    def high(self, outer: list[str]) -> str:
        return self.random.choice(["n", "m", "LAST", "n - 1", "MIN(n, m)", *outer, *(f"{o} + 2" for o in outer)])

    def condition(self, indices: list[str]) -> str:
        a, b = self.whole(indices), self.whole(indices)
        text = f"{a} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {b}"
        if self.random.random() < 0.3:
            return f"{text} {self.random.choice(['&&', '||'])} !({self.condition(indices)})"
        return text

    def whole(self, indices: list[str]) -> str:
        term = self.random.choice([*indices, *indices, "n", str(self.random.randint(0, 3))])
        match self.random.randint(0, 7):
            case 0:
                return f"{term} + {self.whole(indices)}"
            case 1:
                return f"{self.random.randint(1, 3)} * {term}"
            case 2:
                return f"-({term}) - 1"
            case 3:
                return f"({term} - 3) / 2"
            case 4:
                return f"({term} + 1) % 3"
            case 5:
                return f"MIN({term}, {self.random.choice(indices)})"
        return term

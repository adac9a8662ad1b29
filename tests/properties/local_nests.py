"""Random nests with subscripts in locals, rows through pointers, and rows whose length is an expression; otherwise
those of ScopNests."""

from __future__ import annotations

from tests.properties.scop_nests import ScopNests

LENGTHS = ("n + 22", "m + 22", "2 * n + 14", "n + m + 14", "m + n - 2 + 16")
LOCALS = "int d = 0, e; unsigned *p, *q; (void)d;"


class LocalNests(ScopNests):
    """`F` has SIDE * SIDE elements, in rows of one length a nest."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.length = self.random.choice(LENGTHS)
        self.strided = self.random.random() < 0.3  # only the first column of each row
        self.fresh = 0
        self.pointers: list[str] = []  # to rows, of the bodies around

    def draw(self) -> str:
        nest = super().draw()
        return nest + ("x[3] += (unsigned)d;\n" if self.random.random() < 0.1 else "")

    def body(self, indices: list[str]) -> str:
        """Some bodies begin with a definition that inner loops use too."""
        if self.random.random() < 0.6:
            return super().body(indices)
        text = self.row(indices)
        whole = text + super().body(indices)
        self.pointers.pop()
        return whole

    def row(self, indices: list[str]) -> str:
        """A pointer to a row, declared or assigned."""
        self.fresh += 1
        name = f"r{self.fresh}" if self.random.random() < 0.7 else self.random.choice("pq")
        row, column = self.subscript(indices), self.random.choice(["0", "1", "n - n"])
        self.pointers.append(name)
        flat = f"({row}) * ({self.length})"
        place = self.random.choice(
            [f"A[{row}]", f"&B[{row}][{column}]", f"F + {flat}", f"&F[{flat} + {column}]", f"F + {flat} + 1 - 1"]
        )
        return f"{'' if name in 'pq' else 'unsigned *'}{name} = {place};\n"

    def statement(self, indices: list[str]) -> str:
        """With its subscripts in locals, more often than not."""
        text = super().statement(indices)
        if self.random.random() < 0.3:
            return text
        self.fresh += 1
        name, value = f"s{self.fresh}", self.subscript(indices)
        kind = self.random.choice(["const int", "int", "long", "unsigned", "assigned", "twice"])
        if kind == "assigned":
            return f"d = {value};\n{text.replace(f'[{value}]', '[d]')}x[d] += 1u;\n"
        if kind == "twice":
            return f"e = {value} - 1;\nd = e + 1;\n{text.replace(f'[{value}]', '[d]')}A[d][e + 1] += 3u;\n"
        inner = text.replace(f"[{value}]", f"[{name}]")
        return f"{{\n{kind} {name} = {value};\n{inner}{self.element(indices)} += x[{name}];\n}}\n"

    def element(self, indices: list[str]) -> str:
        if self.pointers and self.random.random() < 0.5:
            return f"{self.random.choice(self.pointers)}[{self.subscript(indices)}]"
        if self.random.random() < 0.25:
            column = "" if self.strided else f" + {self.subscript(indices)}"
            return f"F[({self.subscript(indices)}) * ({self.length}){column}]"
        return super().element(indices)

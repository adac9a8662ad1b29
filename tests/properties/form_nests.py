"""Random nests in other forms than ScopNests': `while`, several variables, indices that count down to zero, guards,
piecewise subscripts, accessors; in C++ references and objects too."""

from __future__ import annotations

from tests.properties.scop_nests import INDICES, SHIFT, ScopNests

C_HELPERS = """\
static inline unsigned *at(unsigned (*a)[SIDE], int row, int column) { return &a[row][column]; }
static inline unsigned get(unsigned a[][SIDE], int row, int column) { return a[row][column]; }
static inline unsigned turned(unsigned a[][SIDE], int row, int column) { return get(a, column, row); }
static inline unsigned flat(const unsigned *a, int row, int column) { return a[row * SIDE + column]; }
"""
CXX_HELPERS = """\
#include <algorithm>
struct View {
    unsigned (*rows)[SIDE];
    unsigned &operator()(int row, int column) const { return rows[row][column]; }
    unsigned *operator[](int row) const { return rows[row]; }
};
template <typename T> struct Line {
    T *first;
    int shift;
    T &at(int k) { return first[k + shift]; }
};
"""
OBJECTS = "View a{A}, b{B};\nLine<unsigned> line{x, 0};\n"


class FormNests(ScopNests):
    """`cxx`: with what only C++ has."""

    def __init__(self, seed: int, cxx: bool):
        super().__init__(seed)
        self.cxx = cxx
        self.free: set[str] = set()  # indices without a sign, which bound no other loop
        self.skips = [False]  # may `continue` stand in the body at hand

    def loop(self, outer: list[str]) -> str:
        index, kind = INDICES[len([o for o in outer if o in INDICES])], self.random.randint(0, 9)
        signed = [o for o in outer if o not in self.free]
        low = self.random.choice(["0", "0", "1", *(f"{o} + 1" for o in signed)])
        high = self.random.choice(["n", "n", "m", *(f"{o} + 2" for o in signed)])
        step = self.random.choice([1, 1, 2])
        by = f"{index}++" if step == 1 else f"{index} += {step}"
        inside = [*outer, index]
        match kind:
            case 0 | 1:
                between = self.statement(outer) if outer and self.left > 0 else ""
                return f"{index} = {low};\n{between}while ({index} < {high}) {{\n{self.within(inside)}{by};\n}}\n"
            case 2:
                return f"{index} = {low};\ndo {{\n{self.within(inside)}{by};\n}} while ({index} < {high});\n"
            case 3:
                return f"{index} = {low};\nfor (; {index} < {high}; {by}) {{\n{self.within(inside, True)}}}\n"
            case 4 | 5:
                return self.several(index, outer, low, high)
            case 6 | 7:
                return self.downwards(index, outer)
        text = super().header(index, signed)
        return f"for ({text}) {{\n{self.within(inside, True)}}}\n"

    def several(self, index: str, outer: list[str], low: str, high: str) -> str:
        other = f"{index}2"
        ahead = self.random.random() < 0.4
        step, start = (f"{other}++", low) if ahead else (f"{other}--", high)
        end = f"{index} < {other}" if not ahead and self.random.random() < 0.4 else f"{index} < {high}"
        head = f"int {index} = {low}, {other} = {start}; {end}; {index}++, {step}"
        return f"for ({head}) {{\n{self.within([*outer, index, other], True)}}}\n"

    def downwards(self, index: str, outer: list[str]) -> str:
        high = self.random.choice(["n", "m"])
        head = self.random.choice([f"unsigned {index} = {high}; {index}-- > 0;",
                                   f"unsigned {index} = {high}; {index} > 0; {index}--",
                                   f"unsigned {index} = {high} - 1; {index} < {high}; {index}--"])  # fmt: skip
        self.free.add(index)
        text = f"for ({head.replace(f'< {high}', f'< (unsigned){high}')}) {{\n{self.within([*outer, index], True)}}}\n"
        self.free.discard(index)
        return text

    def within(self, indices: list[str], skips: bool = False) -> str:
        self.skips.append(skips)
        text = self.body(indices)
        self.skips.pop()
        return text

    def body(self, indices: list[str]) -> str:
        parts: list[str] = []
        deep = len([o for o in indices if o in INDICES])
        while not parts or self.random.random() < 0.45:
            if self.skips[-1] and self.random.random() < 0.25:
                parts.append(self.guard(indices))
            deeper = deep < 3 and self.left > 0 and self.random.random() < 0.65
            parts.append(self.loop(indices) if deeper else self.statement(indices))
        return "".join(parts)

    def guard(self, indices: list[str]) -> str:
        a, b = self.random.choice(indices), self.random.choice(["3", *indices])
        condition = self.random.choice([f"{a} == {b}", f"({a} + 1) % 3 == 0", f"({self.element(indices)} & 3u) == 1u"])
        if self.random.random() < 0.4:
            return f"if ({condition}) {{\n{self.element(indices)} += 5u;\ncontinue;\n}}\n"
        return f"if ({condition}) continue;\n"

    def statement(self, indices: list[str]) -> str:
        if self.cxx and self.random.random() < 0.25:
            self.left -= 1
            return f"{{\nunsigned &r = {self.element(indices)};\nr = r * 3u + {self.element(indices)};\n}}\n"
        text = super().statement(indices)
        if self.random.random() < 0.3:
            i, j = self.subscript(indices), self.subscript(indices)
            read = self.random.choice(
                [f"get(A, {i}, {j})", f"turned(B, {i}, {j})", f"flat(x, 0, {i})", f"*at(A, {i}, {j})"]
            )
            text += f"*at({self.random.choice('AB')}, {j}, {i}) += {read};\n"
        return text

    def element(self, indices: list[str]) -> str:
        if not self.cxx or self.random.random() < 0.4:
            return super().element(indices)
        i, j = self.subscript(indices), self.subscript(indices)
        return self.random.choice([f"a({i}, {j})", f"b({i}, {j})", f"a[{i}][{j}]", f"line.at({i})"])

    def subscript(self, indices: list[str]) -> str:
        if self.random.random() < 0.7:
            return super().subscript(indices)
        i, j = self.random.choice(indices), self.random.choice(indices)
        least = f"std::min((int){i}, (int){j})" if self.cxx else f"({i} < {j} ? {i} : {j})"
        value = self.random.choice(
            [
                f"({i} % 2 ? {i} : {j})",
                f"{i} / 2",
                f"({i} & 3)",
                f"({i} >> 1)",
                f"{i} % 4",
                least,
                f"(n > m ? {i} : {j})",
            ]
        )
        return f"{value} + {SHIFT}"

"""Random nests in which pointers step through `F` as the loops do, and functions of the source are called; otherwise
those of ScopNests."""

from __future__ import annotations

from tests.properties.scop_nests import ScopNests

START = 400  # of a pointer in F: nests move it by less
HELPERS = """\
static const unsigned TABLE[4] = {3u, 5u, 7u, 11u};
static unsigned mixed(unsigned v) { unsigned n = v & 7u; while (v > 9u) { v >>= 3; n += TABLE[v & 3u]; } return n; }
static void put(unsigned *to, const unsigned *from, int k) { if (k & 1) to[1] = from[0] * 3u; else to[0] += from[2]; }
static void twice(unsigned *v) { *v = *v * 2u + mixed(*v); }
"""


class WalkNests(ScopNests):
    """Two loops with one or two pointers that walk, and loops as they are elsewhere before and after."""

    def draw(self) -> str:
        self.left = 2
        self.walking = self.random.sample("pq", self.random.randint(1, 2))
        self.inner = self.random.choice([True, False, False])  # are pointers set in the outer loop?
        text = "" if self.inner else "".join(f"{name} = F + {START + 7 * (name == 'q')};\n" for name in self.walking)
        before = self.loop([]) if self.random.random() < 0.2 else ""
        return before + text + self.walk() + (self.loop([]) if self.random.random() < 0.2 else "")

    def walk(self) -> str:
        low, high = self.random.choice(["0", "1"]), self.random.choice(["n", "m", "n - 1", "5"])
        head = f"i = {low}; i < {high}; i++"
        if self.random.random() < 0.2:
            head = f"i = {high} - 1; i >= {low}; i--"
        along = [name for name in self.walking if not self.inner and self.random.random() < 0.2]
        head += "".join(f", {name} += {self.random.choice(['n', 'm - 2', '4'])}" for name in along)
        return f"for ({head}) {{\n{self.outer_body(1 if along else self.random.choice([1, 1, 2]))}}}\n"

    def outer_body(self, loops: int) -> str:
        """With several loops inside, a walk may be one that is not followed: a header must not step it then."""
        parts = []
        for name in self.walking if self.inner else ():
            place = f"F + {START} + {self.random.choice(['i * 31', 'i * (n + 22)', 'i', '3'])}"
            parts.append(f"{name} = {place};\n")
        for number in range(loops):
            parts.append(self.inner_loop(self.random.choice(["n", "m", "7"]) if number == 0 else "3"))
            if self.random.random() < 0.5:
                step = self.random.choice(["n", "m", "m - n", "2", "-3"])
                parts.append(f"{self.random.choice(self.walking)} += {step};\n")
        if self.random.random() < 0.3:
            parts.append(self.statement(["i"]))
        return "".join(parts)

    def inner_loop(self, high: str) -> str:
        head = self.random.choice([f"j = 0; j < {high}; j++", f"j = {high}; j > 0; j--", f"j = 1; j <= {high}; j++"])
        parts = [self.walking_statement() for _ in range(self.random.choice([1, 1, 2]))]
        return f"for (int {head}) {{\n{''.join(parts)}}}\n"

    def walking_statement(self) -> str:
        a, b = self.random.randint(1, 9), self.random.randint(1, 9)
        one, other = self.random.choice(self.walking), self.random.choice(self.walking)
        read = f"{other}[{self.random.choice(['0', '2', '-1', 'j'])}]"
        match self.random.randint(0, 8):
            case 0 | 1:
                return f"*{one}++ = {a}u * {self.element(['i', 'j'])} + {b}u;\n"
            case 2:
                return f"*++{one} += {self.element(['i', 'j'])};\n"
            case 3:
                return f"{self.element(['i', 'j'])} += {read} * {b}u;\n{one}++;\n"
            case 4:
                return f"*({one} + 1) = {self.element(['i', 'j'])};\n{one} += 2;\n"
            case 5:
                return f"{self.element(['i', 'j'])} = mixed({read} + {a}u) + mixed((unsigned)j);\n--{one};\n"
            case 6:
                return f"put({one}, x + {a}, j);\n{one}++;\n"
            case 7:
                return f"twice(&A[i + 8][j + {a}]);\n"
        return f"{one}[j] = {self.element(['i', 'j'])};\n"

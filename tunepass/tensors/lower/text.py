"""C text: numbers known now or at run time, names, indented lines, and the few helper functions of the output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Quantity = int | str  # a constant, or the C text of an integer

HELPERS = {
    "ceil_div": (
        "static inline int ceil_div(int a, int b) {",
        "  return a / b + (a % b > 0);",
        "}",
    ),
    "ceil_div_long": (
        "static inline long ceil_div_long(long a, long b) {",
        "  return a / b + (a % b > 0);",
        "}",
    ),
    "smaller": (
        "static inline int smaller(int a, int b) {",
        "  return a < b ? a : b;",
        "}",
    ),
    "smaller_long": (
        "static inline long smaller_long(long a, long b) {",
        "  return a < b ? a : b;",
        "}",
    ),
    "first_from": (
        "/* The first position of [begin, end) whose coordinate is not below `coordinate`. */",
        "static inline int first_from(const int *crd, int begin, int end, int coordinate) {",
        "  while (begin < end) {",
        "    const int middle = begin + (end - begin) / 2;",
        "    if (crd[middle] < coordinate) begin = middle + 1;",
        "    else end = middle;",
        "  }",
        "  return begin;",
        "}",
    ),
    "segment_of": (
        "/* The last segment of [first, end) that begins at or before `position`. */",
        "static inline int segment_of(const int *pos, int first, int end, int position) {",
        "  while (end - first > 1) {",
        "    const int middle = first + (end - first) / 2;",
        "    if (pos[middle] <= position) first = middle;",
        "    else end = middle;",
        "  }",
        "  return first;",
        "}",
    ),
}
RESERVED = """
auto break case char const continue default do double else enum extern float for goto if inline int long main register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof linux
unix free malloc NULL size_t omp_get_max_threads omp_get_thread_num"""
KEYWORDS = frozenset([*RESERVED.split(), *HELPERS])
SIMPLE = re.compile(r"\w+(\[[^][]*\])?|\w+\([^()]*\)")


def atom(quantity: Quantity) -> str:
    """As an operand of any operator."""
    text = str(quantity)
    if text.startswith("(long)"):  # binds more tightly than any operator of two sides
        return text if SIMPLE.fullmatch(text[6:]) else f"({text})"
    return text if SIMPLE.fullmatch(text) else f"({text})"


def plus(a: Quantity, b: Quantity) -> Quantity:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return b if a in (0, "0") else a if b in (0, "0") else f"{a} + {b}"


def minus(a: Quantity, b: Quantity) -> Quantity:
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    if b == 0:
        return a
    return f"{a} - {b if is_product(b) else atom(b)}"


def is_product(quantity: Quantity) -> bool:
    """Does `quantity` bind at least as tightly as a product?"""
    return not re.search(r"[-+<>=?:,/%]", re.sub(r"\[[^][]*\]|\([^()]*\)", "", str(quantity)))


def times(a: Quantity, b: Quantity) -> Quantity:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a in (0, "0") or b in (0, "0"):
        return 0
    return b if a == 1 else a if b == 1 else f"{atom(a)} * {atom(b)}"


def ceil_div(a: Quantity, b: Quantity, wide: bool = False) -> Quantity:
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    return a if b == 1 else f"ceil_div{'_long' * wide}({a}, {b})"


def smallest(quantities: Iterable[Quantity], wide: bool = False) -> Quantity:
    constants: list[int] = []
    texts: list[str] = []
    for quantity in dict.fromkeys(quantities):
        if isinstance(quantity, int):
            constants.append(quantity)
        else:
            texts.append(quantity)
    parts: list[Quantity] = [min(constants)] if constants else []
    parts += texts
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = f"smaller{'_long' * wide}({part}, {result})"
    return result


@dataclass(slots=True)
class Names:
    """C names, one for each thing that has one."""

    given: dict[tuple[str, ...], str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: set(KEYWORDS))

    def of(self, *thing: str, wish: str | None = None) -> str:
        if thing not in self.given:
            name = wish or thing[-1]
            if name[0] == "_":  # C keeps such names for itself
                name = "v" + name
            while name in self.taken:
                name += "_"
            self.given[thing] = name
            self.taken.add(name)
        return self.given[thing]


@dataclass(slots=True)
class Lines:
    """The lines of a function's body."""

    depth: int = 1
    lines: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def pragma(self, line: str) -> None:
        self.lines.append("  " * self.depth + "#pragma " + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.add(head + " {" if head else "{")
        self.depth += 1
        yield
        self.depth -= 1
        self.add("}")


def helpers_of(text: str) -> tuple[str, ...]:
    """The lines of the helper functions that `text` calls."""
    lines: list[str] = []
    for name, definition in HELPERS.items():
        if re.search(rf"\b{name}\(", text):
            lines += (*definition, "")
    return tuple(lines)

"""A text that was right, and no longer is: tokens deleted, doubled, swapped and replaced by odd ones."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

TOKEN = re.compile(r"\w+|\s+|\S")
ODD = (
    *("", "\0", "\ufeff", "\u2028", "\u00a0", "\x1b[31m", "\r", "\r\n", "\t", "\v", "é", "漢", "𝔘", "٣", "²", "\udce9"),
    *("0", "-1", "1e308", "1e999", "1e-999", "nan", "inf", "-0.0", "0x7fffffffffffffff", "9" * 25, "9" * 5000, "1_000"),
    *("08", "0b2", "1.", ".5", "1..2", "1..", "2**2**2**9", "1//0", "1%0", "log(0)", "sqrt(-1)", "1<<4096", "a.b.c"),
    *("(", ")", "[", "]", "{", "}", '"', "'", "`", "\\", "\\\n", "/*", "*/", "//", "#", "##", "@", "$(x)", "%s", "{0}"),
    *(
        ";",
        ",",
        ":",
        "::",
        "=",
        "==",
        "!=",
        "<",
        "=>",
        "->",
        "|",
        "||",
        "?",
        "~",
        "&a",
        "*a",
        "!!python/name:os.system",
    ),
    *(
        "null",
        "true",
        "no",
        "NaN",
        "in",
        "and",
        "not",
        "if",
        "else",
        "for",
        "while",
        "lambda",
        "__class__",
        "..",
        "../x",
    ),
)
NESTS = (("(", ")"), ("[", "]"), ("{", "}"), ("-", ""), ("not ", ""), ("!", ""), ("if(1,", ",2)"), ("/*", "*/"))


def mutated(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """One to eight changes, mostly few."""
    tokens = TOKEN.findall(text)
    for _ in range(min(8, 1 + int(rng.expovariate(0.7)))):
        rng.choice(CHANGES)(rng, tokens, others)
    return "".join(tokens)


def _delete(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    at = _place(rng, tokens)
    del tokens[at : at + rng.choice((1, 1, 2, 5, 50))]


def _double(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    at = _place(rng, tokens)
    part = tokens[at : at + rng.choice((1, 3, 20))]
    tokens[at:at] = part * rng.choice((1, 1, 2, 300))


def _swap(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    if tokens:
        a, b = _place(rng, tokens), _place(rng, tokens)
        tokens[a], tokens[b] = tokens[b], tokens[a]


def _insert(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    tokens.insert(_place(rng, tokens), rng.choice(ODD))


def _replace(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    words = [i for i, token in enumerate(tokens) if not token.isspace()]
    if words:
        tokens[rng.choice(words)] = rng.choice((rng.choice(ODD), tokens[rng.choice(words)]))


def _number(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    numbers = [i for i, token in enumerate(tokens) if token.isdecimal()]
    if numbers:
        size = rng.choice((1, 2, 9, 10, 18, 19, 20, 38, 310))
        tokens[rng.choice(numbers)] = rng.choice(("-", "")) + str(rng.randrange(10**size))


def _nest(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    at, (begin, end) = _place(rng, tokens), rng.choice(NESTS)
    depth = rng.choice((3, 40, 400, 5000))
    tokens[at : at + 1] = [begin * depth, *tokens[at : at + 1], end * rng.choice((depth, depth, depth - 1))]


def _graft(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    """Some lines of another text."""
    lines = rng.choice(others).splitlines(keepends=True) if others else []
    first = rng.randrange(len(lines) + 1)
    tokens.insert(_place(rng, tokens), "".join(lines[first : first + rng.choice((1, 2, 8))]))


def _lengthen(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    at = _place(rng, tokens)
    tokens.insert(at, (tokens[at] if at < len(tokens) else "x") * rng.choice((100, 10_000)))


def _cut(rng: random.Random, tokens: list[str], others: Sequence[str]) -> None:
    del tokens[_place(rng, tokens) :]


def _place(rng: random.Random, tokens: Sequence[str]) -> int:
    return rng.randrange(len(tokens)) if tokens else 0


Change = Callable[[random.Random, list[str], Sequence[str]], None]
COMMON: tuple[Change, ...] = (_delete, _double, _swap, _insert, _replace, _number)
CHANGES: tuple[Change, ...] = (*COMMON * 3, _nest, _graft, _lengthen, _cut)


def mutated_bytes(rng: random.Random, data: bytes, most: int = 40) -> bytes:
    """Bytes changed, runs overwritten, pieces moved, cut off or doubled."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 5, most))):
        if not changed:
            break
        at, length = rng.randrange(len(changed)), rng.choice((1, 1, 1, 4, 64, 4096))
        match rng.randrange(6):
            case 0 | 1:
                changed[at : at + length] = rng.randbytes(len(changed[at : at + length]))
            case 2:
                changed[at] ^= 1 << rng.randrange(8)
            case 3:
                other = rng.randrange(len(changed))
                changed[at : at + length] = changed[other : other + length]
            case 4:
                changed[at : at + length] = bytes(len(changed[at : at + length]))
            case 5 if rng.random() < 0.3:
                del changed[at:]
    return bytes(changed)

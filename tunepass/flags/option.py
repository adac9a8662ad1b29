"""A compiler's option as something to tune: words to choose from, or a number to set. Without a word the compiler's
level of optimisation decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

MOST_OF_RANGE = 6  # a range of so many numbers is tried number by number
STEPS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)  # of a default
WITHOUT_SCALE = (0, 1, 4, 16, 64)  # where the default is no scale for others
LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """One of several texts, each any number of words. The first is empty: as the level has it."""

    name: str
    texts: tuple[str, ...]

    def word_lists(self) -> tuple[str, ...]:
        """What the compiler is told by each value that is not the default."""
        return self.texts[1:]

    def only(self, accepted: Iterable[str]) -> OptionChoice | None:
        texts = tuple(text for text in self.texts[1:] if text in set(accepted))
        return replace(self, texts=("", *texts)) if texts else None


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in the place of `{}` in `form`; `default` is what the level has."""

    name: str
    form: str
    numbers: tuple[int, ...]
    default: int

    def word_lists(self) -> tuple[str, ...]:
        return tuple(self.text(number) for number in self.numbers if number != self.default)

    def text(self, number: int) -> str:
        return self.form.replace("{}", str(number))

    def only(self, accepted: Iterable[str]) -> Amount | None:
        accepted_texts = set(accepted)
        numbers = tuple(n for n in self.numbers if n == self.default or self.text(n) in accepted_texts)
        return replace(self, numbers=numbers) if len(numbers) > 1 else None


Option = OptionChoice | Amount


def identifier(text: str) -> str:
    """A parameter's name: letters, digits and underscores."""
    name = "".join(letter if letter.isalnum() else "_" for letter in text).strip("_")
    return f"_{name}" if name[:1].isdigit() else name


def numbers_around(default: int, lo: int | None = None, hi: int | None = None) -> tuple[int, ...]:
    """What to try of a number of which little is known: all of a short range, else the default halved and doubled up
    to three times, within the range, and its ends where they are near."""
    least, most = 0 if lo is None else lo, LARGEST if hi is None else hi
    if most - least < MOST_OF_RANGE:
        return tuple(sorted({default, *range(least, most + 1)}))
    steps = [round(default * step) for step in STEPS] if default > 0 else list(WITHOUT_SCALE)
    ends = [end for end in (lo, hi) if end is not None and default > 0 and end <= STEPS[-1] * default]
    within = {number for number in (*steps, *ends) if least <= number <= most}
    return tuple(sorted({default, *within}))

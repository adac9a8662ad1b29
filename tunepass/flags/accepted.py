"""Which options a compiler takes, and which it does not take together: it is asked to compile a few lines with them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.flags.option import Option

PROGRAM = """\
int total(const int *x, int n) { int sum = 0; for (int i = 0; i < n; i++) sum += x[i] > 3 ? x[i] : -x[i]; return sum; }
double scale(double *x, const double *y, int n) { for (int i = 0; i < n; i++) x[i] = 2.0 * y[i] + x[i]; return x[0]; }
"""
Takes = Callable[[Sequence[str]], bool]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AcceptedOptions:
    """The options with the values that are taken alone, and the pairs that are refused together."""

    options: tuple[Option, ...]
    conflicts: tuple[Pair, ...]
    refused: tuple[str, ...]


def accepted_options(options: Sequence[Option], takes: Takes, takes_silently: Takes) -> AcceptedOptions:
    """What `takes` refuses fails a build; what it takes with a warning does nothing (`takes_silently` refuses that)."""
    columns = [
        [text for text in column if text]
        for column in zip_longest(*(option.word_lists() for option in options), fillvalue="")
    ]
    refused = [text for column in columns for text in refused_alone(column, takes_silently)]
    accepted = {text for column in columns for text in column} - set(refused)
    conflicts = [pair for column in columns for pair in refused_together([t for t in column if t in accepted], takes)]
    known = [accepted_option for option in options if (accepted_option := option.only(accepted)) is not None]
    return AcceptedOptions(tuple(known), tuple(conflicts), tuple(refused))


def refused_alone(texts: Sequence[str], takes: Takes) -> list[str]:
    """By halves: of many options few are refused."""
    if not texts or takes(texts):
        return []
    if len(texts) == 1:
        return list(texts)
    middle = len(texts) // 2
    return refused_alone(texts[:middle], takes) + refused_alone(texts[middle:], takes)


def refused_together(texts: Sequence[str], takes: Takes) -> list[Pair]:
    """Of texts that are taken alone the pairs that are not; those of larger sets are left to the search."""
    pairs: list[Pair] = []
    left = list(texts)
    while not takes(left):
        last = _first_refused(left, [], takes)
        first = _first_refused(left[: left.index(last)], [last], takes)
        if first == "" or takes([first, last]):
            break
        pairs.append((first, last))
        left.remove(last)
    return pairs


def _first_refused(texts: Sequence[str], others: Sequence[str], takes: Takes) -> str:
    """The last text of the shortest first row that is refused together with `others`; empty if none is."""
    accepted, refused = 0, len(texts)  # rows of so many
    if takes([*texts, *others]):
        return ""
    while refused - accepted > 1:
        middle = (accepted + refused) // 2
        accepted, refused = (middle, refused) if takes([*texts[:middle], *others]) else (accepted, middle)
    return texts[refused - 1] if texts else ""


def asking(command: Sequence[str], words_of: Callable[[str], list[str]]) -> Takes:
    """Does the compiler, called by `command`, compile the program with such texts? `words_of` splits a text."""

    def takes(texts: Sequence[str]) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "asked.c"
            source.write_text(PROGRAM)
            words = [word for text in texts for word in words_of(text)]
            return ask([*command, *words, "-S", "-o", str(Path(folder) / "asked.s"), str(source)]).ok

    return takes

"""gcc's options, as `gcc -Q -O2 --help=optimizers` and `--help=params` list them with their values at a level."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.flags.left_out import is_left_out
from tunepass.flags.option import Amount, Option, OptionChoice, identifier, numbers_around

ON, OFF = "[enabled]", "[disabled]"
LINE = re.compile(r"\s+(?P<word>-f[\w-]+|--param=[\w-]+)(?P<equals>=)?(?P<values>[\[<][^\]>]*[\]>])?\s*(?P<state>.*)")
PARAMETER = "--param="
ALIGNED = ("align-functions", "align-jumps", "align-labels", "align-loops")
ALIGNMENTS = ("16", "32", "64")
UNKNOWN = -1  # gcc's own sign for `as the machine has it`


@dataclass(frozen=True, slots=True)
class ListedOption:
    """A line: the option's name, the values it names, and its state. `values` is None where it takes none."""

    word: str
    values: str | None
    state: str

    @property
    def name(self) -> str:
        return self.word.removeprefix(PARAMETER).removeprefix("-f")


def listed(text: str) -> list[ListedOption]:
    """The options of a list; those of other languages are not among them."""
    lines = [match for line in text.splitlines() if (match := LINE.fullmatch(line))]
    return [
        ListedOption(m["word"], (m["values"] or "") if m["equals"] else None, m["state"].strip())
        for m in lines
        if "[available in" not in m["state"]
    ]


def optimizers(at_level: str, at_others: Sequence[str], *, math: bool) -> list[Option]:
    """`at_level` is the list at the level that is tuned from, `at_others` are those at levels that may be chosen too:
    an option on which they differ can be switched either way."""
    states: dict[str, set[str]] = {}
    for text in (at_level, *at_others):
        for option in listed(text):
            if option.values is None:
                states.setdefault(option.word, set()).add(option.state)
    options = [option for option in listed(at_level) if not is_left_out(option.name, math=math)]
    switches = {option.word: option for option in options if option.values is None}
    valued = {option.word: option for option in options if option.values is not None}
    choices: list[Option] = []
    for word in dict.fromkeys([*switches, *valued]):
        texts = _switched(switches[word], states[word]) if word in switches else []
        texts += _texts(valued[word]) if word in valued else []
        if texts:
            choices.append(OptionChoice(identifier(word.removeprefix("-f")), ("", *dict.fromkeys(texts))))
    return choices


def _switched(option: ListedOption, states: set[str]) -> list[str]:
    on, off = option.word, f"-fno-{option.name}"
    if states == {ON}:
        return [off]
    return [on] if states == {OFF} else [on, off]


def _texts(option: ListedOption) -> list[str]:
    """Each of its values but the one it has."""
    if option.name in ALIGNED:
        return [f"{option.word}={number}" for number in ALIGNMENTS if number != option.state]
    span = _range(option.values or "")
    if span is not None and option.state.lstrip("-").isdigit():
        return [f"{option.word}={n}" for n in numbers_around(int(option.state), *span) if str(n) != option.state]
    return [f"{option.word}={value}" for value in _words(option.values or "") if value != option.state]


def parameters(at_level: str, *, math: bool) -> list[Option]:
    """Numbers have a default and often a range, words are listed."""
    options: list[Option] = []
    for option in listed(at_level):
        if option.values is None or is_left_out(option.name, math=math):
            continue
        name = f"param_{identifier(option.name)}"
        if words := _words(option.values):
            texts = tuple(f"{option.word}={value}" for value in words if value != option.state)
            options.append(OptionChoice(name, ("", *texts)))
        elif option.state.lstrip("-").isdigit():
            options.append(_amount(name, option))
    return options


def _amount(name: str, option: ListedOption) -> Option:
    default, span = int(option.state), _range(option.values or "") or (None, None)
    numbers = numbers_around(default, *span)
    if default == UNKNOWN or len(numbers) == 2:  # a switch: what it says by itself is not one of its numbers
        texts = tuple(f"{option.word}={number}" for number in numbers if number != default)
        return OptionChoice(name, ("", *texts))
    return Amount(name, f"{option.word}={{}}", numbers, default)


def _range(values: str) -> tuple[int, int] | None:
    match = re.fullmatch(r"<(-?\d+),(-?\d+)>", values)
    return (int(match[1]), int(match[2])) if match else None


def _words(values: str) -> list[str]:
    return values[1:-1].split("|") if values.startswith("[") else []

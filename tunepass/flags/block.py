"""Options as the `parameters` and `constraints` of a description of an application (docs/applications.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tunepass.flags.accepted import Pair
from tunepass.flags.option import Amount, Choice, Option

LEVEL = "LEVEL"
EVEN = (LEVEL, "MARCH")  # of which any value may be the best
# Compilers' defaults are good: with half of hundreds of flags changed nothing comes near to them. So the priors say
AS_LEVEL = 49  # times as likely a flag is as the level has it as not
SURE = 2.2  # standard deviations, on each side: 97 % of a normal distribution


def block(compiler: str, options: Sequence[Option], conflicts: Sequence[Pair], note: Sequence[str]) -> str:
    """A text in YAML: `tools`, `parameters` and, if there are any, `constraints`."""
    lines = [*(f"# {line}" for line in note), f"tools: [{_quoted(compiler)}]", "parameters:"]
    lines += [f"  {option.name}: {_fields(option)}" for option in options]
    names = {text: (option.name, text) for option in options for text in option.word_lists()}
    told = [_condition(names, first, second, options) for first, second in conflicts]
    return "\n".join([*lines, *(["constraints:"] if told else []), *(f"  - {_quoted(text)}" for text in told), ""])


def _fields(option: Option) -> str:
    if isinstance(option, Choice):
        first, *others = option.texts
        values = ", ".join([_quoted(first), *map(_quoted, others)])
        prior = "" if option.name in EVEN else f", prior: [{AS_LEVEL * len(others)}{', 1' * len(others)}]"
        return f"{{kind: categorical, values: [{values}], role: flag{prior}}}"
    log = ", log: true" if min(option.numbers) > 0 else ""
    numbers = ", ".join(map(str, option.numbers))
    above, below = _beta(option)
    return (
        f"{{kind: ordinal, values: [{numbers}], default: {option.default}{log}, prior: [{above}, {below}], role: flag, "
        f"form: {_quoted(option.form)}, omit_default: true}}"
    )


def _beta(option: Amount) -> tuple[str, str]:
    """The Beta distribution in the middle of the values nearest to the default, on the scale that the numbers have, of
    which SURE standard deviations are among them."""
    scale = math.log if min(option.numbers) > 0 else float
    first, last = scale(option.numbers[0]), scale(option.numbers[-1])
    places = [(scale(number) - first) / (last - first) for number in option.numbers]
    edges = [0.0, *((a + b) / 2 for a, b in pairwise(places)), 1.0]
    index = option.numbers.index(option.default)
    mean, half = (edges[index] + edges[index + 1]) / 2, (edges[index + 1] - edges[index]) / 2
    concentration = mean * (1 - mean) * (SURE / half) ** 2 - 1
    return f"{concentration * mean:.4g}", f"{concentration * (1 - mean):.4g}"


def _condition(names: Mapping[str, tuple[str, str]], first: str, second: str, options: Sequence[Option]) -> str:
    """That the two values are not both chosen."""
    by_name = {option.name: option for option in options}
    sides = []
    for text in (first, second):
        name = names[text][0]
        option = by_name[name]
        value = f'"{text}"' if isinstance(option, Choice) else _number(option, text)
        sides.append(f"{name} != {value}")
    return " or ".join(sides)


def _number(option: Amount, text: str) -> str:
    return str(next(number for number in option.numbers if option.text(number) == text))


def _quoted(text: str) -> str:
    """As a scalar of YAML inside brackets."""
    plain = text and text[0] not in "\"'{}[]&*#?|<>=!%@`:" and not any(c in text for c in "{}[],#:'\"")
    return text if plain and text == text.strip() else "'" + text.replace("'", "''") + "'"

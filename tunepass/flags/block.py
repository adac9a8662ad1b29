"""Options as the `parameters` and `constraints` of a description of an application (docs/applications.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.flags.accepted import Pair
from tunepass.flags.option import Amount, Option, OptionChoice
from tunepass.space.prior import Beta, value_masses

LEVEL = "LEVEL"
EVEN = (LEVEL, "MARCH")  # of which any value may be the best
LEAST_LOG_ROWS, MOST_LOG_ROWS = -7.0, 30.0  # of a Beta distribution: as good as uniform, all at the mode


def block(compiler: str, options: Sequence[Option], conflicts: Sequence[Pair], note: Sequence[str]) -> str:
    """A text in YAML: `tools`, `parameters` and, if there are any, `constraints`."""
    lines = [*(f"# {line}" for line in note), f"tools: [{_quoted(compiler)}]", "parameters:"]
    lines += [f"  {option.name}: {_fields(option)}" for option in options]
    names = {text: (option.name, text) for option in options for text in option.word_lists()}
    conditions = [_condition(names, first, second, options) for first, second in conflicts]
    return "\n".join(
        [*lines, *(["constraints:"] if conditions else []), *(f"  - {_quoted(text)}" for text in conditions), ""]
    )


def _fields(option: Option) -> str:
    """A value is as likely as the level has it as not, however many others there are: a search whose trials change half
    of hundreds of flags learns of each from every trial; of a few at a time it tries hardly any in a hundred trials."""
    if isinstance(option, OptionChoice):
        first, *others = option.texts
        values = ", ".join([_quoted(first), *map(_quoted, others)])
        even = option.name in EVEN or len(others) == 1
        prior = "" if even else f", prior: [{len(others)}{', 1' * len(others)}]"
        return f"{{kind: categorical, values: [{values}], role: flag{prior}}}"
    log = ", log: true" if min(option.numbers) > 0 else ""
    numbers = ", ".join(map(str, option.numbers))
    above, below = _beta(option)
    return (
        f"{{kind: ordinal, values: [{numbers}], default: {option.default}{log}, prior: [{above}, {below}], role: flag, "
        f"form: {_quoted(option.form)}, omit_default: true}}"
    )


def _beta(option: Amount) -> tuple[str, str]:
    """The Beta distribution by which the default is as likely as all other numbers."""
    numbers = [math.log(number) if min(option.numbers) > 0 else number for number in option.numbers]
    places = (np.array(numbers) - numbers[0]) / (numbers[-1] - numbers[0])
    above, below = even_prior(places, option.numbers.index(option.default))
    return f"{above:.4g}", f"{below:.4g}"


def even_prior(places: NDArray[np.float64], index: int) -> tuple[float, float]:
    """The Beta distribution with its mode at one of the `places` (n,) in [0, 1], to which it gives half of its mass;
    where a uniform one gives it more, that."""
    from scipy.optimize import brentq

    def parameters(log_rows: float) -> tuple[float, float]:
        rows = math.exp(log_rows)  # that the prior is worth; of none it is uniform
        return 1 + rows * float(places[index]), 1 + rows * float(1 - places[index])

    def excess(log_rows: float) -> float:
        return float(value_masses(Beta(*parameters(log_rows)), places)[index]) - 0.5

    return parameters(brentq(excess, LEAST_LOG_ROWS, MOST_LOG_ROWS) if excess(LEAST_LOG_ROWS) < 0 else LEAST_LOG_ROWS)


def _condition(names: Mapping[str, tuple[str, str]], first: str, second: str, options: Sequence[Option]) -> str:
    """That the two values are not both chosen."""
    by_name = {option.name: option for option in options}
    sides = []
    for text in (first, second):
        name = names[text][0]
        option = by_name[name]
        value = f'"{text}"' if isinstance(option, OptionChoice) else _number(option, text)
        sides.append(f"{name} != {value}")
    return " or ".join(sides)


def _number(option: Amount, text: str) -> str:
    return str(next(number for number in option.numbers if option.text(number) == text))


def _quoted(text: str) -> str:
    """As a scalar of YAML inside brackets."""
    plain = text and text[0] not in "\"'{}[]&*#?|<>=!%@`:" and not any(c in text for c in "{}[],#:'\"")
    return text if plain and text == text.strip() else "'" + text.replace("'", "''") + "'"

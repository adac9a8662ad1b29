"""clang's options: switches of the driver by name, and those of LLVM with their values as LLVM lists them."""

from __future__ import annotations

import re

from tunepass.flags.left_out import is_left_out, is_of_a_pass
from tunepass.flags.option import LARGEST, Amount, Option, OptionChoice, identifier, numbers_around

SWITCHES = (  # of the driver; its help does not say which are for speed, nor what they are set to
    *("vectorize", "slp-vectorize", "unroll-loops", "reroll-loops", "inline-functions", "inline-hint-functions"),
    *("omit-frame-pointer", "strict-aliasing", "struct-path-tbaa", "jump-tables", "finite-loops", "strict-return"),
    *("split-machine-functions", "optimize-sibling-calls", "delete-null-pointer-checks", "plt", "math-errno"),
    *("zero-initialized-in-bss", "semantic-interposition", "wrapv", "associative-math", "reciprocal-math"),
    *("signed-zeros", "trapping-math", "finite-math-only", "unsafe-math-optimizations", "approx-func"),
)
ALIGNED = ("align-functions", "align-loops")
ALIGNMENTS = (16, 32, 64)
VALUE = re.compile(r"\s+--(?P<name>[\w-]+)\s+= (?P<value>-?\d+)\s+\(default: -?\d+\)")
HELP = re.compile(r"\s+--(?P<name>[\w-]+)(?P<kind>=<(?:u?int|number|long|ulong|unsigned)>)?(?=\s|\Z)")
UNLIMITED = 2**31 - 1  # and more: LLVM's way to say that there is no limit


def switches(*, math: bool) -> list[Option]:
    """Either way of each, as their state is not told."""
    options: list[Option] = [
        OptionChoice(identifier(name), ("", f"-f{name}", f"-fno-{name}"))
        for name in SWITCHES
        if not is_left_out(name, math=math)
    ]
    return [*options, *(OptionChoice(identifier(n), ("", *(f"-f{n}={size}" for size in ALIGNMENTS))) for n in ALIGNED)]


def parameters(values: str, explained: str, *, math: bool) -> list[Option]:
    """`values` is the list of `-print-all-options`; `explained`, that of `-help-hidden`, tells which options take a
    number: others that are 0 or 1 are switches."""
    numbers = {m["name"] for line in explained.splitlines() if (m := HELP.match(line)) and m["kind"]}
    known = {m["name"] for line in explained.splitlines() if (m := HELP.match(line))}
    options: list[Option] = []
    for line in values.splitlines():
        match = VALUE.fullmatch(line)
        name = match["name"] if match else ""
        if match is None or name not in known or not is_of_a_pass(name) or is_left_out(name, math=math):
            continue
        value = int(match["value"])
        if name in numbers:
            options.append(_amount(name, value))
        elif value in (0, 1):
            options.append(OptionChoice(f"llvm_{identifier(name)}", ("", f"-mllvm -{name}={('true', 'false')[value]}")))
    return options


def _amount(name: str, value: int) -> Option:
    form = f"-mllvm -{name}={{}}"
    if 0 < value < UNLIMITED:
        return Amount(f"llvm_{identifier(name)}", form, numbers_around(value, hi=LARGEST), value)
    others = (n for n in numbers_around(0) if n != value)  # as the target has it, or no limit
    return OptionChoice(f"llvm_{identifier(name)}", ("", *(form.replace("{}", str(n)) for n in others)))

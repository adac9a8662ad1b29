"""A kernel as another tuner describes it, and the same as a source with tunepass's pragmas.

The description says what a `kernel` pragma does (launch, arguments), so far as it does: what is missing is a note, and
the pragma is left out rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from tunepass.diagnostics import SpaceError
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.nodes import Constant, Expr
from tunepass.expr.parser import parse
from tunepass.expr.printer import literal, to_text
from tunepass.space.parameter import Categorical, Ordinal, Parameter
from tunepass.space.space import Space

Language = Literal["cuda", "opencl", "c"]
Scalar = bool | int | float | str
WIDTH = 110  # characters of a pragma's line, if its parts allow


@dataclass(frozen=True, slots=True)
class ForeignParameter:
    """`values` are distinct, of one type: numbers, strings or Booleans."""

    name: str
    values: tuple[Scalar, ...]
    default: Scalar

    def parameter(self) -> Parameter:
        numbers = [v for v in self.values if isinstance(v, (int, float)) and not isinstance(v, bool)]
        if len(numbers) == len(self.values) and not isinstance(self.default, str):
            return Ordinal(self.name, numbers, default=self.default)
        texts = [v for v in self.values if isinstance(v, str)]
        flags = [v for v in self.values if isinstance(v, bool)]
        if len(texts) + len(flags) < len(self.values) or (texts and flags):
            raise SpaceError(f"{self.name}: values are all numbers, all texts or all truth values")
        return Categorical(self.name, texts or flags, default=self.default)

    def pragma(self) -> str:
        numbers = [v for v in self.values if isinstance(v, int) and not isinstance(v, bool)]
        if len(numbers) == len(self.values):
            return f"param {self.name}: ordinal({_series(numbers)}) = {self.default}"
        kind = "ordinal" if all(isinstance(v, (int, float)) for v in self.values) else "categorical"
        if any(isinstance(v, bool) for v in self.values):
            kind = "categorical"
        return f"param {self.name}: {kind}({', '.join(map(_word, self.values))}) = {_word(self.default)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignArgument:
    """A scalar has a `value`, a buffer a `direction` and `length` elements; `fill` is the pragma's clause. A `symbol`
    is an array of the file, which is not passed."""

    name: str
    element: str
    value: str | None = None
    direction: str = "in"
    length: int = 1
    fill: str = ""
    symbol: bool = False

    @property
    def pragma(self) -> str:
        if self.value is not None:
            return f"{self.name} = {self.value}"
        return f"{self.name}: {self.direction} {self.element}[{self.length}]{self.fill}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKernel:
    """`constraints`, `grid` and `block` are expressions of tunepass's; `notes` say what could not be taken over."""

    function: str
    language: Language | None  # None: one that tunepass does not read
    parameters: tuple[ForeignParameter, ...]
    constraints: tuple[str, ...]
    grid: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    arguments: tuple[ForeignArgument, ...] = ()
    tolerance: float | None = None
    flags: tuple[str, ...] = ()  # the compiler's
    source: str | None = None  # the kernel's file, as the description names it
    notes: tuple[str, ...] = field(default=())

    def space(self) -> Space:
        return Space([p.parameter() for p in self.parameters], list(self.constraints))

    @property
    def whole(self) -> bool:
        """Is there all that a `kernel` pragma says?"""
        launched = bool(self.grid and self.block) or self.language == "c"
        return bool(self.arguments) and launched and self.language is not None


def used(kernel: ForeignKernel, text: str) -> ForeignKernel:
    """With those parameters fixed at their defaults that neither `text` nor the launch names: nothing else is lost."""
    words = {word for part in (text, *kernel.grid, *kernel.block) for word in re.findall(r"\w+", part)}
    unused = [p for p in kernel.parameters if p.name not in words]
    if not unused or len(unused) == len(kernel.parameters):
        return kernel
    types = {p.name: p.parameter().type for p in kernel.parameters}
    values = {p.name: lift(p.default) for p in unused if not isinstance(p.default, str)}
    constraints = [substitute(parse(text, types), values) for text in kernel.constraints]
    notes = [f"{p.name} is {_word(p.default)} here: the kernel does not use it" for p in unused]
    return replace(
        kernel,
        parameters=tuple(p for p in kernel.parameters if p.name in words),
        constraints=tuple(to_text(e) for e in constraints if not _holds(e)),
        notes=(*kernel.notes, *notes),
    )


def _holds(e: Expr) -> bool:
    return isinstance(e, Constant) and bool(e.value)


def annotated(kernel: ForeignKernel, text: str, origin: str) -> str:
    """`text` with pragmas before it, and a `#define` for each parameter that it does not define itself."""
    lines = [f"// Read from {origin} by `tunepass import`."]
    lines += [f"// {' '.join(note.split())}." for note in kernel.notes]  # one line, not continued by a backslash
    lines += _pragmas([p.pragma() for p in kernel.parameters])
    lines += _pragmas([f"constraint {c}" for c in kernel.constraints])
    if kernel.whole:
        lines += _kernel_pragma(kernel)
    for parameter in kernel.parameters:
        if not re.search(rf"^[ \t]*#[ \t]*ifndef[ \t]+{parameter.name}\b", text, re.MULTILINE):
            lines += [
                "",
                f"#ifndef {parameter.name}",
                f"#define {parameter.name} {_macro(parameter.default)}",
                "#endif",
            ]
    return "\n".join(lines) + "\n\n" + text


def _pragmas(contents: Sequence[str]) -> list[str]:
    return [f"#pragma tunepass {content}" for content in contents]


def _kernel_pragma(kernel: ForeignKernel) -> list[str]:
    """One line, continued where it grows too long."""
    arguments = [a.pragma for a in kernel.arguments]
    parts = [f"{a}," for a in arguments[:-1]] + [f"{arguments[-1]})"]
    if kernel.grid:
        parts += [f"grid({', '.join(kernel.grid)})", f"block({', '.join(kernel.block)})"]
    if kernel.tolerance is not None:
        parts.append(f"tolerance({kernel.tolerance:g})")
    lines = [f"#pragma tunepass kernel {kernel.function}({parts[0]}"]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) > WIDTH:
            lines[-1] += " \\"
            lines.append(f"    {part}")
        else:
            lines[-1] += f" {part}"
    return lines


def _series(numbers: Sequence[int]) -> str:
    """As people write them: `pow2(8, 256)`, `32..1024 step 32`, `1, 2, 3`."""
    first, last = numbers[0], numbers[-1]
    power = first > 0 and first & (first - 1) == 0
    if len(numbers) > 3 and power and all(b == 2 * a for a, b in pairwise(numbers)):
        return f"pow2({first}, {last})"
    steps = {b - a for a, b in pairwise(numbers)}
    if len(numbers) > 4 and len(steps) == 1 and (step := steps.pop()) > 0:
        return f"{first}..{last}" if step == 1 else f"{first}..{last} step {step}"
    return ", ".join(map(str, numbers))


def _word(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else literal(value)


def _macro(value: Scalar) -> str:
    """What `-D` would give: a Boolean is 1 or 0, a string its own text."""
    return str(int(value)) if isinstance(value, bool) else str(value)

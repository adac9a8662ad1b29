"""A public source for synthesis with the numbers of its pragmas made knobs, and what becomes of it when it is emitted.

A factor, an initiation interval or a number of OpenCL's attributes that stands as a number in the file becomes a
parameter with the powers of two around it: a macro in Vitis' pragmas and Intel's attributes, `auto{NAME}` in Merlin's.
Where there is no such number, the first loop of the function gets a pragma that unrolls it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from tunepass.backends.base import Target
from tunepass.backends.hls import HlsBackend
from tunepass.diagnostics import Source, SourceError, TunepassError
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.model import costs
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Choice, Kernel
from tunepass.jobs.estimates import Estimator
from tunepass.space.configuration import Configuration, Value

DEVICES = {"intel": "stratix-v", "merlin": "vu9p", "vitis": "vu9p"}
KNOB = "PUBLIC_KNOB"
MERLIN = re.compile(r"\s*#\s*pragma\s+ACCEL\b", re.IGNORECASE)
NUMBER = re.compile(r"\b(?:factor|II)\s*=\s*([1-9]\d*)(?![\w.])|\bunroll\s*\(?\s*([1-9]\d*)\)?(?![\w.])", re.IGNORECASE)
ATTRIBUTE = re.compile(r"\bnum_(?:simd_work_items|compute_units)\s*\(\s*([1-9]\d*)\s*\)")
MOST_KNOBS = 12  # of a file; the numbers after the twelfth stay


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A number of a pragma or an attribute; `braced`: Merlin's, which becomes `auto{NAME}`."""

    start: int
    number: int
    braced: bool = False

    @property
    def end(self) -> int:
        return self.start + len(str(self.number))


@dataclass(frozen=True, slots=True)
class Knobbed:
    """The source with knobs: none where nothing can be chosen; `numbers` are those that stood in it."""

    text: str
    knobs: tuple[str, ...]
    numbers: tuple[int, ...]


def knobbed(source: Source, function: Function) -> Knobbed:
    places, text = places_of(source), source.text
    lines, knobs = [f"#pragma tunepass hls {function.name.text}"], [f"{KNOB}{at}" for at in range(len(places))]
    for name, place in reversed(list(zip(knobs, places))):
        text = text[: place.start] + (f"auto{{{name}}}" if place.braced else name) + text[place.end :]
        around = sorted({place.number, *(1 << e for e in range(max(place.number, 8).bit_length()))})
        lines.append(f"#pragma tunepass param {name}: ordinal({', '.join(map(str, around))}) = {place.number}")
        lines += [] if place.braced else [f"#define {name} {place.number}"]
    if not places:
        text = _unrolled(source.text, function)
        if text != source.text:
            knobs = [KNOB]
            lines += [f"#pragma tunepass param {KNOB}: pow2(1, 16) = 1", f"#define {KNOB} 1"]
    return Knobbed("\n".join([*lines, text]), tuple(knobs), tuple(p.number for p in places))


def places_of(source: Source) -> list[Place]:
    """In the order of the text, the first of them."""
    found: list[Place] = []
    for directive in annotated(source).directives:
        if directive.kind == "pragma":
            text = source.text[directive.start : directive.end]
            merlin = MERLIN.match(text) is not None
            for match in NUMBER.finditer(text):
                at = 1 if match[1] else 2
                found.append(Place(directive.start + match.start(at), int(match[at]), merlin))
    found += [Place(match.start(1), int(match[1])) for match in ATTRIBUTE.finditer(source.text)]
    return sorted(p for p in found if p.number <= 1024 and str(p.number) == source.text[p.start : p.end])[:MOST_KNOBS]


def _unrolled(text: str, function: Function) -> str:
    """With a pragma in the first loop of the function whose body has braces; as it is where there is none."""
    tokens = function.tokens
    for at, token in enumerate(tokens):
        if not token.at("for") or token.made:
            continue
        depth, end = 0, at + 1
        while end < len(tokens) - 1:
            depth += tokens[end].at("(") - tokens[end].at(")")
            end += 1
            if depth == 0:
                break
        brace = tokens[end]
        if brace.at("{") and not brace.made and text[token.start : token.start + 3] == "for":
            return f"{text[: brace.end]}\n#pragma HLS unroll factor={KNOB}\n{text[brace.end :]}"
    return text


def price_as_written(body: HlsKernel) -> int:
    """How many named values the model gives the body; TunepassError where it gives none."""
    return len(costs(body, load(DEVICES[body.dialect])).values)


def kernel_of(source: Source, function: str) -> Kernel | None:
    """None where the function reads none of its file's knobs."""
    try:
        kernels = HlsFrontend().parse(source, function).kernels
    except SourceError as error:
        if error.diagnostics[0].message.startswith("nothing to tune"):
            return None
        raise
    return next(kernel for kernel in kernels if kernel.name == function)


def round_trip(kernel: Kernel, function: str, draws: int, rng: np.random.Generator) -> str:
    """What differs when a kernel is emitted with random values and read again: empty for nothing."""
    source = kernel.source
    for _ in range(draws):
        values = {p.name: p.values(p.draw(1, rng))[0] for p in kernel.parameters}
        choices = tuple(Choice(name, value) for name, value in values.items())
        text = HlsFrontend().emit((kernel.scheduled(choices),))[0].text
        again = HlsFrontend().body(Source(source.name, text), function)
        before, after = _price(kernel, values), _price(_again(kernel, again, text), values)
        differing = [name for name in before if before[name] != after.get(name)]
        if differing:
            told = ", ".join(f"{name}={value}" for name, value in values.items())
            return f"{told}: {differing[0]} was {before[differing[0]]} and is {after.get(differing[0])}"
    return ""


def _again(kernel: Kernel, body: HlsKernel, text: str) -> Kernel:
    """The kernel with what was read of its emitted text, whose knobs may be numbers now."""
    return replace(kernel, body=body, source=Source(kernel.source.name, text))


def _price(kernel: Kernel, values: dict[str, Value]) -> dict[str, str]:
    """The named expressions as text; an error is a price as any other."""
    backend = HlsBackend(kernel, Target(device=DEVICES[kernel.body_as(HlsKernel).dialect]))
    try:
        prices = Estimator(backend, backend.costs()).prices([Configuration(values)])
    except TunepassError as error:
        return {"error": error.diagnostics[0].message}
    return {name: repr(column[0]) for name, column in prices.items()}

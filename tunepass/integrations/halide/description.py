"""A pipeline of Halide as its own process describes it: Funcs with their stages, outputs, inputs."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import TunepassError
from tunepass.integrations.halide.asking import HALIDE
from tunepass.study.outcome import Failed

Shape = tuple[tuple[int, int], ...]  # by dimension the least coordinate and the extent


@dataclass(frozen=True, slots=True)
class Stage:
    """A definition of a Func: its loops over pure variables and over those of reductions, and the Funcs that it calls
    with the number of calls in its text."""

    pure: tuple[str, ...]
    rvars: tuple[str, ...]
    calls: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Func:
    """A Func: its index for `get_func`, arguments, bits of its values, stages. A `plain` one only renames another."""

    index: int
    name: str
    args: tuple[str, ...]
    bits: int
    plain: bool
    extern: bool
    stages: tuple[Stage, ...]
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """An output: a type for each element of its tuple, and the strides that the program demands."""

    name: str
    types: tuple[str, ...]
    dimensions: int
    strides: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Input:
    """An input: `dimensions` is None for a number, whose estimate is Halide's text."""

    name: str
    type: str
    dimensions: int | None
    estimate: Shape | None
    value: float | None


@dataclass(frozen=True, slots=True)
class Description:
    """A pipeline: Funcs with producers first, outputs, inputs, and the target of this machine."""

    funcs: tuple[Func, ...]
    outputs: tuple[Output, ...]
    inputs: tuple[Input, ...]
    target: str

    @property
    def by_name(self) -> Mapping[str, Func]:
        return {func.name: func for func in self.funcs}

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(output.name for output in self.outputs)

    @property
    def text(self) -> str:
        """The algorithm, a definition a line."""
        return "".join(f"{line}\n" for func in self.funcs for line in func.text)


def request_of(data: bytes) -> dict[str, object]:
    """The part of a request that holds the pipeline."""
    return {"pipeline": base64.b64encode(data).decode(), "directives": []}


def described(data: bytes, name: str) -> Description:
    """Raises TunepassError where Halide does not read the pipeline."""
    reply = HALIDE.answer("describe", request_of(data))
    if isinstance(reply, Failed):
        raise TunepassError(
            f"{name}: Halide does not read the pipeline: {first_line(reply.log)}",
            hint="a serialised pipeline is read by the version of Halide that wrote it",
        )
    names = short_names([str(known["name"]) for known in reply["functions"]])
    return Description(
        funcs=tuple(_func(index, known, names) for index, known in enumerate(reply["functions"])),
        outputs=tuple(
            Output(names[o["name"]], tuple(o["types"]), o["dimensions"], tuple(o["strides"])) for o in reply["outputs"]
        ),
        inputs=tuple(_input(known) for known in reply["inputs"]),
        target=reply["target"],
    )


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Without the `$1` that Halide adds to a name that its process has had before, where that leaves them distinct."""
    short = [name.partition("$")[0] for name in names]
    return {name: each if short.count(each) == 1 else name for name, each in zip(names, short)}


def _func(index: int, known: Mapping[str, object], names: Mapping[str, str]) -> Func:
    stages = known["stages"]
    bits, args, text = known["bits"], known["args"], known["text"]
    assert isinstance(stages, list) and isinstance(bits, list) and isinstance(args, list) and isinstance(text, list)
    return Func(
        index=index,
        name=names[str(known["name"])],
        args=tuple(args),
        bits=max(bits, default=0),
        plain=bool(known["plain"]),
        extern=bool(known["extern"]),
        stages=tuple(
            Stage(tuple(s["pure"]), tuple(s["rvars"]), {names[name]: count for name, count in s["calls"].items()})
            for s in stages
        ),
        text=tuple(text),
    )


def _input(known: Mapping[str, object]) -> Input:
    dimensions, estimate = known["dimensions"], known["estimate"]
    if dimensions is None:
        return Input(str(known["name"]), str(known["type"]), None, None, _value(str(estimate)))
    assert isinstance(dimensions, int)
    return Input(str(known["name"]), str(known["type"]), dimensions, shape_of(estimate), None)


def shape_of(pairs: object) -> Shape | None:
    if not isinstance(pairs, Sequence):
        return None
    return tuple((int(low), int(extent)) for low, extent in pairs)


def _value(text: str) -> float | None:
    """A constant as Halide prints it: `2.5f`, `(uint16)3`."""
    try:
        return float(text.rpartition(")")[2].rstrip("f"))
    except ValueError:
        return None


def first_line(log: str) -> str:
    return next((line.strip() for line in log.splitlines() if line.strip()), "no message")

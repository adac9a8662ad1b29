"""A pipeline of Halide and what it is called with: its kernel call, and the C function that the harness calls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from math import isfinite, isnan, prod
from pathlib import Path
from typing import Literal, Protocol

from tunepass.diagnostics import Source, TunepassError, spelling_hint
from tunepass.expr.algebra import lift
from tunepass.integrations.halide.asking import HALIDE, halide
from tunepass.integrations.halide.description import Description, Input, Shape, described, request_of, shape_of
from tunepass.integrations.halide.worker import FUNCTION, buffer_of, estimates
from tunepass.ir.c_kernel import ArrayArgument, KernelCall
from tunepass.study.outcome import Failed

Number = int | float
Extents = Sequence[int | tuple[int, int]]
C_TYPE: Mapping[str, str] = {
    "uint1": "unsigned char",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
}
CODE = {"int": 0, "uint": 1, "float": 2}  # halide_type_code_t
TYPE = re.compile(r"(bool|[a-z]+)(\d*)")
MAX_OUTPUTS = 64  # of a file, whose estimates are not known


@dataclass(frozen=True, slots=True)
class Buffer:
    """An argument of the compiled pipeline that is memory."""

    name: str
    type: str
    shape: Shape
    strides: tuple[int, ...]
    direction: Literal["in", "out"]

    @property
    def length(self) -> int:
        return 1 + sum((extent - 1) * stride for (_, extent), stride in zip(self.shape, self.strides))


@dataclass(frozen=True)
class Algorithm:
    """A pipeline without a schedule, with the sizes and values that it is judged with.

    Args:
        outputs: a Func, several, a Pipeline, or the path of a serialised pipeline (`-e hlpipe` of a generator).
        sizes: the extents of the output, or of each output; None: their estimates.
        shapes: by input its extents, or (least, extent) pairs; else those of the image that is bound to it, its
            estimates, or what the outputs need.
        scalars: by Param its value; else the value that it has, or its estimate.
        ranges: by input the least and the greatest of its elements; else [-1, 1], and 0..255 for integers.
        name: of the kernel; empty: the first output's.
        relative_tolerance: the difference that results may have; None: as the rounding of the pipeline itself allows.

    Raises:
        TunepassError: a pipeline without outputs, one that Halide does not read, an input without a size or a value,
            an unknown input.
        ImportError: Halide is not installed; the message names the extra.

    Example:
        >>> halide.Algorithm(blur_y, (640, 480)).name
        'blur_y'
    """

    outputs: object
    sizes: Sequence[int] | Sequence[Sequence[int]] | None = None
    shapes: Mapping[str, Extents] = field(default_factory=dict)
    scalars: Mapping[str, Number] = field(default_factory=dict)
    ranges: Mapping[str, tuple[Number, Number]] = field(default_factory=dict)
    name: str = ""
    relative_tolerance: float | None = None
    data: bytes = field(init=False, repr=False, compare=False)
    estimates: tuple[Shape | None, ...] = field(init=False, repr=False, compare=False)
    description: Description = field(init=False, repr=False, compare=False)
    order: tuple[str, ...] = field(init=False, repr=False, compare=False)  # of the inputs of the compiled function

    def __post_init__(self) -> None:
        title = self.name or "the pipeline"
        live = serialised(self.outputs, title)
        object.__setattr__(self, "data", live.data)
        object.__setattr__(self, "estimates", live.estimates)
        description = described(live.data, title)
        if not description.outputs:
            raise TunepassError(f"{title} has no outputs", hint="give the Func or the Funcs to compute")
        object.__setattr__(self, "description", description)
        object.__setattr__(self, "name", self.name or re.sub(r"\W", "_", description.outputs[0].name))
        object.__setattr__(self, "order", tuple(each.name for each in description.inputs))
        known = {each.name for each in description.inputs}
        for name in (*self.shapes, *self.scalars, *self.ranges):
            if name not in known:
                raise TunepassError(f"{self.name} has no input {name!r}", hint=spelling_hint(name, known))
        object.__setattr__(self, "scalars", {**live.scalars, **self.scalars})
        object.__setattr__(self, "shapes", {**live.shapes, **self.shapes})
        self.values, self.call  # noqa: B018 (they raise)

    @property
    def source(self) -> Source:
        """The algorithm as Halide prints it."""
        return Source(f"{self.name}.halide", self.description.text)

    @property
    def identity(self) -> Mapping[str, str]:
        """Texts that results depend on besides the algorithm's text."""
        return {
            "halide": version("halide"),
            "target": self.description.target,
            "pipeline": hashlib.sha256(self.data).hexdigest(),
            "call": repr(self.call),
            "values": repr(sorted(self.values.items())),
        }

    @cached_property
    def output_shapes(self) -> tuple[Shape, ...]:
        """The shape of each output. Raises TunepassError where one is not known."""
        outputs = self.description.outputs
        if self.sizes is None:
            for output, estimate in zip(outputs, self.estimates):
                if estimate is None:
                    hint = "give `sizes`; a Func of this program may have set_estimates, a file does not hold them"
                    raise TunepassError(f"the size of the output {output.name} is not known", hint=hint)
            return tuple(estimate or () for estimate in self.estimates)
        flat = [size for size in self.sizes if isinstance(size, int)]
        sizes = [flat] * len(outputs) if len(flat) == len(self.sizes) else list(self.sizes)
        if len(sizes) != len(outputs):
            raise TunepassError(f"{self.name} has {len(outputs)} outputs, sizes of {len(sizes)} are given")
        shapes = []
        for output, extents in zip(outputs, sizes):
            assert isinstance(extents, Sequence)
            shape = normal_shape(output.name, extents)
            if len(shape) != output.dimensions:
                words = f"{output.name} has {output.dimensions} dimensions, {len(shape)} sizes are given"
                raise TunepassError(words, self.source.span(0, 0), "the sizes are those of `realize`")
            shapes.append(shape)
        return tuple(shapes)

    @cached_property
    def values(self) -> Mapping[str, Number]:
        """By Param its value."""
        numbers: dict[str, Number] = {}
        for each in self.description.inputs:
            if each.dimensions is None:
                value = self.scalars.get(each.name, each.value)
                if value is None:
                    raise TunepassError(f"the value of {each.name} is not known", hint="give it in `scalars`")
                numbers[each.name] = value if each.type.startswith("float") else int(value)
        return numbers

    @cached_property
    def input_shapes(self) -> Mapping[str, Shape]:
        """By input its shape: as stated, estimated, or as the outputs need it. Raises TunepassError."""
        images = [each for each in self.description.inputs if each.dimensions is not None]
        known = {each.name: shape for each in images if (shape := self._stated(each)) is not None}
        missing = [each.name for each in images if each.name not in known]
        if not missing:
            return known
        self_sized = [name for name in missing if re.search(rf"\b{re.escape(name)}\.(min|extent)\.", self.source.text)]
        reply = None if self_sized else HALIDE.answer("shapes", self.request | {"shapes": known})
        needed = None if reply is None or isinstance(reply, Failed) else reply["shapes"]
        if needed is None:
            missing = self_sized or missing
            words = f"the size of the input {missing[0]} does not follow from the outputs"
            raise TunepassError(words, hint=f"give it: shapes={{{missing[0]!r}: (width, height)}}")
        inferred = {name: shape for name in missing if (shape := shape_of(needed[name])) is not None}
        return {**known, **inferred}

    def _stated(self, each: Input) -> Shape | None:
        stated = self.shapes.get(each.name)
        shape = each.estimate if stated is None else normal_shape(each.name, stated)
        if shape is not None and len(shape) != each.dimensions:
            raise TunepassError(f"{each.name} has {each.dimensions} dimensions, {len(shape)} sizes are given")
        return shape

    @property
    def request(self) -> dict[str, object]:
        """The part of a request that holds the pipeline, its sizes and values."""
        return {**request_of(self.data), "sizes": self.output_shapes, "scalars": self.values}

    @cached_property
    def buffers(self) -> tuple[Buffer, ...]:
        """The arguments that are memory, in the order of the compiled function."""
        memory = [
            Buffer(each.name, each.type, shape, dense(shape), "in")
            for each in self.description.inputs
            if each.dimensions is not None and (shape := self.input_shapes[each.name]) is not None
        ]
        for output, shape in zip(self.description.outputs, self.output_shapes):
            strides = dense(shape, output.strides)
            for number, kind in enumerate(output.types):
                name = output.name if len(output.types) == 1 else f"{output.name}.{number}"
                memory.append(Buffer(name, kind, shape, strides, "out"))
        for buffer in memory:
            if buffer.type not in C_TYPE:
                known = ", ".join(C_TYPE)
                raise TunepassError(f"{buffer.name} is {buffer.type}, which C does not have", hint=f"known: {known}")
        return tuple(memory)

    @cached_property
    def call(self) -> KernelCall:
        """The call as the harness of C kernels knows it. Raises TunepassError."""
        arguments = []
        for number, buffer in enumerate(self.buffers):
            low, high = self.ranges.get(buffer.name, (0, 1) if buffer.type == "uint1" else (None, None))
            arguments.append(
                ArrayArgument(
                    name=argument_name(number, buffer),
                    element=C_TYPE[buffer.type],
                    direction=buffer.direction,
                    length=lift(buffer.length),
                    lo=None if low is None else lift(low),
                    hi=None if high is None else lift(high),
                )
            )
        return KernelCall(
            function=self.function,
            prototype=f"void {self.function}({', '.join(map(prototype_word, arguments))})",
            arguments=tuple(arguments),
            relative_tolerance=self.relative_tolerance,
            sizes=(),
        )

    @property
    def function(self) -> str:
        return f"tunepass_call_{re.sub('[^A-Za-z0-9_]', '_', self.name)}"

    def caller(self, threads: int) -> str:
        """A C function with plain pointers that calls the compiled pipeline."""
        declared, words, body = [], [], []
        for number, buffer in enumerate(self.buffers):
            dims = ", ".join(f"{{{low}, {n}, {s}, 0}}" for (low, n), s in zip(buffer.shape, buffer.strides))
            name, const = argument_name(number, buffer), "const " if buffer.direction == "in" else ""
            words.append(f"{const}{C_TYPE[buffer.type]} *{name}")
            kind, bits = halide_type(buffer.type)
            body += [
                f"    halide_dimension_t d{number}[] = {{{dims or '{0, 0, 0, 0}'}}};",
                f"    struct halide_buffer_t b{number} = {{0}};",
                f"    b{number}.host = (uint8_t *)(uintptr_t){name};",
                f"    b{number}.type = (struct halide_type_t){{{kind}, {bits}, 1}};",
                f"    b{number}.dimensions = {len(buffer.shape)};",
                f"    b{number}.dim = d{number};",
            ]
        places = {buffer.name: number for number, buffer in enumerate(self.buffers) if buffer.direction == "in"}
        types = {each.name: each.type for each in self.description.inputs}
        actual = []
        for name in self.order:
            if name in places:
                declared.append("struct halide_buffer_t *")
                actual.append(f"&b{places[name]}")
            else:
                declared.append("_Bool" if types[name] == "uint1" else C_TYPE[types[name]])
                actual.append(c_number(self.values[name]))
        for number in range(len(places), len(self.buffers)):
            declared.append("struct halide_buffer_t *")
            actual.append(f"&b{number}")
        return "\n".join(
            [
                '#include "HalideRuntime.h"',
                f"int {FUNCTION}({', '.join(declared)});",
                f"void {self.function}({', '.join(words)}) {{",
                f"    halide_set_num_threads({threads});" if threads > 1 else "",
                *body,
                f"    {FUNCTION}({', '.join(actual)});",
                "}",
                "",
            ]
        )


class Param(Protocol):
    """Halide's Parameter."""

    def scalar_expr(self) -> object: ...


@dataclass(frozen=True, slots=True)
class Live:
    """A serialised pipeline, and what its program knows besides: values of Params, shapes of bound images, estimates
    of the outputs."""

    data: bytes
    scalars: Mapping[str, Number]
    shapes: Mapping[str, Extents]
    estimates: tuple[Shape | None, ...]


def serialised(outputs: object, title: str) -> Live:
    """Raises TunepassError for a pipeline without outputs."""
    if isinstance(outputs, (str, Path)):
        try:
            return Live(Path(outputs).read_bytes(), {}, {}, (None,) * MAX_OUTPUTS)
        except OSError as error:
            raise TunepassError(f"{outputs} cannot be read: {error.strerror}") from None
    hl = halide()
    several = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    if not several:
        raise TunepassError(f"{title} has no outputs", hint="give the Func or the Funcs to compute")
    for each in several:
        if not isinstance(each, (hl.Func, hl.Pipeline)):
            raise TunepassError(f"{title} is a Func of Halide, several, or a Pipeline; got {each!r}")
        if not each.defined():
            culprit = "the Pipeline" if isinstance(each, hl.Pipeline) else f"the Func {each.name()}"
            raise TunepassError(
                f"{title} has no outputs: {culprit} is not defined", hint="define it before it is tuned"
            )
    pipeline = several[0] if isinstance(several[0], hl.Pipeline) else hl.Pipeline(list(several))
    data, parameters = hl.serialize_pipeline(pipeline, get_params=True)
    scalars: dict[str, Number] = {}
    shapes: dict[str, Extents] = {}
    for name, parameter in parameters.items():
        if parameter.is_buffer():
            image = parameter.buffer()
            if image is not None and image.defined():
                dimensions = [image.dim(number) for number in range(image.dimensions())]
                shapes[name] = [(each.min(), each.extent()) for each in dimensions]
        elif (value := value_of(parameter)) is not None:
            scalars[name] = value
    estimated = tuple(shape_of(estimates(buffer_of(out), out.dimensions())) for out in pipeline.outputs())
    return Live(bytes(data), scalars, shapes, estimated)


def value_of(parameter: Param) -> Number | None:
    """The value of a Param; None where it has none, which Halide says by an error."""
    try:
        text = str(parameter.scalar_expr())
    except Exception as error:
        if type(error).__name__ != "HalideError":
            raise
        return None
    value = re.search(r"(-?[\d.]+(?:e[-+]?\d+)?)f?>\Z", text)
    return None if value is None else float(value[1])


def normal_shape(name: str, extents: Extents) -> Shape:
    shape = tuple((0, each) if isinstance(each, int) else (int(each[0]), int(each[1])) for each in extents)
    for _, extent in shape:
        if extent < 1:
            raise TunepassError(f"{name}: an extent is at least 1, got {extents!r}")
    return shape


def dense(shape: Shape, demanded: Sequence[int | None] = ()) -> tuple[int, ...]:
    """Strides without gaps; the first dimension is innermost, unless another stride is demanded."""
    extents = [extent for _, extent in shape]
    strides = [prod(extents[:number]) for number in range(len(extents))]
    demands = {number: stride for number, stride in enumerate(demanded) if stride is not None}
    if all(strides[number] == stride for number, stride in demands.items()):
        return tuple(strides)
    if len(extents) == 3 and demands.get(0) == extents[2]:  # interleaved channels
        return (extents[2], extents[0] * extents[2], 1)
    return tuple(demands.get(number, stride) for number, stride in enumerate(strides))


def halide_type(kind: str) -> tuple[int, int]:
    match = TYPE.fullmatch(kind)
    assert match is not None
    return CODE[match[1]], int(match[2])


def c_number(value: Number) -> str:
    """A number in C."""
    if isinstance(value, float) and not isfinite(value):
        return '__builtin_nan("")' if isnan(value) else f"{'-' if value < 0 else ''}__builtin_inf()"
    return repr(value)


def argument_name(number: int, buffer: Buffer) -> str:
    return f"{re.sub(r'[^A-Za-z0-9_]', '_', buffer.name)}_{number}"


def prototype_word(argument: ArrayArgument) -> str:
    return f"{'const ' if argument.direction == 'in' else ''}{argument.element} *{argument.name}"

"""A call of Kernel Tuner's `tune_kernel` as a kernel: its launch by its conventions, its restrictions as constraints.

The grid is the problem's size divided by `grid_div_x` (by the block's size where nothing is said), rounded up; the
block's size is in the parameters `block_size_x`, `block_size_y`, `block_size_z`, or those that `block_size_names` has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace

from tunepass.compilers.languages import CUDA, OPENCL
from tunepass.diagnostics import TunepassError
from tunepass.expr.from_python import from_python
from tunepass.expr.nodes import Type
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text
from tunepass.interchange.foreign_kernel import ForeignArgument, ForeignKernel, ForeignParameter, Language
from tunepass.interchange.python_values import value_of
from tunepass.interchange.tuner_scripts import Array, TunerCall, Typed, texts_of

LANGUAGES: Mapping[str, Language] = {
    "cuda": "cuda",
    "cupy": "cuda",
    "nvcuda": "cuda",
    "hip": "cuda",
    "opencl": "opencl",
}
SUFFIXES: Mapping[str, Language] = {**dict.fromkeys(CUDA, "cuda"), **dict.fromkeys(OPENCL, "opencl")}
BLOCK = ("block_size_x", "block_size_y", "block_size_z")
PLAIN_BLOCK = ("256", "1", "1")  # where no parameter gives it
AXES = "xyz"
WRITTEN = (
    r"\b{name}\s*(?:\[[^;]*?\])+\s*(?:[-+*/|&^]|<<|>>)?=(?!=)"
    r"|(?:atomic\w+|\+\+|--)\s*\(?\s*&?\s*{name}\b|\*\s*{name}\s*="
)


def foreign_kernel(call: TunerCall) -> ForeignKernel:
    """Without its text; what cannot be taken over is a note."""
    parameters = tuple(_parameter(name, values) for name, values in call.parameters.items())
    types = {p.name: p.parameter().type for p in parameters}
    notes: list[str] = []
    kernel = ForeignKernel(
        function=call.function, language=_language(call), parameters=parameters, constraints=(), source=call.file
    )
    constraints = []
    for text in texts_of(call.words.get("restrictions"), _restriction):
        translated = _translated(text, types) if text is not None else None
        if translated is None:
            notes.append(f"a restriction is not taken over: {text or 'it is a function that is not understood'}")
        else:
            constraints.append(translated)
    try:
        grid, block = _grid(call, types), _block(call, types)
    except TunepassError as error:
        grid, block = (), ()
        notes.append(f"the launch is not taken over: {str(error).splitlines()[0].removeprefix('error: ')}")
    arguments = () if call.arguments is None else tuple(map(_argument, call.arguments, range(len(call.arguments))))
    if not arguments:
        notes.append("the arguments are not taken over: what the script passes cannot be read")
    return replace(
        kernel, constraints=tuple(constraints), grid=grid, block=block, arguments=arguments, notes=tuple(notes)
    )


def with_directions(kernel: ForeignKernel, text: str) -> ForeignKernel:
    """Arrays that the text nowhere writes are inputs: a script does not say."""
    arguments = tuple(
        a if a.value is not None or re.search(WRITTEN.format(name=a.name), text) else replace(a, direction="in")
        for a in kernel.arguments
    )
    written = any(a.value is None and a.direction != "in" for a in arguments)
    return replace(kernel, arguments=arguments) if written else kernel


def _parameter(name: str, values: tuple[object, ...]) -> ForeignParameter:
    scalars = [value for value in values if isinstance(value, (bool, int, float, str))]
    if len(scalars) < len(values):
        raise TunepassError(f"a value of `{name}` is a number, a text or a truth value")
    distinct = tuple(dict.fromkeys(scalars))
    return ForeignParameter(name, distinct, distinct[0])


def _language(call: TunerCall) -> Language | None:
    lang = call.words.get("lang")
    if isinstance(lang, ast.Constant) and isinstance(lang.value, str):
        return LANGUAGES.get(lang.value.lower())
    if call.file is not None:
        return next((language for suffix, language in SUFFIXES.items() if call.file.endswith(suffix)), None)
    return "cuda" if "__global__" in (call.text or "") else "opencl" if "__kernel" in (call.text or "") else None


def _restriction(node: ast.expr) -> str | None:
    """A text; of a function of the parameters, its expression."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)]), body=body):
            return ast.unparse(_Unwrapped(name).visit(body))
    return None


class _Unwrapped(ast.NodeTransformer):
    """`p["block_size_x"]` is `block_size_x`."""

    def __init__(self, name: str):
        self.name = name

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))) if name == self.name:
                return ast.Name(id=key, ctx=ast.Load())
        return node


def _translated(text: str, types: Mapping[str, Type]) -> str | None:
    try:
        return to_text(parse(from_python(text), types))
    except TunepassError:
        return None


def _block(call: TunerCall, types: Mapping[str, Type]) -> tuple[str, ...]:
    names = _names(call)
    return tuple(name if name in types else plain for name, plain in zip(names, PLAIN_BLOCK))


def _names(call: TunerCall) -> tuple[str, ...]:
    node = call.words.get("block_size_names")
    named = [text for text in texts_of(node, _restriction) if text]
    return (*named, *BLOCK[len(named) :])[:3]


def _grid(call: TunerCall, types: Mapping[str, Type]) -> tuple[str, ...]:
    sizes, names = _problem(call, types), _names(call)
    extents = []
    for axis, size in enumerate(sizes):
        given = call.words.get(f"grid_div_{AXES[axis]}")
        usual = [names[axis]] if names[axis] in types and given is None else []
        if axis == 0 and not usual and given is None:
            usual = [PLAIN_BLOCK[0]]
        if isinstance(given, ast.Constant) and given.value is None:
            usual, given = [names[axis]] if names[axis] in types else [], None
        divisors = [*usual, *(text for text in texts_of(given, _restriction) if text)]
        whole = " * ".join(f"({from_python(text.replace('/', '//').replace('////', '//'))})" for text in divisors)
        extents.append(to_text(parse(f"ceildiv({size}, {whole})" if whole else size, types)))
    return tuple(extents)


def _problem(call: TunerCall, types: Mapping[str, Type]) -> tuple[str, ...]:
    """The problem's size on each axis: numbers, or expressions over the parameters."""
    node = call.problem
    if isinstance(node, ast.Name) and node.id in call.names:
        value = call.names[node.id]
    elif isinstance(node, (ast.Tuple, ast.List)):
        parts = [_extent(part, call, types) for part in node.elts]
        return tuple(parts)[:3]
    else:
        return (_extent(node, call, types),)
    values = value if isinstance(value, tuple) else (value,)
    return tuple(_expression_text(part, types) for part in values)[:3]


def _extent(node: ast.expr, call: TunerCall, types: Mapping[str, Type]) -> str:
    return _expression_text(value_of(node, call.names), types)


def _expression_text(value: object, types: Mapping[str, Type]) -> str:
    if isinstance(value, str):
        return to_text(parse(from_python(value), types))
    if isinstance(value, (int, float)) and value == int(value):
        return str(int(value))
    raise TunepassError("the problem's size cannot be read")


def _argument(value: Array | Typed, index: int) -> ForeignArgument:
    name = f"argument{index}"  # until the kernel's text gives its own
    if isinstance(value, Typed):
        number = value.value
        return ForeignArgument(name=name, element=value.element, value=repr(number))
    return ForeignArgument(name=name, element=value.element, direction="inout", length=value.length)

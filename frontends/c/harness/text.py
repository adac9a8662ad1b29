"""The generated part of a harness, from plain C text: the fixed parts are runtime.h and timing.h."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

FIXED = ("runtime.h", "timing.h")
INCLUDED = "tunepass_included_"  # prefix of the kernel and main when the source is included for its types


@dataclass(frozen=True, slots=True, kw_only=True)
class CScalar:
    """A scalar argument: `value` is a C constant, of type double if `real`, else int64_t."""

    name: str
    element: str
    value: str
    real: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CArray:
    """An array argument. `fill` is a C expression of the scalars and `i`; `lo`, `hi` are C constants."""

    name: str
    element: str
    direction: str  # in, out, inout
    length: int
    fill: str | None = None
    lo: str | None = None
    hi: str | None = None


def harness_text(
    function: str, prototype: str, arguments: Sequence[CScalar | CArray], *, prelude: str = "", title: str = ""
) -> str:
    """The whole harness. `prelude` holds the C functions that fill expressions call."""
    folder = resources.files("tunepass.frontends.c.harness")
    arrays = [argument for argument in arguments if isinstance(argument, CArray)]
    scalars = [argument for argument in arguments if isinstance(argument, CScalar)]
    parts = [
        f"/* {title or 'Harness of ' + function} (generated) */",
        *((folder / name).read_text() for name in FIXED),
        prelude,
        _included(function),
        f"{prototype.strip()};",
        _describe(arrays),
        _fill(arrays, scalars),
        _call(function, arguments),
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _included(function: str) -> str:
    names = dict.fromkeys((function, "main"))
    return "\n".join(
        [
            "#ifdef TP_INCLUDE_SOURCE",
            *(f"#define {name} {INCLUDED}{name}" for name in names),
            "#include TP_INCLUDE_SOURCE",
            *(f"#undef {name}" for name in names),
            "#endif",
        ]
    )


def _describe(arrays: Sequence[CArray]) -> str:
    lines = ["static void tp_describe(void) {", f"    tp_array_count = {len(arrays)};"]
    for index, array in enumerate(arrays):
        direction = f"TP_{array.direction.upper()}"
        lines.append(
            f'    tp_arrays[{index}] = TP_ARRAY("{array.name}", {direction}, {array.element}, INT64_C({array.length}));'
        )
    return "\n".join([*lines, "}"])


def _fill(arrays: Sequence[CArray], scalars: Sequence[CScalar]) -> str:
    """One function for each array, so that the scalars' names can hide nothing of another's."""
    functions, calls = [], []
    for index, array in enumerate(arrays):
        if array.direction == "out":
            continue
        body = _fill_body(index, array, scalars)
        functions.append(f"static void tp_fill_{index}(uint64_t tp_seed) {{\n    (void)tp_seed;\n{body}\n}}")
        calls.append(f"    tp_fill_{index}(tp_seed);")
    opening = "static void tp_fill(uint64_t tp_seed) {\n    (void)tp_seed;"
    return "\n".join([*functions, opening, *calls, "}"])


def _fill_body(index: int, array: CArray, scalars: Sequence[CScalar]) -> str:
    if array.fill is not None:
        lines = [
            f"    const {'double' if s.real else 'int64_t'} {s.name} = {s.value}; (void){s.name};" for s in scalars
        ]
        lines.append(f"    const int64_t tp_count = (int64_t)tp_arrays[{index}].count;")
        lines.append("    for (int64_t i = 0; i < tp_count; i++)")
        lines.append(f"        (({array.element} *)tp_arrays[{index}].data)[i] = ({array.element})({array.fill});")
        return "\n".join(lines)
    if array.lo is None and array.hi is None:
        return f"    TP_RANDOM({array.element}, {index}, tp_seed);"
    lo, hi = array.lo or "0", array.hi or "1"
    return (
        f"    if (TP_KIND({array.element}) == 'f')\n"
        f"        TP_RANDOM_REAL({array.element}, {index}, tp_seed, {lo}, {hi});\n"
        f"    else\n"
        f"        TP_RANDOM_INTEGER({array.element}, {index}, tp_seed, (int64_t)({lo}), (int64_t)({hi}));"
    )


def _call(function: str, arguments: Sequence[CScalar | CArray]) -> str:
    words, index = [], 0
    for argument in arguments:
        if isinstance(argument, CScalar):
            words.append(f"({argument.element}){argument.value}")
        else:
            words.append(f"TP_POINTER({index})")
            index += 1
    return f"static void tp_call(void) {{\n    (void){function}({', '.join(words)});\n}}"

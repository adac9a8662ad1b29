"""The generated part of a harness, from plain C text; the fixed parts are the .h files beside this one.

What differs by size (scalars, lengths, bounds) is a table that the program indexes with the number of the size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

FIRST = ("runtime.h", "inputs.h", "timing.h")  # checks.h reads tables of the generated part, so it is last
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
    function: str,
    prototype: str,
    arguments: Sequence[CScalar | CArray],
    *,
    further: Sequence[Sequence[CScalar | CArray]] = (),
    pairs: Sequence[tuple[str, str]] = (),
    prelude: str = "",
    title: str = "",
) -> str:
    """The whole harness. `further` are the arguments at each further size, `pairs` names arrays that may overlap,
    `prelude` holds the C functions that fill expressions call."""
    sizes = [arguments, *further]
    arrays = [[a for a in size if isinstance(a, CArray)] for size in sizes]
    scalars = [[a for a in size if isinstance(a, CScalar)] for size in sizes]
    parts = [
        f"/* {title or 'Harness of ' + function} (generated) */",
        *(_fixed(name) for name in FIRST),
        prelude,
        _included(function),
        f"{prototype.strip()};",
        _scalar_tables(scalars),
        _describe(arrays),
        _fill(arrays, scalars[0]),
        _draw(arrays[0]),
        _any_value(arrays[0]),
        _pairs(arrays[0], pairs),
        _call(function, arguments),
        _fixed("checks.h"),
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _fixed(name: str) -> str:
    return (resources.files("tunepass.frontends.c.harness") / name).read_text(encoding="utf-8")


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


def _table(name: str, element: str, values: Sequence[str]) -> str:
    return f"static const {element} {name}[] = {{{', '.join(values)}}};"


def _scalar_tables(sizes: Sequence[Sequence[CScalar]]) -> str:
    return "\n".join(
        _table(f"tp_scalar_{index}", _wide(values[0]), [scalar.value for scalar in values])
        for index, values in enumerate(zip(*sizes))
    )


def _wide(scalar: CScalar) -> str:
    return "double" if scalar.real else "int64_t"


def _describe(sizes: Sequence[Sequence[CArray]]) -> str:
    tables = [
        _table(f"tp_length_{index}", "int64_t", [f"INT64_C({array.length})" for array in arrays])
        for index, arrays in enumerate(zip(*sizes))
    ]
    lines = ["static void tp_describe(void) {", f"    tp_array_count = {len(sizes[0])};"]
    for index, array in enumerate(sizes[0]):
        words = f'"{array.name}", TP_{array.direction.upper()}, {array.element}, tp_length_{index}[tp_set]'
        lines.append(f"    tp_arrays[{index}] = TP_ARRAY({words});")
    return "\n".join([*tables, *lines, "}"])


def _fill(sizes: Sequence[Sequence[CArray]], scalars: Sequence[CScalar]) -> str:
    """One function for each array, so that the scalars' names can hide nothing of another's."""
    functions, calls = [], []
    for index, arrays in enumerate(zip(*sizes)):
        if arrays[0].direction == "out":
            continue
        body = _fill_body(index, arrays, scalars)
        functions.append(f"static void tp_fill_{index}(uint64_t tp_seed) {{\n    (void)tp_seed;\n{body}\n}}")
        calls.append(f"    tp_fill_{index}(tp_seed);")
    opening = "static void tp_fill(uint64_t tp_seed) {\n    (void)tp_seed;"
    return "\n".join([*functions, opening, *calls, "}"])


def _fill_body(index: int, arrays: Sequence[CArray], scalars: Sequence[CScalar]) -> str:
    """`arrays` is one array at every size."""
    array = arrays[0]
    if array.fill is not None:
        lines = [
            f"    const {_wide(s)} {s.name} = tp_scalar_{k}[tp_set]; (void){s.name};" for k, s in enumerate(scalars)
        ]
        lines.append(f"    const int64_t tp_count = (int64_t)tp_arrays[{index}].count;")
        lines.append("    for (int64_t i = 0; i < tp_count; i++)")
        lines.append(f"        (({array.element} *)tp_arrays[{index}].data)[i] = ({array.element})({array.fill});")
        return "\n".join(lines)
    if array.lo is None and array.hi is None:
        return f"    TP_RANDOM({array.element}, {index}, tp_seed, {_range(array)});"
    bounds = [(a.lo or "0", a.hi or "1") for a in arrays]
    wide = "double" if any("." in text or "e" in text for pair in bounds for text in pair) else "int64_t"
    return (
        f"    {_table('tp_lo', wide, [lo for lo, _ in bounds])}\n"
        f"    {_table('tp_hi', wide, [hi for _, hi in bounds])}\n"
        f"    TP_RANDOM({array.element}, {index}, tp_seed, tp_lo[tp_set], tp_hi[tp_set]);"
    )


def _range(array: CArray) -> str:
    """The bounds of a random element: those that were asked for, else those of its type."""
    if array.lo is None and array.hi is None:
        return f"TP_LEAST({array.element}), TP_MOST({array.element})"
    return f"{array.lo or '0'}, {array.hi or '1'}"


def _draw(arrays: Sequence[CArray]) -> str:
    """One element of a random array anew. What `fill` computes stays: other contents may mean nothing to the kernel."""
    lines = [
        "static int tp_draw(int tp_array_index, size_t tp_k, uint64_t tp_bits) {",
        "    (void)tp_k, (void)tp_bits;",
    ]
    lines.append("    switch (tp_array_index) {")
    for index, array in enumerate(arrays):
        if array.direction != "out" and array.fill is None:
            draw = f"TP_DRAW({array.element}, {index}, tp_k, tp_bits, {_range(array)})"
            lines.append(f"    case {index}: {draw}; return 1;")
    return "\n".join([*lines, "    default: return 0;", "    }", "}"])


def _any_value(arrays: Sequence[CArray]) -> str:
    """Which arrays may hold special values: those of which the pragma says no more than their type."""
    free = [a.direction != "out" and a.fill is None and a.lo is None and a.hi is None for a in arrays]
    return _table("tp_any_value", "int", [str(int(is_free)) for is_free in free])


def _pairs(arrays: Sequence[CArray], pairs: Sequence[tuple[str, str]]) -> str:
    number = {array.name: index for index, array in enumerate(arrays)}
    rows = [f"{{{number[a]}, {number[b]}}}" for a, b in pairs] or ["{0, 0}"]
    return f"static const int tp_pairs[][2] = {{{', '.join(rows)}}};"


def _call(function: str, arguments: Sequence[CScalar | CArray]) -> str:
    words, scalars, arrays = [], 0, 0
    for argument in arguments:
        if isinstance(argument, CScalar):
            words.append(f"({argument.element})tp_scalar_{scalars}[tp_set]")
            scalars += 1
        else:
            words.append(f"TP_POINTER({arrays})")
            arrays += 1
    return f"static void tp_call(void) {{\n    (void){function}({', '.join(words)});\n}}"

"""The functions of a harness that fill its arrays, and that draw one element anew."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.c.harness.contents import content_table, loading
from tunepass.frontends.c.harness.plan import CArray, CScalar
from tunepass.frontends.c.harness.tables import table, wide_type


def fill_arrays(sizes: Sequence[Sequence[CArray]], scalars: Sequence[CScalar], counted: bool) -> str:
    """One function for each array, so that the scalars' names can hide nothing of another's."""
    functions, calls = [], []
    for index, arrays in enumerate(zip(*sizes)):
        if not arrays[0].filled:
            continue
        body = _fill_body(index, arrays, scalars)
        functions.append(f"static void tp_fill_{index}(uint64_t tp_seed) {{\n    (void)tp_seed;\n{body}\n}}")
        calls.append(f"    tp_fill_{index}(tp_seed);")
    opening = "static void tp_fill(uint64_t tp_seed) {\n    (void)tp_seed;" + "\n    tp_make_objects();" * counted
    return "\n".join([*functions, opening, *calls, "}"])


def _fill_body(index: int, arrays: Sequence[CArray], scalars: Sequence[CScalar]) -> str:
    """`arrays` is one array at every size."""
    array = arrays[0]
    contents = [a.content for a in arrays if a.content is not None]
    if array.direction == "work":
        return f"    memset(tp_arrays[{index}].data, 0, tp_arrays[{index}].size * tp_arrays[{index}].count);"
    if contents:
        numbers = content_table(index, array.element, contents)
        return "\n".join(f"    {line}" for line in (*numbers.splitlines(), loading(index)))
    if array.fill is not None:
        lines = [
            f"    const {wide_type(s)} {s.name} = tp_scalar_{k}[tp_set]; (void){s.name};" for k, s in enumerate(scalars)
        ]
        lines.append(f"    const int64_t tp_count = (int64_t)tp_arrays[{index}].count;")
        lines.append("    for (int64_t i = 0; i < tp_count; i++)")
        element = f"(({array.element} *)tp_arrays[{index}].data)[i]"
        if array.row:
            row = f"tp_row_{index}[tp_set]"
            element = f"(({array.element} *)tp_row_at(&tp_arrays[{index}], i / {row}))[i % {row}]"
        lines.append(f"        {element} = ({array.element})({array.fill});")
        return "\n".join(lines)
    if array.lo is None and array.hi is None:
        return "\n".join(f"    {line}" for line in _random(index, array, "RANDOM", "tp_seed", None))
    lines = [*_bound_tables(arrays).splitlines(), *_random(index, array, "RANDOM", "tp_seed", BOUNDS)]
    return "\n".join(f"    {line}" for line in lines)


def _bound_tables(arrays: Sequence[CArray]) -> str:
    bounds = [(a.lo or "0", a.hi or "1") for a in arrays]
    wide = "double" if any("." in text or "e" in text for pair in bounds for text in pair) else "int64_t"
    least, most = (table(name, wide, [pair[k] for pair in bounds]) for k, name in enumerate(("tp_lo", "tp_hi")))
    return f"{least}\n{most}"


BOUNDS = "tp_lo[tp_set], tp_hi[tp_set]"


def _random(index: int, array: CArray, what: str, words: str, bounds: str | None) -> list[str]:
    """Statements that draw all elements (`RANDOM`) or one (`DRAW`). `words` are the seed, or the element and bits."""
    if array.enumerators and bounds is None:
        return [f"TP_{what}_OF({array.element}, {index}, {words}, tp_values_{index});"]
    if not array.leaves:
        return [f"TP_{what}({array.element}, {index}, {words}, {bounds or _range(array, array.element)});"]
    return [
        f"TP_{what}_LEAF({leaf.element}, {index}, {number}, {words}, {bounds or _range(array, leaf.element)});"
        for number, leaf in enumerate(array.leaves)
    ]


def _range(array: CArray, element: str) -> str:
    """The bounds of a random number: those that were asked for, else those of its type."""
    if array.lo is None and array.hi is None:
        return f"TP_LEAST({element}), TP_MOST({element})"
    return f"{array.lo or '0'}, {array.hi or '1'}"


def draw_element(arrays: Sequence[CArray]) -> str:
    """One element of a random array anew. What `fill` computes stays: other contents may mean nothing to the kernel."""
    lines = [
        "static int tp_draw(int tp_array_index, size_t tp_k, uint64_t tp_bits) {",
        "    (void)tp_k, (void)tp_bits;",
    ]
    lines.append("    switch (tp_array_index) {")
    for index, array in enumerate(arrays):
        if array.drawn:
            bounds = None if array.lo is None and array.hi is None else _range(array, "")
            draws = _random(index, array, "DRAW", "tp_k, tp_bits", bounds)
            lines.append(f"    case {index}: {' '.join(draws)} return 1;")
    return "\n".join([*lines, "    default: return 0;", "    }", "}"])


def ranges_of(sizes: Sequence[Sequence[CArray]]) -> str:
    """The ranges that the pragma gives, of which there is one at every size."""
    lines = ["static int tp_range_of(int tp_array_index, tp_range *tp_of) {", "    switch (tp_array_index) {"]
    for index, arrays in enumerate(zip(*sizes)):
        if not arrays[0].drawn or (arrays[0].lo is None and arrays[0].hi is None):
            continue
        lines += [f"    case {index}: {{", *(f"        {line}" for line in _bound_tables(arrays).splitlines())]
        lines += [
            f"        TP_SET_RANGE(tp_of, tp_arrays[{index}], tp_lo[tp_set], tp_hi[tp_set]);",
            "        return 1;",
            "    }",
        ]
    return "\n".join([*lines, "    default: return (void)tp_of, 0;", "    }", "}"])


def value_tables(arrays: Sequence[CArray]) -> str:
    """Which arrays hold random numbers, which of them may hold special values: those of which the pragma says no
    more than their type; and which that are filled may hold other numbers."""
    free = [a.drawn and a.lo is None and a.hi is None and not a.enumerators for a in arrays]
    drawn = table("tp_drawn", "int", [str(int(a.drawn)) for a in arrays])
    refillable = table("tp_refillable", "int", [str(int(a.refillable)) for a in arrays])
    return "\n".join((drawn, table("tp_any_value", "int", [str(int(is_free)) for is_free in free]), refillable))

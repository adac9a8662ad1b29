"""Tables of the generated part of a harness, and the function that describes its arrays.

What differs by size (scalars, lengths, bounds) is a table that the program indexes with the number of the size.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.c.harness.plan import CArray, CScalar
from tunepass.ir.c_kernel import Leaf, Literals


def table(name: str, element: str, values: Sequence[str]) -> str:
    return f"static const {element} {name}[] = {{{', '.join(values)}}};"


def scalar_tables(sizes: Sequence[Sequence[CScalar]]) -> str:
    return "\n".join(
        table(f"tp_scalar_{index}", wide_type(values[0]), [scalar.value for scalar in values])
        for index, values in enumerate(zip(*sizes))
    )


def whole_scalars(sizes: Sequence[Sequence[CScalar]]) -> str:
    """The function that draws one of a call's whole scalars at the present size; 0 where it has none."""
    whole = [index for index, values in enumerate(zip(*sizes)) if not values[0].real]
    drawn = [f"    if (bits % {len(whole)} == {k}) return tp_scalar_{i}[tp_set];" for k, i in enumerate(whole)]
    unused = [] if drawn else ["    (void)bits;"]
    return "\n".join(["static int64_t tp_whole_scalar(uint64_t bits) {", *drawn, *unused, "    return 0;", "}"])


def literal_tables(literals: Literals) -> str:
    """The source's numbers and letters; with a number where it has none, since C has no empty tables."""
    kinds = {
        "whole": ("int64_t", literals.whole),
        "real": ("double", literals.real),
        "letter": ("int", literals.letters),
    }
    lines = [
        line
        for name, (element, values) in kinds.items()
        for line in (
            table(f"tp_literal_{name}", element, [repr(value) for value in values] or ["0"]),
            f"static const unsigned tp_literal_{name}_count = {len(values)};",
        )
    ]
    return "\n".join(lines)


def wide_type(scalar: CScalar) -> str:
    return "double" if scalar.real else "int64_t"


def enumerator_table(index: int, array: CArray) -> str:
    return table(f"tp_values_{index}", array.element, array.enumerators)


def leaf_table(index: int, array: CArray) -> str:
    leaves = table(f"tp_leaves_{index}", "tp_leaf", [_leaf(array.element, leaf) for leaf in array.leaves])
    return f"#if {array.condition}\n{leaves}\n#endif" if array.condition else leaves


def _leaf(owner: str, leaf: Leaf) -> str:
    """Its entry in the table; `owner` is the element's type."""
    kind = "'p'" if leaf.kind == "pointer" else f"TP_KIND({leaf.element})"
    path, size = leaf.path.removeprefix("."), f"sizeof({leaf.element})"
    part = ("real", "imaginary").index(leaf.kind) if leaf.kind in ("real", "imaginary") else None
    if leaf.offset is not None:
        name, after = (f"{path}.{leaf.kind}", f" + {part} * {size}") if part is not None else (path, "")
        plain = "'f'" if part is not None else kind
        return f'{{"{name}", {plain}, {size}, {leaf.offset}{after}, {leaf.count}}}'
    if part is not None and path:
        return f'TP_PART({owner}, {path}, {leaf.element}, "{leaf.kind}", {part})'
    if part is not None:
        return f"""{{"{leaf.kind}", 'f', {size}, {part} * {size}, 1}}"""
    if path:
        return f"TP_MEMBER({owner}, {path}, {leaf.element}, {kind})"
    return f'{{"", {kind}, {size}, 0, sizeof({owner}) / {size}}}'


def describe_arrays(sizes: Sequence[Sequence[CArray]], setup: bool) -> str:
    tables = [
        table(f"tp_length_{index}", "int64_t", [f"INT64_C({array.length})" for array in arrays])
        for index, arrays in enumerate(zip(*sizes))
        if not arrays[0].variable and not arrays[0].place
    ]
    tables += [
        table(f"tp_row_{index}", "size_t", [str(array.row) for array in arrays])
        for index, arrays in enumerate(zip(*sizes))
        if arrays[0].row
    ]
    lines = ["static void tp_describe(void) {", f"    tp_array_count = {len(sizes[0])};"]
    variables = [index for index, array in enumerate(sizes[0]) if array.variable]
    for index, array in enumerate(sizes[0]):
        described = _described(index, array)
        if array.rows_of is not None:
            row = f"tp_row_{array.rows_of}[tp_set]"
            described += f"\n    tp_arrays[{array.rows_of}].row = {row}, tp_arrays[{array.rows_of}].table = {index};"
        if array.variable:
            place = f"tp_place_variable(&tp_arrays[{index}], &tunepass_globals[{variables.index(index)}]);"
            made = f"\n    tp_arrays[{index}].place = -1, tp_arrays[{index}].filled = {int(array.filled)};"
            described += f"{made if setup else ''}\n    {place}"
        if array.container is not None:
            described += f"\n    tp_arrays[{index}].alignment = TP_NEW_ALIGNMENT;"
        if array.condition:
            nothing = f'    tp_arrays[{index}] = TP_ARRAY("{array.name}", TP_IN, char, 0);'
            described = f"#if {array.condition}\n{described}\n#else\n{nothing}\n#endif"
        lines.append(described)
    return "\n".join([*tables, *lines, "}"])


def _described(index: int, array: CArray) -> str:
    length = f"sizeof({array.variable}) / sizeof({array.element})" if array.variable else f"tp_length_{index}[tp_set]"
    words = f'"{array.name}", TP_{array.direction.upper()}, {array.element}, {length}'
    if array.place:
        words = f'{array.place - 1}, "{array.name}", TP_{array.direction.upper()}, {int(array.filled)}'
        return f"    tp_arrays[{index}] = tp_describe_place({words});"
    described = f"TP_RECORDS({words}, tp_leaves_{index})" if array.leaves else f"TP_ARRAY({words})"
    if array.direction == "work":
        described = f'TP_WORK_ARRAY("{array.name}", {array.element}, {length})'
    if array.rows_of is not None:
        described = f'TP_ROW_TABLE("{array.name}", {length})'
    return f"    tp_arrays[{index}] = {described};"

"""The generated part of a harness, from plain C text; the fixed parts are the .h files beside this one.

What differs by size (scalars, lengths, bounds) is a table that the program indexes with the number of the size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources

from tunepass.frontends.c.harness.contents import Content, content_table, loading
from tunepass.ir.c_kernel import Container, Leaf

FIRST = ("runtime.h", "inputs.h", "outputs.h", "timing.h")
LAST = ("checks.h", "main.h")  # they read tables of the generated part
RETURNED = "tp_returned"  # the type of what the function returns
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
    """An array argument. `fill` is a C expression of the scalars and `i`; `lo`, `hi` are C constants. With `content`
    at one size there is one at every size."""

    name: str
    element: str
    direction: str  # in, out, inout, work
    length: int
    fill: str | None = None
    lo: str | None = None
    hi: str | None = None
    leaves: tuple[Leaf, ...] = ()  # of an element that is no plain number
    enumerators: tuple[str, ...] = ()
    variable: str = ""  # of the source, whose memory it is; its length is the variable's own
    kept: bool = False  # as the source initialises it
    condition: str = ""  # of the preprocessor, without which there is no such variable
    row: int = 0  # elements of a row, where the kernel gets pointers to rows
    pointer_rows: tuple[int, ...] = ()  # lengths of the rows of pointers that further pointers lead to, innermost first
    by_value: bool = False  # the function gets the element, of which there is one
    rows_of: int | None = None  # the number of the array to whose rows these pointers point
    container: Container | None = None
    content: Content | None = None
    place: int = 0  # the number (from 1) of the place of the setup's where it lies

    @property
    def drawn(self) -> bool:
        """Whether its elements are random numbers."""
        return self.filled and self.direction != "work" and self.fill is None and self.content is None

    @property
    def filled(self) -> bool:
        return self.direction in ("in", "inout", "work") and not self.kept


@dataclass(frozen=True, slots=True, kw_only=True)
class CSetup:
    """The user's functions that the entry calls to make what the kernel takes, and the places to compare."""

    function: str
    teardown: str = ""
    once: bool = False
    places: tuple[CArray, ...] = ()


def harness_text(
    function: str,
    prototype: str,
    arguments: Sequence[CScalar | CArray],
    *,
    returned: Sequence[Leaf] = (),
    variables: Sequence[CArray] = (),
    declared: str = "",
    further: Sequence[Sequence[CScalar | CArray]] = (),
    pairs: Sequence[tuple[str, str]] = (),
    prelude: str = "",
    title: str = "",
    counted: bool = False,
    setup: CSetup | None = None,
) -> str:
    """The whole harness. `returned` are the numbers in what the function returns, `variables` those of the source that
    are compared, in the table that `declared` declares. `further` are the arguments at each further size, `pairs` names
    arrays that may overlap, `prelude` holds the C functions that fill expressions call. With `counted` the function
    takes containers, and the number of elements after each address. With a `setup`
    the function is the entry beside it."""
    sizes = [arguments, *further]
    plain = len(returned) == 1 and returned[0].kind == "number" and not returned[0].path
    leaves = () if plain else tuple(returned)
    result = [CArray(name="return", element=RETURNED, direction="out", length=1, leaves=leaves)]
    lengths = [_length_of(a) for a in arguments if isinstance(a, CArray) and a.container == "resizable"]
    beside = [*(setup.places if setup else ()), *variables, *lengths, *(result if returned else ())]
    arrays = [_with_rows([*(a for a in size if isinstance(a, CArray)), *beside]) for size in sizes]
    listed = {k: a.element for k, a in enumerate(arrays[0]) if "," in a.element}  # no macro's argument holds a comma
    arrays = [[replace(a, element=f"tp_element_{k}") if k in listed else a for k, a in enumerate(s)] for s in arrays]
    called = _called(function, arguments, arrays[0], counted)
    scalars = [[a for a in size if isinstance(a, CScalar)] for size in sizes]
    parts = [
        f"/* {title or 'Harness of ' + function} (generated) */",
        *(_fixed(name) for name in FIRST),
        _fixed("contents.h") if any(array.content is not None for array in arrays[0]) else "",
        prelude,
        NEEDS_SOURCE if variables else "",
        _included(function),
        f"{declared}\n{_fixed('variables.h')}" if variables else "",
        f"{prototype.strip()};",
        "\n".join(f"typedef {element} tp_element_{k};" for k, element in listed.items()),
        _scalar_tables(scalars),
        _setup(setup, scalars[0], len(variables)),
        *((_containers(arrays[0]), _fixed("containers.h")) if counted else ()),
        f"typedef __typeof__({called}) {RETURNED};" if returned else "",
        *(_enumerator_table(index, array) for index, array in enumerate(arrays[0]) if array.enumerators),
        *(_leaf_table(index, array) for index, array in enumerate(arrays[0]) if array.leaves),
        _describe(arrays, setup is not None),
        _fill(arrays, scalars[0], counted),
        _draw(arrays[0]),
        _any_value(arrays[0]),
        _pairs(arrays[0], pairs),
        _call(called, arrays[0].index(result[0]) if returned else None, used=setup is not None),
        "" if counted else "static void tp_settle(void) {}",
        *(_fixed(name) for name in LAST),
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _with_rows(arrays: Sequence[CArray]) -> list[CArray]:
    """The arrays of pointers to rows come last."""
    whole = list(arrays)
    for index, array in enumerate(arrays):
        inner = index
        for row in (array.row, *array.pointer_rows) if array.row else ():
            whole[inner] = replace(whole[inner], row=row)
            length = whole[inner].length // max(1, row)
            whole.append(CArray(name=array.name, element="void *", direction="rows", length=length, rows_of=inner))
            inner = len(whole) - 1
    return whole


# Types of variables are known only there; the compiler stops at once.
NEEDS_SOURCE = '#ifndef TP_INCLUDE_SOURCE\n#include "the source"\n#endif'


def _length_of(array: CArray) -> CArray:
    return CArray(name=f"{array.name}.size()", element="int64_t", direction="out", length=1)


def _containers(arrays: Sequence[CArray]) -> str:
    """What is asked of the entry, which arrays may be containers', and where their lengths go."""
    number = {array.name: str(index) for index, array in enumerate(arrays)}
    lengths = [number.get(f"{array.name}.size()", "-1") for array in arrays]
    return "\n".join(
        [
            "struct tp_answer { void *object, *data; size_t size; };",
            'extern "C" tp_answer tunepass_container(int argument, int what, size_t count);',
            _table("tp_contained", "int", [str(int(array.container is not None)) for array in arrays]),
            _table("tp_length_of", "int", lengths),
        ]
    )


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


def _enumerator_table(index: int, array: CArray) -> str:
    return _table(f"tp_values_{index}", array.element, array.enumerators)


def _leaf_table(index: int, array: CArray) -> str:
    table = _table(f"tp_leaves_{index}", "tp_leaf", [_leaf(array.element, leaf) for leaf in array.leaves])
    return f"#if {array.condition}\n{table}\n#endif" if array.condition else table


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


def _describe(sizes: Sequence[Sequence[CArray]], setup: bool) -> str:
    tables = [
        _table(f"tp_length_{index}", "int64_t", [f"INT64_C({array.length})" for array in arrays])
        for index, arrays in enumerate(zip(*sizes))
        if not arrays[0].variable and not arrays[0].place
    ]
    tables += [
        _table(f"tp_row_{index}", "size_t", [str(array.row) for array in arrays])
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


def _fill(sizes: Sequence[Sequence[CArray]], scalars: Sequence[CScalar], counted: bool) -> str:
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
        table = content_table(index, array.element, contents)
        return "\n".join(f"    {line}" for line in (*table.splitlines(), loading(index)))
    if array.fill is not None:
        lines = [
            f"    const {_wide(s)} {s.name} = tp_scalar_{k}[tp_set]; (void){s.name};" for k, s in enumerate(scalars)
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
    bounds = [(a.lo or "0", a.hi or "1") for a in arrays]
    wide = "double" if any("." in text or "e" in text for pair in bounds for text in pair) else "int64_t"
    return (
        f"    {_table('tp_lo', wide, [lo for lo, _ in bounds])}\n"
        f"    {_table('tp_hi', wide, [hi for _, hi in bounds])}\n"
        + "\n".join(f"    {line}" for line in _random(index, array, "RANDOM", "tp_seed", BOUNDS))
    )


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


def _draw(arrays: Sequence[CArray]) -> str:
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


def _any_value(arrays: Sequence[CArray]) -> str:
    """Which arrays may hold special values: those of which the pragma says no more than their type."""
    free = [a.drawn and a.lo is None and a.hi is None and not a.enumerators for a in arrays]
    return _table("tp_any_value", "int", [str(int(is_free)) for is_free in free])


def _pairs(arrays: Sequence[CArray], pairs: Sequence[tuple[str, str]]) -> str:
    number = {array.name: index for index, array in enumerate(arrays)}
    rows = [f"{{{number[a]}, {number[b]}}}" for a, b in pairs] or ["{0, 0}"]
    return f"static const int tp_pairs[][2] = {{{', '.join(rows)}}};"


def _called(function: str, arguments: Sequence[CScalar | CArray], all_arrays: Sequence[CArray], counted: bool) -> str:
    """The call as an expression."""
    table_of = {table.rows_of: number for number, table in enumerate(all_arrays) if table.rows_of is not None}
    words, scalars, arrays = [], 0, 0
    for argument in arguments:
        if isinstance(argument, CScalar):
            words.append(f"({argument.element})tp_scalar_{scalars}[tp_set]")
            scalars += 1
        else:
            number = arrays
            while number in table_of:
                number = table_of[number]
            plain = f"*({argument.element} *)tp_arrays[{number}].data" if argument.by_value else f"TP_POINTER({number})"
            words.append(f"tp_object({number}), tp_arrays[{number}].count" if counted else plain)
            arrays += 1
    return f"{function}({', '.join(words)})"


def _call(called: str, returned: int | None, *, used: bool) -> str:
    """`returned` is the number of the array that takes what is returned; `used`: it may change what a setup made."""
    target = "(void)" if returned is None else f"*({RETURNED} *)tp_arrays[{returned}].data = "
    state = "    tp_state_used = 1;\n" if used else ""
    return f"static void tp_call(void) {{\n{state}    {target}{called};\n}}"


NO_SETUP = """\
#define TP_SETUP_ONCE 0
#define TP_COUNTED_STATES 0
static int tp_states;
static void tp_begin_state(uint64_t tp_seed) { (void)tp_seed; }
static void tp_renew_state(int tp_always) { (void)tp_always; }
static void tp_end_state(void) {}"""


def _setup(setup: CSetup | None, scalars: Sequence[CScalar], variables: int) -> str:
    """What the entry is asked for, with the scalars of the size."""
    if setup is None:
        return NO_SETUP
    taken = "".join(f", {_wide(scalar)}" for scalar in scalars)
    given = "".join(f", tp_scalar_{k}[tp_set]" for k in range(len(scalars)))
    names = ", ".join(f'"{place.name}"' for place in setup.places) or "NULL"
    return "\n".join(
        [
            f"#define TP_SETUP_ONCE {int(setup.once)}",
            f'#define TP_SETUP "{setup.function}"',
            f'#define TP_TEARDOWN "{setup.teardown}"',
            f"#define TP_PLACES {len(setup.places)}",
            *([f"#define TP_VARIABLES {variables}"] if variables else ()),
            f"static const char *const tp_place_names[] = {{{names}}};",
            _fixed("setup.h"),
            f"TP_C int tunepass_set_up(uint64_t{taken});",
            f"TP_C void tunepass_tear_down(int{taken});",
            f"TP_C void tunepass_locate(struct tunepass_place *{taken});",
            f"static int tp_set_up_state(void) {{ return tunepass_set_up(tp_state_seed{given}); }}",
            f"static void tp_tear_down_state(void) {{ tunepass_tear_down(0{given}); }}",
            f"static void tp_locate_state(void) {{ tunepass_locate(tp_places{given}); }}",
        ]
    )

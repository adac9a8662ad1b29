"""The generated part of a harness, from plain C text; the fixed parts are the .h files beside this one.

plan.py has what it is made from, tables.py and filling.py its tables and the functions that fill arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources

from tunepass.frontends.c.harness.filling import draw_element, fill_arrays, ranges_of, value_tables
from tunepass.frontends.c.harness.isolation import IncludedSource
from tunepass.frontends.c.harness.plan import CArray, CScalar, CSetup
from tunepass.frontends.c.harness.tables import (
    describe_arrays,
    enumerator_table,
    leaf_table,
    literal_tables,
    scalar_tables,
    table,
    whole_scalars,
    wide_type,
)
from tunepass.frontends.cfamily.text.tokens import names_in
from tunepass.frontends.cfamily.types.declared import is_known
from tunepass.ir.c_kernel import NO_LITERALS, Leaf, Literals

FIRST = ("runtime.h", "state.h", "rounding.h", "inputs.h", "outputs.h", "pool.h", "timing.h")
LAST = ("distributions.h", "checks.h", "concurrent.h", "main.h")  # they read tables of the generated part
RETURNED = "tp_returned"  # the type of what the function returns
PARTS = (*FIRST, *LAST, "contents.h", "containers.h", "setup.h", "variables.h")
OWN = ("void *", "tp_bool", RETURNED)  # elements


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
    literals: Literals = NO_LITERALS,
) -> str:
    """The whole harness. `returned` are the numbers in what the function returns, `variables` those of the source that
    are compared, in the table that `declared` declares. `further` are the arguments at each further size, `pairs` names
    arrays that may overlap, `prelude` holds the C functions that fill expressions call. With `counted` the function
    takes containers, and the number of elements after each address. With a `setup`
    the function is the entry beside it. `literals` are the source's."""
    sizes = [arguments, *further]
    leaves = () if len(returned) == 1 and returned[0].alone else tuple(returned)
    result = [CArray(name="return", element=RETURNED, direction="out", length=1, leaves=leaves)]
    lengths = [_length_of(a) for a in arguments if isinstance(a, CArray) and a.container == "resizable"]
    beside = [*(setup.places if setup else ()), *variables, *lengths, *(result if returned else ())]
    arrays = [_with_rows([*(a for a in size if isinstance(a, CArray)), *beside]) for size in sizes]
    listed = {k: a.element for k, a in enumerate(arrays[0]) if _is_of_source(a)}
    arrays = [[replace(a, element=f"tp_element_{k}") if k in listed else a for k, a in enumerate(s)] for s in arrays]
    called = _called(arguments, arrays[0], counted)
    scalars = [[a for a in size if isinstance(a, CScalar)] for size in sizes]
    source = IncludedSource(function, prototype, _fixed_parts(), _names_of(variables))
    parts = [
        f"/* {title or 'Harness of ' + function} (generated) */",
        *(_fixed(name) for name in FIRST),
        _fixed("contents.h") if any(array.content is not None for array in arrays[0]) else "",
        prelude,
        NEEDS_SOURCE if variables else "",
        f"{declared}\n{_fixed('variables.h')}" if variables else "",
        scalar_tables(scalars),
        whole_scalars(scalars),
        literal_tables(literals),
        _setup(setup, scalars[0], len(variables)),
        *((_containers(arrays[0]), _fixed("containers.h")) if counted else ()),
        source.before,
        "\n".join(f"typedef {element} tp_element_{k};" for k, element in listed.items()),
        "\n".join(f"typedef {a.element} tp_scalar_type_{k};" for k, a in enumerate(scalars[0])),
        f"typedef __typeof__({_typed_call(arguments, arrays[0], counted)}) {RETURNED};" if returned else "",
        *(enumerator_table(index, array) for index, array in enumerate(arrays[0]) if array.enumerators),
        *(leaf_table(index, array) for index, array in enumerate(arrays[0]) if array.leaves),
        source.after,
        describe_arrays(arrays, setup is not None),
        fill_arrays(arrays, scalars[0], counted),
        draw_element(arrays[0]),
        value_tables(arrays[0]),
        ranges_of(arrays),
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
            table("tp_contained", "int", [str(int(array.container is not None)) for array in arrays]),
            table("tp_length_of", "int", lengths),
        ]
    )


def _fixed(name: str) -> str:
    return (resources.files("tunepass.frontends.c.harness") / name).read_text(encoding="utf-8")


@cache
def _fixed_parts() -> tuple[str, ...]:
    folder = resources.files("tunepass.frontends.c.harness")
    return tuple(file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name in PARTS)


def _is_of_source(array: CArray) -> bool:
    """Whether its element's name may mean something in the source alone. A comma would end a macro's argument."""
    return "," in array.element or not (
        array.variable or array.place or array.element in OWN or is_known(array.element)
    )


def _names_of(variables: Sequence[CArray]) -> frozenset[str]:
    return frozenset(name for v in variables for text in (v.variable, v.condition) for name in names_in(text))


def _pairs(arrays: Sequence[CArray], pairs: Sequence[tuple[str, str]]) -> str:
    number = {array.name: index for index, array in enumerate(arrays)}
    rows = [f"{{{number[a]}, {number[b]}}}" for a, b in pairs] or ["{0, 0}"]
    return f"static const int tp_pairs[][2] = {{{', '.join(rows)}}};"


def _called(arguments: Sequence[CScalar | CArray], all_arrays: Sequence[CArray], counted: bool) -> str:
    """The call as an expression."""
    table_of = {table.rows_of: number for number, table in enumerate(all_arrays) if table.rows_of is not None}
    words, scalars, arrays = [], 0, 0
    for argument in arguments:
        if isinstance(argument, CScalar):
            words.append(f"(tp_scalar_type_{scalars})tp_scalar_{scalars}[tp_set]")
            scalars += 1
        else:
            element, number = all_arrays[arrays].element, arrays
            while number in table_of:
                number = table_of[number]
            plain = f"*({element} *)tp_arrays[{number}].data" if argument.by_value else f"TP_POINTER({number})"
            words.append(f"tp_object({number}), tp_arrays[{number}].count" if counted else plain)
            arrays += 1
    return f"TP_KERNEL({', '.join(words)})"


def _typed_call(arguments: Sequence[CScalar | CArray], all_arrays: Sequence[CArray], counted: bool) -> str:
    """A call with the type of what is returned, which is never made."""
    words, scalars, arrays = [], 0, 0
    for argument in arguments:
        if isinstance(argument, CScalar):
            words.append(f"(tp_scalar_type_{scalars})0")
            scalars += 1
        else:
            plain = f"*({all_arrays[arrays].element} *)0" if argument.by_value else "TP_NO_POINTER"
            words.append("0, 0" if counted else plain)
            arrays += 1
    return f"TP_INCLUDED_KERNEL({', '.join(words)})"


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
    taken = "".join(f", {wide_type(scalar)}" for scalar in scalars)
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

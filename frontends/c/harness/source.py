"""The C text of the generated main() that fills a kernel's arguments, calls it, times it and writes what it computed.

The text is fixed parts (the .h files beside this one) and a few functions made from the `KernelCall` (text.py).
It is compiled once, without the candidate's flags, in the kernel's language, and linked with each candidate's object.
If the prototype needs types of the source, compile with -DTP_INCLUDE_SOURCE='"path"': the source is then included, with
the kernel and main renamed. With -DTP_WRAP_MALLOC and the linker's --wrap its refused allocations are reported.

Protocol: `harness mode=MODE report=FILE outputs=FILE seed=N ...`; a FILE that is a number is an open descriptor. The
report is lines of text:

    case N                         mode=check, before what follows of case N
    array NAME KIND SIZE COUNT     each out and inout array: NumPy's letter and byte size (f8), number of elements
    uncompared NAME                of a place, some memory has no known length, or less than an element's
    unchanged COUNT                mode=check with several calls: elements of floating inout arrays that the first left
    left STATE                     mode=check, at its end: what calls left changed for their caller (state.h)
    fault out_of_bounds NAME BYTE COUNT SIZE | fault read_only NAME | fault stack     then status 86, or the signal
    fault thrown TYPE: WHAT        status 86: an exception left the kernel
    fault setup FUNCTION WHAT      status 86: the user's setup or teardown failed
    refused BYTES                  an allocation of the kernel failed
    log ADDRESS STRIDE SLOTS       mode=time: memory with the outputs of each call of an order, one call's behind the
                                   other's, as the outputs file would hold them
    place ADDRESS BYTES            in its stead, of each output in turn, where it lies itself: outputs are large
    pool SETS                      mode=time: sets of arrays, where each call can have its own: set 0 are the kernel's
    set OWN FIRST STRIDE BYTES     of each output in turn: its address in set 0, in set 1, from one set to the next
    sample SECONDS INTERRUPTIONS CALIBRATION_S WAITED_S    of a group of calls, without what reading the clock costs;
                                   the last: ready, but others ran; not in SECONDS
    error TEXT                     the harness itself could not go on
    done WORD

If the report is a descriptor, it is a socket (SOCK_SEQPACKET) at whose other end someone answers. After the events
`ready` and `finished`, each a line, the harness does as it is told, a command of five 64-bit numbers (what, count,
seed, group, fresh) at a time, and says `ok`, until it is told to go on:

    CALLS count seed group fresh
                          calls; number k, from 1, has the inputs of the seed `seed + k TP_SEED_STEP`, so that any of
                          them may be one whose results are known. With `fresh` all inputs are filled anew before each.
                          Each `group` of calls is a sample; with a group of 0 none is, and nothing is timed
                          With `fresh` 2 each call has a set of arrays, filled by POOL, and is the only one that does
                          something: inputs do not change, and its outputs stay in its set
    POOL count seed       fills the sets of `count` calls; their order is sent with it, and FILL has to follow that
    NO_CALLS the same     the same without the calls: samples of nothing
    POISON                fills the outputs
    FILL 0 seed           fills all inputs anew
    RENEW                 calls the teardown and the setup, where the last call may have changed what the setup made
    SHOW call             writes what the log has of that call of the last order, or of call 0 the out and inout arrays
                          as they are, to the outputs file, raw, from its start
    GO 0 seed             goes on: after `ready` to the end; after `finished` to its last line, which holds `seed`

Inputs change by a few elements of each array without `fill`, drawn anew in their range; a few elements of the outputs
are poisoned. `in` arrays are compared at the end with what they were at the start.

mode=check     The `cases` (checks.h), `calls` calls of each (default 1). In each, every array begins or ends at an
               inaccessible region, to within `alignment` bytes (1, the default: that of its elements), and what is
               left of its pages on the other side holds a canary that is checked; `in` arrays are read-only, inout
               arrays are restored first. The outputs file holds the out and
               inout arrays after each call of each case, raw.
               With `stack=BYTES` each call is made by a thread with that stack, those of up to two cases at once
               (concurrent.h), the first ones one after the other or, with `apart=NS`, so much later; the outputs file
               holds all calls of the first case first. With `repeats=N` and two calls the second stands for up to N
               that are alike (`tp_repeat` in checks.h), in up to `limit_ms` of CPU time.
mode=time      Calls as they are ordered; where nobody orders, `calls` of them. inout arrays are restored and inputs
               changed before each; first the outputs get poison pattern 1. Canaries on both sides of every
               array are checked at the end.
mode=sanitize  `calls` calls, with plain allocations and no fault handler: for ASan and UBSan.
mode=count     as time, with plain allocations: for cachegrind, by the difference between two values of CALLS.

A setup of the user's (setup.h) runs before every call, and the teardown after it, never while a clock runs; with `once`
in mode=time only at the start. What it makes is the same each time. In mode=count all runs make it equally often.

`rounding=up`, `down` or `random:SEED` (rounding.h) makes the calls of mode=check, and those of CALLS with a group of 0,
round otherwise.

Data: `fill(expression of i)`, or uniform in `range(lo, hi)`: by default [-1, 1] for floating types, 0..255 for integers
(0..127 for one-byte types, 0..1 for Booleans); a function of seed, array and index (splitmix64), the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.expr.emit_c import prelude, to_c
from tunepass.frontends.c.call.globals import DECLARED
from tunepass.frontends.c.call.inputs import Scalars, known_value, scalar_values
from tunepass.frontends.c.call.sizes import further_sizes
from tunepass.frontends.c.harness.plan import CArray, CScalar, CSetup
from tunepass.frontends.c.harness.text import harness_text
from tunepass.ir.c_kernel import (
    ArrayArgument,
    CKernel,
    GlobalVariable,
    KernelCall,
    Leaf,
    MemoryPlace,
    ScalarArgument,
    Size,
)
from tunepass.ir.kernel import Kernel

HARNESS_VERSION = 19
PLACES_VERSION = 2  # which memory is compared of what a setup makes


def harness_version(call: KernelCall | None) -> str:
    """The version of the program around a kernel; with a setup also that of the memory that is compared."""
    return f"{HARNESS_VERSION}, places {PLACES_VERSION}" if call is not None and call.setup else str(HARNESS_VERSION)


def harness_source(kernel: Kernel) -> str:
    """The whole text. The kernel must be judged by a `call`."""
    call = kernel.body_as(CKernel).call
    assert call is not None, f"{kernel.name} has no call"
    further = [c_arguments(call, size) for size in further_sizes(call)]
    given = [a.fill for a in call.arguments if isinstance(a, ArrayArgument)]
    given += [place.fill for place in (call.setup.places if call.setup else ())]
    fills = [to_c(fill) for fill in (*given, *(v.fill for v in call.globals)) if fill is not None]
    helpers = prelude(frozenset[str]().union(*(fill.helpers for fill in fills)))
    title = f"harness {HARNESS_VERSION} of {kernel.name}"
    return harness_text(
        call.entry.function if call.entry else call.function,
        call.entry.prototype if call.entry else call.prototype,
        c_arguments(call),
        returned=_spelled_leaves(call.returned.leaves) if call.returned else (),
        variables=[_variable(variable, call) for variable in call.globals],
        declared=DECLARED,
        further=further,
        pairs=(*call.pairs, *call.shared),
        prelude=helpers,
        title=title,
        counted=call.entry is not None and call.entry.counted,
        setup=_setup(call),
        literals=call.literals,
    )


def _setup(call: KernelCall) -> CSetup | None:
    if call.setup is None:
        return None
    scalars = scalar_values(call.arguments, ())
    return CSetup(
        function=call.setup.function,
        teardown=call.setup.teardown or call.setup.function,
        once=call.setup.once,
        places=tuple(_place(number, place, scalars) for number, place in enumerate(call.setup.places, 1)),
    )


def _place(number: int, place: MemoryPlace, scalars: Scalars) -> CArray:
    return CArray(
        name=place.text,
        element=_spelled(place.element),
        direction=place.direction,
        length=0,
        fill=None if place.fill is None else to_c(place.fill).expression,
        lo=None if place.lo is None else _constant(known_value(place.lo, scalars, "this bound")),
        hi=None if place.hi is None else _constant(known_value(place.hi, scalars, "this bound")),
        kept=not place.filled,
        place=number,
    )


def _variable(variable: GlobalVariable, call: KernelCall) -> CArray:
    scalars = scalar_values(call.arguments, ())
    return CArray(
        name=variable.name,
        element=f"TP_TYPE_OF({variable.name}{'[0]' * variable.dims})",
        direction="inout",
        length=0,
        fill=None if variable.fill is None else to_c(variable.fill).expression,
        lo=None if variable.lo is None else _constant(known_value(variable.lo, scalars, "this bound")),
        hi=None if variable.hi is None else _constant(known_value(variable.hi, scalars, "this bound")),
        leaves=_spelled_leaves(variable.leaves),
        enumerators=variable.enumerators,
        variable=variable.name,
        kept=not variable.filled,
        condition=variable.condition,
    )


def _spelled_leaves(leaves: Sequence[Leaf]) -> tuple[Leaf, ...]:
    return tuple(replace(leaf, element=_spelled(leaf.element)) for leaf in leaves)


def _spelled(element: str) -> str:
    """As C and C++ both know it, whatever the source includes."""
    return "tp_bool" if element == "bool" else element


def c_arguments(call: KernelCall, size: Size = ()) -> list[CScalar | CArray]:
    """The call's arguments with every scalar and length worked out."""
    scalars = scalar_values(call.arguments, size)
    arguments: list[CScalar | CArray] = []
    for argument in call.arguments:
        if isinstance(argument, ScalarArgument):
            value = scalars[argument.name]
            real = isinstance(value, float)
            wide = "double" if real else "int64_t"
            element = _spelled(argument.element) if call.entry is None else wide
            arguments.append(CScalar(name=argument.name, element=element, value=_constant(value), real=real))
        elif isinstance(argument, ArrayArgument):
            array = _array(argument, scalars)
            array = replace(array, by_value=argument.by_value and call.entry is None)
            counted = call.entry is not None and call.entry.counted
            arguments.append(replace(array, container=argument.container) if counted else array)
    return arguments


def _array(argument: ArrayArgument, scalars: Scalars) -> CArray:
    return CArray(
        name=argument.name,
        element=_spelled(argument.element),
        direction=argument.direction,
        length=int(known_value(argument.length, scalars, f"the length of `{argument.name}`")),
        fill=None if argument.fill is None else to_c(argument.fill).expression,
        lo=None if argument.lo is None else _constant(known_value(argument.lo, scalars, "this bound")),
        hi=None if argument.hi is None else _constant(known_value(argument.hi, scalars, "this bound")),
        leaves=_spelled_leaves(argument.leaves),
        enumerators=argument.enumerators,
        row=0 if argument.row is None else int(known_value(argument.row, scalars, f"a row of `{argument.name}`")),
        pointer_rows=tuple(int(known_value(e, scalars, f"a row of `{argument.name}`")) for e in argument.pointer_rows),
    )


def _constant(value: int | float) -> str:
    """As a C constant: a double by its shortest decimal, a whole number as int64_t."""
    if isinstance(value, float):
        return f"({value!r})" if value < 0 else repr(value)
    return f"INT64_C({int(value)})" if value > -(2**63) else "INT64_MIN"

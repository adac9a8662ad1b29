"""Functions that the language or its libraries have: casts, mathematics, methods of ap_int and of streams."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Span
from tunepass.frontends.hls.body.arithmetic import binary, common, convert, family_of, mux
from tunepass.frontends.hls.body.state import State, known
from tunepass.frontends.hls.body.values import Value
from tunepass.frontends.hls.types import DOUBLE
from tunepass.ir.hardware import BIT, FLOAT, INT, Element, Fixed, Floating

UNARY = {
    "sqrt": "sqrt", "exp": "exp", "log": "log", "sin": "trig", "cos": "trig", "tan": "trig", "atan": "trig",
    "asin": "trig", "acos": "trig", "sinh": "trig", "cosh": "trig", "tanh": "trig", "floor": "round",
    "ceil": "round", "round": "round", "rint": "round", "trunc": "round", "exp2": "exp", "log2": "log",
    "log10": "log", "expm1": "exp", "log1p": "log", "erf": "exp", "cbrt": "exp",
}  # fmt: skip
INVERSE = ("rsqrt", "recip", "recipsqrt")
NOTHING = frozenset(
    {"printf", "fprintf", "assert", "puts", "exit", "free", "abort", "mem_fence", "wait", "usleep", "srand", "fence"}
    | {"__builtin_assume", "__assume", "__assert_fail", "static_assert", "fflush", "perror", "sync", "ap_wait"}
    | {"read_mem_fence", "write_mem_fence", "prefetch", "memory_barrier"}
)  # fmt: skip
BARRIERS = frozenset({"barrier", "work_group_barrier", "sub_group_barrier"})
PREFIXES = ("native_", "half_", "__builtin_", "hls_", "fp_", "fast_")
SAME = frozenset({"as_int", "as_uint", "as_float", "as_double", "to_int", "to_uint", "to_float", "to_double", "to_long",
                  "to_int64", "to_uint64", "to_bool", "convert", "move", "forward", "ref", "__fpga_reg"})  # fmt: skip


def mathematics(state: State, name: str, arguments: Sequence[Value], span: Span | None) -> Value | None:
    """A function of numbers applied; None if `name` is none."""
    plain = name.rpartition("::")[2].partition("<")[0]
    for prefix in PREFIXES:
        plain = plain.removeprefix(prefix)
    if not arguments:
        return None
    first = arguments[0]
    if plain in ("abs", "fabs", "fabsf", "labs") and len(arguments) == 1:
        return _absolute(state, plain, first, span)
    if plain in ("min", "max", "fmin", "fmax", "fminf", "fmaxf") and len(arguments) == 2:
        return _extreme(state, "min" if "min" in plain else "max", first, arguments[1], span)
    if plain in ("pow", "powf", "powr", "pown") and len(arguments) == 2:
        return _power(state, plain, first, arguments[1], span)
    if plain in ("fma", "mad", "fmaf", "mad24", "mac") and len(arguments) == 3:
        return binary(state, "+", binary(state, "*", first, arguments[1], span), arguments[2], span)
    if plain in ("mul24", "mul_hi") and len(arguments) == 2:
        return binary(state, "*", first, arguments[1], span)
    if plain in ("fdivide", "divide") and len(arguments) == 2:
        return binary(state, "/", first, arguments[1], span)
    if plain in ("fmod", "fmodf", "remainder", "hypot", "atan2", "atan2f") and len(arguments) == 2:
        return _real(state, "div" if "mod" in plain else "trig", plain, arguments, span)
    if plain in ("select", "clamp") and len(arguments) == 3:
        return _choice(state, plain, arguments, span)
    if plain in ("swap",):
        return known(0, INT)
    if plain.removeprefix("convert_") != plain or plain in SAME:
        element = state.types.kind([plain.rpartition("_")[2]]).element if "_" in plain else first.element
        return convert(state, first, element, span)
    if plain in ("isnan", "isinf", "signbit", "isfinite"):
        return state.result(state.operation("flt_ne", BIT, (state.op(first, span),) * 2, span), BIT, first)
    if plain in ("popcount", "clz", "ctz", "rotate", "abs_diff", "hadd"):
        inputs = tuple(state.op(a, span) for a in arguments)
        return state.result(state.operation("fix_add", first.element, inputs, span), first.element, *arguments)
    base = plain if plain in UNARY else plain.removesuffix("f").removesuffix("l")
    if base in UNARY and len(arguments) == 1:
        return _real(state, UNARY[base], plain, arguments, span)
    if plain in INVERSE or plain.removesuffix("f") in INVERSE:
        root = first if "sqrt" not in plain else _real(state, "sqrt", plain, arguments, span)
        return binary(state, "/", known(1.0, FLOAT), root, span)
    return None


def _real(state: State, name: str, written: str, arguments: Sequence[Value], span: Span | None) -> Value:
    """In C a function of reals is one of doubles, unless it ends in `f` or its argument is a smaller real of C++."""
    element = _real_type(written, arguments)
    if isinstance(element, Fixed):
        inputs = tuple(state.op(a, span) for a in arguments)
        return state.result(state.operation(f"fix_{name}", element, inputs, span), element, *arguments)
    values = [convert(state, a, element, span) for a in arguments]
    inputs = tuple(state.op(v, span) for v in values)
    return state.result(state.operation(f"flt_{name}", element, inputs, span), element, *arguments)


def _real_type(written: str, arguments: Sequence[Value]) -> Element:
    if written.endswith("f") and written not in ("erf",):
        return FLOAT
    element = arguments[0].element
    for argument in arguments[1:]:
        element = common(element, argument.element)
    if isinstance(element, Fixed) and element.fraction:
        return element
    return element if isinstance(element, Floating) else DOUBLE


def _absolute(state: State, written: str, value: Value, span: Span | None) -> Value:
    if value.number is not None:
        return known(abs(value.number), value.element)
    if written.startswith("fabs") and not isinstance(value.element, Floating):
        value = convert(state, value, FLOAT if written.endswith("f") else DOUBLE, span)
    element = value.element
    return state.result(
        state.operation(f"{family_of(element)}_abs", element, (state.op(value, span),), span), element, value
    )


def _extreme(state: State, name: str, a: Value, b: Value, span: Span | None) -> Value:
    if a.number is not None and b.number is not None:
        pick = min if name == "min" else max
        return known(pick(a.number, b.number), common(a.element, b.element))
    element = common(a.element, b.element)
    inputs = tuple(state.op(convert(state, v, element, span), span) for v in (a, b))
    family = "fix" if family_of(element) == "bit" else family_of(element)
    return state.result(state.operation(f"{family}_{name}", element, inputs, span), element, a, b)


def _power(state: State, written: str, base: Value, exponent: Value, span: Span | None) -> Value:
    """The exponential of a multiple of the logarithm."""
    element = _real_type(written, (base,))
    x, y = convert(state, base, element, span), convert(state, exponent, element, span)
    if x.number is not None and y.number is not None and x.number > 0 and abs(y.number) < 64:
        return known(float(x.number**y.number), element)
    family = family_of(element)
    logarithm = state.operation(f"{family}_log", element, (state.op(x, span),), span)
    product = state.operation(f"{family}_mul", element, (logarithm, state.op(y, span)), span)
    return state.result(state.operation(f"{family}_exp", element, (product,), span), element, base, exponent)


def _choice(state: State, name: str, arguments: Sequence[Value], span: Span | None) -> Value:
    a, b, c = arguments
    if name == "clamp":
        return _extreme(state, "min", _extreme(state, "max", a, b, span), c, span)
    return mux(state, c, b, a, span)

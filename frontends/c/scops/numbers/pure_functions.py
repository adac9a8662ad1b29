"""Functions that read their arguments and nothing else, and write nothing."""

from __future__ import annotations

ROUNDED = ("floor", "ceil", "round", "trunc", "rint", "nearbyint")
POWERS = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sqrt", "cbrt", "hypot", "tgamma", "lgamma")
CIRCULAR = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")
OTHERS = ("fabs", "fmin", "fmax", "fma", "fmod", "fdim", "copysign", "remainder", "erf", "erfc")
PURE = frozenset(f"{name}{suffix}" for name in (*ROUNDED, *POWERS, *CIRCULAR, *OTHERS) for suffix in ("", "f", "l"))
PURE |= {"abs", "labs", "llabs", "isnan", "isinf", "isfinite", "signbit"}
PURE |= {f"__builtin_{name}" for name in ("expect", "fabs", "sqrt", "popcount", "clz", "ctz")}

EXTREMES = {"min": "min", "max": "max", "fmin": "min", "fmax": "max", "fminf": "min", "fmaxf": "max"}


def plain_function(name: str) -> str:
    """Of a function of the standard library, its name in C: `sqrt` of `std::sqrt`, `min` of `std::min<int>`."""
    plain = name.partition("<")[0] if name.endswith(">") else name
    return plain.removeprefix("::").removeprefix("std::")


def is_pure(name: str) -> bool:
    plain = plain_function(name)
    return plain in PURE or (name.startswith(("std::", "::std::")) and plain in ("min", "max"))

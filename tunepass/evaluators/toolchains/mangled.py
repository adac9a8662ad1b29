"""Names as C++ compilers write them in objects (the Itanium C++ ABI), as far as kernels need them.

A template has an instance for each list of arguments, and all of them have the same plain name. Numbers, expressions of
numbers, types of numbers and the names of other types tell instances apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tunepass.diagnostics import TunepassError
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.parser import parse

BUILTIN = {  # <builtin-type>
    "float": "f",
    "double": "d",
    "bool": "b",
    "char": "c",
    "signed char": "a",
    "unsigned char": "h",
    "short": "s",
    "unsigned short": "t",
    "int": "i",
    "unsigned": "j",
    "unsigned int": "j",
    "long": "l",
    "unsigned long": "m",
    "size_t": "m",
    "long long": "x",
    "unsigned long long": "y",
}
LITERAL = re.compile(r"-?\d+|true|false")
NAME = re.compile(r"(?:struct |class )?([A-Za-z_]\w*)")
NUMBERS = re.compile(r"[\d\s()+*%-]+")
AGAIN = r"S[\dA-Z]*_"  # <substitution>: a type that the name had before


def name_of(function: str, names: Iterable[str]) -> str | None:
    """The name in the object of the function as the source calls it: the very name, else the only mangled one of it. Of
    a template several instances may be there; then its arguments decide. None where none does, or several do."""
    name, _, arguments = function.partition("<")
    name = name.rpartition("::")[2].strip()
    known = tuple(names)
    exact = [mangled for mangled in known if mangled == name]
    candidates = exact or [mangled for mangled in known if plain_name(mangled) == name]
    if len(candidates) > 1 and arguments:
        pattern = _mangled_arguments(arguments.rpartition(">")[0])
        candidates = [mangled for mangled in candidates if pattern is not None and pattern.search(mangled)]
    return candidates[0] if len(candidates) == 1 else None


def plain_name(mangled: str) -> str:
    """The function's own name in a mangled one (<nested-name>, <source-name>), without its template's arguments; any
    other name as it is."""
    if not mangled.startswith("_Z"):
        return mangled
    rest, nested, last = mangled[2:], mangled.startswith("_ZN"), ""
    rest = rest.removeprefix("N").removeprefix("L")
    while length := re.match(r"L?(\d+)", rest):
        start = length.end()
        last, rest = rest[start : start + int(length[1])], rest[start + int(length[1]) :]
        if not nested:
            break
    return last or mangled


def with_values(function: str, defines: Sequence[str]) -> str:
    """The name, with the values of macros (`-DNAME=value`) in its template's arguments."""
    values = dict(word.removeprefix("-D").split("=", 1) for word in defines if word.startswith("-D") and "=" in word)
    name, bracket, arguments = function.partition("<")
    return name + bracket + re.sub(r"\b[A-Za-z_]\w*", lambda match: values.get(match[0], match[0]), arguments)


def _mangled_arguments(text: str) -> re.Pattern[str] | None:
    """Pattern of the <template-args> of these; a number may be of any integer type. None for other arguments."""
    parts = [_mangled_argument(" ".join(argument.split())) for argument in text.split(",")]
    return re.compile(f"I{''.join(part for part in parts if part)}E") if all(parts) else None


def _mangled_argument(word: str) -> str | None:
    if word in BUILTIN:
        return BUILTIN[word]
    if not LITERAL.fullmatch(word) and NUMBERS.fullmatch(word):
        word = _computed(word)
    if LITERAL.fullmatch(word):
        number = {"true": "1", "false": "0"}.get(word, word).replace("-", "n")
        return f"L[a-z]{number}E"
    if named := NAME.fullmatch(word):
        return f"(?:{len(named[1])}{named[1]}|{AGAIN})"
    return None


def _computed(text: str) -> str:
    """The number; the text itself where it is none."""
    try:
        value = parse(text, {})
    except TunepassError:
        return text
    evaluated = evaluate(value, {}, 1)
    return str(int(evaluated.values[0])) if evaluated.defined.all() else text

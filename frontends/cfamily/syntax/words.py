"""Words of declarations: qualifiers, storage classes, arithmetic types, tags."""

from __future__ import annotations

QUALIFIERS = frozenset(
    {"const", "volatile", "restrict", "__restrict", "__restrict__", "_Atomic", "register", "__const", "__volatile__"}
)
STORAGE = frozenset(
    {"static", "extern", "typedef", "inline", "__inline", "__inline__", "auto", "_Thread_local", "thread_local",
     "__thread", "constexpr", "__extension__", "mutable"}
)  # fmt: skip
ARITHMETIC = frozenset(
    {"void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "bool", "_Bool", "_Complex",
     "__int128", "_Float16", "__float128"}
)  # fmt: skip
TAGGED = frozenset({"struct", "union", "enum", "class"})

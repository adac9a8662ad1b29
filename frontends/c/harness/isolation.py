"""What keeps an included source's macros from the harness's own code, and its names from those of system headers.

The preprocessor restores a macro's earlier meaning, or that it has none: `push_macro` and `pop_macro` of gcc and clang.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from tunepass.frontends.cfamily.tokens import names_in

INCLUDED = "tunepass_included_"  # prefix of the kernel and main when the source is included for its types
OWN = ("tp_", "TP_", "__", "tunepass_")
# The harness uses them before the source alone, which may poison them: then no pragma may name them.
POISONED = frozenset(
    (
        "malloc",
        "calloc",
        "realloc",
        "free",
        "aligned_alloc",
        "atoi",
        "sscanf",
        "vsscanf",
        "snprintf",
        "vsnprintf",
    )
)
# Of another file's linkage name `function`, where a system header declares something else by that name.
ALIASED = """\
#ifdef TP_ALIASED
#define {function} tp_kernel
{prototype} __asm__("{function}");
#undef {function}
#define TP_KERNEL tp_kernel
#else
{prototype};
#define TP_KERNEL {function}
#endif"""


def included_source(function: str, fixed: tuple[str, ...], needed: Collection[str]) -> tuple[str, str]:
    """The text that includes the source, and the one after which macros mean what they did before, as far as the code
    `fixed` mentions them; `needed` are names by which the generated part means what the source does."""
    names = [name for name in _names(fixed) if name not in needed and name not in POISONED]
    renamed = dict.fromkeys((function, "main"))
    before = [
        "#ifdef TP_INCLUDE_SOURCE",
        *(f'#pragma push_macro("{name}")' for name in names),
        "#ifdef TP_RENAMES",
        "#include TP_RENAMES",
        "#endif",
        *(f"#define {name} {INCLUDED}{name}" for name in renamed),
        "#include TP_INCLUDE_SOURCE",
        *(f"#undef {name}" for name in renamed),
        "#endif",
    ]
    after = ["#ifdef TP_INCLUDE_SOURCE", *(f'#pragma pop_macro("{name}")' for name in names), "#endif"]
    return "\n".join(before), "\n".join(after)


@lru_cache(maxsize=4)
def _names(fixed: tuple[str, ...]) -> tuple[str, ...]:
    found = dict.fromkeys(name for text in fixed for name in names_in(text))
    return tuple(sorted(name for name in found if not name.startswith(OWN) and not name.startswith("defined")))


def without_macros(text: str, needed: str) -> list[str]:
    """Lines before `text`, which stands after the source and uses none of its macros. `needed` are words that may."""
    meant = frozenset(names_in(needed))
    return [f"#undef {name}" for name in _names((text,)) if name not in meant]


def declared(function: str, prototype: str) -> str:
    """The kernel's declaration; TP_KERNEL is its name in the harness. In C the name may be taken by a system header."""
    return ALIASED.format(function=function, prototype=prototype.strip())

"""What keeps an included source's macros from the harness's own code, and its names from those of system headers.

The preprocessor restores a macro's earlier meaning, or that it has none: `push_macro` and `pop_macro` of gcc and clang.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from tunepass.frontends.cfamily.text.tokens import names_in

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
# The kernel's declaration; TP_KERNEL is its name in the harness. In C a system header may declare something else by
# that name: TP_ALIASED. TP_INCLUDED_KERNEL has the kernel's type, for which the included source alone has all names.
BY_PROTOTYPE = """\
#ifdef TP_ALIASED
#define {function} tp_kernel
{prototype} __asm__("{function}");
#undef {function}
#define TP_KERNEL tp_kernel
#else
{prototype};
#define TP_KERNEL {function}
#endif
#define TP_INCLUDED_KERNEL TP_KERNEL"""
BY_TYPE = """\
#ifdef TP_INCLUDE_SOURCE
#define TP_INCLUDED_KERNEL TP_GLOBAL {function}
typedef __typeof__(TP_GLOBAL {function}) tp_kernel_type;
#else
{by_prototype}
#endif"""
# TP_OWN_NAME: the kernel keeps its name while the source is included, since headers use it too. The linker makes
# `tunepass_kernel` the candidate's; a symbol says which name that is.
AFTER_SOURCE = """\
#ifdef TP_INCLUDE_SOURCE
#ifdef TP_OWN_NAME
extern tp_kernel_type tp_kernel __asm__("tunepass_kernel");
TP_C const char tunepass_kernel_is_{function} = 0;
#define TP_KERNEL tp_kernel
#elif defined TP_ALIASED
extern tp_kernel_type tp_kernel __asm__("{function}");
#define TP_KERNEL tp_kernel
#else
{linkage} tp_kernel_type {function};
#define TP_KERNEL {function}
#endif
#endif"""
OF_C = 'extern "C"'


@dataclass(frozen=True, slots=True)
class IncludedSource:
    """How a harness may include the source of the kernel `function`. The kernel and main have other names there, as has
    whatever else the source names so: between `before` and `after` all text means by a name what the source does.

    `fixed` is code that uses no macro of the source, but for the names `needed`."""

    function: str
    prototype: str
    fixed: tuple[str, ...]
    needed: Collection[str]

    @property
    def before(self) -> str:
        lines = [
            "#ifdef TP_INCLUDE_SOURCE",
            *(f'#pragma push_macro("{name}")' for name in self._saved_macros),
            "#ifdef TP_RENAMES",
            "#include TP_RENAMES",
            "#endif",
            f"#define main {INCLUDED}main",
            *(
                []
                if self._is_entry
                else ["#ifndef TP_OWN_NAME", f"#define {self.function} {INCLUDED}{self.function}", "#endif"]
            ),
            "#include TP_INCLUDE_SOURCE",
            "#endif",
            self._declared,
        ]
        return "\n".join(lines)

    @property
    def after(self) -> str:
        lines = [
            "#ifdef TP_INCLUDE_SOURCE",
            "#undef main",
            *([] if self._is_entry else [f"#undef {self.function}"]),
            *(f'#pragma pop_macro("{name}")' for name in self._saved_macros),
            "#endif",
        ]
        if not self._is_entry:
            linkage = OF_C if self.prototype.startswith(OF_C) else "extern"
            lines.append(AFTER_SOURCE.format(function=self.function, linkage=linkage))
        return "\n".join(lines)

    @property
    def _declared(self) -> str:
        by_prototype = BY_PROTOTYPE.format(function=self.function, prototype=self.prototype.strip())
        return by_prototype if self._is_entry else BY_TYPE.format(function=self.function, by_prototype=by_prototype)

    @property
    def _is_entry(self) -> bool:
        """The function stands behind the source, and the source has none of that name."""
        return self.function.startswith(OWN)

    @property
    def _saved_macros(self) -> list[str]:
        return [name for name in _names(self.fixed) if name not in self.needed and name not in POISONED]


@lru_cache(maxsize=4)
def _names(fixed: tuple[str, ...]) -> tuple[str, ...]:
    found = dict.fromkeys(name for text in fixed for name in names_in(text))
    return tuple(sorted(name for name in found if not name.startswith(OWN) and not name.startswith("defined")))


def without_macros(text: str, needed: str) -> list[str]:
    """Lines before `text`, which stands after the source and uses none of its macros. `needed` are words that may."""
    meant = frozenset(names_in(needed))
    return [f"#undef {name}" for name in _names((text,)) if name not in meant]

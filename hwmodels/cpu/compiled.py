"""Abilities of a compiler under its flags: expressions where flags are tuned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import BOOL, CategoryType, Constant, Expr, Type
from tunepass.hwmodels.cpu.compute import CompilerAbilities
from tunepass.hwmodels.cpu.device import Cpu
from tunepass.ir.kernel import Kernel

NATIVE_VECTOR_BYTE = 16  # what every x86-64 and every AArch64 core has; wider ones need a flag
VECTORIZING = ("-O3", "-Ofast", "-ftree-vectorize")
REORDERING = ("-Ofast", "-ffast-math", "-fassociative-math")
NATIVE = ("-march=native", "-mavx")
YES, NO = Constant(True, BOOL), Constant(False, BOOL)


def compiled_words(kernel: Kernel, device: Cpu, types: Mapping[str, Type], words: Sequence[str]) -> CompilerAbilities:
    """Abilities of the compiler under its words and the tuned flags."""
    narrow = float(min(NATIVE_VECTOR_BYTE, device.vector_byte))

    def has(option: tuple[str, ...]) -> Expr:
        return YES if any(word.startswith(option) for word in words) else _has(kernel, types, option)

    wide = has(NATIVE)
    return CompilerAbilities(
        vectorizes=has(VECTORIZING),
        reorders=has(REORDERING),
        vector_byte=alg.where(wide, float(device.vector_byte), narrow),
    )


def _has(kernel: Kernel, types: Mapping[str, Type], words: tuple[str, ...]) -> Expr:
    """Does a flag's value have one of the words?"""
    conditions: list[Expr] = []
    for name, kind in types.items():
        if kernel.binding(name).role == "flag" and isinstance(kind, CategoryType):
            chosen = [v for v in kind.values if any(w.startswith(words) for w in v.split())]
            if chosen:
                item = typing.name(name, types)
                conditions.append(typing.member(item, [typing.constant(v) for v in chosen]))
    if not conditions:
        return NO
    return conditions[0] if len(conditions) == 1 else typing.logical("or", conditions)

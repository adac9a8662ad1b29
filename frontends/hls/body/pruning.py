"""Leaves out what nothing uses: stores to scalars that are never loaded, and operations without a use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.frontends.hls.body.blocks import renumbered
from tunepass.ir.hls import HlsBlock, HlsItem, HlsOperation, HlsRegion, items_of

ROUNDS = 4  # a store that is left out may have been the last use of a load


def pruned(whole: HlsRegion, scalars: frozenset[str]) -> HlsRegion:
    """`scalars` are the kernel's own: their values are of no use after it."""
    for _ in range(ROUNDS):
        loaded = {o.array for o in _operations(whole) if o.name == "load"}
        dead = scalars - loaded
        smaller = replace(whole, items=_items(whole.items, dead))
        if smaller == whole:
            break
        whole = smaller
    return whole


def _operations(item: HlsItem) -> list[HlsOperation]:
    return [o for inside in items_of(item) if isinstance(inside, HlsBlock) for o in inside.operations]


def _items(items: Sequence[HlsItem], dead: frozenset[str] | set[str]) -> tuple[HlsItem, ...]:
    kept: list[HlsItem] = []
    for item in items:
        if isinstance(item, HlsBlock):
            block = _block(item, dead)
            if block.operations:
                kept.append(block)
            continue
        inside = _items(item.items, dead)
        if inside or not isinstance(item, HlsRegion):
            kept.append(replace(item, items=inside))
    return tuple(kept)


def _block(block: HlsBlock, dead: frozenset[str] | set[str]) -> HlsBlock:
    used = [False] * len(block.operations)
    for at in range(len(block.operations) - 1, -1, -1):
        operation = block.operations[at]
        if operation.name == "store" and operation.array not in dead:
            used[at] = True
        if used[at]:
            for inside in operation.inputs:
                used[inside] = True
            if operation.condition is not None:
                used[operation.condition] = True
    return block if all(used) else HlsBlock(operations=renumbered(block.operations, used), span=block.span)

"""Arrays of a derived space that may be packed: those read against their layout.

Where the loop along which a statement's result is contiguous goes from row to row of an array that is only read (B in
`C[i][j] += A[i][k] * B[j][k]`, along j), no order has vectors of both; a copy of a tile with its dimensions exchanged
has. Elements have to be used again by a loop that does not move them, or the copy costs as much as it spares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.ir.scop import Scop, ScopAccess, ScopStatement
from tunepass.polyhedral.schedules.footprint import is_plain, subscripts_of
from tunepass.polyhedral.spaces.chains import Chain
from tunepass.space.parameters.categorical import Categorical

MOST_PACKS = 2


@dataclass(frozen=True, slots=True)
class Pack:
    """The parameter that packs `array`, the `loops` that move it, and what has to hold of tiles where it does."""

    array: str
    parameter: Categorical
    loops: tuple[str, ...]
    condition: str


def name_part(text: str) -> str:
    """The name of an index or an array as a parameter's name may have it: in ASCII."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):04x}" for c in text)


def derive_packs(
    scop: Scop, chains: Sequence[Chain], tiles: Mapping[str, str], span: Span, suffix: str
) -> tuple[Pack, ...]:
    """`tiles` are parameters of tile sizes, by loop: a buffer is of a constant size where all that moves is tiled."""
    packs: list[Pack] = []
    for array in scop.arrays:
        against = (loops for _, loops in _against(scop, chains, array.name))
        moving = dict.fromkeys(loops for loops in against if set(loops) <= tiles.keys())
        if moving and len(packs) < MOST_PACKS:
            name = f"PACK{suffix}_{name_part(array.text)}"
            sizes = [" and ".join(dict.fromkeys(f"{tiles[loop]} > 1" for loop in loops)) for loops in moving]
            condition = " or ".join([f"not {name}", *dict.fromkeys(sizes)])
            loops = tuple(dict.fromkeys(loop for loops in moving for loop in loops))
            packs.append(Pack(array.name, Categorical(name, (False, True), span=span), loops, condition))
    return tuple(packs)


def _against(scop: Scop, chains: Sequence[Chain], array: str) -> Iterator[tuple[ScopStatement, tuple[str, ...]]]:
    """Statements that read it against the grain, in chains that do not write it, with the loops that move it."""
    for statement in scop.statements:
        around = [c for c in chains if statement.name in c.statements]
        inside = [s for s in scop.statements if any(s.name in c.statements for c in around)]
        written = {a.array for s in inside for a in s.accesses if a.written}
        reads = [a for a in statement.accesses if a.array == array and a.read and a.certain]
        if not reads or array in written or not is_plain(statement, scop.array(array)):
            continue
        rows = {loop for a in statement.accesses if a.written and a.certain for loop in _contiguous(statement, a)}
        for access in reads:
            moved = _moved(statement, access)
            still = set(statement.loops) - set(moved)
            if len(moved) > 1 and still and rows & set(moved) - _contiguous(statement, access):
                yield statement, moved


def _moved(statement: ScopStatement, access: ScopAccess) -> tuple[str, ...]:
    names = [name for s in subscripts_of(statement, access) for name, _ in s.factors]
    return tuple(dict.fromkeys(name for name in names if name in statement.loops))


def _contiguous(statement: ScopStatement, access: ScopAccess) -> set[str]:
    """Loops along which it goes to the next element."""
    subscripts = subscripts_of(statement, access)
    elsewhere = {name for s in subscripts[:-1] for name, _ in s.factors}
    alone = {name for s in subscripts[-1:] for name, factor in s.factors if factor in ("1", "-1")}
    return (alone - elsewhere) & set(statement.loops)

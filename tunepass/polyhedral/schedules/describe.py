"""Description of a schedule in words, for a comment."""

from __future__ import annotations

from tunepass.ir.scop import Scop
from tunepass.polyhedral.schedules.apply import planned
from tunepass.polyhedral.schedules.footprint import paths_to, tiles_of
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import Band, Leaf, Sequence, Tree, bands_in
from tunepass.polyhedral.shapes.shapes import subject


def describe_scop(scop: Scop, plan: Plan, *, independent: bool = False) -> str:
    """`i (j, k (j_2)); tiles of 32 i; k unrolled and jammed by 4; j_2 vectorized`."""
    tree = planned(scop, plan, independent)
    parts = [_nesting(tree)]
    tiles = dict.fromkeys(f"{band.strip} {band.name}" for band in bands_in(tree) if band.tiles)
    parts += [f"tiles of {', '.join(tiles)}"] if tiles else []
    parts += dict.fromkeys(word for band in bands_in(tree) for word in _words(band))
    run = subject(scop, plan.shape)
    paths = [(array, path) for array, loop in plan.pack for path in paths_to(tree, loop)]
    copied = [array for array, path in paths if any(tiles_of(run, path, array, ()))]
    return "; ".join([*parts, *(f"{run.array(array).text} packed" for array in dict.fromkeys(copied))])


def _nesting(tree: Tree) -> str:
    match tree:
        case Leaf():
            return ""
        case Sequence(children):
            return ", ".join(text for child in children if (text := _nesting(child)))
        case Band(child=child):
            inner = _nesting(child)
            return f"{tree.label} ({inner})" if inner else tree.label


def _words(band: Band) -> list[str]:
    words = [f"{band.name} unrolled{' and jammed' if band.jam else ''} by {band.copies}"] if band.copies > 1 else []
    words += [f"{band.label} vectorized"] if band.vectorize else []
    return [*words, f"{band.label} parallel"] if band.parallel else words

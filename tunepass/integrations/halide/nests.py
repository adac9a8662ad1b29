"""Loop nests of a stage of a Func: splits, order, vectors and unrolling as directives of Halide."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tunepass.integrations.halide.description import Func, Stage

Word = str | int  # "var:x", "rvar:r$x", "func:3", "tail:GuardWithIf", or a number


@dataclass(frozen=True, slots=True)
class Directive:
    """A call of a scheduling method on a stage of a Func; stage 0 is the pure definition."""

    func: int
    stage: int
    method: str
    arguments: tuple[Word, ...] = ()

    @property
    def fields(self) -> dict[str, object]:
        return {"func": self.func, "stage": self.stage, "method": self.method, "arguments": list(self.arguments)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """Choices for a stage: tile extents (0: no tile), lanes of a vector (0: none), vectors side by side, rows
    side by side, the order of its loops, innermost first, as indices of `loops_of`, and the tail of its splits."""

    tile_x: int = 0
    tile_y: int = 0
    lanes: int = 0
    vectors: int = 1
    rows: int = 1
    order: tuple[int, ...] = ()
    parallel: bool = False
    tail: str = "Auto"


@dataclass(frozen=True, slots=True)
class Nest:
    """Directives of a stage, and its loops at which a producer may be computed: around the tile, around a row."""

    directives: tuple[Directive, ...]
    tile: str
    row: str
    tiled: bool


def loops_of(stage: Stage) -> tuple[str, ...]:
    """Halide's own order, innermost first: reductions, then pure variables."""
    return (*(f"rvar:{name}" for name in stage.rvars), *(f"var:{name}" for name in stage.pure))


def fresh(name: str, used: Collection[str]) -> str:
    while name in used:
        name += "_"
    return name


def nest(func: Func, number: int, knobs: Knobs, used: Collection[str]) -> Nest:
    """The nest of a stage; `used` are names of variables that its own may not have."""
    stage, directives = func.stages[number], list[Directive]()
    x, y = _axes(func, stage)
    tail: tuple[Word, ...] = () if knobs.tail == "Auto" else (f"tail:{knobs.tail}",)

    def split(loop: str, outer: str, inner: str, size: int) -> None:
        directives.append(
            Directive(func.index, number, "split", (f"var:{loop}", f"var:{outer}", f"var:{inner}", size, *tail))
        )

    loops, outer, inner = list(loops_of(stage)), list[str](), list[str]()
    within = {}  # by variable its loop within a tile
    for axis, size in ((x, knobs.tile_x), (y, knobs.tile_y)):
        if axis and size:
            names = fresh(f"{axis}o", used), fresh(f"{axis}i", used)
            split(axis, *names, size)
            outer.append(f"var:{names[0]}")
            loops[loops.index(f"var:{axis}")] = f"var:{names[1]}"
            within[axis] = names[1]
    inner_x, inner_y = within.get(x, x), within.get(y, y)
    if x and knobs.lanes > 1:
        lane = fresh(f"{x}v", used)
        split(inner_x, inner_x, lane, knobs.lanes)
        directives.append(Directive(func.index, number, "vectorize", (f"var:{lane}",)))
        inner.append(f"var:{lane}")
    if x and knobs.vectors > 1:
        several = fresh(f"{x}u", used)
        split(inner_x, inner_x, several, knobs.vectors)
        directives.append(Directive(func.index, number, "unroll", (f"var:{several}",)))
        inner.append(f"var:{several}")
    if y and knobs.rows > 1:
        several = fresh(f"{y}u", used)
        split(inner_y, inner_y, several, knobs.rows)
        directives.append(Directive(func.index, number, "unroll", (f"var:{several}",)))
        inner.append(f"var:{several}")
    middle = [loops[place] for place in knobs.order] if knobs.order else loops
    if len(inner) + len(outer) + len(middle) > 1 and (inner or outer or middle != loops):
        directives.append(Directive(func.index, number, "reorder", (*inner, *middle, *outer)))
    around = [*middle, *outer]
    if knobs.parallel and around and around[-1].startswith("var:"):
        directives.append(Directive(func.index, number, "parallel", (around[-1],)))
    rows = [loop for loop in middle if loop != f"var:{inner_x}" and loop.startswith("var:")]
    tile = outer[0] if outer else middle[-1] if middle else ""
    return Nest(tuple(directives), tile, rows[0] if rows else tile, bool(outer))


def _axes(func: Func, stage: Stage) -> tuple[str, str]:
    """The first two arguments among the loops of the stage."""
    axes = [name for name in func.args if name in stage.pure]
    return (axes[0] if axes else ""), (axes[1] if len(axes) > 1 else "")

"""The choices about a pipeline's schedule that a user may narrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import SpaceError, spelling_hint

PLACES = ("inline", "root", "tile", "row", "slide")
TAILS = ("Auto", "GuardWithIf", "PredicateStores", "RoundUp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The choices about a pipeline.

    Args:
        compute: by Func the places where it may be computed: `inline`; `root`; `tile` and `row`, within the tiles and
            the rows of the Func that uses it; `slide`, by rows, stored for a tile. The first is the default. A Func
            that is not named has them all.
        tiles_x, tiles_y: extents of tiles; 0 is none.
        vector_bits: widths of vectors; 0 is none.
        unroll: vectors and rows computed side by side.
        threads: of the pipeline; with more than one the outer loops may be parallel.
        tails: how a split ends in stages of reductions. `RoundUp` holds for sizes that are multiples only.
        default: where Funcs that are not named are computed by default: "inline", as Halide does; "root"; "auto":
            inline unless that repeats more than 20,000 calls for a value of an output.

    Raises:
        SpaceError: an unknown place, tail or default.

    Example:
        >>> halide.Tuning(compute={"blur_x": ("root", "slide")}).threads
        1
    """

    compute: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tiles_x: tuple[int, ...] = (0, 16, 32, 64, 128, 256)
    tiles_y: tuple[int, ...] = (0, 4, 8, 16, 32, 64, 128)
    vector_bits: tuple[int, ...] = (0, 128, 256, 512, 1024)
    unroll: tuple[int, ...] = (1, 2, 4, 6, 8)
    threads: int = 1
    tails: tuple[str, ...] = ("Auto", "GuardWithIf")
    default: str = "auto"

    def __post_init__(self) -> None:
        for name, places in self.compute.items():
            unknown = [place for place in places if place not in PLACES]
            if unknown or not places:
                words = f"{name}: a place is one of {', '.join(PLACES)}; got {unknown[0] if unknown else places!r}"
                raise SpaceError(words, hint=spelling_hint(unknown[0], PLACES) if unknown else None)
        for tail in self.tails:
            if tail not in TAILS:
                raise SpaceError(f"a tail is one of {', '.join(TAILS)}; got {tail!r}", hint=spelling_hint(tail, TAILS))
        if self.default not in ("auto", "inline", "root"):
            raise SpaceError(f"default is auto, inline or root; got {self.default!r}")
        for name, least in (("tiles_x", 0), ("tiles_y", 0), ("vector_bits", 0), ("unroll", 1), ("threads", 1)):
            values = getattr(self, name)
            for value in values if isinstance(values, tuple) else (values,):
                if not isinstance(value, int) or value < least:
                    raise SpaceError(f"{name}: at least {least}, got {value!r}")
        if not self.unroll or not self.vector_bits or not self.tails:
            raise SpaceError("unroll, vector_bits and tails have at least one value each")

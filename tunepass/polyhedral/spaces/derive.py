"""`loop auto`: the space of schedules that a scop has, with what is legal of it as known constraints.

| parameter | choice |
|---|---|
| SHAPE | the tree of loops to start from: the source's, distributed, or isl's, fused or not |
| ORDER | of the loops that stand in one perfect sub-nest, in any shape |
| TILE_i, JAM_i | tile size, and copies side by side, of all loops whose index is `i` |
| SIMD, PARALLEL | whether loops that may be vectorized, or run in parallel, are |
| PACK_A | whether tiles of the array A are copied to a local buffer (packs.py) |
| SUMS | whether vectors add up, which they do in another order |

The default is the source as it stands. Constraints come from the sign vectors of dependences (chains.py), so that no
order is listed; those of loops that share a parameter all hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import ANY, Factor, Pair, ScopDirectives
from tunepass.polyhedral.codegen.updates import SUMMED
from tunepass.polyhedral.model.extents import longest_extents
from tunepass.polyhedral.shapes.shapes import shapes_of
from tunepass.polyhedral.spaces.chains import Chain, chains_of
from tunepass.polyhedral.spaces.packs import Pack, derive_packs, name_part
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.parameters.permutation import Permutation

TILES = (
    8,
    16,
    32,
    64,
    128,
    256,
)  # a square of doubles of 64 fills a first-level cache, one of 256 half a second-level one
COPIES = (2, 4, 8)
MOST_COPIES = 16  # sums of doubles: the vector registers of a core with AVX2, half of those with AVX-512
MOST_ORDERS, MOST_ORDERED, MOST_TILES, MOST_JAMS = 4, 5, 4, 3
Condition = tuple[str, str]  # (shape, what has to hold in it)


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedSpace:
    """The directives name the parameters."""

    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]
    directives: ScopDirectives
    chains: tuple[Chain, ...]
    packs: tuple[Pack, ...] = ()


def derive_space(scop: Scop, span: Span, *, parallel: bool, suffix: str = "") -> DerivedSpace:
    """The parameters' names end in `suffix`."""
    shapes = shapes_of(scop)
    chains = tuple(chain for shape in shapes for chain in chains_of(scop, shape))
    deriving = _Deriving(scop, span, shapes, chains, suffix)
    return deriving.space(parallel)


class _Deriving:
    def __init__(self, scop: Scop, span: Span, shapes: tuple[str, ...], chains: tuple[Chain, ...], suffix: str):
        self.scop, self.span, self.shapes, self.chains, self.suffix = scop, span, shapes, chains, suffix
        self.extents = longest_extents(scop)
        self.conditions: dict[str, list[str]] = {}  # what has to hold: in which shapes

    def space(self, parallel: bool) -> DerivedSpace:
        shape = Categorical(f"SHAPE{self.suffix}", self.shapes, span=self.span) if len(self.shapes) > 1 else None
        orders = self.orders()
        tiles, jams = self.tiles(), self.jams(orders)
        flags = ("SIMD", "SUMS", "PARALLEL")
        simd, sums, threads = (Categorical(f"{w}{self.suffix}", (False, True), span=self.span) for w in flags)
        named = {loop: parameter.name for parameter, loops in tiles for loop in loops}
        packs = derive_packs(self.scop, self.chains, named, self.span, self.suffix)
        adds = any(access.update in SUMMED for s in self.scop.statements for access in s.accesses)
        parameters: list[Parameter] = [
            *([shape] if shape else []),
            *orders,
            *(p for p, _ in tiles),
            *(p for p, _ in jams),
            *(pack.parameter for pack in packs),
            simd,
            *([sums] if adds else []),
        ]
        if parallel:
            parameters.append(threads)
        directives = ScopDirectives(
            shape=shape.name if shape else "source",
            order=tuple(order.name for order in orders),
            tile=_factors(tiles),
            unroll_and_jam=_factors(jams),
            vectorize=(Factor(ANY, simd.name),),
            parallel=(Factor(ANY, threads.name),) if parallel else (),
            pack=tuple(Pair(pack.array, ANY, pack.parameter.name) for pack in packs),
            sums=sums.name if adds else True,
        )
        texts = [*self.conditional(shape), *_few_copies([p for p, _ in jams])]
        texts += [pack.condition for pack in packs]
        texts += [f"{simd.name} or not {sums.name}"] if adds else []
        constraints = tuple(self.constraint(text, parameters) for text in texts)
        return DerivedSpace(
            parameters=tuple(parameters),
            constraints=constraints,
            directives=directives,
            chains=self.chains,
            packs=packs,
        )

    def constraint(self, text: str, parameters: Sequence[Parameter]) -> Constraint:
        return Constraint(Constraint.parse(text, parameters).expression, text, self.span, derived=True)

    def conditional(self, shape: Categorical | None) -> Iterator[str]:
        """Every condition, with the shapes it is for where it is not for all."""
        for text, shapes in self.conditions.items():
            if shape is None or len(set(shapes)) == len(self.shapes):
                yield text
            else:
                others = [f'"{s}"' for s in self.shapes if s not in shapes]
                yield f"{shape.name} in {{{', '.join(others)}}} or {text}"

    def demand(self, shape: str, text: str) -> None:
        shapes = self.conditions.setdefault(text, [])
        if shape not in shapes:
            shapes.append(shape)

    # -- orders

    def orders(self) -> list[Permutation]:
        """A permutation for each set of loops that stand in a chain together, the largest first."""
        groups = [g for g in self.components() if 2 <= len(g) <= MOST_ORDERED and self.has_choice(g)]
        groups = sorted(groups, key=lambda g: -len(g))[:MOST_ORDERS]
        groups.sort(key=lambda g: self.places(g[0]))
        orders = []
        for number, loops in enumerate(groups, start=1):
            name = f"ORDER{self.suffix}" + (f"_{number}" if len(groups) > 1 else "")
            orders.append(Permutation(name, loops, span=self.span))
            for chain in self.chains:
                self.demand_order(chain, name, loops)
        return orders

    def places(self, loop: str) -> int:
        return [known.name for known in self.scop.loops].index(loop)

    def components(self) -> list[tuple[str, ...]]:
        """Loops by what chains join them, in the source's order."""
        group: dict[str, frozenset[str]] = {loop.name: frozenset([loop.name]) for loop in self.scop.loops}
        for chain in self.chains:
            joined = frozenset[str]().union(*(group[loop] for loop in chain.loops))
            group.update(dict.fromkeys(joined, joined))
        return [tuple(sorted(loops, key=self.places)) for loops in dict.fromkeys(group.values())]

    def has_choice(self, loops: tuple[str, ...]) -> bool:
        """Is there a pair of loops that may change places?"""
        swaps = [(a, b) for a in loops for b in loops if self.places(a) < self.places(b)]
        return any(
            a in c.loops and b in c.loops and c.allows(_swapped(c.loops, a, b)) for c in self.chains for a, b in swaps
        )

    def demand_order(self, chain: Chain, order: str, loops: tuple[str, ...]) -> None:
        """Before each loop that a dependence goes back in stands one in which it goes forward."""
        if not set(chain.loops) <= set(loops):
            return
        for signs in sorted(chain.signs):
            ahead = [loop for loop, sign in zip(chain.loops, signs) if sign > 0]
            for loop in (loop for loop, sign in zip(chain.loops, signs) if sign < 0):
                self.demand(chain.shape, " or ".join(f"pos({order}, {a}) < pos({order}, {loop})" for a in ahead))

    # -- tiles and copies

    def by_index(self, loops: list[str]) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for loop in sorted(set(loops), key=self.places):
            groups.setdefault(self.scop.loop(loop).index, []).append(loop)
        return groups

    def tiles(self) -> list[tuple[Ordinal, list[str]]]:
        deep = [c for c in self.chains if len(c.loops) > 1]
        tilable = [loop for c in deep for loop in c.loops if not c.crosses_back(loop)]
        tiles = []
        for index, loops in list(self.by_index(tilable).items())[:MOST_TILES]:
            longest = max((self.extents.get(loop, math.inf) for loop in loops), default=math.inf)
            sizes = [size for size in TILES if 2 * size <= longest]
            if sizes:
                name = f"TILE{self.suffix}_{name_part(index)}"
                tiles.append((Ordinal(name, [1, *sizes], log=True, span=self.span), loops))
                for chain in self.chains:
                    for loop in loops:
                        if loop in chain.loops and chain.crosses_back(loop):
                            self.demand(chain.shape, f"{name} <= 1")
        return tiles

    def demand_inside(self, name: str, loops: list[str], orders: list[Permutation]) -> None:
        """Copies are of a loop with another one inside it, in each shape."""
        for shape in self.shapes:
            chains = [c for c in self.chains if c.shape == shape and set(loops) & set(c.loops)]
            if not all(chain.perfect for chain in chains):
                continue
            inside = [pair for c in chains for pair in self.pairs_inside(c, loops, orders)]
            if "" not in inside:
                self.demand(shape, " or ".join([f"{name} <= 1", *sorted(set(inside))]))

    def pairs_inside(self, chain: Chain, loops: list[str], orders: list[Permutation]) -> Iterator[str]:
        """What has to hold for a loop of the chain to be inside one of `loops`; nothing where one always is."""
        order = next((o for o in orders if set(chain.loops) <= set(o.items)), None)
        for place, loop in enumerate(chain.loops):
            if loop in loops and order is None and place + 1 < len(chain.loops):
                yield ""
            elif loop in loops and order is not None:
                others = (other for other in chain.loops if other != loop)
                yield from (f"pos({order.name}, {loop}) < pos({order.name}, {other})" for other in others)

    def jams(self, orders: list[Permutation]) -> list[tuple[Ordinal, list[str]]]:
        jammable = [loop for c in self.chains for loop in c.jams if self.extents.get(loop, math.inf) >= 2 * COPIES[0]]
        jams = []
        for index, loops in list(self.by_index(jammable).items())[:MOST_JAMS]:
            name = f"JAM{self.suffix}_{name_part(index)}"
            jams.append((Ordinal(name, [1, *COPIES], log=True, span=self.span), loops))
            self.demand_inside(name, loops, orders)
            for chain in self.chains:
                for loop in loops:
                    if loop in chain.loops and loop not in chain.jams:
                        self.demand(chain.shape, f"{name} <= 1")
        self.demand_apart({loop: parameter.name for parameter, loops in jams for loop in loops})
        return jams

    def demand_apart(self, jams: Mapping[str, str]) -> None:
        """Of loops that may not be copied together, one is not. `jams` are the parameters by loop."""
        for chain in self.chains:
            for loops in chain.apart:
                if loops <= set(jams):
                    self.demand(chain.shape, " or ".join(f"{jams[loop]} <= 1" for loop in sorted(loops)))


def _swapped(loops: tuple[str, ...], a: str, b: str) -> tuple[str, ...]:
    return tuple({a: b, b: a}.get(loop, loop) for loop in loops)


def _factors(chosen: list[tuple[Ordinal, list[str]]]) -> tuple[Factor, ...]:
    return tuple(Factor(loop, parameter.name) for parameter, loops in chosen for loop in loops)


def _few_copies(jams: list[Ordinal]) -> list[str]:
    """All copies together fit the registers."""
    most = math.prod(max(p.domain) for p in jams)
    return [f"{' * '.join(p.name for p in jams)} <= {MOST_COPIES}"] if most > MOST_COPIES else []

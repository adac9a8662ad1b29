"""Spaces of schedules: where each Func is computed, tiles, vectors, unrolling and loop orders, as parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import SpaceError, spelling_hint
from tunepass.integrations.halide.description import Description, Func, Shape
from tunepass.integrations.halide.nests import Directive, Knobs, Nest, loops_of, nest
from tunepass.integrations.parameters import identifier
from tunepass.space.configuration import Configuration, Value
from tunepass.space.opening import Opening
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.parameters.permutation import Permutation

PLACES = ("inline", "root", "tile", "row", "slide")
MAX_ORDERED = 6  # loops of a stage whose order is a parameter
MAX_INLINED = 20_000  # calls of one output's value, all inlined, beyond which the default computes Funcs at root
ASSUMED_EXTENT = 8  # of a reduction, in that count
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


@dataclass(frozen=True, slots=True)
class StageKnobs:
    """Names of the parameters of a stage; empty: it has none."""

    tile_x: str = ""
    tile_y: str = ""
    bits: str = ""
    vectors: str = ""
    rows: str = ""
    order: str = ""
    tail: str = ""


class ScheduleSpace:
    """The parameters of a pipeline's schedules, and the schedule of each configuration."""

    def __init__(self, description: Description, shapes: Sequence[Shape], tuning: Tuning):
        """Raises SpaceError for a Func that is unknown, an output, or one that no loop nest encloses."""
        self.description, self.tuning = description, tuning
        self.extents = {o.name: [n for _, n in shape] for o, shape in zip(description.outputs, shapes)}
        self.parameters: list[Parameter] = []
        self._names: set[str] = set()
        self._variables = {name for func in description.funcs for name in func.args}
        self._users = _users(description)
        self.outputs = set(description.output_names)
        self.tuned = [f for f in description.funcs if not f.plain and not f.extern and f.name not in self.outputs]
        self._check()
        self.places: dict[str, str] = {}
        self.knobs: dict[tuple[str, int], StageKnobs] = {}
        self.bits = self._ordinal("vector_bits", tuning.vector_bits)
        self.rows = self._ordinal("unroll_rows", tuning.unroll)
        self.parallel = ""
        if tuning.threads > 1:
            self.parallel = self._add(Categorical(self._name("parallel"), [False, True]))
        self._add_places()
        for func in description.funcs:
            self._add_stages(func)

    # --- parameters

    def _check(self) -> None:
        for name in self.tuning.compute:
            if name in self.outputs:
                raise SpaceError(f"{name} is an output: it is computed at root", hint="name the Funcs that it uses")
            func = self.description.by_name.get(name)
            if func is None:
                hint = spelling_hint(name, self.description.by_name) or f"known: {', '.join(self.description.by_name)}"
                raise SpaceError(f"the pipeline has no Func {name!r}", hint=hint)
            if func.extern or func.plain:
                kind = "extern" if func.extern else "only another name of what it calls"
                raise SpaceError(f"{name} is {kind}: it has no place of its own")
            within = [place for place in self.tuning.compute[name] if place in ("tile", "row", "slide")]
            if within and not self.can_be_within(name):
                words = f"{name} cannot be computed within a {within[0]}: no one loop nest has all of its uses"
                raise SpaceError(
                    words, hint=f"it is used by {', '.join(sorted(self._users[name]))}: say inline or root"
                )

    def can_be_within(self, name: str) -> bool:
        """Does one Func, computed somewhere, have all uses within its loops? All but one output use it, then."""
        return sum(name in _reached(self.description, output) for output in self.outputs) <= 1

    def _name(self, name: str) -> str:
        unique = identifier(name, self._names)
        self._names.add(unique)
        return unique

    def _add(self, parameter: Parameter) -> str:
        self.parameters.append(parameter)
        return parameter.name

    def _ordinal(self, name: str, values: Sequence[int], when: str | None = None) -> str:
        """The name of a parameter whose default is the least value; empty where there is but one."""
        distinct = sorted(set(values))
        if len(distinct) < 2:
            return ""
        return self._add(Ordinal(self._name(name), distinct, default=distinct[0], when=when))

    def _add_places(self) -> None:
        deep = self.tuning.default == "root" or (
            self.tuning.default == "auto" and inlined_calls(self.description) > MAX_INLINED
        )
        for func in self.tuned:
            stated = self.tuning.compute.get(func.name)
            places = list(dict.fromkeys(stated or PLACES))
            if stated is None and not self.can_be_within(func.name):
                places = ["inline", "root"]
            default = places[0] if stated else "root" if deep else "inline"
            if len(places) == 1:
                self.places[func.name] = ""
                continue
            self.places[func.name] = self._add(Categorical(self._name(f"compute_{func.name}"), places, default=default))

    def _add_stages(self, func: Func) -> None:
        """Parameters of outputs, and of stages with reductions; the other stages share some."""
        output = func.name in self.outputs
        if (func.plain and not output) or func.extern:
            return
        place = self.places.get(func.name)
        for number, stage in enumerate(func.stages):
            if not output and not stage.rvars:
                continue
            when = f"{place} != 'inline'" if place and "inline" in self._options(func.name) else None
            at_root = f"{place} == 'root'" if place and "root" in self._options(func.name) else None
            tiles = output or at_root is not None
            name = f"{func.name}_{number}" if number else func.name
            axes = [axis for axis in func.args if axis in stage.pure]
            x, y = len(axes) > 0, len(axes) > 1
            self.knobs[func.name, number] = StageKnobs(
                tile_x=self._tile(f"tile_x_{name}", self.tuning.tiles_x, func, 0, at_root) if tiles and x else "",
                tile_y=self._tile(f"tile_y_{name}", self.tuning.tiles_y, func, 1, at_root) if tiles and y else "",
                bits=self._ordinal(f"vector_bits_{name}", self.tuning.vector_bits, when) if x else "",
                vectors=self._ordinal(f"unroll_x_{name}", self.tuning.unroll, when) if x else "",
                rows=self._ordinal(f"unroll_y_{name}", self.tuning.unroll, when) if y else "",
                order=self._order(f"order_{name}", func, number, when),
                tail=self._tail(f"tail_{name}", when) if stage.rvars and x else "",
            )

    def _options(self, name: str) -> Sequence[str]:
        return self.tuning.compute.get(name) or PLACES

    def _tile(self, name: str, values: Sequence[int], func: Func, axis: int, when: str | None) -> str:
        extents = self.extents.get(func.name)
        limit = extents[axis] if extents else None
        return self._ordinal(name, [0, *(v for v in values if limit is None or v < limit)], when)

    def _order(self, name: str, func: Func, number: int, when: str | None) -> str:
        count = len(loops_of(func.stages[number]))
        least = 2 if func.stages[number].rvars else 3
        if not least <= count <= MAX_ORDERED:
            return ""
        return self._add(Permutation(self._name(name), count, when=when))

    def _tail(self, name: str, when: str | None) -> str:
        tails = list(dict.fromkeys(self.tuning.tails))
        return self._add(Categorical(self._name(name), tails, when=when)) if len(tails) > 1 else ""

    # --- schedules

    def place(self, choice: Mapping[str, Value], name: str) -> str:
        if name in self.outputs:
            return "root"
        parameter = self.places.get(name)
        if parameter is None:
            return "inline"  # plain or extern
        return str(choice[parameter]) if parameter else str(self._options(name)[0])

    def directives(self, choice: Configuration) -> tuple[Directive, ...]:
        """The schedule of a configuration, outputs first."""
        description = self.description
        places = {func.name: self.place(choice, func.name) for func in description.funcs}
        hosts: dict[str, tuple[str, ...]] = {}  # by Func those whose loops enclose it, itself last
        levels: dict[str, str] = {}
        nests: dict[tuple[str, int], Nest] = {}
        schedule: list[Directive] = []
        for func in reversed(description.funcs):
            name, place = func.name, places[func.name]
            if place == "inline" or func.extern:
                continue
            host = None if name in self.outputs or place == "root" else self._host(name, places, hosts)
            hosts[name] = (*(hosts[host] if host else ()), name)
            levels[name] = self._level(name, place, host, places, hosts, levels) if host else "root"
            for number in range(len(func.stages)):
                nests[name, number] = nest(func, number, self._stage(choice, func, number), self._variables)
            schedule += self._computed(func, host, levels[name], nests, places)
            for number in range(len(func.stages)):
                schedule += nests[name, number].directives
        return tuple(schedule)

    def _stage(self, choice: Mapping[str, Value], func: Func, number: int) -> Knobs:
        known = self.knobs.get((func.name, number))

        def value(name: str, default: int) -> int:
            return int(str(choice[name])) if name and name in choice else default

        shared_bits = value(self.bits, min(self.tuning.vector_bits))
        parallel = bool(choice[self.parallel]) if self.parallel else False
        if known is None:
            lanes = shared_bits // func.bits if func.bits else 0
            return Knobs(lanes=lanes, rows=value(self.rows, 1), parallel=parallel and number == 0)
        bits = value(known.bits, min(self.tuning.vector_bits))
        order = choice.get(known.order) if known.order else None
        return Knobs(
            tile_x=value(known.tile_x, 0),
            tile_y=value(known.tile_y, 0),
            lanes=bits // func.bits if func.bits else 0,
            vectors=value(known.vectors, 1),
            rows=value(known.rows, 1),
            order=tuple(int(place) for place in order) if isinstance(order, tuple) else (),
            parallel=parallel,
            tail=str(choice.get(known.tail, "Auto")) if known.tail else "Auto",
        )

    def _host(self, name: str, places: Mapping[str, str], hosts: Mapping[str, tuple[str, ...]]) -> str | None:
        """The innermost Func whose loops enclose all uses; None where there is none."""
        chains = [hosts[user] for user in self._materialised(name, places)]
        if not chains:
            return None
        common = [func for func in chains[0] if all(func in chain for chain in chains)]
        return common[-1] if common else None

    def _materialised(self, name: str, places: Mapping[str, str]) -> set[str]:
        """The Funcs with loops that use it, through those that are inlined."""
        users: set[str] = set()
        for user in self._users[name]:
            if places[user] == "inline" and user not in self.outputs:
                users |= self._materialised(user, places)
            else:
                users.add(user)
        return users

    def _level(
        self,
        name: str,
        place: str,
        host: str,
        places: Mapping[str, str],
        hosts: Mapping[str, tuple[str, ...]],
        levels: Mapping[str, str],
    ) -> str:
        """`tile`, `row` or `slide` of the host: no further in than the users that are computed within the host."""
        users = [user for user in self._materialised(name, places) if user != host]
        below = [hosts[user][hosts[user].index(host) + 1] for user in users]
        return "tile" if any(levels[user] == "tile" for user in below) else place

    def _computed(
        self, func: Func, host: str | None, level: str, nests: Mapping[tuple[str, int], Nest], places: Mapping[str, str]
    ) -> list[Directive]:
        if func.name in self.outputs:
            return []
        if host is None:
            return [Directive(func.index, 0, "compute_root")]
        above = self.description.by_name[host]
        around = nests[host, self._using_stage(func.name, above)]
        if not around.tile:
            return [Directive(func.index, 0, "compute_root")]
        loop = around.tile if level == "tile" else around.row
        computed = Directive(func.index, 0, "compute_at", (f"func:{above.index}", loop))
        if level != "slide":
            return [computed]
        if around.tiled:
            return [Directive(func.index, 0, "store_at", (f"func:{above.index}", around.tile)), computed]
        if host in self.outputs or places[host] == "root":
            return [Directive(func.index, 0, "store_root"), computed]
        return [computed]

    def _using_stage(self, name: str, host: Func) -> int:
        """The last stage of the host that uses the Func, itself or through others."""
        for number in reversed(range(len(host.stages))):
            for called in host.stages[number].calls:
                if called != host.name and (called == name or name in _reached(self.description, called)):
                    return number
        return len(host.stages) - 1

    # --- seed configurations

    def openings(self) -> tuple[Opening, ...]:
        """Schedules that an expert tries first: vectors alone; all Funcs at root, by tiles, by rows, sliding."""
        widest = max((bits for bits in self.tuning.vector_bits if bits <= 512), default=0)
        openings: list[Opening] = []
        for place, tile_x, tile_y, rows in (
            ("inline", 0, 0, 1),
            ("root", 0, 0, 1),
            ("slide", 0, 32, 1),
            ("tile", 64, 32, 2),
            ("row", 0, 32, 1),
            ("tile", 128, 8, 4),
        ):
            openings.append(self._opening(place, widest, tile_x, tile_y, rows))
        return tuple(openings)

    def _opening(self, place: str, bits: int, tile_x: int, tile_y: int, rows: int) -> Opening:
        values: dict[str, Value] = {}

        def near(name: str, preferred: int, options: Sequence[int]) -> None:
            if name:
                values[name] = min(options, key=lambda value: abs(value - preferred))

        by_name = {parameter.name: parameter for parameter in self.parameters}
        near(self.bits, bits, self.tuning.vector_bits)
        near(self.rows, 1, self.tuning.unroll)
        if self.parallel:
            values[self.parallel] = True
        for func in self.tuned:
            if parameter := self.places[func.name]:
                options = self._options(func.name) if self.can_be_within(func.name) else ("inline", "root")
                preferred = place if place in options else "root" if "root" in options else options[0]
                heavy = any(stage.rvars for stage in func.stages)
                values[parameter] = "root" if heavy and preferred == "inline" and "root" in options else preferred
        for (name, number), knobs in self.knobs.items():
            near(knobs.bits, bits, self.tuning.vector_bits)
            for parameter, size in ((knobs.tile_x, tile_x), (knobs.tile_y, tile_y)):
                if parameter:
                    ordinal = by_name[parameter]
                    assert isinstance(ordinal, Ordinal)
                    near(parameter, size, [int(value) for value in ordinal.domain])
            near(knobs.rows, rows, self.tuning.unroll)
            if knobs.order:
                values[knobs.order] = self._usual_order(self.description.by_name[name], number, rows > 1)
        return Opening(tuple(values.items()))

    def _usual_order(self, func: Func, number: int, blocked: bool) -> tuple[int, ...]:
        """Reductions around the row, or innermost where rows and vectors are computed side by side."""
        stage = func.stages[number]
        reductions, pure = len(stage.rvars), len(stage.pure)
        if not reductions or blocked or not pure:
            return tuple(range(reductions + pure))
        return (reductions, *range(reductions), *range(reductions + 1, reductions + pure))


def _users(description: Description) -> dict[str, set[str]]:
    users: dict[str, set[str]] = {func.name: set() for func in description.funcs}
    for func in description.funcs:
        for stage in func.stages:
            for called in stage.calls:
                if called != func.name:
                    users[called].add(func.name)
    return users


def _reached(description: Description, name: str) -> set[str]:
    """The Funcs that a Func uses, itself or through others."""
    reached: set[str] = set()
    due = [name]
    while due:
        for stage in description.by_name[due.pop()].stages:
            for called in stage.calls:
                if called not in reached:
                    reached.add(called)
                    due.append(called)
    return reached - {name}


def inlined_calls(description: Description) -> int:
    """Calls for a value of an output where every Func is inlined; the greatest of the outputs'."""
    counts: dict[str, int] = {}
    for func in description.funcs:  # producers first
        calls = 0
        for stage in func.stages:
            once = sum(count * (1 + counts.get(name, 0)) for name, count in stage.calls.items() if name != func.name)
            calls += once * ASSUMED_EXTENT ** len(stage.rvars)
        counts[func.name] = calls
    return max((counts[name] for name in description.output_names), default=0)

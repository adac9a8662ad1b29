"""Parameters of schedules: where each Func is computed, tiles, vectors, unrolling and loop orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SpaceError, spelling_hint
from tunepass.integrations.halide.description import Description, Func, Shape
from tunepass.integrations.halide.nests import loops_of
from tunepass.integrations.halide.tuning import PLACES, Tuning
from tunepass.integrations.halide.uses import inlined_calls, reached_from, users_of
from tunepass.integrations.parameters import identifier
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.parameters.permutation import Permutation

MAX_ORDERED = 6  # loops of a stage whose order is a parameter
MAX_INLINED = 20_000  # calls of one output's value, all inlined, beyond which the default computes Funcs at root


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


class ScheduleParameters:
    """The parameters of a pipeline's schedules."""

    def __init__(self, description: Description, shapes: Sequence[Shape], tuning: Tuning):
        """Raises SpaceError for a Func that is unknown, an output, or one that no loop nest encloses."""
        self.description, self.tuning = description, tuning
        self.extents = {o.name: [n for _, n in shape] for o, shape in zip(description.outputs, shapes)}
        self.parameters: list[Parameter] = []
        self._names: set[str] = set()
        self.variables = {name for func in description.funcs for name in func.args}
        self.users = users_of(description)
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
                raise SpaceError(words, hint=f"it is used by {', '.join(sorted(self.users[name]))}: say inline or root")

    def can_be_within(self, name: str) -> bool:
        """Does one Func, computed somewhere, have all uses within its loops? All but one output use it, then."""
        return sum(name in reached_from(self.description, output) for output in self.outputs) <= 1

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
            when = f"{place} != 'inline'" if place and "inline" in self.options(func.name) else None
            at_root = f"{place} == 'root'" if place and "root" in self.options(func.name) else None
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

    def options(self, name: str) -> Sequence[str]:
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

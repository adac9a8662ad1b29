"""The schedule of each configuration of a pipeline's parameters."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.integrations.halide.description import Func
from tunepass.integrations.halide.nests import Directive, Knobs, Nest, nest
from tunepass.integrations.halide.schedule_parameters import ScheduleParameters
from tunepass.integrations.halide.uses import reached_from
from tunepass.space.configuration import Configuration, Value


class ScheduleSpace(ScheduleParameters):
    """The parameters of a pipeline's schedules, and the schedule of each configuration."""

    def place(self, choice: Mapping[str, Value], name: str) -> str:
        if name in self.outputs:
            return "root"
        parameter = self.places.get(name)
        if parameter is None:
            return "inline"  # plain or extern
        return str(choice[parameter]) if parameter else str(self.options(name)[0])

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
                nests[name, number] = nest(func, number, self._stage(choice, func, number), self.variables)
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
        for user in self.users[name]:
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
                if called != host.name and (called == name or name in reached_from(self.description, called)):
                    return number
        return len(host.stages) - 1

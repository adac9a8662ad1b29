"""Seed configurations of a pipeline's schedules."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.integrations.halide.description import Func
from tunepass.integrations.halide.schedule_parameters import ScheduleParameters
from tunepass.space.configuration import Value
from tunepass.space.opening import Opening
from tunepass.space.parameters.ordinal import Ordinal


def seed_schedules(space: ScheduleParameters) -> tuple[Opening, ...]:
    """Schedules that an expert tries first: vectors alone; all Funcs at root, by tiles, by rows, sliding."""
    widest = max((bits for bits in space.tuning.vector_bits if bits <= 512), default=0)
    openings: list[Opening] = []
    for place, tile_x, tile_y, rows in (
        ("inline", 0, 0, 1),
        ("root", 0, 0, 1),
        ("slide", 0, 32, 1),
        ("tile", 64, 32, 2),
        ("row", 0, 32, 1),
        ("tile", 128, 8, 4),
    ):
        openings.append(_opening(space, place, widest, tile_x, tile_y, rows))
    return tuple(openings)


def _opening(space: ScheduleParameters, place: str, bits: int, tile_x: int, tile_y: int, rows: int) -> Opening:
    values: dict[str, Value] = {}

    def near(name: str, preferred: int, options: Sequence[int]) -> None:
        if name:
            values[name] = min(options, key=lambda value: abs(value - preferred))

    by_name = {parameter.name: parameter for parameter in space.parameters}
    near(space.bits, bits, space.tuning.vector_bits)
    near(space.rows, 1, space.tuning.unroll)
    if space.parallel:
        values[space.parallel] = True
    for func in space.tuned:
        if parameter := space.places[func.name]:
            options = space.options(func.name) if space.can_be_within(func.name) else ("inline", "root")
            preferred = place if place in options else "root" if "root" in options else options[0]
            heavy = any(stage.rvars for stage in func.stages)
            values[parameter] = "root" if heavy and preferred == "inline" and "root" in options else preferred
    for (name, number), knobs in space.knobs.items():
        near(knobs.bits, bits, space.tuning.vector_bits)
        for parameter, size in ((knobs.tile_x, tile_x), (knobs.tile_y, tile_y)):
            if parameter:
                ordinal = by_name[parameter]
                assert isinstance(ordinal, Ordinal)
                near(parameter, size, [int(value) for value in ordinal.domain])
        near(knobs.rows, rows, space.tuning.unroll)
        if knobs.order:
            values[knobs.order] = _usual_order(space.description.by_name[name], number, rows > 1)
    return Opening(tuple(values.items()))


def _usual_order(func: Func, number: int, blocked: bool) -> tuple[int, ...]:
    """Reductions around the row, or innermost where rows and vectors are computed side by side."""
    stage = func.stages[number]
    reductions, pure = len(stage.rvars), len(stage.pure)
    if not reductions or blocked or not pure:
        return tuple(range(reductions + pure))
    return (reductions, *range(reductions), *range(reductions + 1, reductions + pure))

"""From `model` pragmas to the models of a kernel: sizes replaced by their values, only parameters left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tunepass.diagnostics import Source, TunepassError
from tunepass.frontends.c.call.constants import constant_value
from tunepass.frontends.c.pragmas.pragma import ModelPragma
from tunepass.frontends.cfamily.types.declared import is_integral
from tunepass.frontends.params.tokens import explained
from tunepass.frontends.problems import each
from tunepass.ir.c_kernel import KernelCall, ScalarArgument
from tunepass.ir.run import RunCommand
from tunepass.ir.stated_model import CALL_OBJECTIVES, RUN_OBJECTIVES, Size, StatedModel, check_objectives
from tunepass.space.parameter import Parameter


def build_models(
    pragmas: Sequence[ModelPragma],
    parameters: Sequence[Parameter],
    judged_by: KernelCall | RunCommand,
    source: Source,
) -> tuple[StatedModel, ...]:
    """One model per pragma, each of an objective that is measured; SourceError where one is not, or is no number."""
    measured: tuple[str, ...]
    if isinstance(judged_by, KernelCall):
        measured, sizes = CALL_OBJECTIVES, scalar_values(judged_by)
    else:
        measured, sizes = tuple(metric.objective for metric in judged_by.metrics) or RUN_OBJECTIVES, {}
    check_objectives([(pragma.name, pragma.span) for pragma in pragmas], measured)
    return tuple(each(pragmas, lambda pragma: stated_model(pragma, parameters, sizes, source)))


def scalar_values(call: KernelCall) -> dict[str, Size]:
    """The value of every scalar argument, in the call's order; of its own type."""
    values: dict[str, Size] = {}
    for argument in call.arguments:
        if isinstance(argument, ScalarArgument):
            value = constant_value(argument.value, values)
            assert value is not None  # build_call evaluated it
            values[argument.name] = _typed(value, argument.element)
    return values


def _typed(value: Size, element: str) -> Size:
    if element == "bool":
        return bool(value)
    return int(value) if is_integral(element) else float(value)


def stated_model(
    pragma: ModelPragma, parameters: Sequence[Parameter], sizes: Mapping[str, Size], source: Source
) -> StatedModel:
    """Sizes are replaced by their values."""
    text = pragma.expression
    try:
        return StatedModel.parse(
            pragma.name, text.text, parameters, sizes, source=source, offset=text.start, span=pragma.span
        )
    except TunepassError as error:
        raise explained(error, text, "a model") from None

"""`tunepass space`: the parameters, constraints and exact size of a source's space."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import replace

from tunepass.backends.base import Starts, backend_for, unrestricted
from tunepass.commands.targets import kernel_name, source_of, target_of, words_of
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import parse
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.reports.answer import Answer, Json, plain, table
from tunepass.space.configuration import shown
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space


def run(options: argparse.Namespace) -> Answer:
    parsed = parse(source_of(options), kernel_name(options), words=words_of(options))
    restricted = parsed.kernels
    kernels = tuple(map(unrestricted, restricted)) if options.no_restrictions else restricted
    if options.device is not None:
        target = replace(target_of(options), starts=Starts.NOTHING)
        kernels = tuple(backend_for(kernel, target).kernel for kernel in kernels)
    answers = [_describe(kernel) for kernel in kernels]
    several = [{"kernel": kernel.name, **data} for kernel, (_, data) in zip(kernels, answers)]
    data: Json = answers[0][1] if len(answers) == 1 else several
    return Answer("\n\n".join(text for text, _ in answers), data, notes=tuple(d.render() for d in parsed.warnings))


def _describe(kernel: Kernel) -> tuple[str, Mapping[str, Json]]:
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    feasible = space.size if space.finite and space.complete else None
    data: Mapping[str, Json] = {
        "source": kernel.source.name,
        "parameters": [_parameter(p, kernel) for p in space.parameters],
        "constraints": [c.text for c in space.constraints],
        "dense": _json(_dense(space)),
        "feasible": _json(feasible),
        **({"assumed": assumed(kernel)} if assumed(kernel) else {}),
    }
    return _text(kernel, space, feasible), data


def assumed(kernel: Kernel) -> Json:
    """The sizes that times assume."""
    return {size.name: size.value for size in kernel.open_sizes if size.assumed}


def _text(kernel: Kernel, space: Space, feasible: int | None) -> str:
    rows = [("parameter", "kind", "values", "default", *(("active",) if space.activity else ()))]
    rows += [(p.name, kind(p), p.summary(), shown(p.default), *_active(p, space)) for p in space.parameters]
    lines = [f"{kernel.source.name}::{kernel.name}", table(rows, indent="  ")]
    lines += [f"  constraint {c.text}" for c in space.constraints]
    dense = _dense(space)
    share = f" ({feasible / dense:.3%} of them)" if feasible is not None and dense else ""
    left = count(feasible) if feasible is not None else "not counted: sampled with rejection"
    number = count(dense) if dense is not None else "infinitely many"
    lines.append(f"  {number} configuration{'' if dense == 1 else 's'}, feasible: {left}{share}")
    return "\n".join(lines)


def _active(parameter: Parameter, space: Space) -> tuple[str, ...]:
    """When it is active, in a space where some are not always."""
    if not space.activity:
        return ()
    return ("" if parameter.when is None else f"only when {parameter.when}",)


def count(number: int) -> str:
    """A count with its thousands; beyond 30 digits, which nobody counts, as a power of ten."""
    if number < 10**30:
        return f"{number:,}"
    exponent = int((number.bit_length() - 1) * math.log10(2))
    exponent += 10 ** (exponent + 1) <= number
    return f"about {number / 10**exponent:.1f}e{exponent}"


def kind(parameter: Parameter) -> str:
    return parameter.kind + (" log" if parameter.on_log_scale else "")


def _parameter(parameter: Parameter, kernel: Kernel) -> Json:
    definition: dict[str, Json] = dict(parameter.definition())
    return {
        "name": parameter.name,
        "kind": parameter.kind,
        **definition,
        "default": plain(parameter.default),
        "log": parameter.on_log_scale,
        "role": kernel.binding(parameter.name).role,
        **({} if parameter.when is None else {"when": parameter.when.text}),
    }


def _json(number: int | None) -> Json:
    """A number of thousands of digits, which no reader of JSON takes, as text."""
    return number if number is None or number < 10**300 else count(number)


def _dense(space: Space) -> int | None:
    """Configurations without the constraints; None when a Real makes them infinitely many."""
    return space.dense if space.finite else None

"""`tunepass space`: the parameters, constraints and exact size of a source's space."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from tunepass.commands.answer import Answer, Json, plain, table
from tunepass.frontends.base import Parsed
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import parse, select
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.space.parameter import Integer, Parameter, Permutation, Real
from tunepass.space.space import Space
from tunepass.tuning.result import shown

MOST_VALUES = 12  # longer domains are shown by their ends


def run(options: argparse.Namespace) -> Answer:
    parsed = _parsed(options)
    kernels = select(parsed.kernels, options.app or options.kernel, options.source)
    answers = [_describe(kernel) for kernel in kernels]
    several = [{"kernel": kernel.name, **data} for kernel, (_, data) in zip(kernels, answers)]
    data: Json = answers[0][1] if len(answers) == 1 else several
    return Answer("\n\n".join(text for text, _ in answers), data, notes=tuple(d.render() for d in parsed.warnings))


def _parsed(options: argparse.Namespace) -> Parsed:
    if Path(options.source).suffix == ".scala":
        from tunepass.jobs.modelled import read_kernels

        return read_kernels(options.source, options.app or options.kernel, restrict=not options.no_restrictions)
    return parse(options.source)


def _describe(kernel: Kernel) -> tuple[str, Mapping[str, Json]]:
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    feasible = space.size if space.finite and space.complete else None
    data: Mapping[str, Json] = {
        "source": kernel.source.name,
        "parameters": [_parameter(p, kernel) for p in space.parameters],
        "constraints": [c.text for c in space.constraints],
        "dense": _dense(space),
        "feasible": feasible,
    }
    return _text(kernel, space, feasible), data


def _text(kernel: Kernel, space: Space, feasible: int | None) -> str:
    rows = [("parameter", "kind", "values", "default")]
    rows += [(p.name, kind(p), values(p), shown(p.default)) for p in space.parameters]
    lines = [f"{kernel.source.name}::{kernel.name}", table(rows, indent="  ")]
    lines += [f"  constraint {c.text}" for c in space.constraints]
    dense = _dense(space)
    share = f" ({feasible / dense:.3%} of them)" if feasible is not None and dense else ""
    count = f"{feasible:,}" if feasible is not None else "not counted: sampled with rejection"
    lines.append(
        f"  {f'{dense:,}' if dense is not None else 'infinitely many'} configurations, feasible: {count}{share}"
    )
    return "\n".join(lines)


def kind(parameter: Parameter) -> str:
    return type(parameter).__name__.lower() + (" log" if getattr(parameter, "log", False) else "")


def values(parameter: Parameter) -> str:
    """The values as people read them: listed when few, else by their ends."""
    match parameter:
        case Real():
            return f"{parameter.lo:g} .. {parameter.hi:g}"
        case Integer():
            step = f" step {parameter.step}" if parameter.step != 1 else ""
            return f"{parameter.lo} .. {parameter.hi}{step}"
        case Permutation():
            return f"orders of {' '.join(map(str, parameter.items))}"
        case _:
            domain = list(parameter.domain)
            if len(domain) <= MOST_VALUES:
                return ", ".join(shown(v) or '""' for v in domain)
            return f"{shown(domain[0])}, {shown(domain[1])}, ..., {shown(domain[-1])} ({len(domain)} values)"


def _parameter(parameter: Parameter, kernel: Kernel) -> Json:
    listed: dict[str, Json] = {"name": parameter.name, "kind": type(parameter).__name__.lower()}
    match parameter:
        case Real():
            listed |= {"lo": parameter.lo, "hi": parameter.hi}
        case Integer():
            listed |= {"lo": parameter.lo, "hi": parameter.hi, "step": parameter.step}
        case Permutation():
            listed |= {"items": list(parameter.items)}
        case _:
            listed |= {"values": [plain(v) for v in parameter.domain]}
    role = kernel.binding(parameter.name).role
    return {**listed, "default": plain(parameter.default), "log": bool(getattr(parameter, "log", False)), "role": role}


def _dense(space: Space) -> int | None:
    """Configurations without the constraints; None when a Real makes them infinitely many."""
    return space.dense if space.finite else None

"""Tasks of the evaluators of C kernels: a call, and a program's own run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tunepass.backends.base import default_of
from tunepass.compilers.options import PREPROCESSING, is_named, kept
from tunepass.evaluators.command import CommandTask
from tunepass.evaluators.harness.reference.cases import Inputs
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.evaluators.process.run import Limits
from tunepass.expr.nodes import free_names
from tunepass.frontends.c.call.globals import exposing_text
from tunepass.frontends.c.call.inputs import (
    element_count,
    free_scalars,
    holds_random_numbers,
    holds_ranged_whole_numbers,
    open_elements,
    ranged,
    refilled,
)
from tunepass.frontends.c.call.requirements import sizes_allowed
from tunepass.frontends.c.call.sizes import further_sizes, sizes_of_call
from tunepass.frontends.c.harness.source import harness_source
from tunepass.frontends.c.lowering import defines, lower, presence_words
from tunepass.ir.c_kernel import ArrayArgument, CKernel, KernelCall
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel
from tunepass.ir.run import RunCommand
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective

RUN_S = 120.0  # of a program's own run, at most
COMPARED_BYTES = 1 << 28  # of output that is compared: dumps of whole arrays


def call_task(kernel: Kernel, call: KernelCall, command: tuple[str, ...], objective: Objective) -> KernelTask:
    text = exposing_text(call.function, call.globals) + (call.entry.text if call.entry else "")
    following = Following(text, call.entry.flags if call.entry else ())
    inputs = _inputs(call)
    unusual = [((name, value),) for _, name, value, _ in inputs.unusual]
    return KernelTask(
        command=command,
        source=Path(kernel.source.name),
        text=kernel.source.text,
        harness=harness_source(kernel),
        lower=partial(_followed, kernel, following),
        reference=_followed_by(following, _reference(kernel), kernel.source.text),
        language=kernel.language,
        objective=objective.name,
        metric="instructions" if objective.name == "instructions" else "time",
        tolerance=StatedTolerance(absolute=call.absolute_tolerance, relative=call.relative_tolerance),
        inputs=inputs,
        sizes_of=sizes_allowed(kernel, further_sizes(call)),
        scalars_of=sizes_allowed(kernel, unusual),
        warnings=_unread_branches(kernel, command),
        uncompared=call.uncompared,
        serial=_serial(call),
        fixed_inputs=_fixed_inputs(call),
        resizable=any(free_names(a.length) for a in call.arguments if isinstance(a, ArrayArgument)),
    )


def function_task(kernel: Kernel, call: KernelCall, command: tuple[str, ...], objective: Objective) -> KernelTask:
    """The task of a function that C calls and something else compiles; `lower`, `reference` and `source` are the
    caller's to give."""
    called = replace(kernel, language="c", parameters=(), body=CKernel(judged_by=call))
    return replace(call_task(called, call, command, objective), sizes_of=None, scalars_of=None)


def _serial(call: KernelCall) -> str:
    """Why no two calls can be made at once; empty where they can."""
    if call.setup is not None:
        return f"`{call.setup.function}` makes what one call takes at a time"
    if call.globals:
        return f"it changes variables of its file: {', '.join(variable.name for variable in call.globals)}"
    if any(isinstance(argument, ArrayArgument) and argument.container for argument in call.arguments):
        return "its containers are made for one call at a time"
    return ""


def _fixed_inputs(call: KernelCall) -> str:
    """Why no call can have other inputs than an earlier one; empty where one can."""
    read = [a for a in call.arguments if isinstance(a, ArrayArgument) and a.direction in ("in", "inout")]
    if any(array.fill is None for array in read) or any(v.filled and v.fill is None for v in call.globals):
        return ""
    if call.setup is not None:
        filled = any(place.filled and place.fill is None for place in call.setup.places)
        return "" if filled else f"its inputs are fixed: `{call.setup.function}` makes them"
    return (
        "its inputs are fixed: `fill` says what each array holds"
        if read
        else "its inputs are fixed: it has no array to read"
    )


def _unread_branches(kernel: Kernel, command: tuple[str, ...]) -> tuple[str, ...]:
    """A warning where the source was read as another preprocessor run sees it than that which is compiled."""
    read, compiled = _preprocessing(kernel.words), _preprocessing(command)
    if read == compiled:
        return ()
    how = f"read with `{' '.join(read)}`" if read else "read without the compiler's words"
    return (
        f"{kernel.source.name} was {how} and is compiled with `{' '.join(compiled)}`: what only the compile sees, "
        "variables in branches of `#if` among it, are not compared; read it with the words of the compile",
    )


def _preprocessing(words: Sequence[str]) -> list[str]:
    return kept(words, lambda word, value: is_named(word, value, PREPROCESSING) or word.startswith("-std="))


@dataclass(frozen=True, slots=True)
class Following:
    """More text at the end of what is compiled to be judged, and the flags that it needs. No file that is written has
    it."""

    text: str
    flags: tuple[str, ...] = ()


def _followed(kernel: Kernel, following: Following, configuration: Configuration) -> Candidate:
    return _followed_by(following, lower(kernel, configuration), kernel.source.text)


def _followed_by(following: Following, candidate: Candidate, source: str) -> Candidate:
    if not following.text:
        return candidate
    text, flags = (candidate.text or source) + following.text, (*candidate.flags, *following.flags)
    return replace(candidate, text=text, flags=flags)


def _inputs(call: KernelCall) -> Inputs:
    further, tuned = sizes_of_call(call), free_scalars(call.arguments, call.setup.scalars if call.setup else ())
    words = [", ".join(f"{name} = {value}" for name, value in size) for size in further.sizes]
    real, whole, byte = open_elements(call)
    return Inputs(
        sizes=tuple(words),
        stated=call.sizes is not None,
        basic=further.basic,
        middle=further.middle,
        short=further.short,
        wide=further.wide,
        remainders=() if call.sizes is not None else further.remainders(max(tuned.values(), default=0)),
        one_size=further.none,
        excluded=further.excluded,
        finite=call.finite,
        drawn=holds_random_numbers(call),
        real=real,
        whole=whole,
        byte=byte,
        ranged=ranged(call),
        ranged_whole=holds_ranged_whole_numbers(call),
        pairs=call.pairs,
        shared=call.shared,
        extra=further.extra,
        noted=further.noted,
        gaps=further.gaps,
        instead=further.instead,
        unusual=further.unusual,
        moved=further.moved,
        filled=tuple(a.name for a in call.arguments if isinstance(a, ArrayArgument) and a.direction == "out"),
        refilled=refilled(call),
        literals=bool(call.literals.whole or call.literals.real or call.literals.letters),
        found=tuple(variable.name for variable in call.globals if not variable.named),
        elements=element_count(call.arguments),
    )


def run_task(kernel: Kernel, run: RunCommand, command: tuple[str, ...], measured: Sequence[Objective]) -> CommandTask:
    return CommandTask(
        command=command,
        source=Path(kernel.source.name),
        run=run.arguments,
        lower=partial(lower, kernel),
        reference=_reference(kernel),
        metrics=tuple(MetricPattern(metric.pattern, o) for metric, o in zip(run.metrics, measured)),
        language=kernel.language,
        check=run.check,
        run_limits=Limits(wall_s=RUN_S, output_bytes=COMPARED_BYTES) if run.check else Limits(wall_s=RUN_S),
    )


def _reference(kernel: Kernel) -> Candidate:
    """The untouched source; its macros have their defaults, for sources that leave those to the pragma."""
    default = default_of(kernel)
    return Candidate(defines=(*defines(kernel, default), *presence_words(kernel, default)))

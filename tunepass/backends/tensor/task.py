"""Task of the evaluator of a tensor kernel: lowering, call, comparison and confirmation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.backends.tensor.call import TensorCall
from tunepass.backends.tensor.confirmation import Confirmation
from tunepass.backends.tensor.data import DataSet, further_data
from tunepass.backends.tensor.refusal import refused
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.harness.reference.cases import Inputs
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.measure.rounding import StatedTolerance
from tunepass.frontends.c.harness.plan import CArray
from tunepass.ir.candidate import Candidate, Lower
from tunepass.ir.kernel import Kernel
from tunepass.ir.tensor import Bound, TensorKernel
from tunepass.space.configuration import Configuration, Value
from tunepass.study.objective import Objective
from tunepass.tensors.lower import CFunction
from tunepass.tensors.lower import lower as lowered
from tunepass.tensors.notation import all_variables
from tunepass.tensors.schedule.nest import scheduled_nest

LARGE_BYTE = 4 << 20  # of a result: further seeds are compared on the small data alone
THREADS, SIMD = "#pragma omp parallel", "#pragma omp"


def generated(kernel: Kernel, values: Mapping[str, Value]) -> CFunction:
    """The C function of one schedule. Raises TunepassError for an illegal one."""
    return lowered(scheduled_nest(kernel.body_as(TensorKernel), values), kernel.name)


def unscheduled(kernel: Kernel) -> CFunction:
    """The plain loops of the expression."""
    body = replace(kernel.body_as(TensorKernel), schedule=())
    return lowered(scheduled_nest(body, {}), kernel.name)


def compiler_flags(text: str) -> tuple[str, ...]:
    """Compiler flags that the text's pragmas need."""
    if THREADS in text:
        return ("-fopenmp",)
    return ("-fopenmp-simd",) if SIMD in text else ()


@dataclass(frozen=True, slots=True)
class Generation:
    """From a configuration to C text. What cannot be lowered does not compile."""

    kernel: Kernel
    call: CFunction

    def __call__(self, configuration: Configuration) -> Candidate:
        try:
            function = generated(self.kernel, self.kernel.filled(configuration))
        except TunepassError as error:
            return refused(str(error))
        if function.arguments != self.call.arguments:
            return refused("this schedule has other arguments than the plain loops")
        return Candidate(text=function.text, flags=compiler_flags(function.text))


def tensor_task(
    kernel: Kernel,
    bound: DataSet,
    command: tuple[str, ...],
    objective: Objective,
    lower: Lower,
    not_asked: Collection[str] = (),
) -> KernelTask:
    """`not_asked` are the further data, by their words, on which candidates need not be right."""
    body = kernel.body_as(TensorKernel)
    reference = unscheduled(kernel)
    further = further_data(body, bound, stated_extents(body, bound.extents))
    call = TensorCall(body, reference, (bound, *further))
    arguments = call.arguments(bound)
    compared = [number for number, data in enumerate(further, 1) if data.words not in not_asked]
    return KernelTask(
        command=command,
        source=Path(kernel.source.name).with_suffix(".c"),
        text=reference.text,
        harness=call.harness(),
        lower=lower,
        reference=Candidate(text=reference.text, flags=compiler_flags(reference.text)),
        objective=objective.name,
        metric="instructions" if objective.name == "instructions" else "time",
        tolerance=StatedTolerance(absolute=body.absolute_tolerance, relative=body.relative_tolerance),
        inputs=Inputs(
            sizes=tuple(data.words for data in further),
            stated=True,
            elements=sum(argument.length for argument in arguments if isinstance(argument, CArray)),
        ),
        sizes_of=lambda configuration: compared,
        seeds=(1,) if call.output_bytes(bound) > LARGE_BYTE else (1, 2),
        confirm=Confirmation(call),
    )


def stated_extents(body: TensorKernel, extents: Mapping[str, int]) -> dict[str, int]:
    """Extents that a `bound` of the schedule relies on."""
    named = {directive.variable for directive in body.schedule if isinstance(directive, Bound)}
    return {variable: extents[variable] for variable in all_variables(body.assignment) if variable in named}

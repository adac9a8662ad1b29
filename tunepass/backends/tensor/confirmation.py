"""Do the unscheduled loops of a tensor kernel compute what NumPy does? Asked once, before anything is compared with
them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tunepass.backends.tensor.call import TensorCall, drawn_arrays
from tunepass.backends.tensor.data import DataSet
from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.compare import Output, compare
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.drawing import drawn
from tunepass.evaluators.harness.reference.expectation import Expected
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.measure.tolerance import Array, Mask
from tunepass.tensors.data.stored import DTYPE_OF
from tunepass.tensors.data.stored import Values as Numbers
from tunepass.tensors.evaluation import NotComputed, Operand, Some, SparseEntries, evaluate, work
from tunepass.tensors.lower.function import Values

MOST_WORK = 1 << 22  # multiplications; of larger results some coordinates are computed


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Raises ToolError where they do not."""

    call: TensorCall

    def __call__(self, reference: Reference) -> None:
        first = next(case for case in reference.expected if case.usual)
        for case, expected in reference.expected.items():
            if case == first or case.size:
                self._confirm(case, expected)

    def _confirm(self, case: Case, expected: Expected) -> None:
        data = self.call.data[case.size]
        output, tolerance = expected.calls[0][0], expected.tolerances[0]
        try:
            computed, known = self._computed(case.seed, data)
        except NotComputed:
            return  # the other data sets tell
        computed_output, theirs = Output(output.name, computed[known]), Output(output.name, output.values[known])
        wrong = compare([computed_output], [theirs], tolerance.where(known))
        if wrong:
            raise ToolError(
                case.explained(f"the unscheduled loops do not compute what NumPy does ({wrong[0]})"),
                hint="this is a defect of tunepass or of the compiler",
            )

    def _computed(self, seed: int, data: DataSet) -> tuple[Array, Mask]:
        """The result's values in storage order, and which of them are computed."""
        assignment = self.call.body.assignment
        operands = self._operands(seed, data)
        name = assignment.left.tensor
        start = operands.pop(name)
        some = _some(assignment.left.index, work(assignment, operands, data.extents), data)
        values = evaluate(assignment, operands, data.extents, _wide(start), some)
        known = np.ones(values.shape, bool)
        if some is not None:
            mode = assignment.left.index.index(some.variable)
            if isinstance(start, SparseEntries):
                known = np.isin(start.indices[mode], some.coordinates)
            else:
                known = np.zeros(values.shape, bool)
                known[(slice(None),) * mode + (some.coordinates,)] = True
        tensor = self.call.body.tensor(name)
        dtype = DTYPE_OF[tensor.element]
        if not isinstance(start, SparseEntries):
            values, known = (array.transpose(tensor.format.order) for array in (values, known))
        return values.reshape(-1).astype(dtype), known.reshape(-1)

    def _operands(self, seed: int, data: DataSet) -> dict[str, Operand]:
        """Every tensor with the numbers that the harness draws, in a wide type; the result with what it is before."""
        arguments = self.call.arguments(data)
        numbers, lengths = drawn_arrays(arguments), {a.name: a.length for a in arguments if hasattr(a, "length")}
        operands = {}
        for argument in self.call.function.arguments:
            if not isinstance(argument, Values):
                continue
            dtype, bounds = DTYPE_OF[argument.element], self.call.range_of(argument.tensor)
            count = lengths[argument.name]
            if argument.direction == "out":
                values: Numbers = np.zeros(count, dtype)
            else:
                values = drawn(seed, numbers[argument.name], count, dtype, bounds.lo, bounds.hi).astype(dtype)
            operands[argument.tensor] = _wide(self.call.operand(argument.tensor, values, data))
        return operands


def _wide(operand: Operand) -> Operand:
    """In the type in which it is computed with."""
    if isinstance(operand, SparseEntries):
        return SparseEntries(operand.indices, _widened(operand.values))
    return _widened(operand)


def _widened(values: Numbers) -> Numbers:
    return values.astype(np.float64 if values.dtype.kind == "f" else np.int64)


def _some(left: tuple[str, ...], needed: int, data: DataSet) -> Some | None:
    """Evenly chosen coordinates where all would take too long; None: all."""
    if needed <= MOST_WORK or not left:
        return None
    variable = max(left, key=lambda v: data.extents[v])
    extent, step = data.extents[variable], math.ceil(needed / MOST_WORK)
    return Some(variable, np.arange(min(step // 2, extent - 1), extent, step))

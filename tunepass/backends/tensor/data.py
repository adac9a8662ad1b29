"""The data that tensor kernels are compiled for, timed with and compared on: what is bound, and small tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SourceError
from tunepass.ir.tensor import Access, Assignment, Tensor, TensorKernel, accesses
from tunepass.tensors.data.load import load
from tunepass.tensors.data.pack import pack
from tunepass.tensors.data.stored import DTYPE_OF, Coordinates, StoredTensor
from tunepass.tensors.notation import all_variables

Cells = NDArray[np.bool_]
Fill = Callable[[tuple[int, ...]], Cells]  # which cells of a tensor hold entries
SMALL = (13, 17, 11, 7, 5, 3)  # extents of index variables; later ones have the last
FILLED = 0.3  # of the slices that are neither empty nor full
MOST_CELLS = 1 << 22  # of a small tensor, some of whose extents may be stated
FULL, EMPTY, ONE = "small tensors with empty slices and a full one", "tensors without entries", "extents of 1"


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """The extents of all index variables and the stored tensors, by name. `words` say what it is."""

    extents: Mapping[str, int]
    stored: Mapping[str, StoredTensor]
    words: str = ""


def bound_data(body: TensorKernel, source: Path, cache: Path | None) -> DataSet:
    """What the kernel binds. Raises SourceError where that does not fit together, or something is missing."""
    extents = dict(body.extents)
    stored: dict[str, StoredTensor] = {}
    for datum in body.data:
        tensor = body.tensor(datum.tensor)
        known = tuple(extents.get(variable) for variable in tensor.index)
        stored[tensor.name] = load(datum, tensor, source.parent, cache, known)
        for access in _accesses_of(body.assignment, tensor):
            for variable, extent in zip(access.index, stored[tensor.name].extents):
                _state(extents, variable, extent, tensor, access)
    _check_sparse(body, stored)
    _tie(body, extents)
    for variable in all_variables(body.assignment):
        if variable not in extents:
            raise SourceError(
                f"the extent of {variable} is not known",
                span=body.assignment.left.span,
                hint=f"add `dim {variable} = 64`, or bind data to a tensor with this index variable",
            )
    return DataSet(extents, stored)


def _state(extents: dict[str, int], variable: str, extent: int, tensor: Tensor, access: Access) -> None:
    if extents.setdefault(variable, extent) != extent:
        raise SourceError(
            f"{tensor.name} has extent {extent} for {variable}, which has {extents[variable]} elsewhere",
            span=access.span or tensor.span,
            hint="an index variable has one extent in all tensors",
        )


def _check_sparse(body: TensorKernel, stored: Mapping[str, StoredTensor]) -> None:
    for access in accesses(body.assignment.right):
        tensor = body.tensor(access.tensor)
        if tensor.format.sparse and tensor.name not in stored:
            raise SourceError(
                f"{tensor.name} is sparse, and nothing says where its entries are",
                span=tensor.span,
                hint=f'bind data to it: `bind {tensor.name} = "matrix.mtx"`',
            )


def _tie(body: TensorKernel, extents: dict[str, int]) -> None:
    """Index variables at one mode of a tensor have one extent. Raises SourceError."""
    for group in tied_variables(body):
        known = {variable: extents[variable] for variable in group if variable in extents}
        if len(set(known.values())) > 1:
            stated = ", ".join(f"{variable} = {extent}" for variable, extent in known.items())
            raise SourceError(f"index variables of one mode of a tensor have one extent, got {stated}")
        for variable in group:
            if known:
                extents[variable] = next(iter(known.values()))


def tied_variables(body: TensorKernel) -> list[set[str]]:
    """Groups of index variables that have the same extent, since they index the same mode of a tensor."""
    groups = [{variable} for variable in all_variables(body.assignment)]
    for tensor in body.tensors:
        for modes in zip(*(access.index for access in _accesses_of(body.assignment, tensor))):
            joined = [group for group in groups if group & set(modes)]
            groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return groups


def _accesses_of(assignment: Assignment, tensor: Tensor) -> list[Access]:
    every = (assignment.left, *accesses(assignment.right))
    return [access for access in every if access.tensor == tensor.name]


def further_data(body: TensorKernel, bound: DataSet, fixed: Mapping[str, int]) -> tuple[DataSet, ...]:
    """Small data with which results are compared besides: a schedule may be right for one structure alone. `fixed` are
    extents that the schedule relies on."""
    small: dict[str, int] = {}
    for number, group in enumerate(sorted(tied_variables(body), key=min)):
        fixed_values = [fixed[variable] for variable in group if variable in fixed]
        extent = fixed_values[0] if fixed_values else SMALL[min(number, len(SMALL) - 1)]
        small.update(dict.fromkeys(group, extent))
    ones = {variable: fixed.get(variable, 1) for variable in small}
    sparse = [tensor for tensor in body.tensors if tensor.name in bound.stored]
    if not sparse:
        return (DataSet(small, {}, "small extents"), DataSet(ones, {}, ONE))
    sets = [(small, FULL, _striped), (small, EMPTY, _nothing), (ones, ONE, _everything)]
    return tuple(
        DataSet(extents, {t.name: _packed(body, t, extents, fill) for t in sparse}, words)
        for extents, words, fill in sets
        if all(math.prod(_extents(body, t, extents)) <= MOST_CELLS for t in sparse)
    )


def _extents(body: TensorKernel, tensor: Tensor, extents: Mapping[str, int]) -> tuple[int, ...]:
    access = _accesses_of(body.assignment, tensor)[0]
    return tuple(extents[variable] for variable in access.index)


def _packed(body: TensorKernel, tensor: Tensor, extents: Mapping[str, int], fill: Fill) -> StoredTensor:
    shape = _extents(body, tensor, extents)
    indices = np.array(np.nonzero(fill(shape))).reshape(len(shape), -1).astype(np.int32)
    values = np.ones(indices.shape[1], DTYPE_OF[tensor.element])
    return pack(tensor.name, Coordinates(shape, indices, values), tensor.format, tensor.element)


def _striped(shape: tuple[int, ...]) -> Cells:
    """Along every mode the first slice, the last and each third are empty, but for one full slice of the first mode."""
    cells = np.random.default_rng(len(shape)).random(shape) < FILLED
    for mode, extent in enumerate(shape):
        index = np.arange(extent)
        empty = (index % 3 == 0) | (index == extent - 1)
        cells[(slice(None),) * mode + (empty,)] = False
    if shape:
        cells[shape[0] // 2] = True
    return cells


def _nothing(shape: tuple[int, ...]) -> Cells:
    return np.zeros(shape, bool)


def _everything(shape: tuple[int, ...]) -> Cells:
    return np.ones(shape, bool)

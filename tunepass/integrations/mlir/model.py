"""The CPU model's time of a module as an expression of its knobs: the prior mean of a search."""

from __future__ import annotations

import warnings
from dataclasses import replace

from tunepass.backends.base import CPU, cost_model
from tunepass.evaluators.process.cores import processor_name
from tunepass.expr.nodes import Expr
from tunepass.integrations.mlir.knobs import Knobs
from tunepass.integrations.mlir.payload import NotModelledError
from tunepass.integrations.mlir.reader import Operation
from tunepass.integrations.mlir.schedule_rules import nests_of
from tunepass.ir.kernel import Kernel
from tunepass.ir.tiled_nests import NestAlternative, TiledNests
from tunepass.search.prior import SearchPrior, model_prior


class NoPriorWarning(UserWarning):
    """A search that began without the CPU model, and why."""


def prior_of(module: Operation, knobs: Knobs, kernel: Kernel, requested: bool | None) -> SearchPrior | None:
    """The prior mean of a search.

    Args:
        module: the operation that has the knobs inside.
        knobs: those that were read.
        kernel: of them.
        requested: whether there is one; None: where the model knows the module and its tiles are vectors, else a
            NoPriorWarning.

    Raises:
        Exception: the reader's, at the operation that the model has no numbers for, where a prior mean is requested.
    """
    if requested is False:
        return None
    try:
        alternatives = nests_of(module, knobs, {parameter.name: parameter.type for parameter in kernel.parameters})
    except NotModelledError as error:
        if requested:
            knobs.reader.refuse(error.op, f"the CPU model cannot price this module: {error}")
        _warn(str(error))
        return None
    if requested is None and not all(nest.vectors for each in alternatives for nest in each.nests):
        _warn("tiles stay loops of scalars, of which the compiler makes what the model does not know")
        return None
    return model_prior("the CPU model", time_of(alternatives, kernel))


def _warn(reason: str) -> None:
    warnings.warn(f"the search starts without the CPU model: {reason}", NoPriorWarning, stacklevel=4)


def time_of(alternatives: tuple[NestAlternative, ...], kernel: Kernel) -> Expr:
    """Milliseconds of nests on this machine's processor, as an expression of the kernel's parameters."""
    body = TiledNests(alternatives=alternatives)
    costs = cost_model(CPU).costs(replace(kernel, body=body), processor_name())
    assert costs is not None, "the CPU model prices every nest of tiles"
    return costs.values["time"]

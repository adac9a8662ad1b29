"""The model of deep-learning graphs: what each operator takes, over the parameters, and when it fits its limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.diagnostics import Diagnostic, SourceError, spelling_hint
from tunepass.expr import algebra
from tunepass.expr.nodes import Compare, Expr
from tunepass.expr.numpy_eval import Columns, evaluate
from tunepass.expr.sharing import Sharing
from tunepass.graphs.inference import infer
from tunepass.graphs.table import table_of
from tunepass.hwmodels.base import Breakdown, CostModel, Costs, DeviceSummary, EstimatePart, Slice
from tunepass.hwmodels.dnn.device import Accelerator, load, names
from tunepass.hwmodels.dnn.resources import UNITS, GraphResources
from tunepass.ir.graph import Graph
from tunepass.ir.kernel import Kernel

MEMORY = "memory"
PARTS = ("weights", "macs", "flops")


def priced(graph: Graph, device: Accelerator | None) -> Costs:
    """The resources by name. `memory` is what training takes where the source trains, else what inference does, with
    what the device's context takes; it has to fit the device."""
    inferred = infer(graph.inputs, graph.nodes, table_of(graph.operators))
    sharing = Sharing()
    values = GraphResources(graph, inferred, sharing).values(device)
    needed = values["training_byte" if graph.training.used else "inference_byte"]
    values[MEMORY] = algebra.add(needed, device.context_byte if device else 0)
    limits = {MEMORY: device.memory_byte} if device else {}
    fits = [algebra.compare(values[name], "<=", most) for name, most in limits.items()]
    fits += [_within(graph, values)]
    return Costs(
        values={name: sharing.shared(value) for name, value in values.items()},
        units={**UNITS, MEMORY: "B", "flops": "FLOP"},
        fits=sharing.shared(algebra.both(*fits)),
        limits=limits,
        areas=tuple(
            EstimatePart(costs.node.name, 0, {name: costs.resources[name] for name in PARTS}, span=costs.node.span)
            for costs in inferred.nodes
            if any(algebra.number(costs.resources[name]) != 0 for name in PARTS)
        ),
        name="the model of operators",
    )


def _within(graph: Graph, values: dict[str, Expr]) -> Expr:
    """The source's own limits. SourceError for a resource that there is not."""
    problems, tests = [], []
    for limit in graph.limits:
        if limit.resource not in values:
            hint = spelling_hint(limit.resource, values, f"there are {', '.join(values)}")
            problems.append(Diagnostic(f"there is no resource `{limit.resource}`", limit.span, hint))
        else:
            test = algebra.compare(values[limit.resource], "<=", limit.most)
            tests.append(replace(test, span=limit.span) if isinstance(test, Compare) else test)
    if problems:
        raise SourceError(problems)
    return algebra.both(*tests)


class DnnModel(CostModel):
    """Models of deep learning, on any device that tunepass knows, or on none: then there are no times."""

    def devices(self) -> tuple[str, ...]:
        return names()

    def summary(self, device: str) -> DeviceSummary:
        known = load(device)
        return DeviceSummary(known.name, "dnn", known.description, None, {"memory bytes": known.memory_byte})

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        if not isinstance(kernel.body, Graph):
            return None
        return priced(kernel.body, load(device) if device else None)

    def breakdown(self, costs: Costs, device: str, columns: Columns) -> Breakdown:
        """Breakdown of the weights and the operations, by operators."""
        slices = []
        for part in costs.areas:
            values = {name: float(evaluate(e, columns, 1).values[0]) for name, e in part.values.items()}
            slices.append(Slice(part.label, part.span, values, values, ()))
        return Breakdown(area=tuple(slices), resources=PARTS)

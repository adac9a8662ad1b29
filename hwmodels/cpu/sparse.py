"""The model of tensor kernels: one expression, `time` in ms, over the parameters of the schedule.

    time = ( core + sum over levels of moved(level) * miss time ) * busiest core's share + threads

The shape of the data comes from its statistics: how long segments are, and how far apart neighbours in them. Which
columns are hit more often than others is not known, so a social network's hot rows seem to miss more than they do.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.sharing import shared
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.cpu.compiled import YES, compiled_words
from tunepass.hwmodels.cpu.device import Cpu
from tunepass.hwmodels.cpu.sparse_arrays import operand_values, result_values, structure
from tunepass.hwmodels.cpu.sparse_compute import Arrays, SparseCompute
from tunepass.hwmodels.cpu.sparse_counts import Counts, ranges
from tunepass.hwmodels.cpu.sparse_loops import SparseLoops
from tunepass.hwmodels.cpu.sparse_threads import Threads
from tunepass.hwmodels.cpu.sparse_traffic import Traffic
from tunepass.ir.kernel import Kernel
from tunepass.ir.tensor import TensorKernel

MS_PER_NS = 1e-6


def sparse_costs(kernel: Kernel, device: Cpu, words: Sequence[str] = ()) -> Costs | None:
    """Costs of the scheduled expression on `device`; None where neither statistics nor the source tell how large an
    index variable is. `words` are the compiler's."""
    body = kernel.body_as(TensorKernel)
    types = {p.name: p.type for p in kernel.parameters}
    loops = SparseLoops(body, types)
    variable_ranges = ranges(body, loops.roots)
    if variable_ranges is None or not loops.names:
        return None
    counts = Counts(loops, variable_ranges)
    arrays = Arrays(operand_values(body, counts), result_values(body, counts), *structure(body))
    compute = SparseCompute(body, counts, arrays, device, compiled_words(kernel, device, types, words))
    traffic = Traffic(counts, arrays.all, device)
    data = [traffic.ns(level) for level in (*device.levels, device.pages)]
    total = alg.add(compute.ns(), *data, traffic.cleared_ns(arrays.result))
    for directive in loops.parallel.values():
        if directive.unit == "CPUThread":
            total = _threaded(total, Threads(counts, directive, device), compute)
    values = {"time": shared(alg.mul(MS_PER_NS, total))}
    return Costs(values=values, units={"time": "ms"}, fits=YES, limits={}, name="the CPU model of sparse loops")


def _threaded(alone_ns: Expr, threads: Threads, compute: SparseCompute) -> Expr:
    return alg.add(alg.mul(alone_ns, threads.share()), threads.ns(compute.stores()))

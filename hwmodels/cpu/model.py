"""The model of C kernels with loop directives: one expression, `time` in ms, over the kernel's parameters. That of
tensor kernels is in sparse.py, that of nests of tiles in tiles.py.

    time = sum over nests of ( core + sum over levels of moved(level) * miss time )

The parts do not overlap: transfers one after another are the ECM model's rule for Intel's cores (H. Stengel et al., ICS
2015, section 2.2), and where a search asks which of two schedules is faster a sum keeps telling them apart when a
maximum would not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import Expr, Type
from tunepass.expr.sharing import shared
from tunepass.hwmodels.base import CostModel, Costs, DeviceSummary
from tunepass.hwmodels.cpu.compiled import YES, compiled_words
from tunepass.hwmodels.cpu.compute import CompilerAbilities, Compute, instances
from tunepass.hwmodels.cpu.device import DEFAULT, Cpu, load
from tunepass.hwmodels.cpu.host import host
from tunepass.hwmodels.cpu.loops import Clauses, Item, Loops
from tunepass.hwmodels.cpu.scops import ScopCompute, ScopLoops
from tunepass.hwmodels.cpu.sparse import sparse_costs
from tunepass.hwmodels.cpu.tiles import tiled_costs
from tunepass.hwmodels.cpu.traffic import Footprints, data_ns, streams
from tunepass.ir.accesses import IterationWork
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.ir.scop_directives import ANY, ScopNest
from tunepass.ir.tensor import TensorKernel
from tunepass.ir.tiled_nests import TiledNests

MS_PER_NS = 1e-6


def costs(kernel: Kernel, device: Cpu, words: Sequence[str] = ()) -> Costs | None:
    """Costs of the kernel's nests on `device`; None without nests, or where one cannot be put in numbers. `words` are
    the compiler's."""
    body = kernel.body
    if not isinstance(body, CKernel) or not body.scops:
        return None
    if not all(nest.works for nest in body.scops):  # not affine, or imperfect nests with directives by hand
        return None
    types = {p.name: p.type for p in kernel.parameters}
    compiled = compiled_words(kernel, device, types, words)
    kinds = ((_nest_ns if nest.directives.exact else _scop_ns, nest) for nest in body.scops)
    total = alg.add(*(_compiled_ns(nest, price(nest, device, compiled, types)) for price, nest in kinds))
    values = {"time": shared(alg.mul(MS_PER_NS, total))}
    return Costs(values=values, units={"time": "ms"}, fits=YES, limits={}, name="the CPU model")


def _compiled_ns(nest: ScopNest, ns: Expr) -> Expr:
    """The nest's time where its branch is compiled."""
    if nest.condition is None:
        return ns
    known: dict[str, Expr] = {n: typing.constant(v) for n, v in nest.defaults if not isinstance(v, tuple)}
    return alg.where(alg.substitute(nest.condition, known), ns, 0)


def _nest_ns(nest: ScopNest, device: Cpu, compiled: CompilerAbilities, types: dict[str, Type]) -> Expr:
    """A perfect nest of one statement, whose directives are obeyed as they stand."""
    (shaped,) = nest.works
    loops = Loops(Clauses.of(nest.directives, types), shaped.work, types)
    return _loops_ns(loops, shaped.work, Compute(loops, shaped.work, device, compiled), device)


def _scop_ns(nest: ScopNest, device: Cpu, compiled: CompilerAbilities, types: dict[str, Type]) -> Expr:
    """Shape by shape. What any loop is asked for, those that may be vectorized get, and sums with them."""
    directives = nest.directives
    by_shape: dict[str, list[Expr]] = {}
    for shaped in nest.works:
        loops = ScopLoops(shaped, directives, types)
        vectorized = loops.switched(tuple(replace(f, index="") for f in directives.vectorize if f.index == ANY), "")
        may = CompilerAbilities(
            vectorizes=alg.where(vectorized, YES, compiled.vectorizes),
            reorders=alg.where(vectorized, YES, compiled.reorders),
            vector_byte=compiled.vector_byte,
        )
        compute = ScopCompute(loops, shaped, device, may)
        by_shape.setdefault(shaped.shape, []).append(_loops_ns(loops, shaped.work, compute, device))
    times = {shape: alg.add(*parts) for shape, parts in by_shape.items()}
    if directives.shape in times:
        return times[directives.shape]
    *others, result = times.items()
    chosen, total = typing.name(directives.shape, types), result[1]
    for shape, time in reversed(others):
        total = alg.where(alg.compare(chosen, "==", typing.constant(shape)), time, total)
    return total


def _loops_ns(loops: Loops, work: IterationWork, compute: Compute, device: Cpu) -> Expr:
    all_streams = streams(work.accesses)
    share = instances(device, loops, loops.indices)
    core = alg.mul(compute.ns(), share)
    fork = alg.mul(device.core.fork_ns, _forks(loops))
    levels = (*device.levels, device.pages)
    kinds = {(level.block_byte, level.sets) for level in levels}
    footprints = {kind: Footprints(loops, all_streams, *kind) for kind in sorted(kinds)}
    data = [data_ns(level, footprints[level.block_byte, level.sets], all_streams, loops) for level in levels]
    private_ns = [ns for ns, level in zip(data, levels) if not level.shared]
    common = [ns for ns, level in zip(data, levels) if level.shared]
    return alg.add(core, fork, alg.mul(share, alg.add(*private_ns)), *common)


def _forks(loops: Loops) -> Expr:
    """How often a parallel loop is entered."""
    entries = [alg.lift(1.0)]
    for q in range(loops.depth - 1):
        entries.append(alg.mul(entries[-1], loops.iterations_at(q)))
    terms: list[Expr] = []
    for index in loops.indices:
        on = loops.switched(loops.directives.parallel, index)
        item = Item(index, index in loops.tiled)
        times: Expr = alg.lift(0.0)
        for q in range(loops.depth):
            times = alg.where(loops.stands_at(item, q), entries[q], times)
        terms.append(alg.where(on, times, 0.0))
    return alg.add(*terms)


class CpuModel(CostModel):
    """C kernels whose loop nests are known, tensor kernels, nests of tiles: on a processor as it was characterised."""

    def devices(self) -> tuple[str, ...]:
        return (DEFAULT,)

    def summary(self, device: str) -> DeviceSummary:
        cpu = load(device)
        capacity = {f"{level.name} bytes": level.size_byte for level in cpu.levels}
        return DeviceSummary(cpu.name, "cpu", cpu.description, None, {"cores": cpu.cores, **capacity})

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        """`device` is one that ships with tunepass, or the name of the processor that this runs on."""
        processor = load(device) if device in self.devices() else host(device)
        if isinstance(kernel.body, TiledNests):
            return tiled_costs(kernel, processor)
        return (sparse_costs if isinstance(kernel.body, TensorKernel) else costs)(kernel, processor, words)

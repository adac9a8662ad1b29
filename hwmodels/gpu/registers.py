"""How many registers a thread will take, and whether it spills: an estimate that a compiler's reports correct.

Weights of the terms in tunepass.hwmodels.gpu.register_terms were fitted to ptxas (`registers.yaml` says to which
compiles) and are NVIDIA's. What a source states of its registers is taken as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns, evaluate_within
from tunepass.hwmodels.gpu.device import Gpu, MultiprocessorLimits
from tunepass.hwmodels.gpu.register_fit import SLACK, Cases, Floats
from tunepass.hwmodels.gpu.register_lessons import Lessons, learn
from tunepass.hwmodels.gpu.register_terms import BASE, HELD, RegisterTerms, register_terms
from tunepass.hwmodels.gpu.register_weights import calibrated
from tunepass.hwmodels.gpu.resources import Resources, stated_resources
from tunepass.ir.gpu import GpuKernel

SPILLED = 8  # bytes stored and loaded of each register that is missing
FEW = 4  # reports below which nothing is corrected
LEAST = 8  # registers


def estimate(kernel: GpuKernel, gpu: Gpu) -> Resources:
    """Registers that the source states, else an estimate from its text."""
    known = estimated(kernel, gpu)
    return stated_resources(kernel, gpu) if known is None else known.resources()


def estimated(kernel: GpuKernel, gpu: Gpu) -> RegisterEstimate | None:
    """None where registers are stated, or the text was not understood."""
    if kernel.registers is not None or kernel.thread is None:
        return None
    x, y, z = (kernel.at(extent) for extent in kernel.launch.block)
    launched = alg.mul(x, y, z)
    return RegisterEstimate(
        terms=register_terms(kernel, kernel.thread),
        weights=calibrated(),
        threads=launched if kernel.thread.most_threads is None else kernel.thread.most_threads,
        bounded=kernel.thread.most_threads is not None,
        least_blocks=kernel.thread.least_blocks,
        shared=kernel.at(kernel.shared) if kernel.shared is not None else alg.lift(0),
        limits=gpu.limits,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterEstimate:
    """`bounded`: the compiler is promised that a block has no more `threads`."""

    terms: RegisterTerms
    weights: tuple[float, ...]  # by NAMES
    threads: Expr
    bounded: bool
    least_blocks: Expr | None
    shared: Expr
    limits: MultiprocessorLimits
    lessons: Lessons | None = None

    def resources(self) -> Resources:
        demand, early_demand = self._demand()
        most = self.most
        early = alg.minimum(early_demand, self._free(demand))
        registers = alg.minimum(most, alg.maximum(demand, early))
        if self.lessons is not None:
            registers = alg.minimum(most, alg.maximum(LEAST, alg.mul(self.lessons.factor(), registers)))
        return Resources(
            registers=_whole(registers),
            spill_byte=_whole(alg.mul(SPILLED, alg.maximum(0, alg.sub(alg.sub(demand, most), SLACK)))),
            shared=self.shared,
        )

    def corrected(self, features: Sequence[Expr], columns: Columns, registers: Floats) -> RegisterEstimate:
        """Taught by reports (n,) of the configurations in the columns. `features` is what compiles differ in, besides
        the estimate's own terms: the parameters."""
        if len(registers) < FEW:
            return self
        uncorrected = replace(self, lessons=None).resources().registers
        expected = np.asarray(evaluate_within(uncorrected, columns, len(registers)).values, float)
        return replace(self, lessons=learn((*features, *self._features(uncorrected)), columns, expected, registers))

    def _features(self, uncorrected: Expr) -> tuple[Expr, ...]:
        """The estimate and what it is made of, as logarithms."""
        peaks = [alg.maximum(*column) for rows in (self.terms.held, self.terms.ahead) for column in zip(*rows)]
        return tuple(
            alg.apply("log2", alg.add(1.0, term)) for term in (uncorrected, self.most, *self.terms.base[1:3], *peaks)
        )

    def cases(self, columns: Columns, registers: Floats, spill_byte: Floats) -> Cases:
        n = len(registers)

        def values(e: Expr) -> Floats:
            column: Floats = np.nan_to_num(np.asarray(evaluate_within(e, columns, n).values, float))
            return column

        def table(rows: Sequence[Sequence[Expr]]) -> Floats:
            return np.stack([np.stack([values(e) for e in row], axis=1) for row in rows], axis=1)

        return Cases(
            base=table([self.terms.base])[:, 0],
            held=table(self.terms.held),
            ahead=table(self.terms.ahead),
            threads=np.maximum(1.0, values(self.threads)),
            shared=values(self.shared),
            most=values(self.most),
            limits=self.limits,
            registers=np.asarray(registers, float),
            spill_byte=np.asarray(spill_byte, float),
        )

    @property
    def most(self) -> Expr:
        """The registers that a thread may have, at the blocks that the compiler has to make room for."""
        if not self.bounded:
            return alg.lift(self.limits.registers_per_thread)
        blocks = alg.lift(1) if self.least_blocks is None else alg.maximum(1, self.least_blocks)
        return self._per_thread(blocks)

    def _demand(self) -> tuple[Expr, Expr]:
        weights = list(self.weights)
        base = _weighted(weights[: len(BASE)], self.terms.base)
        region_demand = [_weighted(weights[len(BASE) : len(BASE) + len(HELD)], row) for row in self.terms.held]
        ahead = [_weighted(weights[len(BASE) + len(HELD) :], row) for row in self.terms.ahead]
        early_demand = [alg.add(now, early) for now, early in zip(region_demand, ahead)]
        return alg.add(base, alg.maximum(*region_demand)), alg.add(base, alg.maximum(*early_demand))

    def _free(self, demand: Expr) -> Expr:
        """The most registers at which as many blocks fit as at `demand`."""
        limits = self.limits
        blocks = alg.minimum(limits.blocks_per_sm, alg.floordiv(limits.warps_per_sm * limits.warp, self._warps()))
        if alg.number(self.shared) != 0:
            shared_blocks = alg.floordiv(limits.shared_per_sm_byte, alg.add(self.shared, limits.shared_reserved_byte))
            blocks = alg.where(alg.compare(self.shared, ">", 0), alg.minimum(blocks, shared_blocks), blocks)
        eights = alg.maximum(1, alg.apply("ceil", alg.mul(0.125, demand)))
        fitting = alg.floordiv(limits.registers_per_sm, alg.mul(8, self._warps(), eights))
        return self._per_thread(alg.maximum(1, alg.minimum(blocks, fitting)))

    def _warps(self) -> Expr:
        """Threads of a block in whole warps."""
        warp = self.limits.warp
        return alg.mul(warp, alg.ceildiv(alg.maximum(1, self.threads), warp))

    def _per_thread(self, blocks: Expr) -> Expr:
        eights = alg.floordiv(self.limits.registers_per_sm, alg.mul(8, blocks, self._warps()))
        return alg.minimum(self.limits.registers_per_thread, alg.mul(8, eights))


def _weighted(weights: Sequence[float], terms: Sequence[Expr]) -> Expr:
    return alg.add(0.0, *(alg.mul(weight, term) for weight, term in zip(weights, terms) if weight))


def _whole(e: Expr) -> Expr:
    return alg.apply("ceil", alg.mul(1.0, e))

"""Weights of register estimates, searched for on what a compiler reported.

The estimate has steps and a maximum, so that its error has no slope everywhere: weights are moved one by one and in
random directions, always the same ones, and a move is kept where it makes the error smaller.

    B (n, b), H (n, r, h), A (n, r, a)   terms of n compiles: of the function; held and ahead, of each of r regions
    w (b + h + a)                        weights, none negative
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.hwmodels.gpu.device import MultiprocessorLimits

Floats = NDArray[np.float64]
CLOSE = 25.0  # registers of error from which on more of it counts less
WRONG_SPILL = 0.3  # what a register on the wrong side of spilling counts
SLACK = 4.0  # registers beyond the most that ptxas does without


@dataclass(frozen=True, slots=True)
class Cases:
    """Compiles of one kernel for one architecture: their terms, what they may take, and what ptxas said."""

    base: Floats  # (n, b)
    held: Floats  # (n, r, h)
    ahead: Floats  # (n, r, a)
    threads: Floats  # (n,) of a block
    shared: Floats  # (n,) bytes
    most: Floats  # (n,) registers that the launch bounds leave
    limits: MultiprocessorLimits
    registers: Floats  # (n,)
    spill_byte: Floats  # (n,)

    def __len__(self) -> int:
        return len(self.registers)

    def demand(self, w: Floats) -> tuple[Floats, Floats]:
        """Registers (n,) that must live at once, and the demand with early loads."""
        b, h = self.base.shape[1], self.held.shape[2]
        base, region_demand = self.base @ w[:b], self.held @ w[b : b + h]  # (n,), (n, r)
        return base + region_demand.max(axis=1), base + (region_demand + self.ahead @ w[b + h :]).max(axis=1)

    def estimate(self, w: Floats) -> Floats:
        """Registers (n,), not rounded."""
        demand, early_demand = self.demand(w)
        early = np.minimum(early_demand, self.free(demand))
        return np.asarray(np.minimum(self.most, np.maximum(demand, early)), float)

    def free(self, demand: Floats) -> Floats:
        limits = self.limits
        threads = np.ceil(self.threads / limits.warp) * limits.warp
        blocks = np.minimum(limits.blocks_per_sm, limits.warps_per_sm * limits.warp // threads)
        block_shared = np.where(self.shared > 0, self.shared + limits.shared_reserved_byte, 1.0)
        blocks = np.minimum(blocks, np.where(self.shared > 0, limits.shared_per_sm_byte // block_shared, blocks))
        blocks = np.minimum(blocks, limits.registers_per_sm // (threads * 8 * np.maximum(1, np.ceil(demand / 8))))
        free = limits.registers_per_sm // (np.maximum(1, blocks) * threads) // 8 * 8
        return np.asarray(np.minimum(limits.registers_per_thread, free), float)

    def error(self, w: Floats) -> float:
        """Objective of the fit: mean error in registers."""
        demand, _ = self.demand(w)
        error = np.abs(self.estimate(w) - self.registers)
        missing = np.where((self.spill_byte > 100) & (demand < self.most), np.minimum(self.most - demand, 20), 0)
        beyond = np.where((self.spill_byte == 0), np.clip(demand - self.most - SLACK, 0, 40), 0)
        capped = np.minimum(error, CLOSE) + 0.15 * np.maximum(error - CLOSE, 0)
        return float((capped + WRONG_SPILL * (missing + beyond)).mean())


def fit(cases: Sequence[Cases], start: Floats, pull: float = 0.0, rounds: int = 30, seed: int = 0) -> Floats:
    """Weights for all cases, each kernel counting the same; `pull` is what moving all of `start` by itself costs."""
    scale = np.maximum(start, 0.2)

    def error(w: Floats) -> float:
        moved = float(np.abs((w - start) / scale).mean())
        return float(np.mean([case.error(w) for case in cases])) + pull * moved + 0.002 * float(w[1:].sum())

    rng = np.random.default_rng(seed)
    w, step = start.copy(), np.maximum(start * 0.5, 0.2)
    least = error(w)
    for _ in range(rounds):
        for i in rng.permutation(len(w)):
            for move in (step[i], -step[i], step[i] / 4, -step[i] / 4, -w[i]):
                moved = w.copy()
                moved[i] = max(0.0, moved[i] + move)
                if (now := error(moved)) < least - 1e-9:
                    least, w = now, moved
                    break
            else:
                step[i] *= 0.6
        for _ in range(2 * len(w)):
            size = np.maximum(step, 0.02 + 0.3 * w) * 10 ** rng.uniform(-1.5, 0.3)
            moved = np.maximum(0.0, w + size * rng.normal(size=len(w)) * (rng.random(len(w)) < 0.25))
            if (now := error(moved)) < least:
                least, w = now, moved
    return w

"""How a statement's result is kept: overwritten, or zeroed and added to, in a register, atomically or in copies."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.tensors.lower.statement import Statement


@dataclass(frozen=True, slots=True)
class ResultPlan:
    """Depths count the loops around. `located`: where the number of the result is known; `register`: from there the
    inner loops sum in a register; `zeroed`: where the slice the inner loops add to is set to zero."""

    located: int
    register: int
    overwrites: bool
    zeroed: int | None
    thread: int | None  # the loop that is run by threads
    atomic: bool
    private: bool  # each thread adds to a copy of the result
    reduced: bool  # the register is OpenMP's to sum over threads


def plan_of(statement: Statement, fresh: bool) -> ResultPlan:
    """`fresh`: this is the first statement that writes the result, which held nothing before."""
    loops, free = statement.loops, statement.free()
    located = max((statement.depth_of(root) for root in free), default=0)
    thread = next((n for n, loop in enumerate(loops) if loop.unit == "CPUThread"), None)
    races = thread is not None and statement.reduces(thread)
    race = loops[thread].race if thread is not None and races else None
    register = located
    if race == "Atomics" and thread is not None and thread >= located:
        register = thread + 1
    reductions = [n for n in range(len(loops)) if statement.reduces(n)]
    covers = statement.storage.sparse(statement.result) or all(statement.enumerated(root) for root in free)
    covers = covers and located <= statement.unconditional()[0]
    overwrites = fresh and covers and register == located and all(n >= located for n in reductions)
    return ResultPlan(
        located=located,
        register=register,
        overwrites=overwrites,
        zeroed=slice_depth(statement, reductions) if fresh and not overwrites else None,
        thread=thread,
        atomic=race == "Atomics",
        private=race in ("Temporary", "ParallelReduction") and thread is not None and thread < located,
        reduced=race is not None and race != "Atomics" and thread is not None and thread >= located,
    )


def slice_depth(statement: Statement, reductions: list[int]) -> int:
    """The innermost depth where all that was bound makes whole index variables of the result, and nothing is summed
    over yet: what is inside adds to a slice of its own."""
    free, sparse = statement.free(), statement.storage.sparse(statement.result)
    best = 0
    _, before = statement.unconditional()
    for depth in range(1, min([*reductions, before]) + 1):
        bound = {root for index in range(depth) for root in statement.roots_at(index)}
        whole = all(statement.depth_of(root) <= depth for root in bound) and bound <= free
        if sparse:
            whole = whole and bound == set(statement.levels[: len(bound)])
        else:
            whole = whole and all(statement.enumerated(root) for root in bound)
        if whole:
            best = depth
    return best


def simd(statement: Statement, plan: ResultPlan, index: int) -> str | None:
    """The pragma of a vector loop; None where its steps could add to one number, or may not be vectorised."""
    if statement.loops[index].unit != "CPUVector" or plan.atomic or (plan.thread is not None and plan.thread > index):
        return None
    if not statement.reduces(index):
        return "omp simd"
    return "omp simd reduction(+:{register})" if index >= plan.register else None

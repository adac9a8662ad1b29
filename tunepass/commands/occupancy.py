"""`tunepass occupancy`: how many blocks of a kernel a GPU's multiprocessor holds at once, and what allows no more."""

from __future__ import annotations

import argparse

from tunepass.hwmodels.gpu.device import Gpu, load
from tunepass.hwmodels.gpu.occupancy import Occupancy, Resource, occupancy
from tunepass.reports.answer import Answer, Json, table


def run(options: argparse.Namespace) -> Answer:
    gpu = load(options.device)
    answer = occupancy(gpu, options.threads, options.registers, options.shared)
    data: Json = {
        "device": gpu.name,
        "blocks_per_sm": answer.blocks_per_sm,
        "warps_per_sm": answer.warps_per_sm,
        "occupancy": answer.occupancy,
        "limited_by": list(answer.limited_by),
        "blocks": {str(resource): count for resource, count in answer.blocks.items()},
    }
    return Answer(_text(gpu, answer, options), data)


def _text(gpu: Gpu, answer: Occupancy, options: argparse.Namespace) -> str:
    unit, warps = ("multiprocessor", "warps") if gpu.vendor == "nvidia" else ("compute unit", "waves")
    if gpu.vendor == "amd" and gpu.limits.warp == 32:
        unit = "work-group processor"
    *others, last = answer.limited_by
    listed = f"{', '.join(others)} and {last}" if others else last
    sentence = f"{answer.blocks_per_sm} blocks of {answer.warps_per_block} {warps} a {unit}"
    sentence += f", occupancy {answer.occupancy:.1%}, limited by {listed}"
    if not answer.fits:
        sentence = f"such a block cannot be launched: {listed}"
    limits = gpu.limits
    per_block: dict[Resource, str] = {
        "warps": f"{answer.warps_per_block} of {limits.warps_per_sm} {warps}; "
        f"{limits.threads_per_block:,} threads a block",
        "registers": f"{answer.registers_per_block:,} of {limits.registers_per_sm:,}; {limits.registers_per_block:,} a "
        f"block, {limits.registers_per_thread} a thread",
        "shared": f"{answer.shared_per_block_byte:,} of {limits.shared_per_sm_byte:,} bytes; "
        f"{limits.shared_per_block_byte:,} a block",
        "blocks": f"1 of {answer.blocks['blocks']}",
    }
    rows = [("limit", "blocks", "a block takes; at most")]
    rows += [(str(resource), str(count), per_block[resource]) for resource, count in answer.blocks.items()]
    return f"{gpu.name} ({gpu.architecture.name}): {sentence}\n{table(rows, indent='  ')}"

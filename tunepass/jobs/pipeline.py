"""The standard pipeline, with this machine's compiler behind it."""

from __future__ import annotations

from tunepass.diagnostics import TunepassError
from tunepass.hwmodels.fpga import device as devices
from tunepass.jobs.compiled import evaluators_for
from tunepass.jobs.reading import emit
from tunepass.passes.apply_schedule import ApplySchedule
from tunepass.passes.base import Emitter, Evaluators, Pipeline
from tunepass.passes.emit import Emit
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.prune_space import PruneSpace
from tunepass.passes.search import Search

HOST = "host"


def default_pipeline(
    device: str | None = None,
    *,
    max_evals: int | None,
    seed: int,
    strategy: str,
    compiler: tuple[str, ...],
    evaluators: Evaluators | None,
    emitter: Emitter | None,
) -> Pipeline:
    """What `Pipeline.default` gives."""
    if device is not None and device in devices.names():
        from tunepass.jobs.priced import PricedSearch

        priced = PricedSearch(device=device, strategy=strategy, seed=seed, max_evals=max_evals)
        return Pipeline((ExtractSpace(), priced, ApplySchedule(), Emit(emitter or emit)))
    check_device(device)
    search = Search(
        evaluators=evaluators or evaluators_for(compiler), max_evals=max_evals, seed=seed, strategy=strategy
    )
    return Pipeline((ExtractSpace(), PruneSpace(), search, ApplySchedule(), Emit(emitter or emit)))


def check_device(device: str | None) -> None:
    """C kernels are compiled and run where tunepass runs."""
    if device not in (None, HOST):
        raise TunepassError(
            f"no device {device!r} compiles and runs; there is {HOST!r}, the machine this runs on",
            hint=f"Spatial programs are priced on {', '.join(devices.names())}",
        )

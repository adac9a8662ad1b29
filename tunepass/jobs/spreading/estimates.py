"""Estimates of a table whose rows other processes price."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import TunepassError
from tunepass.executors.base import Executor
from tunepass.jobs.estimates import Estimator
from tunepass.jobs.job import prepare
from tunepass.jobs.spreading.kernels import job_of, text_of
from tunepass.space.configuration import Configuration
from tunepass.study.lock.lock import Lock
from tunepass.study.storage.json_text import decode_configuration, encode_configuration

ROWS = 1 << 14  # of a share


def prices_elsewhere(
    model: Estimator, points: Sequence[Configuration], executor: Executor, words: Sequence[str] | None
) -> dict[str, NDArray[np.generic]]:
    """As `model.prices`, each share of the rows priced by a worker of the executor."""
    text = text_of(prepare(model.kernel, model.backend.target, Lock()), words)

    def tasks() -> Iterator[str]:
        for first in range(0, len(points), ROWS):
            rows = [encode_configuration(point) for point in points[first : first + ROWS]]
            yield json.dumps({"job": text, "rows": rows})

    names = [*model.costs.values, "fits", "extrapolated"]
    parts: list[dict[str, NDArray[np.generic]]] = []
    with executor.workers() as spread:
        for place, answer in enumerate(spread(prices_of_rows, tasks())):
            parts.append(_decoded(answer, names, min(ROWS, len(points) - place * ROWS)))
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def prices_of_rows(task: str) -> str:
    """In another process: the named expressions of some configurations, a list each."""
    fields = json.loads(task)
    job = job_of(fields["job"])
    costs = job.backend.costs()
    if costs is None:
        raise TunepassError(f"{job.key}: no model prices it here")
    prices = Estimator(job.backend, costs).prices([decode_configuration(row) for row in fields["rows"]])
    return json.dumps({name: column.tolist() for name, column in prices.items()})


def _decoded(text: object, names: Sequence[str], count: int) -> dict[str, NDArray[np.generic]]:
    """Raises TunepassError for an answer that is none."""
    try:
        fields = json.loads(text) if isinstance(text, str) else {}
        columns = {name: np.array(fields[name]) for name in names}
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        columns = {}
    if not columns or any(column.shape != (count,) or column.dtype.kind not in "bif" for column in columns.values()):
        raise TunepassError("a worker's prices cannot be read", hint="install the same version of tunepass everywhere")
    return columns

"""Trials in blocks of rows: each column of a block is checked whole, since a long study has millions of cells.

Whatever passes these checks passes those of tunepass.study.storage.trial_rows too. A block with any other cell is no
Block: its rows are read one by one there, where a message says of a damaged cell what is wrong with it.
"""

from __future__ import annotations

import math
import secrets
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, compress, repeat
from typing import cast

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration, Value
from tunepass.study.ledger import EMPTY, Ledger
from tunepass.study.outcome import Failed, Infeasible, Measured, Outcome
from tunepass.study.results import trial_columns
from tunepass.study.results.trial_columns import Floats, Mask, TrialColumns
from tunepass.study.storage import checked, json_text
from tunepass.study.storage.schema import STAGES
from tunepass.study.storage.trial_rows import TRIAL_COLUMNS, read_intermediate
from tunepass.study.trial import Trial

ROWS = 5_000  # of a block
BLOCK_COLUMNS = (*TRIAL_COLUMNS, "finished")
_OUTCOME = ("outcome", "stage", "reason", "censored", "deviation", "repeats")
_TAIL = ("log", "calibration", "same_as", "code", "checks", "intermediate")
_TEXTS = ("configuration", "objectives", "samples")  # JSON that a block holds decoded
_STAGES = tuple((stage, f"{stage}_s") for stage in STAGES)
_PLAIN_VALUES = {int, float, bool, str, type(None)}
Cells = Mapping[str, Sequence[object]]


class Unusual(Exception):
    """A cell that the checks of whole columns do not know."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialBlock(TrialColumns):
    """Consecutive trials of a study, every cell checked.

    Args:
        cells: by name of BLOCK_COLUMNS, as far as they were read, a cell for each trial.
        assignments: their configurations.
        measurements: by objective the values, NaN where there is none.
        samples: those of each trial; none of one that was not measured.
    """

    cells: Cells
    assignments: Sequence[Configuration]
    measurements: Mapping[str, Floats]
    samples: Sequence[Sequence[float]]

    def __len__(self) -> int:
        return len(self.assignments)

    def at(self, place: int) -> Trial:
        return next(self._rows(slice(place, place + 1)))

    def __iter__(self) -> Iterator[Trial]:
        return self._rows(slice(None))

    def values(self, objective: str) -> Floats:
        known = self.measurements.get(objective)
        return np.full(len(self), np.nan) if known is None else known

    def failure_kinds(self) -> list[str | None]:
        kinds = cast(Sequence[str], self.cells["outcome"])
        stages = cast(Sequence[str], self.cells["stage"])
        return [
            None if kind == "measured" else stage if kind == "failed" else kind for kind, stage in zip(kinds, stages)
        ]

    def cut_short(self) -> Mask:
        measured = zip(self.cells["outcome"], self.cells["censored"])
        return np.array([kind == "measured" and censored == 1 for kind, censored in measured], np.bool_)

    def configurations(self) -> Sequence[Configuration]:
        return self.assignments

    @property
    def numbers(self) -> Sequence[int]:
        return cast(Sequence[int], self.cells["number"])

    def without_texts(self) -> TrialBlock:
        """Without the JSON that it holds decoded, for those who need no line of it."""
        cells = {name: column for name, column in self.cells.items() if name not in _TEXTS}
        return TrialBlock(cells, self.assignments, self.measurements, self.samples)

    def _rows(self, part: slice) -> Iterator[Trial]:
        log, calibration, same_as, code, checks, intermediate = (self.cells[name][part] for name in _TAIL)
        return map(
            Trial,
            self.numbers[part],
            self.assignments[part],
            self._outcomes(part),
            self._seconds(part),
            cast(Sequence[str], log),
            cast("Sequence[float | None]", calibration),
            cast("Sequence[int | None]", same_as),
            cast(Sequence[str], code),
            map(_ledger, checks),
            map(read_intermediate, intermediate),
        )

    def _outcomes(self, part: slice) -> Iterator[Outcome]:
        names = list(self.measurements)
        rows = zip(*(column[part].tolist() for column in self.measurements.values()))
        cells = zip(rows, self.samples[part], *(self.cells[name][part] for name in _OUTCOME))
        for values, samples, kind, stage, reason, censored, deviation, repeats in cells:
            if kind == "measured":
                by_name = dict(zip(names, values))
                if deviation is None and repeats is None:
                    yield Measured(by_name, tuple(samples), censored == 1)
                else:
                    yield _of_several(by_name, samples, censored, deviation, repeats)
            else:
                yield Failed(stage, reason) if kind == "failed" else Infeasible(reason)

    def stage_columns(self, part: slice = slice(None)) -> dict[str, Sequence[float | None]]:
        """The seconds of each stage that has a column and was reached by any trial."""
        columns = {stage: cast("Sequence[float | None]", self.cells[name][part]) for stage, name in _STAGES}
        return {stage: column for stage, column in columns.items() if column.count(None) < len(column)}

    def _seconds(self, part: slice) -> Iterator[dict[str, float]]:
        columns = self.stage_columns(part)
        rows: Iterable[tuple[float | None, ...]] = zip(*columns.values()) if columns else repeat(())
        for row, other in zip(rows, self.cells["other_s"][part]):
            times = {stage: value for stage, value in zip(columns, row) if value is not None}
            yield times if other is None else {**times, **_other_seconds(other)}


class StoredTrials(TrialColumns):
    """All trials of a study, in parts: blocks, and lists of those that were read one by one. An object is made of a
    trial when it is asked for, and again when it is asked for again."""

    def __init__(self, parts: Sequence[TrialBlock | Sequence[Trial]]):
        self._parts = tuple(parts)
        self._starts = [0, *accumulate(map(len, self._parts))]

    def __len__(self) -> int:
        return self._starts[-1]

    def at(self, place: int) -> Trial:
        part = bisect_right(self._starts, place) - 1
        return self._parts[part][place - self._starts[part]]

    def __iter__(self) -> Iterator[Trial]:
        return chain.from_iterable(self._parts)

    def values(self, objective: str) -> Floats:
        return np.concatenate([np.empty(0), *(trial_columns.values(part, objective) for part in self._parts)])

    def failure_kinds(self) -> list[str | None]:
        return list(chain.from_iterable(map(trial_columns.failure_kinds, self._parts)))

    def cut_short(self) -> Mask:
        return np.concatenate([np.empty(0, np.bool_), *map(trial_columns.cut_short, self._parts)])

    def configurations(self) -> list[Configuration]:
        return list(chain.from_iterable(map(trial_columns.configurations, self._parts)))


def read_block(rows: Sequence[Sequence[object]], objectives: Sequence[str]) -> TrialBlock | None:
    """The block of rows of BLOCK_COLUMNS or TRIAL_COLUMNS, measured in exactly these objectives; None where a cell is
    unusual."""
    try:
        return _block(dict(zip(BLOCK_COLUMNS, zip(*rows))), objectives)
    except (Unusual, StudyError):
        return None


def _block(cells: dict[str, Sequence[object]], objectives: Sequence[str]) -> TrialBlock:
    _check_scalars(cells)
    _check_failures(cells)
    for name in ("stage", "reason", "log"):  # few different ones, each once in memory
        cells[name] = [sys.intern(cell) if isinstance(cell, str) else cell for cell in cells[name]]
    measured = [kind == "measured" for kind in cells["outcome"]]
    values = _values(cells, measured, objectives)
    _check_certainty(cells, measured, values)
    columns = {name: np.full(len(measured), np.nan) for name in objectives}
    for name, column in columns.items():
        column[measured] = [row[name] for row in values]
    return TrialBlock(cells, _configurations(cells["configuration"]), columns, _samples(cells, measured))


def _check_scalars(cells: Cells) -> None:
    numbers, same_as = cells["number"], [cell for cell in cells["same_as"] if cell is not None]
    _need(_types(chain(numbers, same_as)) <= {int})
    _need(all(0 <= n <= checked.LARGEST for n in cast(Sequence[int], [*numbers, *same_as])))
    for name in ("outcome", "log", "code", "finished"):
        _need(name not in cells or _types(cells[name]) <= {str})
    for _, name in _STAGES:
        _check_numbers([cell for cell in cells[name] if cell is not None], least=0.0)
    _check_numbers([cell for cell in cells["calibration"] if cell is not None])
    for text in set(cells["checks"]):
        _ledger(text)
    for name, read in (("other_s", _other_seconds), ("intermediate", read_intermediate)):
        for cell in cells[name]:
            if cell is not None:
                read(cell)


def _need(condition: bool) -> None:
    if not condition:
        raise Unusual


def _types(column: Iterable[object]) -> set[type]:
    return set(map(type, column))


def _check_numbers(numbers: Sequence[object], least: float = -math.inf) -> None:
    """All are finite. Their sum tells in one call; where it overflows they are unusual."""
    if numbers:
        _need(_types(numbers) == {float} and math.isfinite(sum(cast(Sequence[float], numbers))))
        _need(min(cast(Sequence[float], numbers)) >= least)


def _decoded(texts: Sequence[object]) -> list[object]:
    """The JSON values of the texts, decoded in one call. Marks between them, which no text can foresee, show that each
    text is exactly one value."""
    if not texts:
        return []
    _need(_types(texts) == {str})
    mark = secrets.token_hex(16)
    joined = f',"{mark}",'.join(cast(Sequence[str], texts))
    decoded = cast("list[object]", json_text.load(f"[{joined}]", "a column"))
    _need(len(decoded) == 2 * len(texts) - 1 and decoded[1::2] == [mark] * (len(texts) - 1))
    return decoded[::2]


def _configurations(texts: Sequence[object]) -> list[Configuration]:
    decoded = _decoded(texts)
    _need(_types(decoded) == {dict})
    rows = cast("list[dict[str, Value]]", decoded)
    kinds = _types(chain.from_iterable(row.values() for row in rows))
    if not kinds <= _PLAIN_VALUES:
        return [checked.configuration(row) for row in rows]
    if str in kinds:  # few different ones, each once in memory
        rows = [{n: sys.intern(v) if type(v) is str else v for n, v in row.items()} for row in rows]
    if float in kinds:
        _check_numbers([value for row in rows for value in row.values() if type(value) is float])
    return list(map(Configuration, rows))


def _values(cells: Cells, measured: Sequence[bool], objectives: Sequence[str]) -> list[dict[str, float]]:
    """The values of the measured trials, in order."""
    decoded = _decoded(list(compress(cells["objectives"], measured)))
    _need(_types(decoded) <= {dict})
    rows = cast("list[dict[str, float]]", decoded)
    _need(all(sorted(names) == sorted(objectives) for names in set(map(tuple, rows))))
    _check_numbers(list(chain.from_iterable(row.values() for row in rows)))
    cut = set(compress(cells["censored"], measured))
    _need(_types(cut) <= {int} and cut <= {0, 1})
    return rows


def _samples(cells: Cells, measured: Sequence[bool]) -> list[Sequence[float]]:
    """The samples of each trial."""
    given = [sampled and cell is not None for sampled, cell in zip(measured, cells["samples"])]
    decoded = _decoded(list(compress(cells["samples"], given)))
    _need(_types(decoded) <= {list})
    rows = cast("list[Sequence[float]]", decoded)
    _check_numbers(list(chain.from_iterable(rows)))
    following = iter(rows)
    return [next(following) if sampled else () for sampled in given]


def _check_failures(cells: Cells) -> None:
    for kind, stage, reason in set(zip(cells["outcome"], cells["stage"], cells["reason"])):
        if kind == "failed":
            checked.failed(stage, reason)
        elif kind == "infeasible":
            checked.text(reason, "reason")
        else:
            _need(kind == "measured")


def _check_certainty(cells: Cells, measured: Sequence[bool], values: Sequence[dict[str, float]]) -> None:
    """Deviations and repeats, which few trials have."""
    certainties = compress(zip(cells["deviation"], cells["repeats"]), measured)
    for by_name, certainty in zip(values, certainties):
        if certainty != (None, None):
            _of_several(by_name, (), 0, *certainty)


def _of_several(values: dict[str, float], samples: Sequence[float], censored: object, *certainty: object) -> Measured:
    deviation, repeats = (None if cell is None else json_text.load(cell, "certainty") for cell in certainty)
    return checked.measured(values, list(samples), censored, deviation, repeats)


def _ledger(text: object) -> Ledger:
    return EMPTY if text is None else checked.ledger(text)


@lru_cache(256)
def _other_seconds(text: object) -> dict[str, float]:
    return checked.seconds(json_text.load(text, "other_s"), "other_s")

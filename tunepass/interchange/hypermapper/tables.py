"""Tables of results (CSV): written row by row, read for resuming, exhaustive search and Pareto fronts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from tunepass.diagnostics import Source, SourceError, TunepassError, spelling_hint
from tunepass.files import read_utf8, write_text
from tunepass.interchange.hypermapper.results import Result, result_of_texts
from tunepass.interchange.hypermapper.scenario import Scenario
from tunepass.interchange.hypermapper.values import value_of
from tunepass.machine_faults import doing
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured
from tunepass.study.results.pareto import nondominated

SIZE = 1 << 28  # bytes of a table
EarlierResult = tuple[Configuration, Result, int]  # with its time in milliseconds


class ResultsTable:
    """The output file of a scenario: each row is with the system when `append` returns."""

    def __init__(self, scenario: Scenario, earlier: Iterable[EarlierResult] = ()):
        self.scenario = scenario
        rows = [scenario.columns, *(self._cells(*each) for each in earlier)]
        with doing(f"write {scenario.output}"):
            scenario.output.parent.mkdir(parents=True, exist_ok=True)
            write_text(scenario.output, csv_text(rows))
            self.file: TextIO = scenario.output.open("a", encoding="utf-8", newline="")

    def append(self, configuration: Configuration, result: Result, milliseconds: int) -> None:
        with doing(f"write {self.scenario.output}"):
            self.file.write(csv_text([self._cells(configuration, result, milliseconds)]))
            self.file.flush()

    def _cells(self, configuration: Configuration, result: Result, milliseconds: int) -> list[str]:
        values = [p.text(value_of(configuration, p)) for p in self.scenario.parameters]
        return [*values, *result.objectives, *self._feasible(result), str(milliseconds)]

    def close(self) -> None:
        self.file.close()

    def _feasible(self, result: Result) -> list[str]:
        """HyperMapper 2 writes the scenario's values, the others Python's."""
        feasibility = self.scenario.feasibility
        if not feasibility.enabled:
            return []
        if self.scenario.tuner != "HyperMapper 2":
            return [str(result.feasible)]
        return [feasibility.true_value if result.feasible else feasibility.false_value]


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its cells by column, and the line it begins at."""

    cells: Mapping[str, str]
    source: Source

    def error(self, message: str, hint: str | None = None) -> TunepassError:
        return SourceError(message, self.source.span(0, max(1, len(self.source.text))), hint)

    def configuration(self, scenario: Scenario) -> Configuration:
        """The values of the scenario's parameters; SourceError for what is none of a parameter's."""
        values = {}
        for p in scenario.parameters:
            value = p.value(self.cells[p.name])
            if value is None or not p.parameter.admits(value):
                raise self.error(f"{p.name}: {self.cells[p.name]!r} is none of its values")
            values[p.parameter.name] = value
        return Configuration(values)

    def result(self, scenario: Scenario) -> Result:
        return result_of_texts(scenario, self.cells, self.error)

    def milliseconds(self, scenario: Scenario) -> float:
        try:
            return float(self.cells.get(scenario.timestamp, "0"))
        except ValueError:
            return 0.0


def read_table(path: Path, needed: Sequence[str]) -> Iterator[Row]:
    """The rows of a table with the `needed` columns, in any order. SourceError at the place of a mistake."""
    text = read_utf8(path, SIZE, SourceError)
    reader = csv.reader(io.StringIO(text), skipinitialspace=True)
    lines = text.splitlines() or [""]
    try:
        header = [name.strip() for name in next(reader, [])]
        for name in needed:
            if header.count(name) != 1:
                how = "twice" if name in header else "no"
                hint = spelling_hint(name, header, f"columns: {', '.join(header)}")
                raise SourceError(f"the table has {how} column `{name}`", Source(str(path), lines[0]).span(0, 1), hint)
        for cells in reader:
            if any(cells):
                number = reader.line_num
                row = Row(dict(zip(header, cells)), Source(str(path), lines[number - 1], number))
                if len(cells) < len(header):
                    raise row.error(f"a row has {len(header)} values, got {len(cells)}")
                yield row
    except csv.Error as error:
        raise SourceError(f"{path}, line {reader.line_num}: {error}") from None


def write_pareto(scenario: Scenario, samples: Path, output: Path) -> int:
    """Write the feasible rows that no other dominates, the first objective ascending; returns their number."""
    needed = [name for name in scenario.columns if name != scenario.timestamp]
    feasible_rows: list[tuple[tuple[float, ...], list[str]]] = []
    for row in read_table(samples, needed):
        outcome = row.result(scenario).outcome
        if isinstance(outcome, Measured):
            cells = [*(row.cells[name] for name in needed), str(row.milliseconds(scenario))]
            feasible_rows.append((tuple(outcome.values.values()), cells))
    losses = np.array([losses for losses, _ in feasible_rows]).reshape(len(feasible_rows), len(scenario.objectives))
    front = [feasible_rows[place] for place in np.flatnonzero(nondominated(losses))]
    write_text(output, csv_text([scenario.columns, *(cells for _, cells in sorted(front))]))
    return len(front)

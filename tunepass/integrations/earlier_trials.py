"""Results that another tool left, as earlier trials of a study or as its prior mean. Nothing in them is evaluated.

Read are tables (CSV), among them those of Optuna's and tunepass's `trials_dataframe`, and results of scikit-optimize as
JSON: `{"names": [...], "x_iters": [[...], ...], "func_vals": [...]}`.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import Source, SourceError, Span, StudyError, spelling_hint
from tunepass.space.configuration import Value
from tunepass.space.plain_values import as_real, is_finite
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.study import Study

PARAMETER, VALUES = "params_", ("value", "values_0")  # of tables of trials
SIZE_LIMIT = 1 << 28  # bytes of a file
PICKLE_HINT = "a pickle runs code when it is read: write the values as CSV, or x_iters and func_vals as JSON"
Table = list[tuple[dict[str, str], int]]  # rows by column, with the line each ends on


@dataclass(frozen=True, slots=True)
class EarlierTrial:
    """Values by parameter, and the objective's; None of one that failed."""

    values: Mapping[str, Value]
    objective: float | None


@dataclass(frozen=True, slots=True)
class EarlierTrials:
    """Results of another tool for one objective.

    Args:
        trials: in order.
        maximise: whether larger values were better.

    Example:
        >>> earlier = EarlierTrials([EarlierTrial({"tile": 4}, 3.0), EarlierTrial({"tile": 8}, 5.0)])
        >>> earlier.prior_mean(tp.Objective("time")) is not None
        True
    """

    trials: Sequence[EarlierTrial]
    maximise: bool = False

    def prior_mean(self, objective: Objective) -> PriorMean:
        """The prior mean for a study of this objective, in another unit or not.

        Raises:
            StudyError: the objective has the other direction, or no trial has a value.
        """
        self._check(objective)
        measured = [(dict(t.values), t.objective) for t in self.trials if t.objective is not None]
        return PriorMean.from_observations([values for values, _ in measured], [value for _, value in measured])

    def observe_in(self, study: Study) -> int:
        """Take in, as trials of the study, those whose configuration is in its space; how many those are.

        Raises:
            StudyError: the study has several objectives, or one of the other direction.
        """
        if len(study.objectives) != 1:
            raise StudyError(f"earlier trials have one objective, the study {len(study.objectives)}")
        (objective,) = study.objectives
        self._check(objective)
        known = {trial.configuration for trial in study.trials}
        count = 0
        for trial in self.trials:
            defaults = {**dict.fromkeys(trial.values), **{p.name: p.default for p in study.space.parameters}}
            configuration = validation.fitting(study.space, trial.values, defaults)  # type: ignore[arg-type]
            if configuration is None:
                continue
            outcome = Failed("run") if trial.objective is None else Measured({objective.name: trial.objective})
            study.observe(configuration, outcome, again=configuration in known)
            known.add(configuration)
            count += 1
        return count

    def _check(self, objective: Objective) -> None:
        if objective.maximise != self.maximise:
            theirs, ours = ("maximised" if each else "minimised" for each in (self.maximise, objective.maximise))
            raise StudyError(f"the earlier values were {theirs}, and {objective.name} is {ours}")


def read_earlier_trials(
    path: str | Path, *, value: str | None = None, names: Sequence[str] = (), maximise: bool = False
) -> EarlierTrials:
    """Earlier trials from a file.

    Args:
        path: of a table (`.csv`) or of a result of scikit-optimize (`.json`).
        value: the objective's column; None: `value`, or `values_0`. An empty or infinite value is a failure.
        names: parameters of a result that does not name them, in order.
        maximise: whether larger values were better.

    Returns:
        The trials.

    Raises:
        SourceError: the file cannot be read so, with the place.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise SourceError(f"cannot read {file}: {error.strerror}") from None
    if len(data) > SIZE_LIMIT:
        raise SourceError(f"{file} has more than {SIZE_LIMIT:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError(f"{file} is not text", hint=PICKLE_HINT) from None
    source = Source(str(file), text)
    if file.suffix == ".json":
        return EarlierTrials(_of_result(source, names), maximise)
    return EarlierTrials(_of_table(source, value), maximise)


def _of_table(source: Source, value: str | None) -> list[EarlierTrial]:
    reader = csv.reader(io.StringIO(source.text, newline=""))
    try:
        rows = [(row, reader.line_num) for row in reader if row]
    except csv.Error as error:
        raise SourceError(f"not a table: {error}", _line(source, reader.line_num)) from None
    if not rows:
        raise SourceError(f"{source.name} has no rows", hint="the first line has the names of the columns")
    (head, _), *body = rows
    column = _value_column(source, head, value)
    prefixed = any(name.startswith(PARAMETER) for name in head)
    trials = []
    for row, line in body:
        if len(row) != len(head):
            message = f"a row has a cell for each of {len(head)} columns, got {len(row)}"
            raise SourceError(message, _line(source, line))
        cells = dict(zip(head, row))
        objective = cells[column].strip()
        number = _scalar(objective) if objective else None
        if objective and (isinstance(number, bool) or not isinstance(number, int | float)):
            raise SourceError(f"column {column} has numbers, got {objective!r}", _line(source, line))
        failed = prefixed and cells.get("state", "COMPLETE").lower() not in ("complete", "measured")
        names = {name: name.removeprefix(PARAMETER) for name in head if name.startswith(PARAMETER) or not prefixed}
        values = {names[n]: _scalar(cell) for n, cell in cells.items() if n in names and n != column and cell != ""}
        trials.append(EarlierTrial(values, None if failed else _finite(number)))
    return trials


def _value_column(source: Source, head: Sequence[str], value: str | None) -> str:
    column = next((name for name in ((value,) if value is not None else VALUES) if name in head), None)
    if column is None:
        hint = spelling_hint(value or "value", list(head), f"there are {', '.join(head)}; state value=", quote=repr)
        raise SourceError(f"there is no column {value or 'value'!r}", _line(source, 1), hint)
    return column


def _of_result(source: Source, names: Sequence[str]) -> list[EarlierTrial]:
    try:
        data = json.loads(source.text)
    except RecursionError:
        raise SourceError(f"{source.name} nests too deeply") from None
    except json.JSONDecodeError as error:
        raise SourceError(f"not JSON: {error.msg}", source.span(error.pos, error.pos + 1)) from None
    except ValueError as error:  # a whole number of thousands of digits
        raise SourceError(f"not JSON: {error}") from None
    fields = data if isinstance(data, dict) else {}
    points, values = fields.get("x_iters"), fields.get("func_vals")
    stated = list(names) or fields.get("names")
    if not isinstance(points, list) or not isinstance(values, list) or len(points) != len(values) or not points:
        hint = 'write {"names": ["tile"], "x_iters": [[4], [8]], "func_vals": [3.0, 2.5]}'
        raise SourceError(f"{source.name} has no x_iters and func_vals of one length", hint=hint)
    if stated is None and isinstance(points[0], list):
        stated = [f"x{place}" for place in range(len(points[0]))]
    trials = []
    for place, (point, value) in enumerate(zip(points, values)):
        if not isinstance(point, list) or not isinstance(stated, list) or len(point) != len(stated):
            raise SourceError(f"{source.name}: point {place} has a value for each of the names, got {point!r}")
        number = as_real(value)
        if number is None and value is not None:
            raise SourceError(f"{source.name}: value {place} is a number, got {value!r}")
        plain = {str(n): tuple(v) if isinstance(v, list) else v for n, v in zip(stated, point)}
        trials.append(EarlierTrial(plain, _finite(number)))
    return trials


def _finite(number: object) -> float | None:
    return float(number) if isinstance(number, int | float) and is_finite(number) else None


def _scalar(cell: str) -> Value:
    """A number, a Boolean (`true`, `False`) or the text itself."""
    if cell in ("true", "True", "false", "False"):
        return cell.lower() == "true"
    for kind in (int, float):
        try:
            number = kind(cell)
        except ValueError:
            continue
        return number if kind is int or math.isfinite(number) or cell.strip().lower() in NOT_FINITE else cell
    return cell


NOT_FINITE = {f"{sign}{word}" for sign in ("", "+", "-") for word in ("nan", "inf", "infinity")}


def _line(source: Source, number: int) -> Span:
    lines = source.text.splitlines(keepends=True)
    start = sum(map(len, lines[: number - 1]))
    return source.span(start, start + len(lines[number - 1].rstrip("\r\n")) if number <= len(lines) else start)

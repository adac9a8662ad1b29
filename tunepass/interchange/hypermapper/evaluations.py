"""How the configurations of a request get their results: from a client, a Python function or a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from tunepass.diagnostics import StudyError
from tunepass.interchange.hypermapper.results import Result, result_of_answer
from tunepass.interchange.hypermapper.scenario import Scenario
from tunepass.interchange.hypermapper.tables import read_table
from tunepass.interchange.hypermapper.values import value_of
from tunepass.interchange.hypermapper.wire import ClientLines, read_reply, request_text
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Infeasible

Answers = Iterator[tuple[Configuration, Result]]
Evaluate = Callable[[Sequence[Configuration]], Answers]


def send(output: BinaryIO, text: str) -> None:
    output.write(text.encode())
    output.flush()


def client_evaluation(scenario: Scenario, stdin: BinaryIO, output: BinaryIO, warn: Callable[[str], None]) -> Evaluate:
    """Asks the client on the other end of two pipes."""
    lines = ClientLines(stdin)

    def evaluate(request: Sequence[Configuration]) -> Answers:
        send(output, request_text(scenario.parameters, request))
        warnings: list[str] = []
        yield from read_reply(scenario, request, lines, warnings)
        for warning in warnings:
            warn(warning)

    return evaluate


def function_evaluation(scenario: Scenario, function: Callable[..., object]) -> Evaluate:
    """Calls with {name: value}; with a batch, HyperMapper 2 calls with {name: [values]} where there are several."""

    def evaluate(request: Sequence[Configuration]) -> Answers:
        if scenario.tuner == "HyperMapper 2" and scenario.batch > 1 and len(request) > 1:
            columns = {p.name: [value_of(c, p) for c in request] for p in scenario.parameters}
            answers = _rows(scenario, function(columns), len(request))
            yield from zip(request, (result_of_answer(scenario, answer) for answer in answers))
            return
        for configuration in request:
            values = {p.name: value_of(configuration, p) for p in scenario.parameters}
            yield configuration, result_of_answer(scenario, function(values))

    return evaluate


def _rows(scenario: Scenario, answer: object, count: int) -> list[object]:
    """One answer for each configuration of a batch."""
    columns: Mapping[object, object] = answer if isinstance(answer, Mapping) else {scenario.objectives[0]: answer}
    listed: dict[str, list[object]] = {}
    for name, column in columns.items():
        if not isinstance(column, Iterable) or isinstance(column, str | Mapping):
            raise StudyError(f"the function returns a list for each of {count} configurations, got {name}: {column!r}")
        listed[str(name)] = list(column)
    if any(len(column) != count for column in listed.values()):
        raise StudyError(f"the function returns lists of {count} values for {count} configurations")
    return [{name: column[k] for name, column in listed.items()} for k in range(count)]


def table_evaluation(scenario: Scenario) -> Evaluate:
    """Looks results up; a configuration that the table lacks is infeasible."""
    assert scenario.exhaustive_file is not None
    needed = [name for name in scenario.columns if name != scenario.timestamp]
    names = [p.name for p in scenario.parameters]
    rows = {}
    for row in read_table(scenario.exhaustive_file, needed):
        rows[tuple(p.value(row.cells[name]) for name, p in zip(names, scenario.parameters))] = row

    def evaluate(request: Sequence[Configuration]) -> Answers:
        for configuration in request:
            row = rows.get(tuple(value_of(configuration, p) for p in scenario.parameters))
            if row is None:
                nothing = ("nan",) * len(scenario.objectives)
                yield configuration, Result(Infeasible("in_the_table"), nothing, feasible=False)
            else:
                yield configuration, row.result(scenario)

    return evaluate

"""Requests to a client and its replies, as HyperMapper 2 and BaCO exchange them on standard output and input.

    Request 2          x,order,f,Valid
    x,order            0.5,(0, 2, 1),13.1,true
    1.5,(1, 0, 2)      1.5,(1, 0, 2),12.8,false
    0.5,(0, 2, 1)

A row of a reply belongs to the requested configuration that it repeats; where a client rounded its numbers, to the only
one that is as near; else to the one at its position in the request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from tunepass.diagnostics import Source, SourceError, StudyError, spelling_hint
from tunepass.interchange.hypermapper.results import Result, result_of_texts
from tunepass.interchange.hypermapper.scenario import Scenario
from tunepass.interchange.hypermapper.values import ScenarioParameter, cells_of, value_of
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Real

LONGEST = 1 << 20  # bytes of a line
ROUNDING = 0.01  # of a real's range: how far a client's rounding may move it
CLIENT = "<client>"
END = "End of HyperMapper"


@dataclass(frozen=True, slots=True)
class Line:
    """A client's line and its number, from 1."""

    text: str
    number: int

    def error(self, message: str, hint: str | None = None) -> SourceError:
        source = Source(CLIENT, self.text, self.number)
        return SourceError(message, source.span(0, max(1, len(self.text))), hint)


class ClientLines:
    """Lines of a client that are not empty; the last one of an input that ends inside it is left out."""

    def __init__(self, stream: BinaryIO):
        self.stream, self.number, self.cut = stream, 0, False

    def next(self) -> Line | None:
        """The next line; None at the end of the input."""
        while raw := self.stream.readline(LONGEST + 2):
            self.number += 1
            if len(raw) > LONGEST:
                start = Line(raw[:80].decode("utf-8", "replace"), self.number)
                raise start.error(f"a line of a client has at most {LONGEST:,} bytes")
            if not raw.endswith(b"\n"):
                self.cut = True
                return None
            if text := raw.decode("utf-8", "replace").strip():
                return Line(text, self.number)
        return None


def request_text(parameters: Sequence[ScenarioParameter], configurations: Sequence[Configuration]) -> str:
    """The lines of a request, each with its end."""
    rows = [",".join(p.text(value_of(c, p)) for p in parameters) for c in configurations]
    lines = [f"Request {len(rows)}", ",".join(p.name for p in parameters), *rows]
    return "".join(f"{line}\n" for line in lines)


class Reply:
    """One reply: its header's columns, and which configurations are still without a row."""

    def __init__(self, scenario: Scenario, request: Sequence[Configuration], header: Line):
        self.scenario, self.request = scenario, list(request)
        self.columns = _columns(scenario, header)
        self.open = set(range(len(request)))
        self.by_position = 0  # rows that repeat no configuration of the request
        self._unmatched: list[tuple[int, Line, list[str]]] = []
        self._places: dict[tuple[Value, ...], int] = {
            tuple(value_of(c, p) for p in scenario.parameters): place for place, c in enumerate(request)
        }

    def take(self, position: int, line: Line) -> Iterator[tuple[Configuration, Result]]:
        """The configuration of a row and its result; none where only the other rows can say which it is."""
        cells = cells_of(line.text)
        while len(cells) > self._width and not cells[-1]:
            cells.pop()
        if len(cells) < self._width:
            raise line.error(f"a row has {self._width} values, got {len(cells)}")
        values = [p.value(cells[self.columns[p.name]]) for p in self.scenario.parameters]
        place = None if None in values else self._places.get(tuple(v for v in values if v is not None))
        if place is None:
            self._unmatched.append((position, line, cells))
            return
        if place not in self.open:
            raise line.error("the configuration of this row was answered before")
        yield self._result(place, line, cells)

    def rest(self) -> Iterator[tuple[Configuration, Result]]:
        """Rows that repeat no configuration exactly: by nearness, then by position."""
        later = []
        for position, line, cells in self._unmatched:
            near = [place for place in sorted(self.open) if self._is_near(cells, self.request[place])]
            if len(near) == 1:
                yield self._result(near[0], line, cells)
            else:
                later.append((position, line, cells))
        for position, line, cells in later:
            place = position if position in self.open else min(self.open)
            self.by_position += 1
            yield self._result(place, line, cells)
        self._unmatched = []

    @property
    def _width(self) -> int:
        return 1 + max(self.columns.values())

    def _result(self, place: int, line: Line, cells: Sequence[str]) -> tuple[Configuration, Result]:
        """The result of the configuration at that place of the request, which is then answered."""
        texts = {name: cells[column] for name, column in self.columns.items()}
        result = result_of_texts(self.scenario, texts, line.error)
        self.open.remove(place)
        return self.request[place], result

    def _is_near(self, cells: Sequence[str], configuration: Configuration) -> bool:
        for p in self.scenario.parameters:
            value, requested_value = p.value(cells[self.columns[p.name]]), value_of(configuration, p)
            if isinstance(p.parameter, Real) and isinstance(value, float) and isinstance(requested_value, float):
                if abs(value - requested_value) > ROUNDING * (p.parameter.hi - p.parameter.lo):
                    return False
            elif value != requested_value:
                return False
        return True


def _columns(scenario: Scenario, header: Line) -> Mapping[str, int]:
    """The place of each column that is needed; others, and their order, do not matter."""
    names = cells_of(header.text)
    needed = [name for name in scenario.columns if name != scenario.timestamp]
    columns = {}
    for name in needed:
        if names.count(name) != 1:
            how = "lacks the column" if name not in names else "has twice the column"
            hint = spelling_hint(name, names, f"the columns are {', '.join(needed)}")
            raise header.error(f"the header of a reply {how} `{name}`", hint)
        columns[name] = names.index(name)
    return columns


def read_reply(
    scenario: Scenario, request: Sequence[Configuration], lines: ClientLines, warn: list[str]
) -> Iterator[tuple[Configuration, Result]]:
    """Results of a reply as they arrive. Raises StudyError where the input ends before all have."""
    header = lines.next()
    if header is None:
        raise _ended(len(request), len(request), lines)
    reply = Reply(scenario, request, header)
    complete = True
    for position in range(len(request)):
        line = lines.next()
        if line is None:
            complete = False
            break
        yield from reply.take(position, line)
    yield from reply.rest()
    if reply.by_position:
        warn.append(f"{reply.by_position} rows of a reply repeat no requested configuration: taken by their position")
    if not complete:
        raise _ended(len(reply.open), len(request), lines)


def _ended(missing: int, requested: int, lines: ClientLines) -> StudyError:
    cut = f", inside line {lines.number}" if lines.cut else ""
    return StudyError(
        f"the client's output ended{cut}: {requested - missing} of {requested} requested results have arrived",
        hint="the results are in the output file; resume_optimization goes on from them",
    )

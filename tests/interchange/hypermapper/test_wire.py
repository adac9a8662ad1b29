"""Requests and replies: byte for byte, rows matched by content, then by position."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interchange.hypermapper.scenarios import ORDERS, REALS, scenario
from tunepass.diagnostics import SourceError, StudyError
from tunepass.interchange.hypermapper import wire
from tunepass.interchange.hypermapper.results import Result
from tunepass.interchange.hypermapper.scenario import Scenario
from tunepass.interchange.hypermapper.values import cells_of
from tunepass.interchange.hypermapper.wire import ClientLines, read_reply, request_text
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Infeasible, Measured

PREDICTOR = {"enable_feasible_predictor": True, "true_value": "1", "false_value": "0"}
SPATIAL = {
    "OP": {"parameter_type": "ordinal", "values": [1, 2]},
    "B": {"parameter_type": "ordinal", "values": [480, 960]},
    "x1873": {"parameter_type": "categorical", "values": ["true", "false"]},
}


def replies(
    read: Scenario, request: Sequence[Configuration], text: str | bytes
) -> tuple[list[tuple[Configuration, Result]], list[str]]:
    warnings: list[str] = []
    data = text.encode() if isinstance(text, str) else text
    return list(read_reply(read, request, ClientLines(io.BytesIO(data)), warnings)), warnings


def test_a_request() -> None:
    read = scenario({**ORDERS, "x": {"parameter_type": "real", "values": [-5, 10], "parameter_default": 0}})
    rows = [
        Configuration({"tile": 8, "p": (0, 2, 1), "x": 0.1 + 0.2}),
        Configuration({"tile": 4, "p": (1, 0, 2), "x": 0.0}),
    ]
    assert request_text(read.parameters, rows) == (
        "Request 2\ntile,p,x\n8,(0, 2, 1),0.30000000000000004\n4,(1, 0, 2),0\n"
    )


def test_the_reply_of_the_cpp_client() -> None:
    read = scenario(REALS, optimization_objectives=["f1_value", "f2_value"], feasible_output=PREDICTOR)
    request = [Configuration({"x0": 4.475045459360349, "x1": 9})]
    text = "x0,x1,f1_value,f2_value,Valid\n4.475045459360349,9,72.125854,-23,1\n"
    (answer,), warnings = replies(read, request, text)
    assert answer == (request[0], Result(Measured({"f1_value": 72.125854, "f2_value": -23.0}), ("72.125854", "-23")))
    assert not warnings


def test_the_reply_of_the_python_client() -> None:
    valid = {**PREDICTOR, "true_value": "True", "false_value": "False"}
    read = scenario(REALS, optimization_objectives=["f1_value", "f2_value"], feasible_output=valid)
    request = [Configuration({"x0": 1.5, "x1": 2})]
    (answer,), warnings = replies(read, request, "x0,x1,f1_value,f2_value,Valid\n1.5,2.0,3.25,12.5,False\n")
    assert answer == (request[0], Result(Infeasible("Valid"), ("3.25", "12.5"), False)) and not warnings


def test_the_reply_of_taco() -> None:
    """A comma ends its header, and none its rows."""
    read = scenario(ORDERS, optimization_objectives=["compute_time"])
    request = [Configuration({"tile": 16, "p": (0, 1, 2)})]
    (answer,), _ = replies(read, request, "tile,p,compute_time, \n16,(0, 1, 2),0.001234\n")
    assert answer == (request[0], Result(Measured({"compute_time": 0.001234}), ("0.001234",)))


def test_the_reply_of_spatial() -> None:
    """Other columns in another order, answered by worker threads."""
    valid = {**PREDICTOR, "true_value": "true", "false_value": "false"}
    read = scenario(SPATIAL, optimization_objectives=["Cycles"], feasible_output=valid)
    request = [
        Configuration({"OP": 1, "B": 960, "x1873": "true"}),
        Configuration({"OP": 2, "B": 480, "x1873": "false"}),
    ]
    rows = ["480,2,false,310,99,false,3", "960,1,true,12,13653715,true,12"]
    text = "\r\n".join(["B,OP,x1873,LUT4,Cycles,Valid,Timestamp", *rows, ""])
    answers, warnings = replies(read, request, text)
    assert [c for c, _ in answers] == request[::-1] and not warnings
    assert [r.outcome for _, r in answers] == [Infeasible("Valid"), Measured({"Cycles": 13653715.0})]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_rows_in_any_order_belong_to_their_configurations(data: st.DataObject) -> None:
    read = scenario(ORDERS)
    orders = st.permutations([0, 1, 2]).map(tuple)
    rows = data.draw(st.lists(st.tuples(st.sampled_from([4, 8, 16]), orders), unique=True, min_size=1))
    request = [Configuration({"tile": tile, "p": p}) for tile, p in rows]
    columns = data.draw(st.permutations(["tile", "p", "f", "more"]))
    places = data.draw(st.permutations(range(len(rows))))

    def line(place: int) -> str:
        tile, p = rows[place]
        cells = {"tile": data.draw(st.sampled_from([str(tile), f"{tile}.0"])), "p": str(p), "f": str(place), "more": ""}
        return ",".join(cells[name] for name in columns)

    answers, warnings = replies(read, request, "\n".join([",".join(columns), *map(line, places), ""]))
    assert len(answers) == len(rows) and not warnings
    assert all(result.objectives == (str(request.index(c)),) for c, result in answers)


def test_rounded_rows_in_another_order() -> None:
    read = scenario(REALS)
    request = [Configuration({"x0": 4.475045, "x1": 9}), Configuration({"x0": -4.1234567, "x1": 9})]
    answers, warnings = replies(read, request, "x0,x1,f\n-4.12,9,2\n4.48,9,1\n")
    assert [(c, r.objectives) for c, r in answers] == [(request[1], ("2",)), (request[0], ("1",))] and not warnings


def test_rows_that_repeat_nothing_are_taken_by_position() -> None:
    read = scenario(REALS)
    request = [Configuration({"x0": 4.5, "x1": 9}), Configuration({"x0": -4.5, "x1": 8})]
    answers, warnings = replies(read, request, "x0,x1,f\n0,0,1\n0,0,2\n")
    assert [(c, r.objectives) for c, r in answers] == [(request[0], ("1",)), (request[1], ("2",))]
    assert "2 rows" in warnings[0]


def test_numbers_that_are_not_finite_are_failures() -> None:
    read = scenario(REALS)
    (answer,), _ = replies(read, [Configuration({"x0": 0.0, "x1": 0})], "x0,x1,f\n0,0,inf\n")
    assert isinstance(answer[1].outcome, Failed) and answer[1].objectives == ("inf",)


@pytest.mark.parametrize(
    "text,message,line",
    [
        ("x0,f\n0,1\n", "lacks the column `x1`", 1),
        ("x0,x1,f,f\n0,0,1,1\n", "has twice the column `f`", 1),
        ("x0,x1,f\n0,0\n", "a row has 3 values, got 2", 2),
        ("x0,x1,f\n\n0,0,fast\n", "f is a number, got 'fast'", 3),
    ],
)
def test_replies_that_do_not_fit(text: str, message: str, line: int) -> None:
    with pytest.raises(SourceError) as caught:
        replies(scenario(REALS), [Configuration({"x0": 0.0, "x1": 0})], text)
    diagnostic = caught.value.diagnostics[0]
    assert message in diagnostic.message and diagnostic.span is not None and diagnostic.span.line == line


def test_feasibility_that_is_neither() -> None:
    with pytest.raises(SourceError, match="Valid is 1 or 0, got 'maybe'"):
        replies(
            scenario(REALS, feasible_output=PREDICTOR),
            [Configuration({"x0": 0.0, "x1": 0})],
            "x0,x1,f,Valid\n0,0,1,maybe\n",
        )


def test_a_row_twice() -> None:
    request = [Configuration({"x0": 0.0, "x1": k}) for k in range(2)]
    with pytest.raises(SourceError, match="was answered before"):
        replies(scenario(REALS), request, "x0,x1,f\n0,0,1\n0,0,1\n")


@pytest.mark.parametrize("text", ["", "x0,x1,f\n", "x0,x1,f\n0,0,1\n", "x0,x1,f\n0,0,1\n0,1,13.65"])
def test_an_end_in_the_middle(text: str) -> None:
    """What arrived in whole lines is reported; half a number is not."""
    request = [Configuration({"x0": 0.0, "x1": k}) for k in range(2)]
    arrived = []
    with pytest.raises(StudyError, match="the client's output ended") as caught:
        arrived.extend(read_reply(scenario(REALS), request, ClientLines(io.BytesIO(text.encode())), []))
    assert (", inside line 3" in str(caught.value)) == text.endswith("65")


def test_a_row_arrives_before_the_next() -> None:
    request = [Configuration({"x0": 0.0, "x1": k}) for k in range(2)]
    answers = read_reply(scenario(REALS), request, ClientLines(io.BytesIO(b"x0,x1,f\n0,1,5\n")), [])
    assert next(answers)[0] == request[1]
    with pytest.raises(StudyError, match="1 of 2 requested"):
        next(answers)


def test_a_line_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LONGEST", 100)
    stream = io.BytesIO(b"x" * 10_000)
    with pytest.raises(SourceError, match="at most 100 bytes"):
        ClientLines(stream).next()
    assert stream.tell() <= 102


def test_cells() -> None:
    assert cells_of('16,(0, 1), "(1, 0)" ,a') == ["16", "(0, 1)", "(1, 0)", "a"]
    assert cells_of("[1, 2],,") == ["[1, 2]", "", ""]
    assert math.isinf(float(cells_of("inf")[0]))

"""Dependences by element, on recurrences whose distances anyone can count."""

from __future__ import annotations

from tests.frontends.c.scops.reading import nest
from tests.polyhedral.scops import SYRK
from tunepass.polyhedral.dependences.elements import ElementDependence, element_dependences


def found(body: str) -> dict[tuple[str, str, str], ElementDependence]:
    return {(d.source, d.sink, "/".join(d.kinds)): d for d in element_dependences(nest(body))}


def test_a_recurrence_has_a_distance_and_a_direction() -> None:
    all_of = found("for (i = 2; i < n; i++) for (j = 0; j < n - 1; j++) A[i][j] = A[i - 2][j + 1];")
    (flow,) = all_of.values()
    assert (flow.source, flow.sink, flow.array, flow.kinds) == ("S0", "S0", "A", ("flow",))
    assert flow.loops == ("i", "j") and flow.distances == (2, -1)
    assert flow.directions == (frozenset("+"), frozenset("-")) and flow.carried == ("i",)
    assert flow.certain and not flow.update


def test_a_loop_that_counts_down_runs_forward() -> None:
    (flow,) = found("for (i = n - 2; i >= 0; i--) x[i] = x[i + 1];").values()
    assert flow.distances == (-1,) and flow.directions == (frozenset("+"),) and flow.carried == ("i",)


def test_distances_that_differ_are_none() -> None:
    (flow, anti) = sorted(found("for (i = 0; i < n; i++) x[i] = x[n - 1 - i];").values(), key=lambda d: d.kinds)[::-1]
    assert flow.kinds == ("flow",) and anti.kinds == ("anti",)
    assert flow.distances == (None,) and flow.directions == (frozenset("+"),)


def test_within_an_iteration_nothing_is_carried() -> None:
    within = found("for (i = 0; i < n; i++) { x[i] = y[i]; y[i] = x[i]; }")
    assert {d.array: d.kinds for d in within.values()} == {"x": ("flow",), "y": ("anti",)}
    assert all(d.distances == (0,) and d.carried == () for d in within.values())


def test_loops_are_those_around_both() -> None:
    by_pair = {(d.source, d.sink): d for d in element_dependences(SYRK)}
    assert by_pair["S0", "S1"].loops == ("i",) and by_pair["S0", "S1"].distances == (0,)
    update = by_pair["S1", "S1"]
    assert update.update and update.loops[0] == "i" and update.carried == ("k",)


def test_guesses_are_told_and_can_be_left_out() -> None:
    guess = nest("for (i = 0; i < n; i++) x[(int)y[i]] = 1;")
    (output,) = element_dependences(guess)
    assert output.kinds == ("output",) and not output.certain and output.distances == (None,)
    assert element_dependences(guess, independent=True) == ()

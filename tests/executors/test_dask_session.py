"""Every suggestion has exactly one outcome, whatever workers do: by workers that are simulated, and a clock as well."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.executors.made_from_text import source_of, value_of
from tests.executors.simulated_cluster import SimulatedCluster
from tunepass.diagnostics import EnvironmentFault, ToolError, TunepassError
from tunepass.executors.dask.evaluator import remote_evaluator
from tunepass.executors.dask.session import Limits, Session
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

LIMITS = Limits(open_s=5, first_s=20, least_s=5, times=10, none_left_s=3, most_losses=3)


def session_on(cluster: SimulatedCluster, machine: str = "", limits: Limits = LIMITS) -> Session:
    session = Session(cluster, source_of(), version="1", machine=machine, limits=limits, clock=cluster.clock)
    session.start()
    return session


def configuration(x: int) -> Configuration:
    return Configuration({"x": x})


def outcomes(session: Session, xs: list[int], disturb: object = None) -> dict[int, list[object]]:
    """The outcomes of these configurations, begun as there is room."""
    waiting, ended = list(xs), {x: [] for x in xs}
    while waiting or session.under_way:
        room = session.room
        session.begin([configuration(x) for x in waiting[:room]])
        del waiting[:room]
        if session.under_way:
            if callable(disturb):
                disturb()
            c, evaluation = session.ended()
            assert evaluation is not None
            ended[int(str(c["x"]))].append(evaluation.outcome)
        else:
            session._take_answers(0)
            session._look_at_workers(force=True)
    return ended


@pytest.mark.parametrize("seed", range(5))
def test_every_suggestion_has_its_one_outcome_though_thirty_workers_are_killed(seed: int) -> None:
    cluster, rng, killed = SimulatedCluster(4), random.Random(seed), 0

    def disturb() -> None:
        nonlocal killed
        if killed < 30 and rng.random() < 0.2:
            killed += 1
            cluster.kill(rng.choice(cluster.addresses()))

    session = session_on(cluster, limits=replace(LIMITS, most_losses=8))  # a worker dies every other evaluation or so
    ended = outcomes(session, list(range(300)), disturb)
    assert killed == 30 and session.retried > 0
    assert ended == {x: [Measured({"time": value_of(x)})] for x in range(300)}


def test_a_configuration_in_which_workers_die_fails_in_the_end() -> None:
    cluster = SimulatedCluster(2)
    cluster.fatal = {3}
    ended = outcomes(session_on(cluster), list(range(6)))
    (failure,) = ended.pop(3)
    assert isinstance(failure, Failed) and failure.stage == "crash" and "died, 3 times" in failure.log
    assert all(ended[x] == [Measured({"time": value_of(x)})] for x in ended)


def test_a_worker_that_hangs_is_ended_and_its_configuration_goes_elsewhere() -> None:
    cluster = SimulatedCluster(2)
    cluster.hanging = {4}
    ended = outcomes(session_on(cluster), list(range(8)))
    (failure,) = ended.pop(4)
    assert isinstance(failure, Failed) and failure.stage == "timeout" and len(cluster.restarts) == 3
    assert all(ended[x] == [Measured({"time": value_of(x)})] for x in ended)


def test_a_worker_that_leaves_while_others_are_there_is_done_without() -> None:
    cluster = SimulatedCluster(3)
    cluster.replaced = False
    session = session_on(cluster)
    cluster.kill(cluster.addresses()[0])
    assert all(len(each) == 1 for each in outcomes(session, list(range(20))).values())
    assert len(session.workers) == 2


def test_without_any_worker_the_search_ends_and_says_what_to_do() -> None:
    cluster = SimulatedCluster(1)
    session = session_on(cluster)
    cluster.replaced = False
    cluster.kill(cluster.addresses()[0])
    session.begin([configuration(1)])
    with pytest.raises(EnvironmentFault, match="no worker of the cluster is left") as raised:
        session.ended()
    assert "everything measured is kept" in str(raised.value)


def test_a_worker_whose_machine_fails_is_not_used_and_if_all_do_the_error_is_theirs() -> None:
    cluster = SimulatedCluster(2)
    cluster.broken = {cluster.addresses()[0]}
    session = session_on(cluster)
    assert all(len(each) == 1 for each in outcomes(session, list(range(6))).values())
    cluster = SimulatedCluster(2)
    cluster.broken = set(cluster.addresses())
    with pytest.raises(ToolError, match=r"worker tcp://h:[12] on h: compiler not found"):
        session_on(cluster)


def test_a_process_that_took_the_address_of_another_makes_the_evaluator_first() -> None:
    cluster = SimulatedCluster(1)
    session = session_on(cluster)
    cluster.opened.clear()
    assert outcomes(session, [1]) == {1: [Measured({"time": value_of(1)})]}
    assert session.retried == 1


def test_another_version_is_refused_with_both_numbers_and_nothing_is_evaluated() -> None:
    cluster = SimulatedCluster(1)
    other = cluster.add(version="0.9")
    with pytest.raises(TunepassError, match=r"worker tcp://h:2 on h has tunepass 0\.9, here it is 1") as raised:
        session_on(cluster)
    assert raised.value.exit_status == 2 and "install the same version" in str(raised.value)
    assert other not in cluster.asked_to_open and not cluster.evaluated, "its version is asked before anything is sent"


def test_a_worker_without_tunepass_is_refused() -> None:
    cluster = SimulatedCluster(2)
    cluster.strangers = {cluster.addresses()[1]}
    with pytest.raises(TunepassError, match=r"worker tcp://h:2: this process has no tunepass"):
        session_on(cluster)
    assert not cluster.evaluated


@pytest.mark.parametrize("version", ["0.9", "none"])
def test_another_version_that_joins_later_is_not_used_and_nothing_is_lost(version: str) -> None:
    cluster, notes = SimulatedCluster(2), list[str]()
    session = session_on(cluster)
    session.notify = notes.append
    other = cluster.add(version=version)
    cluster.strangers = {other} if version == "none" else set()
    assert outcomes(session, list(range(12))) == {x: [Measured({"time": value_of(x)})] for x in range(12)}
    assert session.workers[other].state == "excluded" and other not in cluster.asked_to_open
    assert len(notes) == 1 and other in notes[0] and "it is not used any more" in notes[0]


def test_machines_of_several_identities_are_a_diagnostic_or_a_choice() -> None:
    cluster = SimulatedCluster(2)
    cluster.add("another processor")
    with pytest.raises(TunepassError) as raised:
        session_on(cluster)
    text = str(raised.value)
    assert "2 x a processor (h), 1 x another processor (h)" in text and "--machine TEXT" in text
    assert "device: a processor -> another processor" in text
    session = session_on(cluster, "another")
    assert session.identity["device"] == "another processor" and session.room == 1
    with pytest.raises(TunepassError, match="no worker's host, processor or compiler has 'sparc' in it"):
        session_on(cluster, "sparc")


def test_a_machine_of_another_identity_that_joins_later_is_not_used() -> None:
    cluster, notes = SimulatedCluster(1), list[str]()
    session = session_on(cluster)
    session.notify = notes.append
    other = cluster.add("another processor")
    assert all(len(each) == 1 for each in outcomes(session, list(range(10))).values())
    assert session.workers[other].state == "excluded" and "another identity" in notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"value": 1, "more": 2}',
        '{"value": {"cells": {}}}',
        '{"error": {"kind": "Exception"}}',
        "[" * 10**5,
    ],
)
def test_an_answer_that_is_none_is_one_error_and_nothing_is_believed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = SimulatedCluster(1)
    session = session_on(cluster)
    monkeypatch.setattr(cluster, "answer", lambda *task: text)
    session.begin([configuration(1)])
    with pytest.raises(TunepassError, match="an answer that cannot be read") as raised:
        session.ended()
    assert "the same version of tunepass" in str(raised.value)


def test_quick_evaluations_are_queued_one_ahead() -> None:
    cluster = SimulatedCluster(2)
    session = session_on(cluster)
    assert session.room == 2
    outcomes(session, [1])
    assert session.recent_s < 0.5 and session.room == 4


def test_the_device_is_that_of_the_chosen_machines_and_workers_that_are_not_used_are_warned_of() -> None:
    cluster = SimulatedCluster(3)
    cluster.add("another processor")
    cluster.broken = {cluster.addresses()[0]}
    session = session_on(cluster, "another")
    assert session.description == "of another processor"
    assert session.excluded == ["worker tcp://h:1 on h: compiler not found; it is not used any more"]
    (first, *_) = remote_evaluator(session).warnings
    assert first == session.excluded[0]
    session.excluded *= 9
    *_, more = remote_evaluator(session).warnings
    assert more == "5 more workers are not used"

"""Several processes on one store, and processes that are killed: nothing is lost, nothing done twice."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

from tests.study.studies import drive, space, study, time_of, url
from tunepass.diagnostics import StudyError
from tunepass.study.outcome import Measured


def test_two_studies_on_one_store_share_the_work(tmp_path: Path) -> None:
    one, two = study(store=url(tmp_path)), study(store=url(tmp_path))
    a, b = one.suggest(4), two.suggest(4)
    assert not set(a) & set(b)
    for configuration in b:
        two.observe(configuration, time_of(configuration))
    rest = drive(one)
    assert not set(rest) & {*a, *b} and len(rest) + 8 == one.space.size
    with pytest.raises(StudyError, match="already"):
        one.observe(b[0], time_of(b[0]))


def test_the_first_report_of_a_shared_configuration_stands(tmp_path: Path) -> None:
    one, two = study(store=url(tmp_path)), study(store=url(tmp_path))
    (default,) = one.suggest(1)
    kept = two.observe(default, Measured({"time": 1.0}))
    assert one.observe(default, Measured({"time": 2.0})) == kept


def test_what_another_process_evaluates_is_believed(tmp_path: Path) -> None:
    one, two = study(store=url(tmp_path)), study(store=url(tmp_path))
    alone = study()
    for each in (one, alone):
        (default,) = each.suggest(1)
        each.observe(default, time_of(default))
    first, second = alone.suggest(2)
    assert one.suggest(1) == [first] and two.suggest(1) == [second], "the second knows of the first"


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from tests.study import studies
some = studies.study(seed=5, store=sys.argv[1])
while not some.finished:
    for configuration in some.suggest(2):
        print(some.observe(configuration, studies.time_of(configuration)).number, flush=True)
"""


def test_killed_at_any_moment_and_resumed_nothing_is_lost_or_repeated(tmp_path: Path) -> None:
    reported: list[int] = []
    for lines in (0, 1, 2, 3, 5, 1, 4):
        command = [sys.executable, "-c", KILLED, url(tmp_path), str(Path(__file__).parents[2])]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            reported += [int(child.stdout.readline()) for _ in range(lines)]
            child.kill()
            reported += [int(line) for line in child.stdout]
    after = study(seed=5, store=url(tmp_path))
    assert reported == sorted(set(reported)) and len(after.trials) >= len(reported)
    drive(after)
    undisturbed = study(seed=5)
    drive(undisturbed)
    assert [t.number for t in after.trials] == list(range(after.space.size))
    assert {t.configuration for t in after.trials} == {t.configuration for t in undisturbed.trials}
    assert after.best is not None and undisturbed.best is not None
    assert after.best.configuration == undisturbed.best.configuration


def _worker(where: str) -> None:
    drive(study(store=where))


def test_two_processes_evaluate_every_configuration_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_worker, args=(url(tmp_path),)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    trials = study(store=url(tmp_path)).trials
    assert len({t.configuration for t in trials}) == len(trials) == space().size

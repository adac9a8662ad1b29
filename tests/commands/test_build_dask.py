"""`tunepass build --executor dask`: the trials are those of a build on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.brief_rounds import shorten_rounds
from tests.commands.conftest import Folder
from tests.harness_objects import share_harness_objects
from tunepass.study.storage.store import Store

COMPILER = ("--", "gcc", "-O2")
SEARCH = ("--max-evals", "4", "--strategy", "exhaustive", "--format", "json")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        with distributed.Client(cluster) as client:
            client.run(quicken)
        yield cluster.scheduler_address


def quicken() -> None:
    """Workers compile and compare as processes of the tests do."""
    share_harness_objects(quick=True)
    shorten_rounds()


def trials_of(folder: Folder, *, timed: bool = False, url: str = "") -> dict[str, tuple[object, ...]]:
    """By configuration: what a trial has that does not depend on the moment; and the study's name and identity."""
    with Store(url or f"sqlite:///{folder.path / '.tunepass/store.db'}") as store:
        (record,) = store.studies()
        trials = {
            repr(trial.configuration): (
                type(trial.outcome).__name__,
                None if timed else getattr(trial.outcome, "values", None),
                getattr(trial.outcome, "stage", None),
                trial.code,
                tuple(sorted(trial.seconds)),
            )
            for trial in store.trials(record)
        }
        return {"study": (record.name, tuple(record.identity.items())), **trials}


PROGRAM = """\
#pragma tunepass param N: ordinal(1, 2, 3, 4) = 1
#pragma tunepass run "./a.out" metric "cost: {cost}"
#include <stdio.h>
int main(void)
{
    printf("cost: %d\\n", (N - 3) * (N - 3));
    return N == 2;
}
"""


def test_a_program_over_a_cluster_has_the_trials_and_values_of_a_local_build(folder: Folder, scheduler: str) -> None:
    folder.write("p.c", PROGRAM)
    words = ("build", "p.c", *SEARCH)
    done = folder.run(*words, "--executor", "dask", "--scheduler", scheduler, *COMPILER)
    assert done.returncode == 0, done.stderr
    answer, there = json.loads(done.stdout), trials_of(folder)
    assert answer["choice"] == {"N": 3} and answer["failures"] == {"run": 1}
    (folder.path / "tunepass.lock").unlink()
    (folder.path / ".tunepass/store.db").unlink()
    here = folder.run(*words, *COMPILER)
    assert json.loads(here.stdout)["choice"] == {"N": 3} and trials_of(folder) == there


@pytest.mark.slow
def test_a_cluster_measures_for_a_store_in_postgres(folder: Folder, scheduler: str, postgres_url: str) -> None:
    folder.write("p.c", PROGRAM)
    words = ("build", "p.c", *SEARCH)
    cluster = ("--executor", "dask", "--scheduler", scheduler)
    done = folder.run(*words, *cluster, "--store", postgres_url, *COMPILER)
    assert done.returncode == 0, done.stderr
    assert not (folder.path / ".tunepass/store.db").exists()
    (folder.path / "tunepass.lock").unlink()
    assert folder.run(*words, *COMPILER).returncode == 0
    assert trials_of(folder) == trials_of(folder, url=postgres_url)


@pytest.mark.slow
def test_a_kernel_over_a_cluster_has_the_trials_of_a_local_build(folder: Folder, scheduler: str) -> None:
    done = folder.run("build", "scale.c", *SEARCH, "--executor", "dask", "--scheduler", scheduler, *COMPILER)
    assert done.returncode == 0, done.stderr
    there, answer = trials_of(folder, timed=True), json.loads(done.stdout)
    assert answer["trials"] == 4 and "out/scale.tuned.o" in answer["outputs"]
    checks = {each["check"]: each["state"] for each in answer["checks"]}
    assert checks["rounds"] == checks["outputs"] == checks["timed results"] == "ran"
    again = folder.run("build", "scale.c", "--format", "json", *COMPILER)
    assert json.loads(again.stdout)["evaluations"] == 0, "the lock fits on this machine"
    (folder.path / "tunepass.lock").unlink()
    (folder.path / ".tunepass/store.db").unlink()
    here = folder.run("build", "scale.c", *SEARCH, *COMPILER)
    assert here.returncode == 0 and trials_of(folder, timed=True) == there


def test_what_a_cluster_cannot_do_is_told_before_anything_is_started(folder: Folder) -> None:
    for words, text in (
        (("--workers", "2"), "--workers is about a cluster; add --executor dask"),
        (("--machine", "xeon"), "--machine is about a cluster; add --executor dask"),
        (("--executor", "dask", "--workers", "2", "--scheduler", "tcp://h:1"), "give one of them"),
        (("--executor", "dask", "--scheduler", ""), "--scheduler has no address"),
        (("--executor", "dusk"), "did you mean 'dask'?"),
        (("--executor", "dask", "--workers", "0"), "at least 1"),
    ):
        done = folder.run("build", "scale.c", *words, *COMPILER)
        assert done.returncode == 2 and text in done.stderr, (words, done.stderr)
    assert folder.files() == {"scale.c"}

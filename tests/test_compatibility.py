"""Locks and stores that version 0.1.0 wrote for three samples are still read, and still spare a build its search.

tests/golden/compat holds them with their sources, as they were on the machine that tuned them. What a lock says of its
compiler and its device is that machine's; where a test needs a lock that fits, only these two are replaced.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tunepass import cli
from tunepass.backends.model import ModelBackend
from tunepass.space.configuration import Configuration
from tunepass.study.lock.lock import Lock, LockedObjective
from tunepass.study.outcome import Measured
from tunepass.study.storage.store import Store

COMPAT = Path(__file__).parent / "golden" / "compat"
GEMM_CHOICE = {"mp": 16, "ip": 32, "bm": 48, "bn": 576, "bp": 48, "pipeline_40": True, "pipeline_48": False}
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
needs_make = pytest.mark.skipif(not (shutil.which("make") and shutil.which("gcc")), reason="needs make and gcc")


@dataclass(frozen=True)
class Sample:
    """One tuned source: its folder in COMPAT, and how many trials its store holds."""

    folder: str
    source: str
    kernel: str
    trials: int

    @property
    def key(self) -> str:
        return f"{self.source}::{self.kernel}"


STENCIL = Sample("c", "stencil.c", "smooth", 18)
GEMM = Sample("spatial", "GEMM.scala", "GEMM", 60)
HEAT = Sample("heat", "tune.yaml", "heat", 5)
SAMPLES = (STENCIL, GEMM, HEAT)
every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=[s.folder for s in SAMPLES])
every_identified_sample = pytest.mark.parametrize(
    "sample", [pytest.param(s, id=s.folder, marks=() if s is GEMM else needs_gcc) for s in SAMPLES]
)


@dataclass(frozen=True)
class Runner:
    """The command line, run in a copy of COMPAT where each store lies where a build looks for it."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def run(self, sample: Sample, *words: str) -> tuple[int, str, str]:
        self.monkeypatch.chdir(self.folder / sample.folder)
        status = cli.main(list(words))
        printed = self.capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, printed.out, printed.err

    def data(self, sample: Sample, *words: str):  # type: ignore[no-untyped-def]
        """What a command prints as JSON."""
        status, out, err = self.run(sample, words[0], "--format", "json", *words[1:])
        assert status == 0, err
        return json.loads(out)

    def reasons(self, sample: Sample) -> dict[str, str]:
        """Why the sample's lock does not fit here, by what differs: "old -> new"."""
        status, out, err = self.run(sample, "verify", sample.source)
        assert status in (0, 3), err
        return dict(line.strip().split(": ", 1) for line in out.splitlines()[1:])

    def adopt(self, sample: Sample) -> None:
        """Replace the compiler, the device and the harness in the sample's lock and store by those of here."""
        folder = self.folder / sample.folder
        lock = folder / "tunepass.lock"
        reasons = self.reasons(sample)
        harness = reasons.pop("harness", "").split(" -> ")
        changes = [change.split(" -> ") for change in reasons.values()]
        with closing(sqlite3.connect(folder / ".tunepass" / "store.db")) as connection, connection:
            for old, new in changes:
                assert lock.read_text().count(old) == 1
                lock.write_text(lock.read_text().replace(old, new))
                connection.execute("UPDATE study SET identity = replace(identity, ?, ?)", (old, new))
            if len(harness) == 2:
                old, new = harness
                lock.write_text(lock.read_text().replace(f"harness: {old}", f"harness: {new}"))
                connection.execute(
                    "UPDATE study SET identity = replace(identity, ?, ?)", (f'"harness":"{old}"', f'"harness":"{new}"')
                )


@pytest.fixture
def runner(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.delenv("TUNEPASS_STORE", raising=False)
    monkeypatch.setattr(ModelBackend, "_digest", "04ed95deabba")  # as if the model had not changed since
    for sample in SAMPLES:
        copy = shutil.copytree(COMPAT / sample.folder, tmp_path / sample.folder)
        (copy / ".tunepass").mkdir()
        (copy / "store.db").rename(copy / ".tunepass" / "store.db")
    return Runner(tmp_path, capsys, monkeypatch)


@every_sample
def test_a_lock_reads_and_writes_the_same(sample: Sample) -> None:
    path = COMPAT / sample.folder / "tunepass.lock"
    lock = Lock.read(path)
    assert list(lock.entries) == [sample.key]
    entry = lock.entries[sample.key]
    assert entry.objective.evaluations == sample.trials
    assert Lock().with_entry(sample.key, entry).text() == path.read_text()


def test_what_the_locks_say() -> None:
    stencil, gemm, heat = (Lock.read(COMPAT / s.folder / "tunepass.lock").entries[s.key] for s in SAMPLES)
    assert dict(stencil.choice) == {
        "ROWS": 1, "COLUMNS": 1024, "SCHEDULE": "static", "CHUNK": 1, "OPT": "-O3 -march=native"
    }  # fmt: skip
    assert stencil.objective == LockedObjective(
        name="time", unit="ms", default=30.9639, chosen=10.6925, gain=2.668, interval=(2.33464, 3.04897), evaluations=18
    )
    assert (stencil.identity.flags, stencil.identity.harness) == (("-O2",), "2")
    assert dict(gemm.choice) == GEMM_CHOICE and gemm.choice["pipeline_40"] is True
    assert (gemm.objective.gain, gemm.objective.interval) == (7.80105, None)
    assert (gemm.identity.compiler, gemm.identity.device) == ("fpga model 04ed95deabba", "stratix-v")
    assert dict(heat.choice) == {
        "OPT": "-O2", "MARCH": "", "UNROLL": "", "BAND": 4, "THREADS": 1, "SCHEDULE": "static", "WAIT": "passive"
    }  # fmt: skip
    assert (heat.objective.gain, heat.identity.harness) == (1.0, "application 1")


@every_sample
def test_a_store_reads_with_all_its_trials(sample: Sample, tmp_path: Path) -> None:
    path = shutil.copy(COMPAT / sample.folder / "store.db", tmp_path)
    query = "SELECT number, configuration, outcome, objectives, samples, log, code FROM trial ORDER BY number"
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(query).fetchall()
    with closing(Store(f"sqlite:///{path}")) as store:
        (study,) = store.studies()
        trials = store.trials(study)
        assert store.pending(study) == []
    assert study.name.startswith(f"{sample.key}@") and study.trials == len(trials) == len(rows) == sample.trials
    for (number, configuration, outcome, objectives, samples, log, code), trial in zip(rows, trials):
        assert outcome == "measured" and isinstance(trial.outcome, Measured)
        assert (number, Configuration(json.loads(configuration))) == (trial.number, trial.configuration)
        assert json.loads(objectives) == dict(trial.outcome.values)
        assert json.loads(samples or "[]") == list(trial.outcome.samples)
        assert (log, code) == (trial.log, trial.code)


@every_identified_sample
def test_sources_and_spaces_are_still_identified_the_same(sample: Sample, runner: Runner) -> None:
    assert set(runner.reasons(sample)) <= {"compiler", "device", "harness"}


def test_a_lock_fits_the_model_that_it_was_made_with(runner: Runner) -> None:
    assert runner.run(GEMM, "verify")[:2] == (0, "GEMM.scala::GEMM: fits\n")


def test_a_model_that_has_changed_is_told(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelBackend, "_digest", "another")
    assert runner.reasons(GEMM) == {"compiler": "fpga model 04ed95deabba -> fpga model another"}


@every_identified_sample
def test_explain_shows_the_trials_and_the_choice(sample: Sample, runner: Runner) -> None:
    status, out, err = runner.run(sample, "explain", sample.source)
    assert status == 0 and out.startswith(f"{sample.key}: {sample.trials} trials, 0 failed\n"), err
    choice = Lock.read(COMPAT / sample.folder / "tunepass.lock").entries[sample.key].choice
    (data,) = runner.data(sample, "explain", sample.source)["kernels"]
    assert data["choice"] == dict(choice)
    assert (data["trials"], data["default"][0]["number"]) == (sample.trials, 0) and data["best"] and data["neighbours"]


@every_identified_sample
def test_report_has_every_trial(sample: Sample, runner: Runner) -> None:
    assert runner.run(sample, "report", sample.source, "-o", "page.html")[:2] == (0, "wrote page.html\n")
    page = (runner.folder / sample.folder / "page.html").read_text()
    assert f"{sample.trials} trials" in page and page.count("<tr") == sample.trials + 1


@pytest.mark.parametrize(
    "sample,dense,feasible",
    [(STENCIL, 4536, 4158), (GEMM, 262_144_000, 221_952), (HEAT, 1344, 784)],
    ids=["c", "spatial", "heat"],
)
def test_space_counts_the_same(sample: Sample, dense: int, feasible: int, runner: Runner) -> None:
    data = runner.data(sample, "space", sample.source)
    assert (data["dense"], data["feasible"]) == (dense, feasible)


def test_estimate_says_about_what_it_said(runner: Runner) -> None:
    """The model was fitted anew since: its DRAM and its placement."""
    data = runner.data(GEMM, "estimate", "GEMM.scala", "--device", "stratix-v")
    assert data["values"]["cycles"] == pytest.approx(2_307_090_041, rel=0.01) and data["fits"]
    assert data["values"]["alms"] == pytest.approx(57_440, rel=0.02)


def test_pareto_is_the_front_of_the_stored_trials(runner: Runner) -> None:
    data = runner.data(GEMM, "pareto", "GEMM.scala", "--device", "stratix-v")
    losses = [(p["objectives"]["cycles"], p["objectives"]["alms"]) for p in data["pareto"]]
    assert len(losses) == 18 and losses[0] == (295_740_857, 63_806) and losses == sorted(losses)


@pytest.mark.parametrize("words", [("--frozen",), (), ("--device", "stratix-v", "--objective", "cycles,alms")])
def test_a_build_by_the_model_evaluates_nothing(words: tuple[str, ...], runner: Runner) -> None:
    data = runner.data(GEMM, "build", "GEMM.scala", *words)
    assert (data["evaluations"], data["trials"], data["choice"]) == (0, 60, GEMM_CHOICE)


def test_the_stored_trials_of_a_model_make_the_same_lock(runner: Runner) -> None:
    lock = runner.folder / "spatial" / "tunepass.lock"
    lock.unlink()
    words = ("--device", "stratix-v", "--objective", "cycles,alms", "--max-evals", "60")
    assert runner.data(GEMM, "build", "GEMM.scala", *words)["evaluations"] == 0
    assert lock.read_text() == (COMPAT / "spatial" / "tunepass.lock").read_text()


@needs_gcc
def test_a_kernel_builds_from_its_lock(runner: Runner) -> None:
    runner.adopt(STENCIL)
    assert runner.run(STENCIL, "verify")[:2] == (0, "stencil.c::smooth: fits\n")
    for words in (("--frozen",), ()):
        data = runner.data(STENCIL, "build", "stencil.c", *words, "--", "gcc", "-O2")
        assert data["evaluations"] == 0 and data["choice"]["COLUMNS"] == 1024
        assert data["outputs"] and all((runner.folder / "c" / output).is_file() for output in data["outputs"])


@needs_make
def test_an_application_builds_from_its_lock(runner: Runner) -> None:
    runner.adopt(HEAT)
    data = runner.data(HEAT, "build", "tune.yaml", "--frozen")
    assert data["evaluations"] == 0 and data["choice"]["BAND"] == 4
    assert [Path(p).name for p in data["outputs"]] == ["heat.tuned.mk", "heat.tuned.sh"]  # no command of its is run


def test_nothing_here_names_the_machine_that_wrote_it() -> None:
    for path in COMPAT.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [word for word in (b"/home/", b"/root/", b"/tmp/", b"/work/") if word in content], path

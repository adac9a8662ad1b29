"""Commands whose store is in PostgreSQL: what they find and leave, and that passwords stay secret."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commands.conftest import Folder
from tests.commands.killing import Place
from tests.postgres_server import Server
from tunepass.cli import main
from tunepass.study.storage import postgres
from tunepass.study.storage.location import StoreLocation
from tunepass.study.storage.store import Store
from tunepass.study.trial import Trial

SAMPLES = Path(__file__).parents[2] / "samples"
BUILD = ("build", "tune.yaml", "--strategy", "random", "--format", "json")


class Application(Folder):
    """Tunes a program of exact cost, which logs its runs."""

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return super().run(*words, RUNS=str(self.path / "runs"), **environment)

    def ran(self) -> list[str]:
        path = self.path / "runs"
        return path.read_text().splitlines() if path.exists() else []

    def build(self, *words: str, **environment: str) -> dict[str, object]:
        done = self.run(*BUILD, *words, **environment)
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] = json.loads(done.stdout)
        return answer


def application(path: Path) -> Application:
    Place.make(path)
    return Application(path)


def with_password(url: str) -> str:
    """The URL with the password in each place that PostgreSQL reads one from."""
    return url.replace("tester@", "tester:hunter%212@") + "&password=hunter%212&sslpassword=hunter3"


def trials(url: str | Path) -> list[tuple[object, ...]]:
    """What does not depend on the moment."""
    with StoreLocation.named(url).existing() as store:
        return [_lasting(t) for record in store.studies() for t in store.trials(record)] if store else []


def _lasting(trial: Trial) -> tuple[object, ...]:
    outcome = trial.outcome
    return trial.number, trial.configuration, getattr(outcome, "values", None), getattr(outcome, "stage", None)


def choice(place: Path) -> list[str]:
    return [n for n in (place / "tunepass.lock").read_text().splitlines() if "choice" in n or "objective" in n]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """A build of the same seed with a file as its store."""
    tuned = application(tmp_path_factory.mktemp("sqlite"))
    tuned.build("--max-evals", "8")
    return tuned


@pytest.fixture(scope="module")
def url(postgres_server: Server) -> str:
    """Has a password that is never to be seen."""
    return with_password(postgres_server.database())


@pytest.fixture(scope="module")
def empty(postgres_server: Server) -> str:
    return postgres_server.database()


@pytest.fixture(scope="module")
def tuned(url: str, tmp_path_factory: pytest.TempPathFactory) -> Application:
    """A program tuned with a store in PostgreSQL: three evaluations, then five more. Tests leave it as it is."""
    built = application(tmp_path_factory.mktemp("postgres"))
    cost = (built.path / "cost.py").read_text()  # a program that sees the URL fails
    built.write("cost.py", f'{cost}assert "TUNEPASS_STORE" not in os.environ\n')
    built.build("--max-evals", "3", "--store", url)
    assert len(trials(url)) == 3
    built.build("--max-evals", "8", "--continue", TUNEPASS_STORE=url)
    return built


def test_the_result_is_that_of_a_file_of_the_same_seed(tuned: Application, undisturbed: Application, url: str) -> None:
    assert trials(url) == trials(undisturbed.path / ".tunepass/store.db")
    assert choice(tuned.path) == choice(undisturbed.path)
    assert tuned.files() == undisturbed.files() - {n for n in undisturbed.files() if n.startswith(".tunepass/store")}


def test_an_unchanged_build_evaluates_nothing_and_frozen_needs_no_server(tuned: Application, url: str) -> None:
    before = len(tuned.ran())
    assert tuned.build("--store", url)["evaluations"] == 0
    assert tuned.build("--frozen", "--store", "postgresql://tester@/x?host=/nowhere")["evaluations"] == 0
    assert len(tuned.ran()) == before


@pytest.mark.slow
def test_a_build_that_is_killed_goes_on_to_the_same_result(
    undisturbed: Application, postgres_url: str, tmp_path: Path
) -> None:
    place = Place.make(tmp_path, 8)
    process = place.start("--store", postgres_url)
    while process.poll() is None and len(trials(postgres_url)) < 3:
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    stored, seen = trials(postgres_url), len(place.runs())
    assert 3 <= len(stored) < 8 and list((tmp_path / ".tunepass").glob("interrupted-*"))
    done, _ = place.build("--store", postgres_url)
    assert done.returncode == 0, done.stderr
    assert trials(postgres_url) == trials(undisturbed.path / ".tunepass/store.db")
    assert trials(postgres_url)[: len(stored)] == stored and choice(tmp_path) == choice(undisturbed.path)
    known = {" ".join(map(str, row[1].values())) for row in stored} - {"9 w"}  # type: ignore[attr-defined]
    assert not known & set(place.runs()[seen:]), "a stored trial was evaluated again"
    assert not list((tmp_path / ".tunepass").glob("interrupted-*"))


def _wait_briefly() -> None:
    postgres.RECONNECT_SECONDS = 0.3


@pytest.mark.slow
def test_a_server_that_crashes_ends_a_build_with_status_4_and_the_next_goes_on(
    undisturbed: Application, postgres_server: Server, postgres_url: str, tmp_path: Path
) -> None:
    place = Place.make(tmp_path, 8, forked=True)
    process = place.start("--store", with_password(postgres_url), prepare=_wait_briefly)
    while process.poll() is None and len(trials(postgres_url)) < 3:
        pass
    postgres_server.stop(signal.SIGQUIT)
    _, error = process.communicate(timeout=60)
    postgres_server.start()
    lines = [line for line in error.splitlines() if line.startswith("error")]
    assert process.returncode == 4 and len(lines) == 1, error
    assert lines[0].startswith("error: store postgresql://tester@/") and "hunter" not in error
    stored = trials(postgres_url)
    assert 3 <= len(stored) < 8 and not (tmp_path / "tunepass.lock").exists()
    done, _ = place.build("--store", postgres_url)
    assert done.returncode == 0, done.stderr
    assert trials(postgres_url) == trials(undisturbed.path / ".tunepass/store.db")
    assert trials(postgres_url)[: len(stored)] == stored and choice(tmp_path) == choice(undisturbed.path)


@pytest.mark.slow
def test_builds_of_two_machines_share_a_study(postgres_url: str, tmp_path: Path) -> None:
    places = [Place.make(tmp_path / name, 10) for name in ("a", "b")]
    processes = [place.start("--store", postgres_url) for place in places]
    outputs = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    stored = trials(postgres_url)
    assert [row[0] for row in stored] == list(range(10)) and len({row[1] for row in stored}) == 10
    assert choice(places[0].path) == choice(places[1].path)
    # each build runs the default, for its time, and a first failure is made again
    runs = [run for place in places for run in place.runs() if run != "9 w" and run[0] != "7"]
    assert len(runs) == len(set(runs)), "a configuration was evaluated by both"


def everything(url: str) -> str:
    """All cells of the database."""
    with Store(url) as store:
        rows = [store._session.execute(f"SELECT * FROM {table}").fetchall() for table in ("study", "trial", "manifest")]
    return repr(rows)


def test_commands_read_it_and_never_show_the_password(tuned: Application, url: str, tmp_path: Path) -> None:
    copy = Application(tmp_path / "copy")
    shutil.copytree(tuned.path, copy.path)
    cases: list[tuple[Sequence[str], str]] = [
        (("explain", "tune.yaml", "--store", url), "8 trials"),
        (("explain", "tune.yaml", "--store", url, "--format", "json"), '"importance"'),
        (("report", "tune.yaml", "--store", url, "-o", "source.html"), "wrote source.html"),
        (("report", url, "-o", "store.html"), "wrote store.html"),
        (("report", url, "-o", "store.svg", "--format", "json"), "store.svg"),
        (("diff", "--store", url), "unchanged"),
        (("store", "check", url, "--format", "json"), '"trials": 8'),
        (("store", "export", url), '"kind":"trial"'),
        (("store", "export", url, "-o", "trials.jsonl", "--format", "json"), '"store": "postgresql://tester@'),
        (("store", "export", url, "--as", "t4", "-o", "t4.json"), "8 trials"),
        (("store", "copy", url, "copied.db"), "copied postgresql://tester@"),
        ((*BUILD, "--store", url), '"evaluations": 0'),
    ]
    printed = []
    for words, part in cases:
        done = copy.run(*words)
        assert done.returncode == 0 and part in done.stdout, (words, done)
        printed += [done.stdout, done.stderr]
    cost = (copy.path / "cost.py").read_text()
    copy.write("cost.py", cost.replace("1.5", "1.6"))
    assert "cost.py" in copy.run("diff", "--store", url).stdout  # which file changed, the store knows
    files = {str(p): p.read_bytes().decode("utf-8", "replace") for p in copy.path.rglob("*") if p.is_file()}
    texts = {**files, "printed": "".join(printed), "database": everything(url), "store": repr(StoreLocation.named(url))}
    assert [name for name, text in texts.items() if "hunter" in text] == []
    assert "postgresql://tester@" in files[str(copy.path / "store.html")]
    assert trials(copy.path / "copied.db") == trials(url)


@pytest.mark.parametrize(
    "words",
    [
        ("build", "tune.yaml", "--store", "URL"),
        ("build", "tune.yaml", "--store", "s.db", "--transfer-from", "URL"),
        ("build", "tune.yaml", "--store", "s.db", "--transfer-from", "URL:other@1"),
        ("explain", "tune.yaml", "--store", "URL"),
        ("report", "tune.yaml", "--store", "URL", "-o", "x.html"),
        ("report", "URL", "-o", "x.html"),
        ("diff", "tune.yaml", "--store", "URL"),
        ("store", "check", "URL"),
        ("store", "copy", "URL", "x.db"),
        ("store", "copy", "s.db", "URL"),
        ("hypermapper", "s.json", "--store", "URL"),
    ],
)
def test_a_server_that_is_not_reached_is_one_line_with_status_4(
    words: Sequence[str], undisturbed: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copytree(undisturbed.path, tmp_path / "a")
    monkeypatch.chdir(tmp_path / "a")
    with Store("sqlite:///s.db"):
        pass
    (tmp_path / "a" / "s.json").write_text(
        '{"hypermapper_mode": {"mode": "client-server"}, "optimization_objectives": ["v"], "input_parameters": '
        '{"x": {"parameter_type": "integer", "values": [0, 3]}}}'
    )
    url = "postgresql://me:hunter2@/db?host=/nowhere&password=hunter2"
    again = ("--continue",) if words[0] == "build" else ()
    assert main([word.replace("URL", url) for word in (*words, *again)]) == 4
    error = capsys.readouterr().err.splitlines()
    assert error[-2].startswith("error: store postgresql://me@/db?host=/nowhere: ") and "  = help:" in error[-1]
    assert len([line for line in error if line.startswith("error")]) == 1 and "hunter" not in "".join(error)


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "SECRET"),  # no source
        ("build", "SECRET"),
        ("report", "tune.yaml", "-o", "SECRET"),
        ("devices", "SECRET"),  # no such argument
        ("explain", "tune.yaml", "--stor", "SECRET"),
        ("store", "check", "a.db", "SECRET"),
        ("store", "repair", "SECRET"),
        ("explain", "tune.yaml", "--store", "SECRET"),  # no such database
        ("explain", "tune.yaml", "--store", "EMPTY"),  # a database without a store
        ("store", "check", "EMPTY"),
        ("report", "EMPTY", "-o", "x.svg"),
        ("build", "tune.yaml", "--transfer-from", "EMPTY:k@1"),
        ("explain", "tune.yaml", "--store", "postgresql://me:hunter/2@host/db"),
        ("explain", "tune.yaml", "--store", "postgresql://me:hunter2@[host/db"),
        ("explain", "tune.yaml", "--store", "postgresql://me:1@/db?nonsense=hunter2"),
        ("build", "tune.yaml", "--transfer-from", "postgresql://me:x/y:hunter2@host/db"),
    ],
)
def test_mistakes_have_status_2_and_never_show_the_password(
    words: Sequence[str], postgres_server: Server, empty: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    Place.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    urls = {"SECRET": postgres_server.url("nowhere", password="hunter2"), "EMPTY": with_password(empty)}
    for name, url in urls.items():
        words = [word.replace(name, url) for word in words]
    assert main(words) == 2
    printed = capsys.readouterr()
    assert "error: " in printed.err and "hunter" not in printed.err + printed.out and "internal" not in printed.err
    with StoreLocation.named(empty).existing() as store:
        assert store is None  # reading makes none


def test_the_error_without_psycopg_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Place.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for words in (("build", "tune.yaml", "--store"), ("explain", "tune.yaml", "--store"), ("store", "check")):
        assert main([*words, "postgresql://me:hunter2@host/db"]) == 2
        assert "pip install 'tunepass[postgres]'" in (error := capsys.readouterr().err) and "hunter" not in error


def test_an_internal_error_hides_passwords(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(url: str, **options: object) -> None:
        raise KeyError(url)

    monkeypatch.setattr(postgres, "PostgresSession", fail)
    for debug in ("0", "1"):
        monkeypatch.setenv("TUNEPASS_DEBUG", debug)
        assert main(["store", "check", "postgresql://me:hunter2@host/db?password=hunter3"]) == 2
        assert "KeyError" in (error := capsys.readouterr().err) and "hunter" not in error


@pytest.mark.slow
def test_an_earlier_study_of_the_database_is_a_prior_mean_and_a_resumed_search_keeps_it(
    tuned: Application, url: str, tmp_path: Path
) -> None:
    """The origin has no password; the search that goes on takes that of its own store."""
    later = Application(tmp_path / "later")
    shutil.copytree(tuned.path, later.path)
    text = (later.path / "cost.py").read_text()
    later.write("cost.py", text.replace("1.5", "1.6"))
    for words in (("--max-evals", "3", "--transfer-from", f"{url}:tune.yaml::exact"), ("--max-evals", "5")):
        answer = later.build("--store", url, "--continue", *words)
        transfer = answer["transfer"]
        assert isinstance(transfer, dict) and transfer["trials"] == 8
        assert transfer["place"] == str(StoreLocation.named(url)) and "hunter" not in json.dumps(answer)
    done = later.run("explain", "tune.yaml", "--store", url)
    assert "transfer  tune.yaml::exact@" in done.stdout and "which is gone" not in done.stderr


@pytest.mark.slow
def test_the_commands_of_the_docs(folder: Folder, postgres_url: str) -> None:
    (block,) = re.findall(r"^```sh\n(.*?)^```", (SAMPLES.parent / "docs" / "store.md").read_text(), re.M | re.S)
    created, *lines = block.replace("matmul.c", "scale.c").splitlines()
    assert created == "createdb --encoding=UTF8 tuning"
    for line in lines:
        words = shlex.split(line.replace("postgresql://me@server/tuning", postgres_url))
        variables = dict(words.pop(0).split("=", 1) for _ in range(words.index("tunepass")))
        few = ["--max-evals", "2"] if words[1] == "build" else []
        done = folder.run(*words[1:3], *few, *words[3:], **variables)
        assert done.returncode == 0, done.stderr
    assert "2 trials" in done.stdout


@pytest.mark.slow
def test_the_front_of_a_model_is_read_from_it(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(SAMPLES / "spatial" / "BlackScholes.scala", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUNEPASS_STORE", raising=False)
    source = ("BlackScholes.scala", "--device", "stratix-v", "--store", postgres_url)
    assert main(["pareto", *source]) == 2
    assert "has no trials of BlackScholes.scala::BlackScholes" in capsys.readouterr().err
    assert main(["build", *source, "--strategy", "random", "--max-evals", "6"]) == 0
    assert main(["pareto", *source]) == 0
    assert "of 6 evaluated" in capsys.readouterr().out

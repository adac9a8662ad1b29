"""A foreign tuner as a strategy: an honest one of our own writing, and those that are not."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

import pytest

from tunepass.diagnostics import SamplingError, SourceError, SpaceError, StudyError
from tunepass.interchange.hypermapper.foreign_tuner import foreign_tuner
from tunepass.interchange.hypermapper.reading import scenario_of_fields
from tunepass.interchange.hypermapper.tuner_space import scenario_fields, tuner_parameter
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.study import Study

RANDOM = """
import json, random, sys
scenario = json.load(open(sys.argv[1]))
parameters, rng, seen = scenario["input_parameters"], random.Random(0), set()
def draw(p):
    kind, values = p["parameter_type"], p["values"]
    return rng.uniform(*values) if kind == "real" else rng.randint(*values) if kind == "integer" else rng.choice(values)
for i in range(1 + scenario["optimization_iterations"]):
    n = 1 if i else scenario["design_of_experiment"]["number_of_samples"]
    print("Request", n, "\\n" + ",".join(parameters))
    for _ in range(n):
        print(",".join(str(draw(p)) for p in parameters.values()))
    sys.stdout.flush()
    with open(sys.argv[1] + ".replies", "a") as file:
        for _ in range(n + 1):
            file.write(sys.stdin.readline())
print("End of HyperMapper", flush=True)
"""
TILES = Space([Ordinal("tile", [1, 2, 4, 8]), Categorical("mode", ["rows", "columns"])], ["tile > 1 or mode == 'rows'"])
MIXED = Space(
    [
        Real("ratio", 0.5, 2.0),
        Integer("n", -3, 3),
        Categorical("on", [True, False]),
        Categorical("flag", ["-O2", "a,b"]),
        Permutation("order", 3),
        Integer("depth", 1, 4, when="n > 0"),
    ]
)


def study_of(strategy: object, space: Space = TILES, max_evals: int = 6) -> Study:
    return Study(space, [Objective("time"), Objective("rate", maximise=True)], strategy=strategy, max_evals=max_evals)  # type: ignore[arg-type]


def search(study: Study) -> None:
    while suggested := study.suggest(2):
        for i, configuration in enumerate(suggested):
            measured = Measured({"time": float(len(study.trials)), "rate": 5.0})
            study.observe(configuration, Failed("compile", "no") if i else measured)


def python(folder: Path, script: str) -> str:
    """The command line of a script of Python."""
    (folder / "tuner.py").write_text(script)
    return f"{sys.executable} {folder}/tuner.py"


def talk(folder: Path, *lines: str) -> None:
    """Search with a tuner that writes these lines and then waits for the end of its input."""
    script = (
        f"import sys, os\nsys.stdout.write({''.join(f'{line}' + chr(10) for line in lines)!r})\nsys.stdout.flush()\n"
    )
    with foreign_tuner(python(folder, script + "sys.stdin.read()"), silence_s=5) as strategy:
        search(study_of(strategy))


def test_a_random_tuner_searches_spaces_of_all_kinds(tmp_path: Path) -> None:
    keep = "import shutil, atexit, sys\natexit.register(lambda: shutil.copy(sys.argv[1] + '.replies', %r))\n"
    replies = tmp_path / "replies"
    with foreign_tuner(python(tmp_path, keep % str(replies) + RANDOM), silence_s=30) as strategy:
        study = study_of(strategy, MIXED, 9)
        search(study)
    assert len(study.trials) == 9 and study.trials[0].configuration == MIXED.default
    assert all(MIXED.contains(t.configuration) for t in study.trials)
    assert any("depth" not in t.configuration for t in study.trials)
    assert {t.configuration["flag"] for t in study.trials} == {"-O2", "a,b"}


def test_every_row_of_a_request_is_answered_by_its_cells(tmp_path: Path) -> None:
    """In the tuner's order of columns, what is known or broke a constraint too, with its last number of a failure."""
    requests = ["Request 4", "mode,tile", "rows,8", "columns,1", "rows,8.0", "rows,4"]
    script = f"""
import sys
print({chr(10).join(requests)!r}, flush=True)
with open({str(tmp_path / "reply")!r}, "w") as file:
    for _ in range(5):
        file.write(sys.stdin.readline())
print("End of HyperMapper", flush=True)
"""
    with foreign_tuner(python(tmp_path, script), silence_s=30) as strategy:
        study = study_of(strategy, max_evals=5)
        study.observe({"tile": 4, "mode": "rows"}, Infeasible("fits"))
        study.observe(study.suggest()[0], Measured({"time": 1.0, "rate": 2.0}))
        study.observe(study.suggest(9)[0], Measured({"time": 3.0, "rate": 7.0}))
        with pytest.raises(SamplingError, match="ended its search"):
            study.suggest()
    assert (tmp_path / "reply").read_text().splitlines() == [
        "mode,tile,time,rate,Valid",
        "rows,8,3.0,-7.0,True",
        "columns,1,3.0,-2.0,False",
        "rows,8.0,3.0,-7.0,True",
        "rows,4,3.0,-2.0,False",
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["Request 1", "tile"], "each parameter once"),
        (["Request 1", "tile,mode,extra"], "each parameter once"),
        (["Request 1", "tile,tile"], "each parameter once"),
        (["Request 1", "tile,mode", "3,rows"], "tile: '3' is none of its values"),
        (["Request 1", "tile,mode", "nan,rows"], "tile: 'nan' is none of its values"),
        (["Request 1", "tile,mode", "8,__import__('os')"], "mode: .* is none of its values"),
        (["Request 1", "tile,mode", "8"], "a row has 2 values, got 1"),
        (["Request 0"], "begins a request with its number"),
        (["Request 1000000000000"], "begins a request with its number"),
        (["Request two"], "begins a request with its number"),
        (["Failed to validate json:"], "begins a request with its number"),
    ],
)
def test_a_wrong_line_is_an_error_at_its_place(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(SourceError, match=message) as raised:
        talk(tmp_path, *lines)
    assert f"<tuner>:{len(lines)}:1" in str(raised.value)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("", r"output ended before `End of HyperMapper`"),
        ("print('Request 1'); raise SystemExit(3)", "ended before"),
        (
            "import sys; sys.stdout.write('Request 1'); sys.stdout.flush()",
            r"ended inside line 1 \(its exit status is 0\)",
        ),
        ("import sys; sys.stdin.read()", "writes nothing for 1 s"),
        ("print('Request 1\\ntile,mode\\n8,rows', flush=True); import sys; sys.stdin.close()", "ended before"),
        ("while True: print('Request 1\\ntile,mode\\n1,columns')", "1,000 requests in a row|takes no results"),
        ("import sys\nwhile True: sys.stdout.write('x' * 100000)", "at most 1,048,576 bytes"),
    ],
)
def test_silence_half_a_line_and_endless_output_end_with_nothing_lost(
    tmp_path: Path, script: str, message: str
) -> None:
    store = f"sqlite:///{tmp_path}/runs.db"
    with foreign_tuner(python(tmp_path, script), silence_s=1) as strategy:
        study = Study(TILES, [Objective("time")], strategy=strategy, store=store, name="s", max_evals=4)
        study.observe(study.suggest()[0], Measured({"time": 1.0}))
        with pytest.raises((StudyError, SourceError), match=message):
            while suggested := study.suggest():
                study.observe(suggested[0], Measured({"time": 1.0}))
        study.close()
    again = Study(TILES, [Objective("time")], store=store, name="s", max_evals=4)
    assert again.trials[0].measured and len(again.trials) <= 2


def test_the_tuner_and_what_it_started_end_with_the_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunepass.interchange.hypermapper.tuner_process.GRACE_S", 0.1)
    script = f"""
import subprocess, sys, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
print("Request 1\\ntile,mode\\n8,rows", flush=True)
child.wait()
"""
    with foreign_tuner(python(tmp_path, script), silence_s=30) as strategy:
        assert len(study_of(strategy).suggest(2)) == 2
        pid = int((tmp_path / "pid").read_text())
        assert os.getpgid(pid) != os.getpgid(0)
    for _ in range(500):
        if not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.01)
    raise AssertionError("a process of the tuner is alive")


def test_no_shell_sees_the_command(tmp_path: Path) -> None:
    command = f"/bin/echo Request; touch {tmp_path}/made"
    with foreign_tuner(command, silence_s=5) as strategy, pytest.raises(SourceError):
        study_of(strategy).suggest(2)
    assert not (tmp_path / "made").exists()
    for command, message in (
        ("", "takes the command"),
        ("'x", "is no command line"),
        ("/no/such/tuner", "cannot start"),
    ):
        with pytest.raises(StudyError, match=message), foreign_tuner(command) as strategy:
            study_of(strategy).suggest(2)


def test_the_scenario_is_one_of_hypermapper_2() -> None:
    parameters = [tuner_parameter(p) for p in MIXED.parameters]
    read = scenario_of_fields(scenario_fields(MIXED, parameters, ["time"], 50))
    assert read.tuner == "HyperMapper 2" and read.mode == "client-server" and read.feasibility.enabled
    assert (read.design_size, read.iterations) == (10, 500) and not read.without_effect
    assert read.parameters[3].parameter.domain == ("value0", "value1")  # a comma cannot stand in a row
    assert len(read.parameters[4].parameter.domain) == 6 and read.parameters[4].parameter.default == "0-1-2"
    with pytest.raises(SpaceError, match=re.escape("order: a foreign tuner searches permutations of up to 6 items")):
        tuner_parameter(Permutation("order", 7))

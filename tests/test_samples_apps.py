"""The sample application, tuned with a small budget on a small plate."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tunepass import cli
from tunepass.jobs.reading import load
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace

HEAT = Path(__file__).parents[1] / "samples" / "apps" / "heat"
needs_make = pytest.mark.skipif(not (shutil.which("make") and shutil.which("gcc")), reason="needs make and gcc")


def test_its_space() -> None:
    space = ExtractSpace().run(Compilation(kernel=load(HEAT / "tune.yaml"))).space
    assert space is not None and (space.dense, space.size) == (1344, 784)


@needs_make
def test_a_build_leaves_what_a_user_commits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(HEAT, tmp_path, dirs_exist_ok=True)
    text = (HEAT / "tune.yaml").read_text()
    (tmp_path / "tune.yaml").write_text(text.replace("./heat 400 200", "./heat 64 20\n  repeats: 2"))
    words = ["build", str(tmp_path / "tune.yaml"), "-o", str(tmp_path / "out"), "--format", "json"]
    assert cli.main([*words, "--max-evals", "4", "--jobs", "2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["trials"] == 4 and data["failures"] == {} and data["objectives"]["time"]["unit"] == "ms"
    assert [Path(p).name for p in data["outputs"]] == ["heat.tuned.mk", "heat.tuned.sh", "heat.tuned"]
    assert "tune.yaml::heat:" in (tmp_path / "tunepass.lock").read_text()
    assert not (tmp_path / "heat").exists()  # nothing was built where the sources are
    done = subprocess.run([tmp_path / "out/heat.tuned.sh"], capture_output=True, text=True, check=True)
    assert "20 steps on 64 x 64 points" in done.stdout
    made = subprocess.run(
        ["make", "-n", "TUNED=out/heat.tuned.mk"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert f"-DBAND={data['choice']['BAND']}" in made.stdout and data["choice"]["OPT"] in made.stdout

    assert cli.main(words) == 0  # from the lock: nothing is evaluated, though out/ now lies beside the sources
    assert json.loads(capsys.readouterr().out)["evaluations"] == 0
    assert cli.main(["verify", str(tmp_path)]) == 0
    (tmp_path / "step.c").write_text((HEAT / "step.c").read_text() + "\n")
    assert cli.main(["verify", str(tmp_path)]) == 3
    assert "source changed: step.c" in capsys.readouterr().out


@needs_make
def test_a_sample_is_built_with_a_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default, trained with short programs."""
    shutil.copytree(HEAT.parent / "stack", tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "tune.yaml").read_text()
    (tmp_path / "tune.yaml").write_text(
        text.replace("PGO: {kind: categorical, values: [false, true]", "PGO: {kind: categorical, values: [true, false]")
    )
    for program, large in (("sums", "push 9000000"), ("divisors", "push 2200")):
        path = tmp_path / "programs" / f"{program}.txt"
        path.write_text(path.read_text().replace(large, "push 90"))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["build", "tune.yaml", "-o", "out", "--max-evals", "1", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["choice"]["PGO"] is True and data["failures"] == {}
    assert "STACK_PROFILE = 1" in (tmp_path / "out" / "stack.tuned.mk").read_text()
    done = subprocess.run(
        [tmp_path / "out/stack.tuned.sh", tmp_path / "programs/sums.txt"], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.startswith("181\n")


SCRIPT = """\
name: script
sources: [make.py]
parameters:
  SIZE: {kind: integer, range: [1, 6], default: 5, role: macro, form: "{}"}
  BAD: {kind: categorical, values: [false, true], role: environment}
build:
  in: source
  command: [PYTHON, -S, make.py, "{SIZE}", "{build_dir}/result.json"]
run:
  command: [PYTHON, -S, -c, "print(open('{build_dir}/result.json').read())"]
  metrics: [{json: size.bytes, name: size, unit: B}]
  deterministic: true
"""
MAKE = """\
import json, sys
if sys.argv[1] in FAILS:
    sys.exit("refused")
json.dump({"size": {"bytes": 10 + abs(int(sys.argv[1]) - 3)}}, open(sys.argv[2], "w"))
"""


def build_script(folder: Path, fails: str) -> int:
    (folder / "tune.yaml").write_text(SCRIPT.replace("PYTHON", sys.executable))
    (folder / "make.py").write_text(MAKE.replace("FAILS", fails))
    words = ["build", str(folder / "tune.yaml"), "-o", str(folder / "out"), "--strategy", "exhaustive"]
    return cli.main([*words, "--format", "json"])


def test_a_build_where_the_sources_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build_script(tmp_path, fails="'14'") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["choice"] == {"SIZE": 3, "BAD": False} and data["objectives"]["size"]["chosen"] == 10
    assert data["failures"] == {"compile": 4} and data["trials"] == 12
    assert {p.name for p in tmp_path.iterdir()} == {"tune.yaml", "make.py", "out", ".tunepass", "tunepass.lock"}


def test_when_all_fails_the_status_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build_script(tmp_path, fails="'123456'") == 1
    data = json.loads(capsys.readouterr().out)
    assert (
        data["choice"] is None and list(data["failures"]) == ["compile"] and not (tmp_path / "tunepass.lock").exists()
    )


def test_a_compiler_after_dashes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["build", str(HEAT / "tune.yaml"), "-o", str(tmp_path), "--", "gcc"]) == 2
    assert "names its own build commands" in capsys.readouterr().err


def test_sources_that_are_not_there_are_a_diagnostic(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(HEAT / "tune.yaml", tmp_path)
    assert cli.main(["build", str(tmp_path / "tune.yaml"), "-o", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err
    assert "tune.yaml:3:10: error: no file matches `Makefile`" in err and "^^^" in err

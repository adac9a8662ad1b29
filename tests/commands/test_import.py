"""`tunepass import`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interchange.test_t1 import BLUR, KERNEL
from tests.interchange.test_tuner_pragmas import ADD
from tests.program import run_tunepass


def blur(folder: Path) -> Path:
    (folder / "blur.json").write_text(json.dumps(BLUR))
    (folder / "blur.cu").write_text(KERNEL)
    (folder / "out").mkdir()
    return folder


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    blur(tmp_path)
    done = run_tunepass(["import", "blur.json", "-o", "out"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "blur: 4 parameters, 40 of 64 configurations\nwrote out/blur.cu\n"
    assert 'note: mode is "fast" here: the kernel does not use it' in done.stderr
    space = json.loads(run_tunepass(["space", "out/blur.cu", "--format", "json"], tmp_path).stdout)
    assert space["feasible"] == 20 and [p["name"] for p in space["parameters"]] == ["block_size_x", "tile"]


def test_as_json(tmp_path: Path) -> None:
    done = run_tunepass(["import", "blur.json", "--format", "json"], blur(tmp_path))
    data = json.loads(done.stdout)
    assert (data["kernel"], data["language"], data["dense"], data["feasible"]) == ("blur", "cuda", 64, 40)
    assert data["complete"] and data["output"] is None and data["parameters"]["tile"] == [1, 2, 4, 8]


def test_a_description_names_no_other_files_to_be_copied(tmp_path: Path) -> None:
    blur(tmp_path)
    (tmp_path / "secret").write_text("hidden")
    folder = tmp_path / "out"
    (folder / "link.cu").symlink_to(tmp_path / "secret")
    for name in ("../secret", str(tmp_path / "secret"), "/etc/passwd", "link.cu", "missing.cu", ".", "9" * 300):
        described = {**BLUR, "KernelSpecification": {**BLUR["KernelSpecification"], "KernelFile": name}}
        (folder / "x.json").write_text(json.dumps(described))
        done = run_tunepass(["import", "out/x.json"], tmp_path)
        assert done.returncode == 0 and "is not here: only its pragmas are written" in done.stderr
        assert "hidden" not in done.stdout and "root:" not in done.stdout


def test_kernel_tuner_s_pragmas_with_parameters_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(ADD)
    words = ["import", "main.c", "--param", "nthreads=[2**i for i in range(4)]", "--constraint", "nthreads != 4"]
    done = run_tunepass([*words, "-o", "add.c"], tmp_path)
    assert done.stdout == "add: 1 parameters, 3 of 4 configurations\nwrote add.c\n", done.stderr
    data = json.loads(run_tunepass(["space", "add.c", "--format", "json"], tmp_path).stdout)
    assert data["feasible"] == 3 and data["constraints"] == ["nthreads != 4"]


def test_what_is_wrong_is_status_2(tmp_path: Path) -> None:
    blur(tmp_path)
    (tmp_path / "main.c").write_text(ADD)
    (tmp_path / "bad.json").write_text('{"ConfigurationSpace": ')
    for words, message in [
        (["bad.json"], "bad.json:1:24: error: this is not JSON"),
        (["none.json"], "cannot read none.json"),
        (["blur.cu"], "has no `#pragma tuner start`"),
        (["main.c"], "what may vary in `add` is not in the source"),
        (["main.c", "--param", "threads=[1]"], "`add` does not use `threads`"),
        (["main.c", "--param", "threads"], "--param is written NAME=VALUE"),
        (["main.c", "--param", "nthreads=exit()"], "no value can be read"),
        (["main.c", "--kernel", "sub", "--param", "nthreads=[1]"], "no kernel 'sub'"),
        (["main.c", "--size", "N=x", "--param", "nthreads=[1]"], "needs a whole number"),
        (["main.c", "--param", "nthreads=[1]", "-o", "main.c"], "main.c is the file that is read"),
    ]:
        done = run_tunepass(["import", *words], tmp_path)
        assert done.returncode == 2 and message in done.stderr, (words, done.stderr)
    assert (tmp_path / "main.c").read_text() == ADD

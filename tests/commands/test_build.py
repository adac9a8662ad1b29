"""`tunepass build` with a real compiler, from end to end."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands.conftest import SOURCE, Folder

KEYS = [
    *("source", "kernel", "device", "choice", "default", "objectives", "pareto", "trials", "evaluations", "failures"),
    *("kept_default", "transfer", "seconds", "outputs", "lock", "model", "picks", "certificate", "sizes"),
    *("finalists", "estimated", "brings", "uncompared", "checks", "refused"),
]
COMPILER = ("--", "gcc", "-O2")


def copied(built: Folder, tmp_path: Path) -> Folder:
    shutil.copytree(built.path, tmp_path / "copy")
    return Folder(tmp_path / "copy")


def test_a_build_leaves_sources_an_object_a_lock_and_a_store(built: Folder) -> None:
    assert built.files() >= {
        *("out/scale.tuned.c", "out/scale.tuned.h", "out/scale.tuned.o"),
        *("tunepass.lock", ".tunepass/store.db"),
    }
    assert not [name for name in built.files() if "tmp" in name]
    text = (built.path / "out/scale.tuned.c").read_text()
    assert "#define BLOCK" in text and "chosen of 4 trials" in text
    subprocess.run(["gcc", "-O2", "-c", "out/scale.tuned.c", "-o", "/dev/null"], cwd=built.path, check=True)
    assert "scale.c::scale:" in (built.path / "tunepass.lock").read_text()


def test_a_second_build_evaluates_nothing_and_says_so(built: Folder) -> None:
    done = built.run("build", "scale.c", *COMPILER)
    assert done.returncode == 0 and "the lock fits; nothing was evaluated" in done.stdout and done.stderr == ""


def test_json_has_exactly_the_documented_keys(built: Folder) -> None:
    done = built.run("build", "scale.c", "--format", "json", *COMPILER)
    data = json.loads(done.stdout)
    assert list(data) == KEYS
    assert (data["source"], data["kernel"], data["trials"], data["evaluations"]) == ("scale.c", "scale", 4, 0)
    assert set(data["choice"]) == set(data["default"]) == {"BLOCK", "OPT"} and data["default"]["BLOCK"] == 4
    assert set(data["objectives"]["time"]) == {"unit", "default", "chosen", "gain", "interval"}
    assert set(data["seconds"]) == {"total", "compile", "check", "measure", "finalists", "strategy"}
    assert data["outputs"] == ["out/scale.tuned.c", "out/scale.tuned.h", "out/scale.tuned.o"]
    assert data["lock"] == "tunepass.lock" and data["pareto"]


def test_a_build_from_the_lock_loads_no_optimiser(built: Folder) -> None:
    code = (
        "import sys; from tunepass.cli import main; main(['build', 'scale.c', '--', 'gcc', '-O2']); "
        "print(*[m for m in ('sklearn', 'scipy', 'rich') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=built.path, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_wrong_results_are_failures_and_never_chosen(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("scale.c", SOURCE)
    done = folder.run("build", "scale.c", "--max-evals", "5", "--strategy", "exhaustive", "--format", "json", *COMPILER)
    data = json.loads(done.stdout)
    assert done.returncode == 0 and data["failures"] == {"wrong_result": 2} and data["choice"]["BLOCK"] != 16
    assert "failed: 1 wrong_result" in done.stderr  # plain progress lines, and only on stderr
    page = folder.run("report", "scale.c", "-o", "page.html")
    assert page.returncode == 0, page.stderr
    assert "2 of 4 candidates failed (2 wrong_result)" in (folder.path / "page.html").read_text()


def test_frozen_builds_from_the_lock(built: Folder, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    shutil.rmtree(folder.path / "out")
    shutil.rmtree(folder.path / ".tunepass")
    done = folder.run("build", "scale.c", "--frozen", *COMPILER)
    assert done.returncode == 0 and "out/scale.tuned.o" in folder.files()
    assert ".tunepass/store.db" not in folder.files()


@pytest.mark.parametrize(
    "change,reason",
    [
        (lambda f: f.write("scale.c", SOURCE + "\n"), "source: sha256:"),
        (lambda f: f.write("scale.c", SOURCE.replace("1, 4, 16", "1, 4, 8, 16")), "space: sha256:"),
        (lambda f: (f.path / "tunepass.lock").unlink(), "scale.c::scale is not in the lock"),
    ],
)
def test_frozen_with_a_stale_lock_is_status_3_and_writes_nothing(built, tmp_path, change, reason) -> None:  # type: ignore[no-untyped-def]
    folder = copied(built, tmp_path)
    change(folder)
    before = folder.files()
    done = folder.run("build", "scale.c", "-o", "new", "--frozen", *COMPILER)
    assert done.returncode == 3 and reason in done.stderr and done.stdout == "" and folder.files() == before


def test_frozen_says_when_the_flags_are_others(built: Folder) -> None:
    done = built.run("build", "scale.c", "-o", "new", "--frozen", "--", "gcc", "-O1")
    assert done.returncode == 3 and "flags: -O2 -> -O1" in done.stderr


def test_when_all_fails_the_status_is_1_with_an_example_a_kind(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(
        "p.c",
        # Works once, for the reference.
        "#pragma tunepass param N: integer(1..20) = 1\n"
        '#pragma tunepass run "./a.out" metric "time: {time} ms"\n'
        "#include <stdio.h>\nint main(void)\n{\n"
        '    FILE *mark = fopen("ran", "r");\n'
        '    if (mark) { printf("no number: %d\\n", N); return 0; }\n'
        '    fclose(fopen("ran", "w"));\n    puts("time: 1 ms");\n}\n',
    )
    done = folder.run("build", "p.c", *COMPILER)
    assert done.returncode == 1
    assert "every one of 10 evaluations failed" in done.stdout
    assert "10 metric, for example N=1:" in done.stdout and "no finite number" in done.stdout
    assert folder.files() == {"p.c", "ran", ".tunepass/store.db"}  # no output, no lock; the trials are kept


def test_a_program_is_built_for_a_run(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write(
        "p.c",
        "#pragma tunepass param N: ordinal(1, 2) = 1\n"
        '#pragma tunepass run "./a.out" metric "cost: {cost}" metric "size: {size} kB" maximise\n'
        "#ifndef N\n#define N 1\n#endif\n"
        '#include <stdio.h>\nint main(void) { printf("cost: %d\\nsize: %d kB\\n", 10 / N, 3 - N); }\n',
    )
    done = folder.run("build", "p.c", "--pick", "size", "--format", "json", *COMPILER)
    data = json.loads(done.stdout)
    assert done.returncode == 0 and "out/p.tuned" in data["outputs"]
    assert data["kept_default"] and data["objectives"]["size"]["unit"] == "kB"
    assert len(data["pareto"]) == 2
    subprocess.run(["./out/p.tuned"], cwd=tmp_path, check=True, capture_output=True)
    other = folder.run("build", "p.c", "--frozen", *COMPILER)
    assert other.returncode == 3 and "objective: size -> cost" in other.stderr


@pytest.mark.slow
def test_ctrl_c_keeps_everything_and_the_next_build_goes_on(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("scale.c", SOURCE)
    words = [sys.executable, "-m", "tunepass", "build", "scale.c", "--strategy", "exhaustive", *COMPILER]
    run = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stderr is not None
    while "1 evaluated" not in run.stderr.readline():
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130 and "interrupted; the best so far was written" in out and "Traceback" not in err
    assert "out/scale.tuned.o" in folder.files()
    done = folder.run("build", "scale.c", "--strategy", "exhaustive", "--format", "json", *COMPILER)
    data = json.loads(done.stdout)
    assert data["trials"] == 5 and 0 < data["evaluations"] < 5
    assert json.loads(folder.run("build", "scale.c", "--format", "json", *COMPILER).stdout)["evaluations"] == 0


@pytest.mark.slow
def test_continue_searches_on_though_the_lock_fits(built: Folder, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    done = folder.run("build", "scale.c", "--continue", "--max-evals", "5", "--format", "json", *COMPILER)
    data = json.loads(done.stdout)
    assert (data["trials"], data["evaluations"]) == (5, 1)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
@pytest.mark.slow
def test_instructions_are_counted_the_same_every_time(tmp_path: Path) -> None:
    counted: list[dict[str, float]] = []
    for place in ("one", "two"):
        folder = Folder(tmp_path / place)
        folder.path.mkdir()
        folder.write("scale.c", SOURCE)
        words = ("build", "scale.c", "--max-evals", "2", "--objective", "instructions", "--format", "json", *COMPILER)
        counted.append(json.loads(folder.run(*words).stdout)["objectives"]["instructions"])
    assert counted[0] == counted[1] and counted[0]["default"] > 4096
    done = folder.run("explain", "scale.c")
    assert done.returncode == 0 and "instructions" in done.stdout
    assert folder.run("verify").returncode == 0
    done = folder.run("build", "scale.c", "--objective", "time,instructions", *COMPILER)
    assert done.returncode == 2 and "search for them alone" in done.stderr


TWINS = """\
#pragma tunepass param SAME: integer(0..4) = 0
#pragma tunepass param BLOCK: ordinal(1, 4) = 4
#ifndef BLOCK
#define BLOCK 4
#endif
#ifndef SAME
#define SAME 0
#endif
#pragma tunepass kernel scale(n = 4096, x: in float[n], y: out float[n])
void scale(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i += BLOCK)
        for (int j = i; j < i + BLOCK; j++)
            y[j] = 2 * x[j] - (SAME > 100);
}
"""


def test_the_same_object_code_is_measured_once_and_costs_no_evaluation(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("twins.c", TWINS)
    done = folder.run(
        "build", "twins.c", "--max-evals", "4", "--strategy", "exhaustive", "--jobs", "3", "--format", "json", *COMPILER
    )
    data = json.loads(done.stdout)
    assert (data["trials"], data["evaluations"]) == (10, 2), done.stderr
    rows = sqlite3.connect(tmp_path / ".tunepass/store.db").execute("SELECT same_as, calibration FROM trial").fetchall()
    assert len({same for same, _ in rows if same is not None}) == 2 and all(speed > 0 for _, speed in rows)


@pytest.mark.slow
def test_a_resumed_search_knows_code_that_was_judged_before(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("twins.c", TWINS)
    words = ("build", "twins.c", "--strategy", "exhaustive", "--format", "json")
    folder.run(*words, "--max-evals", "2", *COMPILER)
    with sqlite3.connect(tmp_path / ".tunepass/store.db") as db:
        (before,) = db.execute("SELECT max(number) FROM trial").fetchone()
    again = json.loads(folder.run(*words, "--max-evals", "20", "--continue", *COMPILER).stdout)
    assert again["evaluations"] == 0 and again["trials"] == 10
    with sqlite3.connect(tmp_path / ".tunepass/store.db") as db:
        rows = db.execute("SELECT same_as, code, objectives FROM trial ORDER BY number").fetchall()
    assert all(same is not None for same, *_ in rows[before + 1 :])
    assert all(rows[same][1:] == (code, values) for same, code, values in rows if same is not None)
    text = folder.run("explain", "twins.c").stdout
    assert " as trial " in text


SANITIZED = """\
#pragma tunepass param BAD: categorical(false, true) = false
#ifndef BAD
#define BAD 0
#endif
#include <limits.h>
#pragma tunepass kernel sums(n = 20000, x: in int[n] range(0, 9), y: out int[n])
void sums(int n, const int *x, int *y)
{
    for (int r = 0; r < (BAD ? 1 : 20); r++)
        for (int i = 0; i < n; i++) {
            y[i] = x[i] / (r + 1) * (r + 1) + x[i] % (r + 1);
            __asm__ volatile("" ::: "memory");
        }
#if BAD
    if (n > 0) y[0] += x[0] + INT_MAX + n == 7;  /* signed overflow: right by luck */
#endif
}
"""


@pytest.mark.slow
def test_a_finalist_in_whom_the_sanitizers_find_fault_is_disqualified(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("sums.c", SANITIZED)
    words = ("build", "sums.c", "--max-evals", "2", "--sanitize", "--format", "json", *COMPILER)
    data = json.loads(folder.run(*words).stdout)
    assert data["kept_default"] and data["failures"] == {"crash": 1}
    rows = sqlite3.connect(tmp_path / ".tunepass/store.db").execute("SELECT outcome, reason FROM trial ORDER BY number")
    assert [outcome for outcome, _ in rows] == ["measured", "failed"]


def test_a_tolerance_that_accepts_anything_is_warned_of(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write("scale.c", SOURCE.replace("y: out float[n])", "y: out float[n]) tolerance(2)"))
    done = folder.run("build", "scale.c", "--max-evals", "1", *COMPILER)
    assert "warning: scale.c::scale: the tolerance accepts zeros for y: wrong results may pass" in done.stderr
    assert done.stdout.startswith("scale.c::scale: default kept: nothing else was evaluated\n")

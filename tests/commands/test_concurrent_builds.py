"""Builds of one kernel at the same time in one folder: each ends as it would alone."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

DESCRIPTION = """\
name: waits
sources: [cost.sh]
parameters:
  A: {kind: integer, range: [1, 4], default: 4, role: argument}
run:
  command: /bin/sh cost.sh {A}
  metrics: ["cost: {cost}"]
  deterministic: true
"""
# Says that it runs, and waits for the file `go`; only the default, 4, works.
PROGRAM = """\
touch "$FOLDER/running-$1-$BUILD"
while [ ! -e "$FOLDER/go" ]; do sleep 0.02; done
[ "$1" = 4 ] && echo cost: 7
"""
KERNEL = """\
#pragma tunepass param U: ordinal(1, 2, 4, 8, 16, 32) = 4
#pragma tunepass kernel f(n = 4096, x: in float[n], y: out float[n])
#ifndef U
#define U 4
#endif
void f(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i += U)
        for (int j = i; j < i + U && j < n; j++)
            y[j] = x[j] * 3;
}
"""
CONNECT = "file:{}?mode=ro"


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """A command with temporary files of its own: the locks of cores stand there, and none waits for another's."""
    temporary = folder / f"tmp-{len(list(folder.glob('tmp-*')))}"
    temporary.mkdir()
    own = {"FOLDER": str(folder), "BUILD": temporary.name, "TMPDIR": str(temporary)}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TUNEPASS_")}
    return subprocess.Popen(
        [sys.executable, "-m", "tunepass", *words],
        cwd=folder,
        env={**environment, **own, "TUNEPASS_CACHE": str(folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(builds: Sequence[subprocess.Popen[str]]) -> list[dict[str, object]]:
    """The answers, all of them of success."""
    answers = []
    for build in builds:
        out, err = build.communicate(timeout=300)
        assert build.returncode == 0, err
        answers.append(json.loads(out))
    return answers


def wait_until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def rows(folder: Path) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(folder / ".tunepass/store.db")) as connection:
        assert connection.execute("SELECT count(*) FROM pending").fetchone() == (0,)
        return list(connection.execute("SELECT number, outcome FROM trial ORDER BY number"))


def test_both_of_two_builds_take_the_default_into_account(tmp_path: Path) -> None:
    (tmp_path / "tune.yaml").write_text(DESCRIPTION)
    (tmp_path / "cost.sh").write_text(PROGRAM)
    builds = []
    try:
        for number in range(2):  # the second begins while the first evaluates the default
            words = ("build", "tune.yaml", "--max-evals", "4", "--seed", str(number), "-o", f"out-{number}")
            builds.append(start(tmp_path, *words, "--format", "json"))
            wait_until(lambda: len(list(tmp_path.glob("running-*"))) > number)  # noqa: B023
    finally:
        (tmp_path / "go").touch()
    for answer in ended(builds):
        assert answer["choice"] == {"A": 4} and answer["kept_default"] and answer["trials"] == 4
    assert [outcome for _, outcome in rows(tmp_path)] == ["measured", "failed", "failed", "failed"]


@pytest.mark.slow
def test_six_builds_share_a_store_and_a_lock_and_a_hundred_calls_of_the_compiler_take_its_choice(
    tmp_path: Path,
) -> None:
    (tmp_path / "k.c").write_text(KERNEL)
    words = ("build", "k.c", "--max-evals", "6", "--format", "json")
    answers = ended([start(tmp_path, *words, "-o", f"out-{i}", "--seed", str(i), "--", "gcc", "-O1") for i in range(6)])
    assert {answer["trials"] for answer in answers} == {6}
    assert rows(tmp_path) == [(number, "measured") for number in range(6)]
    assert (tmp_path / "tunepass.lock").read_text().count("choice:") == 1
    calls = [start(tmp_path, "cc", "gcc", "-O1", "-c", "k.c", "-o", f"{i}.o") for i in range(100)]
    for call in calls:
        out, err = call.communicate(timeout=300)
        assert (call.returncode, out, err) == (0, "", "")
    assert len({(tmp_path / f"{i}.o").read_bytes() for i in range(100)}) == 1

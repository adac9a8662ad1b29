"""`--strict` refuses a choice of which a check could not run; locks, answers and reports have its ledger."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.commands.conftest import SOURCE, Folder
from tunepass.study.ledger import CHECKS
from tunepass.study.lock.lock import Lock

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

BUILD = ("build", "scale.c", "--max-evals", "3", "--strict")
MACHINES = ("processes", "written files", "system calls", "outside clock", "core", "machine speed")
WAIVED = tuple(word for name in MACHINES for word in ("--waive", name))
COMPILER = ("--", "gcc", "-O2")


def states(data: list[dict[str, str]]) -> dict[str, str]:
    return {row["check"]: row["state"] for row in data}


@pytest.mark.slow
def test_a_choice_with_a_check_that_could_not_run_is_refused(folder: Folder) -> None:
    folder.write("scale.c", SOURCE.replace(" sizes()", ""))  # where the source itself fails at some sizes
    done = folder.run(*BUILD, *WAIVED, "--format", "json", *COMPILER)
    assert done.returncode == 5, done.stderr
    data = json.loads(done.stdout)
    assert data["refused"] == ["sizes"] and data["lock"] is None and data["outputs"] == [] and data["trials"] == 3
    assert set(states(data["checks"])) == set(CHECKS) and states(data["checks"])["sizes"] == "could not run"
    assert not any(name.endswith("tunepass.lock") or ".tuned." in name for name in folder.files())
    # the same without --strict takes the trials, writes, and says so in each place
    done = folder.run("build", "scale.c", "--max-evals", "3", *COMPILER)
    assert done.returncode == 0, done.stderr
    assert re.search(r"  checks    \d+ ran, .*could not run:\n    sizes could not run: .*sizes\(", done.stdout)
    entry = Lock.read(folder.path / "tunepass.lock").entries["scale.c::scale"]
    assert "sizes" in {check.name for check in entry.checks.missed}
    assert folder.run("build", "scale.c", "--frozen", "--strict", *COMPILER).returncode == 5
    verified = folder.run("verify", "scale.c", "--strict", "--format", "json", *COMPILER)
    assert verified.returncode == 5 and "sizes" in json.loads(verified.stdout)["kernels"]["scale.c::scale"]["missing"]
    waived = folder.run("verify", "scale.c", "--strict", *WAIVED, "--waive", "sizes", *COMPILER)
    assert waived.returncode == 0 and "sizes could not run" in waived.stdout
    explained = json.loads(folder.run("explain", "scale.c", "--format", "json").stdout)["kernels"][0]
    known, seen = states(data["checks"]), states(explained["checks"])
    assert {name: state for name, state in seen.items() if name not in MACHINES} == {
        name: state for name, state in known.items() if name not in MACHINES
    }
    assert seen.keys() == known.keys() and explained["default"][0]["checks"]
    assert folder.run("report", "scale.c", "-o", "r.html").returncode == 0
    assert "sizes could not run: the source itself fails at n" in (folder.path / "r.html").read_text()
    # a lock of version 1 still serves, and says nothing of checks
    path = folder.path / "tunepass.lock"
    lines = [line for line in path.read_text().splitlines(keepends=True) if "    checks:" not in line]
    path.write_text("".join(lines).replace("version: 2", "version: 1"))
    assert folder.run("verify", "scale.c", *COMPILER).stdout == "scale.c::scale: fits\n"
    assert folder.run("verify", "scale.c", "--strict", *COMPILER).returncode == 5
    assert folder.run("cc", "gcc", "-O2", "-c", "scale.c", TUNEPASS_FROZEN="1").returncode == 0


def test_a_waived_check_must_exist(folder: Folder) -> None:
    done = folder.run("build", "scale.c", "--strict", "--waive", "size", *COMPILER)
    assert done.returncode == 2 and "there is no check 'size'" in done.stderr and "sizes" in done.stderr

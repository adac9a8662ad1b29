"""space, verify, diff, explain and report on a tuned kernel."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

from tests.commands.conftest import SOURCE, Folder

COMPILER = ("--", "gcc", "-O2")


def copied(built: Folder, tmp_path: Path) -> Folder:
    shutil.copytree(built.path, tmp_path / "copy")
    return Folder(tmp_path / "copy")


def test_space_as_json_has_exactly_the_documented_keys(folder: Folder) -> None:
    data = json.loads(folder.run("space", "scale.c", "--format", "json").stdout)
    assert list(data) == ["source", "parameters", "constraints", "dense", "feasible"]
    assert (data["dense"], data["feasible"]) == (6, 5)
    assert data["constraints"] == ['BLOCK > 1 or OPT == "-O1"']
    block, opt = data["parameters"]
    assert block == {
        "name": "BLOCK",
        "kind": "ordinal",
        "values": [1, 4, 16],
        "default": 4,
        "log": False,
        "role": "macro",
    }
    assert opt["values"] == ["-O1", "-O3"] and opt["role"] == "flag"


def test_space_of_several_kernels_is_a_list(folder: Folder) -> None:
    second = SOURCE.replace("BLOCK", "WIDTH").replace("OPT", "MORE").replace("scale", "again")
    folder.write("two.c", SOURCE + second)
    data = json.loads(folder.run("space", "two.c", "--format", "json").stdout)
    assert [one["kernel"] for one in data] == ["scale", "again"]
    one = json.loads(folder.run("space", "two.c", "--kernel", "again", "--format", "json").stdout)
    assert one["parameters"][0]["name"] == "WIDTH"
    done = folder.run("space", "two.c", "--kernel", "agan")
    assert done.returncode == 2 and "did you mean 'again'" in done.stderr


def test_space_of_more_configurations_than_have_a_name(folder: Folder) -> None:
    names = [f"P{i}" for i in range(300)]
    pragmas = "".join(f"#pragma tunepass param {name}: integer(0..1000000000000000)\n" for name in names)
    kernel = "#pragma tunepass kernel f(x: out double[1])\nvoid f(double *x) { x[0] = " + " + ".join(names) + "; }\n"
    folder.write("many.c", pragmas + kernel)
    done = folder.run("space", "many.c")
    assert done.returncode == 0 and "about 1.0e4500 configurations, feasible: about 1.0e4500 (100.000%" in done.stdout
    data = json.loads(folder.run("space", "many.c", "--format", "json").stdout)
    assert data["feasible"] == "about 1.0e4500"


def test_verify_says_that_the_lock_fits(built: Folder) -> None:
    for paths in ([], ["."], ["scale.c"], ["tunepass.lock"]):
        done = built.run("verify", *paths)
        first, checks = done.stdout.splitlines()[:2]
        assert (done.returncode, first) == (0, "scale.c::scale: fits"), paths
        assert checks.startswith("  checks    "), paths


def test_verify_says_line_by_line_why_it_does_not(built: Folder, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    folder.write("scale.c", SOURCE.replace("1, 4, 16", "1, 4, 8, 16"))
    done = folder.run("verify", "--", "gcc", "-O3")
    assert done.returncode == 3
    first, *reasons = done.stdout.splitlines()
    assert first == "scale.c::scale: stale"
    because = [reason for reason in reasons if not reason.startswith(("  checks ", "    "))]
    assert [reason.strip().split(":")[0] for reason in because] == ["source", "space", "flags"]
    data = json.loads(folder.run("verify", "--format", "json").stdout)
    assert data["kernels"]["scale.c::scale"]["fits"] is False


def test_verify_of_a_lock_of_cxx_names_a_compiler_of_cxx(built: Folder, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    lock = folder.path / "tunepass.lock"
    lock.write_text(re.sub(r"compiler: [^,]*", "compiler: g++ 9.9.9", lock.read_text()))
    assert folder.run("verify").stderr.rstrip().endswith("name the right one after `--`: -- g++ -O2")


def test_a_store_is_nothing_for_git(built: Folder) -> None:
    assert (built.path / ".tunepass" / ".gitignore").read_text() == "*\n"


def test_verify_of_what_is_gone(built: Folder, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    (folder.path / "scale.c").unlink()
    done = folder.run("verify")
    assert done.returncode == 3 and "No such file" in done.stdout
    assert folder.run("verify", "scale.c").returncode == 2
    (folder.path / "tunepass.lock").unlink()
    done = folder.run("verify")
    assert done.returncode == 2 and "there is no tunepass.lock" in done.stderr


def test_verify_without_an_entry(built: Folder, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    folder.write("new.c", SOURCE)
    done = folder.run("verify", "new.c")
    assert done.returncode == 3 and "new.c::scale is not in the lock" in done.stdout


def test_diff_names_what_changed(built: Folder, tmp_path: Path) -> None:
    assert built.run("diff", *COMPILER).stdout == "scale.c::scale: unchanged\n"
    folder = copied(built, tmp_path)
    folder.write("scale.c", SOURCE + "\n")
    done = folder.run("diff", *COMPILER)
    assert done.returncode == 0 and "changed\n  source: sha256:" in done.stdout
    data = json.loads(folder.run("diff", "--format", "json", *COMPILER).stdout)["kernels"]["scale.c::scale"]
    assert set(data) == {"identity", "locked", "best"} and data["best"] is None


def test_explain_shows_default_best_and_neighbours(built: Folder) -> None:
    done = built.run("explain", "scale.c")
    assert done.returncode == 0 and done.stdout.startswith("scale.c::scale: 4 trials")
    assert "default" in done.stdout and "best 1" in done.stdout and "one change away" in done.stdout
    (data,) = json.loads(built.run("explain", "scale.c", "--format", "json").stdout)["kernels"]
    assert data["trials"] == 4 and data["default"][0]["configuration"]["BLOCK"] == 4
    finalists = data["finalists"]
    assert finalists["rounds"] == len(finalists["default"]) and finalists["best"] is not None
    assert f"finalists, in {finalists['rounds']} rounds with the default" in done.stdout and "|" in done.stdout
    for neighbour in data["neighbours"]:
        differing = [n for n, v in neighbour["configuration"].items() if data["choice"][n] != v]
        assert differing == [neighbour["parameter"]]


def test_explain_without_trials_says_what_to_do(folder: Folder) -> None:
    done = folder.run("explain", "scale.c")
    assert done.returncode == 2 and "has no trials of scale.c" in done.stderr and folder.files() == {"scale.c"}


def test_report_writes_a_picture_and_a_page(built: Folder, tmp_path: Path) -> None:
    folder = copied(built, tmp_path)
    assert folder.run("report", "scale.c", "-o", "r.svg").stdout == "wrote r.svg\n"
    ElementTree.parse(folder.path / "r.svg")
    assert folder.run("report", "scale.c", "-o", "r.html").returncode == 0
    page = (folder.path / "r.html").read_text()
    assert page.startswith("<!doctype html>") and page.count("<tr") == 5
    facts = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert list(facts)[:3] == ["choice", "gain", "compiler"]
    assert re.match(r"time: [0-9.]+x( \([0-9.]+ to [0-9.]+\))?, [0-9.]+ -&gt; [0-9.]+ ", facts["gain"])
    assert facts["compiler"].startswith("gcc") and facts["compiler"].endswith(" -O2")
    assert page.count("<svg") == 2 and "gain over the default, by round" in page
    done = folder.run("report", "scale.c", "-o", "r.pdf")
    assert done.returncode == 2 and "FILE.html or FILE.svg" in done.stderr
    assert folder.run("report", "scale.c", "-o", "no/such/r.svg").returncode == 2


def test_one_configuration_is_counted_as_one(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text(
        "#pragma tunepass param N: ordinal(4) = 4\n#pragma tunepass kernel f(x: inout int[4])\n"
        "#ifndef N\n#define N 4\n#endif\nvoid f(int *x) { x[0] += N; }\n"
    )
    assert "  1 configuration, feasible: 1 " in Folder(tmp_path).run("space", "one.c").stdout

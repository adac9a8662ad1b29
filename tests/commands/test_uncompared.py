"""Results that nothing compares are named in full, wherever a build is told of."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.commands.conftest import Folder

HIDDEN = [f"hidden{k}" for k in range(28)]
SOURCE = f"""\
#include <stdlib.h>
#pragma tunepass param OPT: categorical("-O1", "-O2") = "-O1" flag
#pragma tunepass kernel fill(b) setup(make)
struct box {{ int n; {" ".join(f"void *{name};" for name in HIDDEN)} double *x, *kept; }};
struct box *make(void)
{{
    struct box *b = calloc(1, sizeof *b);
    b->x = calloc(b->n = 500, sizeof *b->x);
    return b;
}}
void fill(struct box *b)
{{
    b->kept = calloc(b->n, sizeof *b->kept);
    for (int i = 0; i < b->n; i++) b->x[i] = b->kept[i] = i;
}}
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_uncompared_results_are_named_in_the_answer_the_json_and_the_report(folder: Folder) -> None:
    folder.write("box.c", SOURCE)
    done = folder.run("build", "box.c", "--format", "json", "--max-evals", "2", "--", "gcc")
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout)["uncompared"]
    assert notes[1] == "not compared, in none of the arrays and places: memory that *b.kept leads to"
    assert folder.run("report", "box.c", "-o", "page.html").returncode == 0
    page = (folder.path / "page.html").read_text()
    for name in HIDDEN:
        assert f"`b->{name}`" in notes[0] and f"`b->{name}`" in done.stderr and f"`b-&gt;{name}`" in page

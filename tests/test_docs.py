"""Every code block of DOCUMENTS is run; those of the other pages have a test of their own beside this one.

`console` blocks run in order, in one folder a document, with the samples in it. Searches are cut short (`--max-evals 3`
in place of their budget, and times are the machine's own), so their output is compared in shape: line by line the same
words once numbers, choices and the winner's sentence are masked. What does not depend on the machine is compared
exactly. `python` blocks run as programs; the `sql` block is asked of an empty store; `c` blocks compile and are read
without a warning; the `yaml` block is a lock that is read; make's targets are checked to exist, because a test that
runs `make test` would not end.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import tunepass as tp
from tests.examples import ALL, scaled
from tests.program import run_python, run_tunepass
from tunepass import cli, registry
from tunepass.commands.grammar.arguments import COMMANDS
from tunepass.frontends.onnx.description import read_description
from tunepass.graphs.table import extended

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    "README.md",
    "docs/cli.md",
    "docs/loops.md",
    "docs/python.md",
    "docs/store.md",
    "docs/trials.md",
    "docs/security.md",
    "docs/search.md",
    "docs/engine.md",
    "docs/fpga.md",
    "docs/sparse.md",
    "docs/gpu.md",
    "docs/dnn.md",
    "docs/accelerator.md",
    "docs/deep.md",
    "docs/extending.md",
    "docs/embedding.md",
    "docs/architecture.md",
    "docs/glossary.md",
    "CONTRIBUTING.md",
)
EXACT = ("space", "occupancy")  # commands whose output does not depend on the machine
SMALLER = {"stencil.c": (1000, 200), "matmul_auto.c": (384, 96), "matmul_loops.c": (384, 96)}
OPEN_ENDED = ("explain", "doctor", "plugins")  # only the first lines are shown, if any


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(document: str) -> list[tuple[str, str]]:
    """(command, expected output) of all the document's consoles."""
    found: list[tuple[str, str]] = []
    for block in blocks(document, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def shape(text: str) -> list[str]:
    """Lines without what a machine and a search decide, and without the check that a busy machine prevents."""
    lines = []
    for line in text.splitlines():
        if "outside clock could not run: its own clock says" in line:
            continue
        line = re.sub(r"^(  checks .*), \d+ could not run:$", r"\1", line)
        line = re.sub(r"(: )(\d.* better than the default|default kept: .*)$", r"\1WINNER", line)
        line = re.sub(r"^(  choice +).*", r"\1CHOICE", line)
        line = re.sub(r"^(  time +).*", r"\1TIME", line)
        line = re.sub(r"^(  transfer +\S+@).*(rank correlation).*", r"\1STUDY \2", line)
        lines.append(re.sub(r" +", " ", re.sub(r"\d[\d,]*(\.\d+)?(e[+-]?\d+)?", "N", line)))
    return lines


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "docs/cli.md",
        "docs/loops.md",
        "docs/trials.md",
        "docs/fpga.md",
        "docs/sparse.md",
        "docs/gpu.md",
        "docs/dnn.md",
        "docs/accelerator.md",
    ],
)
@pytest.mark.slow_but(4)
def test_consoles(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    copy_samples(tmp_path / "samples")
    for command, expected in commands(document):
        words = shlex.split(re.sub(r"--budget \w+|--max-evals 20", "--max-evals 3", command))
        assert words[0] == "tunepass"
        done = run_tunepass(words[1:], tmp_path)
        assert done.returncode == (3 if "stale" in expected else 0), f"{command}\n{done.stderr}"
        if words[1] in OPEN_ENDED:
            assert shape(done.stdout)[: len(expected.splitlines())] == shape(expected)
        elif "json" in words:
            assert keys(json.loads(done.stdout)) == keys(json.loads(expected))
        elif words[1] in EXACT:
            assert done.stdout == expected
        else:
            assert shape(done.stdout) == shape(expected), command


def copy_samples(folder: Path) -> None:
    """The samples; in `make test` the kernels that documents measure compute less."""
    shutil.copytree(ROOT / "samples", folder, ignore=shutil.ignore_patterns(".tunepass", "tunepass.lock"))
    for name, (size, smaller) in SMALLER.items() if scaled(ALL) < ALL else ():
        text = (folder / "c" / name).read_text()
        assert f"(n = {size}, " in text
        (folder / "c" / name).write_text(text.replace(f"(n = {size}, ", f"(n = {smaller}, "))


def keys(value: object) -> object:
    """The structure of a JSON value: its keys, recursively; a list is its first element's."""
    if isinstance(value, dict):
        return {name: keys(inner) for name, inner in value.items() if inner is not None}
    return [keys(inner) for inner in value[:1]] if isinstance(value, list) else None


PROGRAMS = [
    *blocks("docs/python.md", "python"),
    *blocks("docs/store.md", "python"),
    *blocks("docs/engine.md", "python"),
    *blocks("docs/deep.md", "python"),
    *blocks("docs/extending.md", "python"),
    *blocks("docs/embedding.md", "python"),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
@pytest.mark.slow_but(4)
def test_python_blocks(number: int, tmp_path: Path) -> None:
    copy_samples(tmp_path / "samples")
    program = tmp_path / "block.py"
    program.write_text(PROGRAMS[number])
    done = run_python(program, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_fpga_block_prints_what_the_document_says() -> None:
    (program,), (printed,) = blocks("docs/fpga.md", "python"), blocks("docs/fpga.md", "text")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == printed


def test_the_taco_block_is_read_and_the_error_is_told(tmp_path: Path) -> None:
    from tunepass.diagnostics import SourceError
    from tunepass.jobs.reading import parse

    source, told = blocks("docs/sparse.md", "text")
    path = tmp_path / "spmm.taco"
    path.write_text(source)
    assert not parse(str(path)).warnings
    bad = tmp_path / "bad.taco"
    lines = [*source.splitlines()[:3], "A(i,k) = B(i,j) * C(j,k)", "schedule reorder(j, i, k)", "dim k = 64"]
    bad.write_text("\n".join([*lines, 'bind B = "m.mtx"\n']))
    with pytest.raises(SourceError) as caught:
        parse(str(bad))
    assert "\n".join(d.render() for d in caught.value.diagnostics).replace(str(bad), "bad.taco") == told.rstrip("\n")


def test_the_c_block_is_read_and_compiles(tmp_path: Path) -> None:
    from tunepass.jobs.reading import parse

    for number, text in enumerate(
        blocks("README.md", "c") + blocks("docs/loops.md", "c") + blocks("docs/trials.md", "c")
    ):
        path = tmp_path / f"{number}.c"
        path.write_text(text)
        assert not parse(path).warnings
        subprocess.run(["cc", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only", path], check=True)


def test_the_yaml_block_is_a_lock() -> None:
    from tunepass.study.lock.lock import Lock

    for text in blocks("docs/cli.md", "yaml"):
        assert Lock.parse(text).entries["matmul.c::matmul"].objective.gain == 3.15


def test_the_sql_block_is_understood(tmp_path: Path) -> None:
    from tunepass.study.storage.store import Store

    Store(f"sqlite:///{tmp_path / 'store.db'}").close()
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        assert connection.execute(*blocks("docs/store.md", "sql")).fetchall() == []


def test_make_has_the_targets() -> None:
    makefile = (ROOT / "Makefile").read_text()
    told = re.findall(r"`(make [\w-]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    for document in ("README.md", "docs/search.md", "CONTRIBUTING.md"):
        told += blocks(document, "sh")
    for text in told:
        for target in re.findall(r"\bmake ([\w-]+)", text):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_description_of_an_onnx_model_and_the_operators_of_ones_own_are_read() -> None:
    description, operators = (tp.Source("docs/dnn.md", text) for text in blocks("docs/dnn.md", "yaml"))
    read = read_description(description)
    assert [param.name for param in read.parameters] == ["N", "side", "width"]
    assert "FancyNorm" in extended(operators).operators and "energy" in extended(operators).resources


def test_every_block_has_a_language_that_is_tested() -> None:
    tested = {
        "README.md": {"c", "sh", "console"},
        "docs/cli.md": {"console", "text", "yaml"},
        "docs/python.md": {"python"},
        "docs/store.md": {"python", "sh", "sql"},
        "docs/trials.md": {"c", "console"},
        "docs/loops.md": {"c", "console"},
        "docs/security.md": set(),
        "docs/search.md": {"sh"},
        "docs/engine.md": {"python", "text"},
        "docs/fpga.md": {"console", "python", "text"},
        "docs/sparse.md": {"console", "text"},
        "docs/gpu.md": {"console", "text"},
        "docs/dnn.md": {"console", "yaml"},
        "docs/accelerator.md": {"c", "console"},  # c: tests/backends/test_accelerator.py
        "docs/deep.md": {"python"},
        "docs/extending.md": {"python", "toml"},
        "docs/embedding.md": {"python"},
        "docs/architecture.md": set(),
        "docs/glossary.md": set(),
        "CONTRIBUTING.md": {"sh"},
    }
    for document in DOCUMENTS:
        found = re.findall(r"^```(\w*)\n.*?^```", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)
        assert set(found) == tested[document]


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        path = ROOT / document
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{document}: {target}"


PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_names_that_a_page_mentions_exist(page: Path) -> None:
    text = page.read_text()
    for path in re.findall(r"`((?:\w+/)+[\w-]+\.(?:py|sh|yaml|c|scala|svg|json))`", text):
        assert (ROOT / path).exists() or (ROOT / "tunepass" / path).exists() or path.startswith("out/"), path
    groups = {f"tunepass.{role}" for role in registry.ROLES}  # of entry points
    for name in set(re.findall(r"`(tunepass\.\w[\w.]*\w)[`(]", text)) - {"tunepass.lock"} - groups:
        assert resolves(name), name
    for name in set(re.findall(r"\btp\.([A-Z]\w+)", text)):
        assert name in tp.__all__, name


def resolves(name: str) -> bool:
    """Is a dotted name a module, or what a module has?"""
    module, _, attribute = name.rpartition(".")
    return importlib.util.find_spec(module) is not None and (
        hasattr(importlib.import_module(module), attribute) or importlib.util.find_spec(name) is not None
    )


def test_every_option_is_in_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    for command in set(COMMANDS) - {"cc", "c++"}:  # whose options are the compiler's own
        assert cli.main([command, "--help"]) == 0
        options = re.findall(r"^ +(?:-\w[^,]*, )?(--[a-z][a-z0-9-]+)", capsys.readouterr().out, re.MULTILINE)
        assert "--help" in options
        for option in set(options) - {"--help", "--output"}:
            assert re.search(rf"{option}\b", page), (command, option)

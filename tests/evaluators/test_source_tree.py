from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tunepass.diagnostics import SourceError
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.source_tree import BuildTrees, Sources
from tunepass.study.outcome import Failed


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    made = Workspace()
    yield made
    made.close()


def test_what_is_copied_and_what_is_linked(tmp_path: Path) -> None:
    for name in ("main.c", "main.o", "src/a.c", "src/.hidden/b.c", "data/large.bin", ".git/HEAD"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(name)
    sources = Sources(folder=tmp_path / "in", patterns=("*.c", "src", "data"), linked=("data",))
    with pytest.raises(SourceError, match="no file matches `data`"):
        sources.files()
    sources = Sources(folder=tmp_path / "in", patterns=("*.c", "src"), linked=("data",))
    assert [p.as_posix() for p in sources.files()] == ["main.c", "src/a.c"]
    sources.copy(tmp_path / "out")
    assert (tmp_path / "out/src/a.c").read_text() == "src/a.c"
    assert (tmp_path / "out/data").is_symlink() and (tmp_path / "out/data/large.bin").read_text() == "data/large.bin"


def test_a_tree_is_built_once_for_many(workspace: Workspace) -> None:
    trees, built = BuildTrees(workspace), []

    def build(folder: Path) -> None:
        built.append(folder)
        (folder / "program").write_text("x")

    taken = []
    threads = [threading.Thread(target=lambda: taken.append(trees.take("k", build))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1 and len({id(tree) for tree in taken}) == 1 and taken[0].users == 4


def test_a_failed_build_leaves_no_folder_and_is_not_repeated(workspace: Workspace) -> None:
    trees, calls = BuildTrees(workspace), []

    def build(folder: Path) -> Failed:
        calls.append(folder)
        return Failed("compile", "no")

    for _ in range(2):
        tree = trees.take("k", build)
        assert tree.failure == Failed("compile", "no") and not tree.folder.exists()
        trees.release(tree)
    assert len(calls) == 1


def test_idle_trees_are_removed_but_never_used_ones(workspace: Workspace) -> None:
    trees = BuildTrees(workspace, kept=1)
    held = trees.take("held", lambda folder: None)
    idle = [trees.take(str(i), lambda folder: None) for i in range(3)]
    for tree in idle:
        trees.release(tree)
    assert [tree.folder.exists() for tree in (held, *idle)] == [True, False, False, True]

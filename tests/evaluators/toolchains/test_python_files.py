"""What a Python command reads in its folder."""

from __future__ import annotations

from pathlib import Path

from tunepass.evaluators.toolchains.python_files import python_files


def test_named_files_and_imported_modules_are_found(tmp_path: Path) -> None:
    for name in ("train.py", "a.py", "b.py", "data.csv", "pack/__init__.py", "pack/c.py", "pack/d.py", "unused.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "train.py").write_text("import os, a\nfrom pack import c\n")
    (tmp_path / "a.py").write_text("import b, a, train\nif (: broken")
    (tmp_path / "pack" / "c.py").write_text("from .d import x\nfrom .. import unknown\n")
    source = tmp_path / "model.py"
    source.write_text("import model, numpy\nimport b\n")
    words = ("train.py", "--data=data.csv", "{source}", "--steps", "10", "")
    found = {file.part.name: file.part.kind for file in python_files(source, source.read_text(), words)}
    assert found == {
        "train.py": "source",
        "data.csv": "file",
        "a.py": "source",  # what cannot be parsed has no imports
        "b.py": "source",
        "pack/__init__.py": "source",
        "pack/c.py": "source",
        "pack/d.py": "source",
    }

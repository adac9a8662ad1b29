"""A folder for HYPERMAPPER_HOME: the scripts and modules that clients of HyperMapper and BaCO start or import."""

from __future__ import annotations

import sys
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.files import read_regular, write_text

MARK = "Written by `tunepass hypermapper --home`"
_SCRIPT = '''\
#!/usr/bin/env python3
"""{mark}: starts tunepass in place of {original}."""

import os
import sys
{names}
if __name__ == "__main__":
    python = {python!r}
    os.execv(python, [python, "-m", "tunepass", "hypermapper", {options}*sys.argv[1:]])
'''
_MODULE = '''\
"""{mark}."""
{names}'''
_OPTIMIZE = """
try:
    from tunepass.interchange.hypermapper import optimize
except ImportError:  # another Python than tunepass's: only the script works
    pass

"""


def home_files() -> dict[str, str]:
    """Texts of the files by their paths in the folder."""

    def script(original: str, options: str = "", names: str = "") -> str:
        return _SCRIPT.format(mark=MARK, original=original, python=sys.executable, options=options, names=names)

    commands = ("compute-pareto", "plot-pareto", "plot-hvi", "plot-optimization-results")
    tools = {name: script(f"hm-{name}", f'"--{name.removeprefix("compute-")}", ') for name in commands}
    module = _MODULE.format(mark=MARK, names="")
    return {
        "scripts/hypermapper.py": script("HyperMapper"),
        **{f"scripts/{name.replace('-', '_')}.py": text for name, text in tools.items()},
        "baco/__init__.py": module,
        "baco/run.py": script("BaCO", names=_OPTIMIZE),
        "bin/hypermapper": script("HyperMapper"),
        **{f"bin/hm-{name}": text for name, text in tools.items()},
        "hypermapper/__init__.py": module,
        "hypermapper/optimizer.py": _MODULE.format(mark=MARK, names=_OPTIMIZE.rstrip("\n") + "\n"),
    }


def write_home(folder: Path) -> list[Path]:
    """Write the files; those of another program are left as they are, and nothing is written. Returns their paths."""
    texts = {folder / name: text for name, text in home_files().items()}
    for path in texts:
        if path.exists() and MARK.encode() not in read_regular(path, 1 << 24):
            raise TunepassError(f"{path} is not a file of tunepass", hint="name a folder without HyperMapper or BaCO")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
        path.chmod(0o755)
    return list(texts)

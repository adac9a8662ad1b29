"""Lines of Python that git tracks, by folder: now, and in a commit given as BASE. `make lines BASE=f612079`.

A folder is counted with all below it. `C family` is the sum of the four folders that read or write C and its dialects.
Lines of code (`make lines CODE=1`) are those with a token that is neither a comment nor part of a docstring.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tokenize
from collections import Counter
from pathlib import Path, PurePath

ROOT = Path(__file__).parents[2]
C_FAMILY = ("frontends/c", "frontends/cfamily", "frontends/gpu", "frontends/hls")
SHOWN = (*C_FAMILY, "frontends", "tunepass/interchange", "tunepass/backends", "tunepass", "hwmodels", "native", "tests")
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, stdout=subprocess.PIPE).stdout


def code_lines(text: str) -> int:
    """Lines without blank ones, comments and docstrings."""
    numbers: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            numbers.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            numbers.difference_update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return len(numbers)


def lines_in(commit: str, code: bool) -> Counter[str]:
    """Lines by each folder of a file, of all kinds or of `code`; `commit` is empty for the working tree."""
    listed = git("ls-tree", "-r", "-z", "--name-only", commit) if commit else git("ls-files", "-z")
    names = [name for name in listed.decode().split("\0") if name.endswith(".py")]
    counts: Counter[str] = Counter()
    for name in names:
        path = ROOT / name
        text = git("show", f"{commit}:{name}") if commit else path.read_bytes() if path.exists() else b""
        count = code_lines(text.decode()) if code else text.count(b"\n")
        for folder in PurePath(name).parents:
            counts[str(folder)] += count
    counts["C family"] = sum(counts[folder] for folder in C_FAMILY)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", default="")
    parser.add_argument("--code", action="store_true", help="count lines of code only")
    arguments = parser.parse_args()
    now = lines_in("", arguments.code)
    before = lines_in(arguments.base, arguments.code) if arguments.base else None
    print(f"{'folder':24}{f'{arguments.base} ' if before else '':>9}{'now':>8}")
    for folder in ("C family", *SHOWN):
        old = f"{before[folder]:8,} " if before is not None else ""
        print(f"{folder:24}{old:>9}{now[folder]:8,}")


if __name__ == "__main__":
    main()

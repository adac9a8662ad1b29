"""C text is read in one place, `frontends/cfamily`; what else touches it is listed here with its reason.

What this test sees, in the files of the folders below: an import of `re` or of another module that makes tokens; text
that is searched, split or cut by string methods whose arguments look like C (`"{"`, `"//"`, `"#define"`, ...); and
text that is walked character by character (`enumerate(text)`). What it cannot see: a reader that compares characters by
their indices, one that lies in another folder, and what a listed module does beyond its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("frontends/c", "frontends/gpu", "frontends/hls", "tunepass/interchange", "tunepass/backends")
TOKENISERS = frozenset({"re", "tokenize", "lark", "pycparser", "pcpp", "clang", "tree_sitter"})
METHODS = frozenset({"find", "rfind", "index", "split", "rsplit", "partition", "rpartition", "count", "splitlines"})
C_MARKS = ("{", "}", "(", ")", ";", "//", "/*", "*/", "#", "[", "]")
TEXTS = ("text", "body", "source")  # `code` names tokens

ALLOWED = {
    # --- tunepass's own words, not C: what a pragma of ours says, or a value of a parameter ---
    "frontends/c/parameters/compilers.py": "names of compilers",
    "frontends/c/parameters/param_pragmas.py": "the number that a macro's text is, as a default",
    "frontends/c/pragmas/names.py": "names and types as a kernel pragma spells them",
    "frontends/c/setup/entry.py": "names in the calls of setup functions that tunepass writes",
    "frontends/c/parameters/flags.py": "the words of a compiler's flags",
    # --- single names that the reader found: what kind of name it is ---
    "frontends/gpu/host_code.py": "names that look like macros; white space in place of bodies that the reader found",
    "frontends/gpu/macros.py": "names of parameters that CUDA's headers may have",
    "frontends/gpu/thread/expressions.py": "names of built-in functions",
    "frontends/hls/body/expressions.py": "names of limits (INT_MAX)",
    "frontends/hls/body/libraries.py": "names of channels' functions",
    "frontends/hls/body/types.py": "names in a template's argument that the reader found",
    "frontends/hls/types.py": "names of sized and vector types",
    # --- text that tunepass wrote ---
    "frontends/c/emission/defaults.py": "the heading that tunepass put above a tuned source; words of our own pragmas",
    "frontends/c/emission/dispatch.py": "names of files as identifiers; text that it wrote",
    "frontends/c/emission/files.py": "names of files as identifiers; the prototype that the header repeats",
    "frontends/c/call/entry.py": "the types of formals put into the entry that the harness calls",
    "frontends/c/frontend.py": "the stem of a file",
    "frontends/gpu/emission.py": "text that it wrote; names of files as identifiers",
    # --- words of a nest that the reader found, kept or written again ---
    "frontends/c/scops/numbers/affine.py": "names as isl spells them",
    "frontends/c/call/arguments.py": "names of containers; whether the source mentions a type that a pragma names",
    # --- foreign formats and tools ---
    "tunepass/interchange/cpp_values.py": "the forms of literals and of whole numbers' types",
    "tunepass/interchange/foreign_kernel.py": "words of a foreign launch; whether a text has `#ifndef NAME`",
    "tunepass/interchange/hypermapper/constraints.py": "numexpr's expressions, by Python's own parser",
    "tunepass/interchange/hypermapper/parameters.py": "names in a JSON file",
    "tunepass/interchange/hypermapper/tables.py": "CSV files",
    "tunepass/interchange/hypermapper/values.py": "rows of HyperMapper's protocol",
    "tunepass/interchange/signatures.py": "names of vector types",
    "tunepass/interchange/t1.py": "names in a JSON file",
    "tunepass/interchange/tuner_kernels.py": "whether a text writes an array: the script does not say",
    "tunepass/interchange/tuner_pragmas.py": "Kernel Tuner's own pragmas, whose sections are no whole functions",
    "tunepass/backends/tensor/taco.py": "text that TACO wrote, and its messages",
    "tunepass/interchange/tuner_scripts.py": "Python, by its own parser",
    # --- no C at all ---
    "tunepass/backends/base.py": "a GPU's name in an identity",
    "tunepass/backends/device_files.py": "a file's digest in a lock",
    "tunepass/backends/gpu/backend.py": "a compiler's name in an identity",
    "tunepass/backends/tensor/refusal.py": "a tool's message",
    "tunepass/backends/application/usual_flags.py": "words of a compiler's command",
}  # fmt: skip


def python_files() -> list[Path]:
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def signs(tree: ast.Module) -> Iterator[str]:
    """What in a module looks like the reading of C text."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (f"imports {n.name}" for n in names if n.name.partition(".")[0] in TOKENISERS)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in TOKENISERS:
                yield f"imports {module}"
            case ast.Call(func=ast.Attribute(value=value, attr=method), args=args) if method in METHODS:
                if is_source_text(value) and (method == "splitlines" or any(map(looks_like_c, args))):
                    yield f"line {node.lineno}: {ast.unparse(node)}"
            case ast.For(iter=walked) | ast.comprehension(iter=walked) if is_walked(walked):
                yield f"walks the characters of {ast.unparse(walked)}"


def is_source_text(value: ast.expr) -> bool:
    """Is it a value that is called text, or `source.text`?"""
    name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    return name in TEXTS


def looks_like_c(argument: ast.expr) -> bool:
    text = argument.value if isinstance(argument, ast.Constant) else None
    return isinstance(text, str) and (text.strip() in C_MARKS or text.strip().startswith(("#", "//", "/*")))


def is_walked(iterated: ast.expr) -> bool:
    """`enumerate(text)`, `range(len(text))` and `text` itself."""
    match iterated:
        case ast.Call(func=ast.Name(id="enumerate"), args=[first, *_]):
            return is_source_text(first)
        case ast.Call(func=ast.Name(id="range"), args=args):
            ends = [a for a in args if isinstance(a, ast.Call) and isinstance(a.func, ast.Name) and a.func.id == "len"]
            return any(is_source_text(end.args[0]) for end in ends)
    return is_source_text(iterated) and isinstance(iterated, ast.Attribute)


def test_only_listed_modules_touch_c_text_otherwise() -> None:
    found = {
        str(path.relative_to(ROOT)): list(signs(ast.parse(path.read_text(encoding="utf-8")))) for path in python_files()
    }
    unlisted = {name: what for name, what in found.items() if what and name not in ALLOWED}
    assert not unlisted, "read C by frontends/cfamily, or list the module with the reason why it may not"
    idle = [name for name in ALLOWED if not found.get(name)]
    assert not idle, "these modules no longer touch such text: take them off the list"


@pytest.mark.parametrize(
    "code,seen",
    [
        ("import re", True),
        ("from re import compile", True),
        ("import tree_sitter_c", False),
        ("import tree_sitter", True),
        ("for i, c in enumerate(text): depth += c == '('", True),
        ("for i in range(start, len(text)): pass", True),
        ("end = source.text.find('{', start)", True),
        ("lines = source.text.splitlines()", True),
        ("name.partition('<')", False),
        ("for token in tokens(text): pass", False),
    ],
)
def test_what_the_test_sees(code: str, seen: bool) -> None:
    assert bool(list(signs(ast.parse(code)))) == seen

"""Texts to start from: every sample, and every source or description that a test has."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARKS = {
    "c": "tunepass",
    "scala": "@spatial",
    "yaml": "parameters:",
    "lock": "kernels:",
    "cu": "__global__",
    "cl": "__kernel",
    "hls": "#pragma",
    "taco": "tensor ",
    "py": "nn.",
    "onnx": "opset",
}
APPLICATIONS = ("frontends/app", "commands", "evaluators", "backends")
PLACES = {
    "c": ("frontends/c", "commands", "evaluators", "backends"),
    "scala": ("frontends/spatial", "hwmodels"),
    "cu": ("frontends/gpu",),
    "cl": ("frontends/gpu",),
    "hls": ("frontends/hls",),
    "taco": ("frontends/taco",),
    "py": ("frontends/dnn",),
    "onnx": ("frontends/onnx",),
}
SAMPLES = {"hls": "samples/hls/*", "cl": "samples/opencl/*.cl", "py": "samples/dnn/*.py"}


@functools.cache
def sources(kind: str) -> tuple[str, ...]:
    """Texts of a kind of MARKS, in a stable order."""
    files = [*ROOT.glob(SAMPLES.get(kind, f"samples/**/*.{kind}")), *ROOT.glob(f"tests/golden/**/*.{kind}")]
    if kind == "c":
        files += ROOT.glob("tests/benchmarks/nests/*.c")
    texts = [path.read_text(encoding="utf-8") for path in sorted(files)]
    return tuple(dict.fromkeys([*texts, *_literals(kind)]))


@functools.cache
def samples(kind: str) -> tuple[str, ...]:
    """The samples of a kind: each is valid."""
    files = ROOT.glob(SAMPLES.get(kind, f"samples/**/*.{kind}"))
    return tuple(path.read_text(encoding="utf-8") for path in sorted(files))


def _literals(kind: str) -> list[str]:
    """String literals of the tests that look like a source of this kind."""
    literals = []
    places = PLACES.get(kind, APPLICATIONS)
    for path in sorted(p for place in places for p in ROOT.glob(f"tests/{place}/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                if MARKS[kind] in text and text.count("\n") > 2:
                    literals.append(text)
    return literals

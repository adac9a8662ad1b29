"""Imports point down: an arrow that points up, or a second door to the native module, fails here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER_OF = {"tunepass": "tunepass", "frontends": "tunepass.frontends", "hwmodels": "tunepass.hwmodels"}

# Who each room may import from, besides itself and `diagnostics`. registry is a literal table, loaded by name.
MAY_IMPORT: dict[str, set[str]] = {
    "diagnostics": set(),
    "files": set(),
    "registry": set(),
    "_native": set(),
    "yaml_nodes": set(),
    "expr": set(),
    "space": {"expr"},
    "ir": {"space", "expr"},
    "study": {"space", "expr", "registry", "yaml_nodes"},
    "surrogates": set(),
    "acquisition": {"surrogates", "space", "study"},
    "strategies": {"acquisition", "surrogates", "study", "space", "expr", "registry"},
    "exact": {"study", "space", "expr", "registry"},
    "evaluators": {"ir", "study", "space", "expr"},
    "executors": {"registry", "study", "space", "evaluators"},
    "tuning": {"expr", "strategies", "exact", "executors", "evaluators", "study", "space", "ir"},
    "frontends": {"ir", "space", "expr", "yaml_nodes"},
    "hwmodels": {"ir", "expr", "yaml_nodes"},
    "backends": {"files", "frontends", "hwmodels", "evaluators", "ir", "study", "space", "expr", "registry"},
    "passes": {"backends", "evaluators", "hwmodels", "tuning", "exact", "ir", "space", "study", "expr", "registry"},
    "interchange": {"study", "space", "expr"},
    "report": {"study", "space"},
}
TOP = {"__init__", "__main__", "cli", "commands", "jobs"}  # may import anything below them
NATIVE_DOORS = {
    "tunepass.evaluators.measure.speed",
    "tunepass.expr.vm.code",
    "tunepass.expr.vm.compiled_expressions",
    "tunepass.expr.vm.tables",
    "tunepass.space.feasible.diagram",
    "tunepass.study.pareto",
    "tunepass.surrogates.forest",
    "tunepass.surrogates.kernels",
}


def modules() -> list[tuple[str, Path]]:
    found = []
    for folder, package in FOLDER_OF.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = [*package.split("."), *path.relative_to(ROOT / folder).with_suffix("").parts]
            found.append((".".join(p for p in parts if p != "__init__") or package, path))
    return found


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            raise AssertionError(f"{path}: relative import")
    return {name for name in names if name.split(".")[0] in ("tunepass", "frontends", "hwmodels")}


@pytest.mark.parametrize("module,path", modules(), ids=lambda value: value if isinstance(value, str) else "")
def test_imports_point_down(module: str, path: Path) -> None:
    here = room(module)
    if here in TOP:
        return
    for name in imports(path):
        there = room(name)
        if there == "_native":
            assert module in NATIVE_DOORS, f"{module} imports {name}"
            continue
        allowed = {here, "diagnostics"} | MAY_IMPORT[here]
        assert there in allowed, f"{module} imports {name}: {here} may import {sorted(allowed)}"


def test_frontends_and_hwmodels_are_imported_absolutely() -> None:
    for module, path in modules():
        bare = {n for n in imports(path) if n.split(".")[0] in ("frontends", "hwmodels")}
        assert not bare, f"{module} imports {bare}"

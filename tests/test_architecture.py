"""Imports point down: an arrow that points up, or a second door to the native module, fails here."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER_OF = {"tunepass": "tunepass", "frontends": "tunepass.frontends", "hwmodels": "tunepass.hwmodels"}

# Who each room may import from, besides itself and `diagnostics`. registry is a literal table, loaded by name. Each
# room stands after all that it may import, so an arrow can only point up in this list.
MAY_IMPORT: dict[str, set[str]] = {
    "diagnostics": set(),
    "version": set(),
    "_native": set(),
    "yaml_nodes": set(),
    "machine_faults": set(),
    "files": {"machine_faults"},
    "python_text": set(),
    "signals": set(),
    "spread": set(),
    "capabilities": set(),
    "compilers": {"files", "machine_faults"},
    "plugins": {"machine_faults"},
    "registry": {"compilers", "plugins", "machine_faults"},
    "expr": {"python_text"},
    "space": {"expr"},
    "ir": {"space", "expr"},
    "study": {"capabilities", "space", "expr", "registry", "yaml_nodes", "files", "machine_faults"},
    "surrogates": set(),
    "acquisition": {"surrogates", "space", "study"},
    "strategies": {"capabilities", "acquisition", "surrogates", "study", "space", "expr", "registry"},
    "exact": {"study", "space", "expr", "registry"},
    "pruning": {"space", "expr", "registry", "spread"},
    "evaluators": {
        *("capabilities", "compilers", "ir", "study", "space", "expr", "files", "machine_faults", "python_text"),
    },
    "executors": {"capabilities", "registry", "study", "space", "evaluators", "spread", "machine_faults", "version"},
    "polyhedral": {"ir", "space", "expr"},
    "tensors": {"ir", "space", "expr", "files", "machine_faults"},
    "graphs": {"ir", "expr", "yaml_nodes", "python_text"},
    "frontends": {
        *("compilers", "graphs", "tensors", "polyhedral", "ir", "space", "expr", "yaml_nodes", "files"),
        *("machine_faults", "python_text"),
    },
    "hwmodels": {"compilers", "graphs", "ir", "expr", "yaml_nodes", "files", "registry"},
    "backends": {
        "compilers",
        "tensors",
        "files",
        "frontends",
        "hwmodels",
        "evaluators",
        "ir",
        "study",
        "space",
        "expr",
        "registry",
    },
    "search": {
        *("capabilities", "signals", "expr", "strategies", "exact", "executors", "evaluators", "study", "space"),
        "machine_faults",
    },
    "passes": {
        *("backends", "evaluators", "exact", "hwmodels", "search", "strategies", "ir", "space", "study", "expr"),
        *("registry", "files", "capabilities"),
    },
    "interchange": {
        *("compilers", "frontends", "yaml_nodes", "study", "space", "expr", "ir", "files", "machine_faults"),
        "python_text",
    },
    "integrations": {
        "backends",
        "evaluators",
        "expr",
        "files",
        "interchange",
        "ir",
        "passes",
        "search",
        "space",
        "strategies",
        "study",
    },
    "reports": {"files", "search", "study", "space"},
    "flags": {"compilers", "evaluators", "space"},
    "jobs": {
        *("passes", "search", "backends", "evaluators", "frontends", "hwmodels", "reports", "strategies", "study"),
        *("interchange", "pruning", "ir", "space", "expr", "files", "signals", "registry", "spread", "compilers"),
        *("exact", "executors", "machine_faults"),
    },
    "launcher": {"compilers", "files", "jobs", "machine_faults", "reports", "version"},
    "commands": {
        *(
            "jobs",
            "flags",
            "passes",
            "search",
            "backends",
            "exact",
            "evaluators",
            "hwmodels",
            "interchange",
            "reports",
            "strategies",
            "study",
        ),
        *("pruning", "executors", "spread", "ir", "space", "files", "registry", "plugins", "version", "compilers"),
        "machine_faults",
    },
    "extension": {
        *(
            "acquisition",
            "backends",
            "evaluators",
            "expr",
            "hwmodels",
            "interchange",
            "pruning",
            "spread",
            "strategies",
        ),
        *("study", "surrogates"),
    },
    "testing": {
        *(
            "acquisition",
            "backends",
            "evaluators",
            "exact",
            "executors",
            "expr",
            "frontends",
            "hwmodels",
            "ir",
            "passes",
        ),
        *("capabilities", "pruning", "space", "strategies", "study", "surrogates"),
    },
    "cli": {"commands", "launcher", "registry", "signals", "machine_faults"},
    "__main__": {"cli"},
    "__init__": {"version"},  # hands on names of any room, and imports none when it runs
}
MAX_MODULES = 24  # in a folder
NATIVE_DOORS = {
    "tunepass.acquisition.expected_improvement",
    "tunepass.evaluators.measure.speed",
    "tunepass.expr.vm.code",
    "tunepass.expr.vm.compiled_expressions",
    "tunepass.expr.vm.tables",
    "tunepass.space.feasible.diagram.diagram",
    "tunepass.study.results.pareto",
    "tunepass.surrogates.deep_energy",
    "tunepass.surrogates.forest",
    "tunepass.surrogates.kernels",
    "tunepass.surrogates.matrices",
    "tunepass.surrogates.pairs",
}


@functools.cache
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


@functools.cache
def imports(path: Path) -> frozenset[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            raise AssertionError(f"{path}: relative import")
    return frozenset(name for name in names if name.split(".")[0] in ("tunepass", "frontends", "hwmodels"))


def test_no_folder_is_crowded() -> None:
    """At most MAX_MODULES besides `__init__` in a folder: more are grouped in folders by what they hold."""
    counts = Counter(path.parent for _, path in modules() if path.name != "__init__.py")
    assert {str(folder.relative_to(ROOT)): n for folder, n in counts.items() if n > MAX_MODULES} == {}


def test_imports_point_down() -> None:
    assert [
        message for module, path in modules() if room(module) != "__init__" for message in upward(module, path)
    ] == []


def upward(module: str, path: Path) -> list[str]:
    """A message for each import that the module may not make."""
    here, messages = room(module), []
    allowed = {here, "diagnostics"} | MAY_IMPORT[here]
    for name in sorted(imports(path)):
        there = room(name)
        if there == "_native" and module not in NATIVE_DOORS:
            messages.append(f"{module} imports {name}")
        elif there != "_native" and there not in allowed:
            messages.append(f"{module} imports {name}: {here} may import {sorted(allowed)}")
    return messages


def test_frontends_and_hwmodels_are_imported_absolutely() -> None:
    for module, path in modules():
        bare = {n for n in imports(path) if n.split(".")[0] in ("frontends", "hwmodels")}
        assert not bare, f"{module} imports {bare}"


def test_the_rooms_themselves_stand_above_what_they_import() -> None:
    rooms = list(MAY_IMPORT)
    for above, below in MAY_IMPORT.items():
        late = {name for name in below if rooms.index(name) > rooms.index(above)}
        assert not late, f"{above} may import {sorted(late)}, which stand after it"


def test_no_module_imports_another_in_a_circle() -> None:
    """Imports inside functions and for types count too."""
    paths = {module: path for module, path in modules() if path.name != "__init__.py"}
    arrows = {module: {owner(name, paths) for name in imports(path)} - {None, module} for module, path in paths.items()}
    while free := {module for module, below in arrows.items() if not below & set(arrows)}:
        arrows = {module: below for module, below in arrows.items() if module not in free}
    assert not arrows, f"these import each other, or what does: {sorted(arrows)}"


def owner(name: str, paths: dict[str, Path]) -> str | None:
    """The module that `from module import name` reads."""
    return name if name in paths else module if (module := name.rpartition(".")[0]) in paths else None


def test_classes_with_slots_call_no_bare_super() -> None:
    """`dataclass(slots=True)` makes the class anew: `super()` without arguments then names the first one and fails."""
    for module, path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and any("slots=True" in ast.unparse(d) for d in node.decorator_list):
                calls = {ast.unparse(call) for call in ast.walk(node) if isinstance(call, ast.Call)}
                assert "super()" not in calls, f"{module}: {node.name}"


# Who may know the classes of bodies: what makes them, prices them, and their backends.
BODIES = {
    "CKernel": "c_kernel",
    "Application": "application",
    "GpuKernel": "gpu",
    "Graph": "graph",
    "HlsKernel": "hls",
    "Program": "hardware",
}
MAY_KNOW_BODIES = ("tunepass.ir.", "tunepass.backends.", "tunepass.frontends.", "tunepass.hwmodels.")
BACKEND_CONTRACT = "tunepass.testing.backend"  # compares the kind of a body with that of its backend
SYNTHESIS = "tunepass.jobs.characterise"  # holds an FPGA's area model against synthesis: of accelerator programs alone


def test_no_other_module_asks_what_kind_of_kernel_it_has() -> None:
    classes = {f"tunepass.ir.{module}.{name}" for name, module in BODIES.items()}
    for module, path in modules():
        if module.startswith(MAY_KNOW_BODIES) or module in (SYNTHESIS, BACKEND_CONTRACT):
            continue
        text = path.read_text()
        assert not imports(path) & classes, f"{module} imports a class of bodies"
        assert not re.search(r"kernel\.body\b|\.suffix (==|in|!=) .*(scala|yaml|\.c\b)", text), (
            f"{module} looks at a body"
        )

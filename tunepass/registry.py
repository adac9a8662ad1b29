"""What can be named: literal tables, name -> import path. Nothing is imported before it is asked for."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping

from tunepass.compilers import languages
from tunepass.diagnostics import TunepassError, nearest

STRATEGIES: Mapping[str, str] = {
    "auto": "tunepass.strategies.auto:Auto",
    "baco": "tunepass.strategies.bo.baco:baco",
    "bayesian": "tunepass.strategies.bo.bayesian:Bayesian",
    "density_ratio": "tunepass.strategies.density_ratio:DensityRatio",
    "exhaustive": "tunepass.strategies.exhaustive:Exhaustive",
    "hypermapper": "tunepass.strategies.pareto_wall:ParetoWall",
    "hypervolume": "tunepass.strategies.bo.hypervolume:Hypervolume",
    "random": "tunepass.strategies.random:Random",
}

# Finds the whole front of objectives that are expressions; `exhaustive` is the enumeration of the whole space in both
# tables: a strategy has each configuration evaluated, an exact solver evaluates the expressions itself.
EXACT_SOLVERS: Mapping[str, str] = {
    "branch_and_bound": "tunepass.exact.branch_and_bound:BranchAndBound",
    "exhaustive": "tunepass.exact.enumeration:Enumeration",
}

# Says what limits leave of a space, before anything runs.
PRUNING_SOLVERS: Mapping[str, str] = {
    "diagram": "tunepass.pruning.diagram:DiagramSolver",
    "intervals": "tunepass.pruning.intervals:IntervalSolver",
    "z3": "tunepass.pruning.z3_solver:Z3Solver",
}

EXECUTORS: Mapping[str, str] = {
    "local": "tunepass.executors.local:LocalExecutor",
    "dask": "tunepass.executors.dask:DaskExecutor",
}

# A source's suffix -> the frontend that reads it.
FRONTENDS: Mapping[str, str] = {
    **dict.fromkeys((*languages.C, *languages.CXX), "tunepass.frontends.c.frontend:CFrontend"),
    **dict.fromkeys((*languages.CUDA, *languages.OPENCL), "tunepass.frontends.gpu.frontend:GpuFrontend"),
    ".onnx": "tunepass.frontends.onnx.frontend:OnnxFrontend",
    ".py": "tunepass.frontends.dnn.frontend:DnnFrontend",
    ".scala": "tunepass.frontends.spatial.frontend:SpatialFrontend",
    ".taco": "tunepass.frontends.taco.frontend:TacoFrontend",
    **dict.fromkeys((".yaml", ".yml"), "tunepass.frontends.app.frontend:AppFrontend"),
}

# What marks a source as another frontend's than its suffix says, and what would make it that of its suffix again.
MARKED: Mapping[str, tuple[tuple[str, ...], str, str]] = {
    "tunepass.frontends.onnx.frontend:OnnxFrontend": ((".yaml", ".yml"), r"(?m)^onnx[ \t]*:", r"(?m)^run[ \t]*:"),
    "tunepass.frontends.hls.frontend:HlsFrontend": (
        (*languages.C, *languages.CXX, *languages.OPENCL),
        r"tunepass\s*:?\s+hls\b|#\s*pragma\s+(?i:accel)\b[^\n]*\bauto\s*\{",
        r"tunepass\s*:?\s+(?:kernel|loop|run)\b",
    ),
}

# The kind of a kernel's body -> what is different for kernels of that kind.
BACKENDS: Mapping[str, str] = {
    "accelerator": "tunepass.backends.model:ModelBackend",
    "application": "tunepass.backends.application:ApplicationBackend",
    "c": "tunepass.backends.c:CBackend",
    "gpu": "tunepass.backends.gpu:GpuBackend",
    "graph": "tunepass.backends.graph:GraphBackend",
    "hls": "tunepass.backends.hls:HlsBackend",
    "tensor": "tunepass.backends.tensor:TensorBackend",
}

# A family of devices -> its hardware model.
COST_MODELS: Mapping[str, str] = {
    "cpu": "tunepass.hwmodels.cpu.model:CpuModel",
    "dnn": "tunepass.hwmodels.dnn.model:DnnModel",
    "fpga": "tunepass.hwmodels.fpga.model:FpgaModel",
    "gpu": "tunepass.hwmodels.gpu.model:GpuModel",
    "hls": "tunepass.hwmodels.hls.model:HlsModel",
}


def strategy(name: str) -> Callable[..., object]:
    """The class of the strategy called `name`: a callable from Task to Strategy."""
    return _load(STRATEGIES, "strategy", name)


def exact_solver(name: str) -> Callable[..., object]:
    """The class of the exact solver called `name`: a callable without arguments."""
    return _load(EXACT_SOLVERS, "exact solver", name)


def pruning_solver(name: str) -> Callable[..., object]:
    """The class of the pruning solver called `name`: a callable without arguments."""
    return _load(PRUNING_SOLVERS, "pruning solver", name)


def executor(name: str) -> Callable[..., object]:
    """The class of the executor called `name`: a callable from a number of jobs to Executor."""
    return _load(EXECUTORS, "executor", name)


def frontend(suffix: str, text: str = "") -> Callable[..., object]:
    """The class of the frontend that reads sources ending in `suffix` (with its dot) with this text."""
    for path, (suffixes, mark, unless) in MARKED.items():
        if suffix in suffixes and re.search(mark, text) and not re.search(unless, text):
            return _load({path: path}, "frontend", path)
    return _load(FRONTENDS, "frontend for the suffix", suffix)


def backend(kind: str) -> Callable[..., object]:
    """The class of the backend for bodies of that kind."""
    return _load(BACKENDS, "backend for kernels of the kind", kind)


def cost_model(family: str) -> Callable[..., object]:
    """The class of the hardware model of that family of devices."""
    return _load(COST_MODELS, "hardware model of the family", family)


def _load(table: Mapping[str, str], what: str, name: str) -> Callable[..., object]:
    if name not in table:
        close = nearest(name, table)
        hint = f"did you mean {close!r}?" if close else None
        raise TunepassError(f"no {what} {name!r}; known: {', '.join(sorted(table)) or 'none'}", hint=hint)
    module, _, attribute = table[name].partition(":")
    found = getattr(importlib.import_module(module), attribute)
    assert callable(found)
    return found  # type: ignore[no-any-return]

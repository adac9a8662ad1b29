"""The preprocessor's command for a device's dialect: what nvcc itself calls, or a host compiler with usual macros.

nvcc preprocesses with its host compiler, macros and header folders of its own, once per pass. The device's pass is
taken, since it has the code that kernels run (`__CUDA_ARCH__` is defined), without the header that nvcc includes before
every source: that one has half a megabyte of declarations and turns `__global__` into an attribute.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.compilers.named import named_compiler
from tunepass.diagnostics import ToolError
from tunepass.frontends.cfamily.preprocessing.command import Command, Dialect

# CUDA C++ Programming Guide 13.0, sections "Application Compatibility" and "__CUDA_ARCH__": of a toolkit 12 and sm_80.
CUDA = ("-D__CUDACC__", "-D__NVCC__", "-D__CUDA_ARCH__=800", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=0",
        "-DCUDART_VERSION=12000", "-DCUDA_VERSION=12000")  # fmt: skip
# OpenCL C 1.2 specification, section 6.10, and the extensions that all desktop GPUs have.
OPENCL = ("-D__OPENCL_VERSION__=120", "-D__OPENCL_C_VERSION__=120", "-DCL_VERSION_1_0=100", "-DCL_VERSION_1_1=110",
          "-DCL_VERSION_1_2=120", "-D__ENDIAN_LITTLE__=1", "-Dcl_khr_fp64=1", "-Dcl_khr_byte_addressable_store=1",
          "-Dcl_khr_global_int32_base_atomics=1", "-Dcl_khr_local_int32_base_atomics=1")  # fmt: skip
PORTABLE = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-imacros", "-std=c++", "-std=gnu++")
IMPLICIT = "cuda_runtime.h"
HOST = re.compile(r"(?:[\w.]+-)*(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+)(?:-[\d.]+)?\Z")


def device_command(command: Command, dialect: Dialect) -> Command:
    """The host compiler's command; `command` itself for a dialect of the host. OpenCL's builds name no compiler."""
    if dialect == "cuda":
        asked = _pass_of(command) if _is_nvcc(command.program) else None
        if asked is not None:
            return replace(command, program=asked[0], words=asked[1:])
        return replace(command, program=_host(command.program), words=(*CUDA, *_portable(command.words)))
    if dialect == "opencl":
        return replace(command, program=named_compiler()[0], words=(*OPENCL, *_portable(command.words)))
    return command


def _host(program: str) -> str:
    """The program itself where its name is a C compiler's: others may not preprocess C++."""
    return program if HOST.match(Path(program).name) else "c++"


def _portable(words: Sequence[str]) -> Iterator[str]:
    """Those that any preprocessor takes."""
    rest = iter(words)
    for word in rest:
        if word.startswith(PORTABLE):
            yield word
            if word in PORTABLE:
                yield next(rest, "")


def _pass_of(command: Command) -> tuple[str, ...] | None:
    return _asked(shutil.which(command.program) or command.program, command.words)


@lru_cache(maxsize=64)
def _asked(program: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The host compiler and its words in nvcc's pass for the device; None where nvcc does not say."""
    try:
        reply = ask([program, *words, "-E", "--dryrun", "-x", "cu", "-"])
        line = next(line for line in reply.stderr.splitlines() if line.startswith("#$ ") and " -E " in line)
        listed = shlex.split(line[3:])
    except (ToolError, StopIteration, ValueError):
        return None
    kept = list(_without_input(listed[1:]))
    version = {name: value for word in kept if word.startswith("-D") for name, _, value in [word[2:].partition("=")]}
    number = int(version.get("__CUDACC_VER_MAJOR__", 0)) * 1000 + int(version.get("__CUDACC_VER_MINOR__", 0)) * 10
    return (listed[0], *kept, f"-DCUDART_VERSION={number}", f"-DCUDA_VERSION={number}")


def _without_input(words: Sequence[str]) -> Iterator[str]:
    """The toolkit's folders are the system's: what their headers declare is not the source's."""
    rest = iter(words)
    for word in rest:
        following = next(rest, "") if word in ("-include", "-x", "-D", "-isystem", "-I") else ""
        if word in ("-E", "-x") or following == IMPLICIT or not word.startswith("-"):
            continue
        if word.startswith("-I") and Path(following or word[2:], IMPLICIT).is_file():
            yield f"-isystem{following or word[2:]}"
        else:
            yield f"{word}{following}" if word in ("-D", "-I") else word
            if following and word not in ("-D", "-I"):
                yield following


def names_in_toolkit(words: tuple[str, ...]) -> frozenset[str]:
    """The names in the headers that nvcc includes before every source; none where nvcc is not here or does not say."""
    command = Command.of(words, "", "cuda")
    asked = _pass_of(command) if _is_nvcc(command.program) else None
    return frozenset() if asked is None else _names(asked)


@lru_cache(maxsize=8)
def _names(asked: tuple[str, ...]) -> frozenset[str]:
    reply = ask([*asked, "-E", "-P", "-w", "-x", "c++", "-include", IMPLICIT, "-"])
    return frozenset(re.findall(r"[A-Za-z_]\w*", reply.stdout)) if reply.ok else frozenset()


def _is_nvcc(program: str) -> bool:
    return Path(program).name.startswith("nvcc")

"""Public C projects with a choice in one of their files: do all ways of applying it make the same objects?

    python -m tests.benchmarks.bench_projects CHECKOUTS [--only zopfli,lua] [--clang clang]

CHECKOUTS has a folder for each project, by its name: google/zopfli, pjreddie/darknet, lua/lua, redis/hiredis,
karpathy/llama2.c, google/brotli, ebiggers/libdeflate, BLAKE3-team/BLAKE3, and yuhc/gpu-rodinia as kmeans. In a copy of
it one function gets a pragma (projects/others.py), `tunepass build` makes the lock, and the project is built by its own
Makefile or CMake: with the macro as a word, by `-include`, by the plugin of gcc, by `tunepass cc`, and, where --clang
names one, by that with the word and with its plugin. Where the default is kept another value is written into the lock,
so that objects can differ; how many the choice changes is told. Then the project's own call for that file is made with
-flto (and linked), -g (without debug sections), -E and behind a precompiled header. The exit status is 1 if anything
differs or was not compared.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.projects.others import PROJECTS, Project
from tunepass.compilers.compiler_plugins.building import build_plugin

TUNEPASS = str(Path(sys.executable).with_name("tunepass"))
WAYS = ("-include", "plugin", "cc")
HEADERS = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
# As the word on the command line, for the annotated file alone; what it was called with is kept.
WRAPPER = """#!/bin/sh
word=
for each in "$@"; do case "$each" in {base}|*/{base}) word={word};; esac; done
if [ -n "$word" ]; then printf '%s\\0' "$PWD" "$@" > {log}; fi
exec {compiler} $word "$@"
"""
Objects = Mapping[str, bytes]


def run(
    words: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", **(environment or {})},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def demand(words: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    done = run(words, folder, environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with status {done.returncode}: {done.stderr[-1500:]}")
    return done.stdout


@dataclass(frozen=True, slots=True)
class Annotated:
    """A project's copy with a lock; `word` is the macro of its choice, `scratch` a folder beside it."""

    project: Project
    folder: Path
    source: Path
    word: str
    scratch: Path

    @property
    def header(self) -> Path:
        return self.source.parent / "kernel.choice.h"

    @property
    def log(self) -> Path:
        return self.scratch / "calls"

    def wrapper(self, name: str, compiler: str) -> Path:
        path = self.scratch / name
        path.write_text(
            WRAPPER.format(base=self.source.name, word=self.word, log=self.log, compiler=shutil.which(compiler))
        )
        path.chmod(0o755)
        return path

    def environment(self) -> dict[str, str]:
        return {"TUNEPASS_CC": "gcc", "TUNEPASS_CACHE": str(self.scratch / "cache")}


def annotated(project: Project, checkout: Path, scratch: Path) -> Annotated:
    """Copy, annotate, tune and write what the ways read."""
    folder = scratch / "copy"
    shutil.copytree(checkout, folder, symlinks=True)
    source = project.annotate(folder)
    build = [TUNEPASS, "build", source.name, "-o", scratch / "out", "--max-evals", "5", "--budget", "40s"]
    answer = json.loads(demand([*build, "--format", "json", "--", "gcc", *project.words], source.parent))
    value = str(answer["choice"][project.macro])
    default = project.param.rpartition("=")[2].strip()
    if value == default:
        value = next(v for v in re.findall(r"\d+", project.param.partition("(")[2]) if v != default)
        lock = source.parent / "tunepass.lock"
        text = lock.read_text()
        lock.write_text(re.sub(rf"({project.macro}: ){default}\b", rf"\g<1>{value}", text))
    demand([TUNEPASS, "flags-file", source.name, "-o", "kernel.choice.h"], source.parent)
    demand([TUNEPASS, "flags-file", ".", "--format", "choices"], source.parent)
    return Annotated(project, folder, source, f"-D{project.macro}={value}", scratch)


def built(tree: Annotated, compiler: Sequence[str], launcher: bool = False) -> Objects:
    """The objects of the whole project; of one that has none its programs."""
    project = tree.project
    if project.make:
        demand(project.clean, tree.folder)
        demand(["make", "-j2", *project.make, f"CC={' '.join(compiler)}"], tree.folder, tree.environment())
        found = objects(tree.folder) or {n: (tree.folder / n).read_bytes() for n in project.make}
        for name in objects(tree.folder):
            (tree.folder / name).unlink()
        return found
    folder = tree.scratch / "build"
    shutil.rmtree(folder, ignore_errors=True)
    name, flags = ("gcc", ()) if launcher else (compiler[0], compiler[1:])
    words = [f"-DCMAKE_C_COMPILER={name}", f"-DCMAKE_C_FLAGS={' '.join(flags)}", *project.cmake]
    words += [f"-DCMAKE_C_COMPILER_LAUNCHER={';'.join(compiler)}"] if launcher else []
    where = tree.folder / project.folder
    demand(["cmake", "-S", where, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *words], tree.folder, tree.environment())
    demand(["cmake", "--build", folder, "-j", "2"], tree.folder, tree.environment())
    return objects(folder)


def objects(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.o"))}


def alike(some: Objects, others: Objects) -> int:
    return sum(some.get(name) == data for name, data in others.items())


def own_call(tree: Annotated) -> tuple[Path, list[str]]:
    """The folder and the words of the project's call for the annotated file, without output, rules and libraries."""
    folder, *words = tree.log.read_text().split("\0")[:-1]
    kept, skipped = list[str](), False
    for word in words:
        if not skipped and word not in ("-o", "-MT", "-MF", "-c", "-MD", "-MMD") and not word.startswith("-l"):
            kept.append(word)
        skipped = word in ("-o", "-MT", "-MF")
    return Path(folder), kept


def in_modes(tree: Annotated, compilers: Mapping[str, Sequence[str]]) -> dict[str, list[str] | None]:
    """By mode the ways that make something else than the word on the command line; None where that does not compile."""
    folder, call = own_call(tree)

    def made(way: str, *words: str) -> bytes | None:
        output = folder / "tp_mode.o"
        done = run([*compilers[way], *call, *words, "-o", output.name], folder, tree.environment())
        data = output.read_bytes() if done.returncode == 0 else None
        output.unlink(missing_ok=True)
        return data

    precompiled = folder / "tp_headers"
    precompiled.mkdir(exist_ok=True)
    (precompiled / "all.h").write_text(HEADERS)
    flags = [w for w in call if w.startswith(("-O", "-f", "-std", "-ansi", "-pedantic", "-m", "-D", "-W"))]
    demand(["gcc", *flags, "tp_headers/all.h", "-o", "tp_headers/all.h.gch"], folder)
    used = ("-Winvalid-pch", "-Werror=invalid-pch")
    modes: dict[str, tuple[Callable[[bytes], bytes], tuple[str, ...], tuple[str, ...]]] = {
        "-flto": (lambda data: _linked(data, tree.scratch), ("-flto", "-frandom-seed=1", "-c"), WAYS),
        "-g": (lambda data: _without_debug(data, tree.scratch), ("-g", "-c"), WAYS),
        "-E": (_without_lines, ("-E",), WAYS),
        "precompiled header": (bytes, (*used, "-include", "tp_headers/all.h", "-c"), ("plugin", "cc")),
    }
    different: dict[str, list[str] | None] = {}
    for mode, (cooked, words, ways) in modes.items():
        expected = made("word", *words)
        others = {way: made(way, *words) for way in ways}
        different[mode] = (
            None
            if expected is None
            else [way for way, data in others.items() if data is None or cooked(data) != cooked(expected)]
        )
    shutil.rmtree(precompiled)
    return different


def _linked(data: bytes, scratch: Path) -> bytes:
    """The code of an object of link-time optimisation."""
    (scratch / "lto.o").write_bytes(data)
    how = ["-O2", "-flto", "-flinker-output=nolto-rel", "-frandom-seed=1", "-r"]
    demand(["gcc", *how, "lto.o", "-o", "linked.o"], scratch)
    return demand(["objdump", "-d", "--no-show-raw-insn", "linked.o"], scratch).encode()


def _without_debug(data: bytes, scratch: Path) -> bytes:
    (scratch / "debug.o").write_bytes(data)
    demand(["objcopy", "--strip-debug", "debug.o"], scratch)
    return (scratch / "debug.o").read_bytes()


def _without_lines(data: bytes) -> bytes:
    lines = data.decode(errors="replace").splitlines()
    return "\n".join(
        line for line in lines if line.strip() and not line.startswith("# ") and "#pragma tunepass" not in line
    ).encode()


def compared(project: Project, checkout: Path, plugins: Mapping[str, Path], scratch: Path, clang: str) -> bool:
    tree = annotated(project, checkout, scratch)
    compilers: dict[str, Sequence[str]] = {
        "word": [str(tree.wrapper("gcc-word", "gcc"))],
        "-include": ["gcc", "-include", str(tree.header)],
        "plugin": ["gcc", f"-fplugin={plugins['gcc']}"],
        "cc": [TUNEPASS, "cc"],
    }
    expected = built(tree, compilers["word"])
    changed = len(expected) - alike(built(tree, ["gcc"]), expected)
    counts = {way: alike(built(tree, compilers[way], way == "cc"), expected) for way in WAYS}
    told = ", ".join(f"{way} {count}" for way, count in counts.items())
    good = bool(expected) and all(count == len(expected) for count in counts.values())
    if "clang" in plugins and not project.openmp:
        own = built(tree, [str(tree.wrapper("clang-word", clang))])
        count = alike(built(tree, [clang, f"-fplugin={plugins['clang']}"]), own)
        told, good = f"{told}; clang's plugin {count} of {len(own)}", good and bool(own) and count == len(own)
    different = in_modes(tree, compilers)
    print(f"{project.name:12} of {len(expected)} objects identical: {told}; the choice changes {changed}", flush=True)
    for mode, ways in different.items():
        said = "does not compile" if ways is None else f"different by {', '.join(ways)}" if ways else "the same"
        print(f"{'':12} {mode}: {said}", flush=True)
    missing = {"precompiled header"} if project.first_header else set()
    return (
        good and {mode for mode, ways in different.items() if ways is None} == missing and not any(different.values())
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--only", default="", metavar="NAMES", help="with commas")
    parser.add_argument("--clang", default="", metavar="COMPILER", help="such as clang-14, with its headers")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [project.name for project in PROJECTS]
    good, count = 0, 0
    with tempfile.TemporaryDirectory(prefix="tunepass-projects-") as folder:
        plugins = {}
        for name, compiler in (("gcc", "gcc"), ("clang", options.clang)):
            if compiler:
                plugins[name] = Path(folder) / name / "tunepass.so"
                plugins[name].parent.mkdir()
                build_plugin(compiler, name, plugins[name])
        for project in PROJECTS:
            if project.name not in wanted:
                continue
            count += 1
            scratch = Path(folder) / project.name
            scratch.mkdir()
            try:
                good += compared(project, (options.checkouts / project.name).resolve(), plugins, scratch, options.clang)
            except (OSError, ValueError, RuntimeError) as error:
                print(f"{project.name:12} was not compared: {error}", flush=True)
    print(f"{good} of {count} projects: every way makes the same")
    return 0 if good == count and count else 1


if __name__ == "__main__":
    sys.exit(main())

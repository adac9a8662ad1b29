"""How many of the kernels in other people's CUDA and OpenCL sources can be annotated: their arguments are read from the
definitions by a reader of its own, and each kernel gets a pragma that the frontend then has to understand.

    python -m tests.benchmarks.gpu_public FOLDER [FOLDER ...] [--device a100] [--words=-I/some/include]

prints one line for every kernel that is refused, and the counts by reason. With `--device` two configurations of each
kernel that is read are also compiled for that device, or run on it: blocks of 64 and of 128 threads.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tunepass.backends.base import Target, backend_for
from tunepass.diagnostics import Source, SourceError, TunepassError
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
HEAD = {
    ".cu": re.compile(
        r"(?P<template>template\s*<[^;{}()]*?>\s*)?(?:extern\s*\"\s*\"\s*)?"
        r"(?:__launch_bounds__\s*\([^;{}]*?\)\s*)?[\w\s]*\b__global__\b"
    ),
    ".cl": re.compile(r"(?P<template>(?!))?\b(?:__)?kernel\b"),
}
CALLED = re.compile(r"\b(?:__launch_bounds__|__attribute__|__cluster_dims__)\s*\(")
NAME = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
SPACES = re.compile(r"\b(?:__)?(?:global|local|constant|private|restrict|const|volatile|read_only|write_only)(?:__)?\b")


@dataclass(frozen=True, slots=True)
class Found:
    """A kernel's pragma line; `reason` is why it has none."""

    name: str
    pragma: str
    reason: str = ""


def kernels(text: str, suffix: str) -> Iterator[Found]:
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.MULTILINE)
    for head in HEAD[suffix].finditer(text):
        place = head.end()
        while (word := NAME.search(text, place)) and CALLED.match(text, word.start()):
            place = bracket(text, word.end() - 1)
        if word is None:
            continue
        end = bracket(text, word.end() - 1)
        if text[end:].lstrip()[:1] == "{":
            yield annotated(word[1], text[word.end() : end - 1], head["template"] or "", suffix)


def bracket(text: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] in "([") - (text[place] in ")]")
        if not depth:
            return place + 1
    return len(text)


def annotated(name: str, formals: str, template: str, suffix: str) -> Found:
    examples: dict[str, str] = {}
    for parameter in re.findall(r"(typename|class|[\w:]+)\s+(\w+)\s*(?:=[^,>]*)?(?=[,>])", template):
        examples[parameter[1]] = {"typename": "float", "class": "float", "bool": "true"}.get(parameter[0], "8")
    called = f"{name}<{', '.join(examples.values())}>" if template else name
    arguments, written = [], False
    for formal in parts(formals):
        if formal in ("", "void"):
            continue
        formal = formal.split("=")[0]
        words = re.findall(r"\w+", SPACES.sub(" ", formal.split("[")[0]))
        if len(words) < 2:
            return Found(called, "", f"macro as a parameter: {formal}")
        element = " ".join(examples.get(word, word) for word in words[:-1] if word not in ("struct", "signed"))
        pointer, constant = "*" in formal or "[" in formal, re.search(r"\bconst\b", formal.split("*")[0]) is not None
        local = suffix == ".cl" and re.search(r"\b(?:__)?local\b", formal) is not None
        constant = constant or (suffix == ".cl" and re.search(r"\b(?:__)?constant\b", formal) is not None)
        if pointer:
            direction = "local" if local else "in" if constant else "inout"
            written = written or direction == "inout"
            arguments.append(f"{words[-1]}: {direction} {element if element != 'void' else 'char'}[1024]")
        else:
            arguments.append(f"{words[-1]} = 8")
    if not written:
        return Found(called, "", "writes no buffer")
    launch = "grid(ceildiv(1024, BLOCK)) block(BLOCK)"
    return Found(called, f"#pragma tunepass kernel {called}({', '.join(arguments)}) {launch}")


def parts(text: str) -> list[str]:
    found, depth = [""], 0
    for character in text:
        depth += (character in "([<") - (character in ")]>")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [" ".join(part.split()) for part in found]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--device", action="append", default=[], help="where those that are read are compiled or run")
    parser.add_argument("--words", default="", help="the compiler's, such as -I/some/include")
    options = parser.parse_args(words)
    reasons: Counter[str] = Counter()
    fates: dict[str, Counter[str]] = {device: Counter() for device in options.device}
    for path in sorted(p for folder in options.folders for p in Path(folder).rglob("*") if p.suffix in HEAD):
        text = path.read_text(errors="replace")
        for found in kernels(text, path.suffix):
            kernel, problem = read(path, text, found)
            reasons[re.sub(r"`[^`]*`", "`…`", problem) or "read"] += 1
            if kernel is None:
                print(f"{path}: {found.name}: {problem}")
                continue
            for device in options.device:
                if device.startswith("opencl") == (path.suffix == ".cl"):
                    end = tuned(path, text, found, device, (*shlex.split(options.words), f"-I{path.parent}"))
                    fates[device][re.sub(r"`[^`]*`|'[^']*'|\d+", "…", end)] += 1
                    print(f"{path}: {found.name}: {device}: {end}", flush=True)
    for reason, count in reasons.most_common():
        print(f"{count:5d}  {reason}")
    print(f"{reasons['read']} of {sum(reasons.values())} kernels are read")
    for device, ends in fates.items():
        for end, count in ends.most_common():
            print(f"{count:5d}  {end}")
        print(f"{ends['well']} of {sum(ends.values())} kernels are well on {device}")
    return 0


def tuned(path: Path, text: str, found: Found, device: str, words: tuple[str, ...]) -> str:
    """What becomes of a kernel. Macros that the host's code would define are parameters to who annotates it."""
    parameters: dict[str, None] = {}
    while True:
        kernel, problem = read(path, text, found, tuple(parameters))
        end = problem if kernel is None else fate(kernel, device, words)
        names = [next(filter(None, match)) for match in UNDEFINED.findall(end)]
        if not names or names[0] in parameters or len(parameters) == MACROS:
            return end
        parameters[names[0]] = None


UNDEFINED = re.compile(r'identifier "(\w+)" is undefined|use of undeclared identifier \'(\w+)\'')
MACROS = 16  # of one kernel


def read(path: Path, text: str, found: Found, parameters: tuple[str, ...] = ()) -> tuple[Kernel | None, str]:
    """The kernel, or why there is none."""
    if found.reason:
        return None, found.reason
    pragma = "".join(f"#pragma tunepass param {name}: ordinal(8, 16) = 8\n" for name in parameters) + found.pragma
    kernel, problem = parsed(path, text, pragma)
    while unknown := re.search(r"elements of `\w+`, ([\w ]+), cannot.*is not defined in this file", problem):
        number = numbers_beside(path).get(unknown[1].split()[-1])
        if number is None or unknown[1] not in pragma:
            break
        pragma = pragma.replace(unknown[1], number)  # who annotates it writes the type
        kernel, problem = parsed(path, text, pragma)
    return kernel, problem


def fate(kernel: Kernel, device: str, words: tuple[str, ...]) -> str:
    """What becomes of two configurations: `well` when both give values."""
    compiler = ("nvcc", *words) if kernel.language == "cuda" else ("opencl", *words)
    try:
        backend = backend_for(kernel, Target(device=device, compiler=compiler if kernel.language == "cuda" else ()))
        evaluator = backend.evaluator()
        if evaluator is None:
            return "nothing compiles it"
        with evaluator as evaluate:
            for block in (64, 128):
                others = {p.name: p.default for p in kernel.parameters if p.name != "BLOCK"}
                outcome = evaluate(Configuration({"BLOCK": block, **others})).outcome
                if isinstance(outcome, Failed):
                    return f"{outcome.stage}: {first_error(outcome.log)}"
                if not isinstance(outcome, Measured):
                    return f"{type(outcome).__name__}"
    except TunepassError as error:
        first = error.diagnostics[0]
        return f"{first.message}: {first_error(first.hint or '')}"
    return "well"


def first_error(log: str) -> str:
    lines = log.splitlines()
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "").strip()[-120:]


@cache
def numbers_beside(path: Path) -> dict[str, str]:
    """Names of numbers and vectors that the file, or those of the folders around it, define."""
    found: dict[str, str] = {}
    files = [p for folder in (path.parent, path.parent.parent) for p in sorted(folder.glob("*")) if p.is_file()]
    for text in (p.read_text(errors="replace") for p in [*files, path] if p.suffix in (".h", ".cuh", *HEAD)):
        for kind, name in re.findall(r"typedef\s+((?:unsigned\s+)?\w+)\s+(\w+)\s*;", text):
            found.setdefault(name, kind)
        for name, kind in re.findall(r"#\s*define\s+(\w+)\s+((?:unsigned\s+)?[a-z]\w+)\s*$", text, re.MULTILINE):
            found.setdefault(name, kind)
    return {"float4": "float4", "fp": "float", "real": "float", **found}


def parsed(path: Path, text: str, pragma: str) -> tuple[Kernel | None, str]:
    lines = f"\n#pragma tunepass param BLOCK: pow2(64, 256) = 64\n{pragma}\n"
    try:
        return GpuFrontend().parse(Source(str(path), text + lines)).kernels[0], ""
    except SourceError as error:
        first = error.diagnostics[0]
        return None, f"{first.message} | {first.hint}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

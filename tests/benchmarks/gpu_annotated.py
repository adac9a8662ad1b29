"""What becomes of other people's CUDA and OpenCL kernels with pragmas written by hand: read, compiled, checked, tuned.

    python -m tests.benchmarks.gpu_annotated FOLDER [--only WORD] [--evals N]

FOLDER holds checkouts, as FOLDER/OWNER/NAME or FOLDER/OWNER+NAME, of the repositories that the files of
tests/benchmarks/gpu/annotated name. Each says which source it is for and which lines are put in front of it:

    repository OWNER/NAME COMMIT
    file PATH                  of the repository; several are joined in their order
    define NAME VALUE          a `#define` of the source takes this value, and lets -D have its way
    (an empty line)
    #pragma tunepass ...

Kernels in OpenCL are built and run by the first device that runs OpenCL, those in CUDA compiled for an A100.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NOTES = Path(__file__).parent / "gpu" / "annotated"
RAW_STRING = re.compile(r"^(?:R\"\(|\)\")[^\n]*", re.MULTILINE)  # around kernels that are pasted into C++
SECONDS = 900  # of one kernel
DEVICES = {".cl": "opencl", ".cu": "a100"}


@dataclass(frozen=True)
class Annotated:
    """One of the files of NOTES."""

    name: str
    repository: str
    commit: str
    files: tuple[str, ...]
    defines: dict[str, str]
    pragmas: str

    @property
    def suffix(self) -> str:
        return ".cu" if any(file.endswith((".cu", ".cuh")) for file in self.files) else ".cl"

    def text(self, folder: Path) -> str:
        """The source as who annotates it leaves it."""
        texts = [(folder / file).read_text(errors="replace") for file in self.files]
        source = RAW_STRING.sub("", "\n".join(texts))
        for name, value in self.defines.items():
            source, count = re.subn(
                rf"^([ \t]*#[ \t]*define[ \t]+{name}\b)[^\n]*",
                f"#ifndef {name}\n\\1 {value}\n#endif",
                source,
                flags=re.M,
            )
            if not count:
                raise ValueError(f"{self.name}: no `#define {name}` in {', '.join(self.files)}")
        return f"{self.pragmas}\n{source}"


@dataclass(frozen=True)
class Fate:
    """What became of a kernel; `stopped` is the stage that it did not get past, with the reason."""

    read: bool = False
    compiled: bool = False
    evaluated: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    checked: str = ""
    gain: float | None = None
    stopped: str = ""

    @property
    def agrees(self) -> bool:
        return self.compiled and not {"wrong_result", "out_of_bounds", "output"} & self.failures.keys()


def parsed(path: Path) -> Annotated:
    head, _, pragmas = path.read_text().partition("\n\n")
    words = [line.split(maxsplit=2) for line in head.splitlines()]
    (_, repository, commit), *rest = words
    files = tuple(line[1] for line in rest if line[0] == "file")
    defines = {line[1]: line[2] for line in rest if line[0] == "define"}
    return Annotated(path.stem, repository, commit, files, defines, pragmas)


def checkout(folder: Path, repository: str) -> Path | None:
    places = (folder / repository, folder / repository.replace("/", "+"))
    return next((place for place in places if place.is_dir()), None)


def tunepass(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tunepass", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def fate(kernel: Annotated, folder: Path, evaluations: int, where: Path) -> Fate:
    source = where / f"{kernel.name}{kernel.suffix}"
    source.write_text(kernel.text(folder))
    device = DEVICES[kernel.suffix]
    space = tunepass("space", str(source), "--device", device)
    if space.returncode:
        return Fate(stopped=f"read: {first_line(space.stderr)}")
    options = ("--device", device, "--max-evals", str(evaluations), "--variants", "1", "--format", "json")
    includes = [f"-I{(folder / file).parent}" for file in kernel.files[:1]]
    if kernel.suffix == ".cu" and (folder / "Common").is_dir():
        includes.append(f"-I{folder / 'Common'}")
    words = ("--", "nvcc", *includes) if kernel.suffix == ".cu" else ()
    try:
        build = tunepass("build", str(source), "-o", str(where / "out"), *options, *words)
    except subprocess.TimeoutExpired:
        return Fate(read=True, stopped="took too long")
    if build.returncode:
        return Fate(read=True, stopped=first_line(build.stderr))
    answer = json.loads(build.stdout)
    (objective,) = answer["objectives"].values()
    return Fate(
        read=True,
        compiled=True,
        evaluated=answer["evaluations"],
        failures=answer["failures"],
        checked="its reference" if "reference(" in kernel.pragmas else "the default",
        gain=objective["gain"],
        stopped=", ".join(f"{stage} {count}" for stage, count in answer["failures"].items()),
    )


def first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")[:200]


def fates(folder: Path, only: str, evaluations: int) -> Iterator[tuple[Annotated, Fate]]:
    for path in sorted(NOTES.glob("*.txt")):
        kernel = parsed(path)
        if only not in kernel.name:
            continue
        place = checkout(folder, kernel.repository)
        if place is None:
            print(f"{kernel.name}: no checkout of {kernel.repository} {kernel.commit[:8]} in {folder}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as where:
            yield kernel, fate(kernel, place, evaluations, Path(where))


def show(done: list[tuple[Annotated, Fate]]) -> None:
    for language, suffix in (("OpenCL", ".cl"), ("CUDA", ".cu")):
        of = [fate for kernel, fate in done if kernel.suffix == suffix]
        if not of:
            continue
        counts = [f"{sum(f.read for f in of)} read", f"{sum(f.compiled for f in of)} compiled and searched"]
        if suffix == ".cl":
            counts.append(f"{sum(f.agrees for f in of)} with equal results throughout")
        better = sum(f.gain is not None and f.gain > 1 for f in of)
        print(f"{language}: {len(of)} kernels, {', '.join(counts)}, {better} faster than their defaults")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="WORD", help="those whose name has this in it")
    parser.add_argument("--evals", type=int, default=20, metavar="N", help="evaluations of each build")
    options = parser.parse_args(words)
    done = []
    for kernel, found in fates(options.folder, options.only, options.evals):
        done.append((kernel, found))
        gain = "-" if found.gain is None else f"{found.gain:.2f}x"
        good = found.evaluated - sum(found.failures.values())
        print(
            f"{kernel.name:32} {good:3} of {found.evaluated:3}  {gain:>7}  {found.checked:14} {found.stopped}",
            flush=True,
        )
    show(done)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

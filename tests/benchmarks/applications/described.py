"""The applications of bench_applications.py: public programs with a driver of ours, described for tunepass."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DRIVERS = Path(__file__).parent
DESCRIPTION = """\
name: {name}
sources: ["*"]
tools: [{compiler}]
parameters:
  OPT: {{kind: categorical, values: [-O1, -O2, -O3, -Os], default: -O2, role: flag}}
  MARCH: {{kind: categorical, values: ["", -march=native], role: flag}}
  UNROLL: {{kind: categorical, values: ["", -funroll-loops], role: flag}}
  LTO: {{kind: categorical, values: ["", -flto], role: flag}}
  PGO: {{kind: categorical, values: [false, true], role: profile}}
  VECTORIZE: {{kind: categorical, values: ["", -fno-tree-vectorize], role: flag}}
  INLINE:
    {{kind: ordinal, values: [0, 15, 70, 200], default: 15, role: flag, form: "--param max-inline-insns-auto={{}}"}}
  POINTERS: {{kind: categorical, values: ["", -fipa-pta], role: flag}}
  ALIGN: {{kind: categorical, values: ["", -falign-loops=32, -falign-loops=64], role: flag}}
  SCHEDULE: {{kind: categorical, values: ["", -fno-schedule-insns2, -fsched-pressure], role: flag}}
build:
  command: {compiler} {{FLAGS}} {words} -o program -lm
  product: program
run: {{command: ./program}}
check: {{output: all, relative: 1e-9}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """`files` are those of the checkout that are compiled or included; `words` what the compiler gets."""

    checkout: str
    files: tuple[str, ...]
    words: str
    driver: str
    compiler: str = "gcc"


ZLIB = "adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil"
PROGRAMS: Mapping[str, Program] = {
    "tinyexpr": Program(
        checkout="tinyexpr", files=("tinyexpr.c", "tinyexpr.h"), words="driver.c tinyexpr.c", driver="tinyexpr.c"
    ),
    "lz4": Program(
        checkout="lz4/lib",
        files=("lz4.c", "lz4.h", "lz4hc.c", "lz4hc.h"),
        words="driver.c lz4.c lz4hc.c",
        driver="lz4.c",
    ),
    "zlib": Program(
        checkout="zlib",
        files=("*.h", *(f"{name}.c" for name in ZLIB.split())),
        words="driver.c " + " ".join(f"{name}.c" for name in ZLIB.split()),
        driver="zlib.c",
    ),
    "aes": Program(checkout="tiny-AES-c", files=("aes.c", "aes.h"), words="driver.c aes.c", driver="aes.c"),
    "fastlz": Program(checkout="FastLZ", files=("fastlz.c", "fastlz.h"), words="driver.c fastlz.c", driver="fastlz.c"),
    "kissfft": Program(
        checkout="kissfft",
        files=("kiss_fft.c", "kiss_fft.h", "kiss_fft_log.h", "_kiss_fft_guts.h"),
        words="driver.c kiss_fft.c",
        driver="kissfft.c",
    ),
    "editdistance": Program(
        checkout="editdistance/src/editdistance",
        files=("_editdistance.cpp", "*.h"),
        words="-std=c++17 driver.cpp _editdistance.cpp",
        driver="editdistance.cpp",
        compiler="g++",
    ),
}


def prepare(name: str, checkouts: Path, folder: Path) -> Path:
    """The application in `folder`, from nothing; its description."""
    program = PROGRAMS[name]
    copy_program(name, checkouts, folder)
    description = folder / "tune.yaml"
    description.write_text(DESCRIPTION.format(name=name, compiler=program.compiler, words=program.words))
    return description


def copy_program(name: str, checkouts: Path, folder: Path) -> None:
    """Its sources and its driver in `folder`, and nothing else."""
    program = PROGRAMS[name]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for pattern in program.files:
        for path in (checkouts / program.checkout).glob(pattern):
            shutil.copy(path, folder)
    shutil.copy(DRIVERS / program.driver, folder / f"driver{Path(program.driver).suffix}")
    shutil.copy(DRIVERS / "text.h", folder)

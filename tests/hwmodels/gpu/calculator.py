"""NVIDIA's own calculator, where a CUDA toolkit has it: `cuda_occupancy.h`, compiled and asked.

`python -m tests.hwmodels.gpu.calculator N` compares N random launches on every compute capability of ours;
`python -m tests.hwmodels.gpu.calculator --write` writes `occupancy_cases.csv` from what the header answers. Device
properties are those NVIDIA publishes (NVIDIA/cccl 571f2fc, libcudacxx/include/cuda/__device/arch_traits.h; 3.7: CUDA C
Programming Guide 10.2, Technical Specifications), written down here apart from ours.
"""

from __future__ import annotations

import csv
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

CASES = Path(__file__).parent / "occupancy_cases.csv"
RESOURCES = {1: "warps", 2: "registers", 4: "shared", 8: "blocks"}  # cudaOccLimitingFactor
HEADERS = ("/usr/local/cuda/include", "/usr/local/cuda-13.0/include", "/usr/lib/cuda/include")
K = 1024


@dataclass(frozen=True, slots=True)
class Properties:
    """Of a compute capability: an SM's threads and registers, a block's registers, bytes of an SM, of a block that has
    opted in, and reserved in each block."""

    threads: int
    registers: int
    block_registers: int
    shared: int
    block_shared: int
    reserved: int


PUBLISHED = {
    "3.7": Properties(2048, 128 * K, 64 * K, 112 * K, 48 * K, 0),
    "5.2": Properties(2048, 64 * K, 64 * K, 96 * K, 48 * K, 0),
    "6.0": Properties(2048, 64 * K, 64 * K, 64 * K, 48 * K, 0),
    "6.1": Properties(2048, 64 * K, 64 * K, 96 * K, 48 * K, 0),
    "7.0": Properties(2048, 64 * K, 64 * K, 96 * K, 96 * K, 0),
    "7.5": Properties(1024, 64 * K, 64 * K, 64 * K, 64 * K, 0),
    "8.0": Properties(2048, 64 * K, 64 * K, 164 * K, 163 * K, K),
    "8.6": Properties(1536, 64 * K, 64 * K, 100 * K, 99 * K, K),
    "8.9": Properties(1536, 64 * K, 64 * K, 100 * K, 99 * K, K),
    "9.0": Properties(2048, 64 * K, 64 * K, 228 * K, 227 * K, K),
    "10.0": Properties(2048, 64 * K, 64 * K, 228 * K, 227 * K, K),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One launch: threads a block, registers a thread, bytes of shared memory in the source and asked for."""

    capability: str
    threads: int
    registers: int
    static: int
    dynamic: int


@dataclass(frozen=True, slots=True)
class Answer:
    blocks: int
    limited_by: tuple[str, ...]


PROGRAM = """
#include <stdio.h>
#include <cuda_occupancy.h>
int main(void) {
  int major, minor, sm_threads, sm_registers, block_registers, sm_shared, block_shared, reserved;
  int threads, registers, fixed, dynamic;
  while (scanf("%d.%d %d %d %d %d %d %d %d %d %d %d", &major, &minor, &sm_threads, &sm_registers, &block_registers,
               &sm_shared, &block_shared, &reserved, &threads, &registers, &fixed, &dynamic) == 12) {
    cudaOccDeviceProp device = {0};
    cudaOccFuncAttributes kernel = {0};
    cudaOccDeviceState state = {0};
    cudaOccResult result;
    device.computeMajor = major;
    device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = sm_threads;
    device.regsPerBlock = block_registers;
    device.regsPerMultiprocessor = sm_registers;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = sm_shared;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = block_shared;
    device.reservedSharedMemPerBlock = reserved;
    kernel.maxThreadsPerBlock = INT_MAX;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = fixed;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = dynamic;
    kernel.numBlockBarriers = 1;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    int error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic);
    if (error) printf("error %d\\n", error);
    else printf("%d %u\\n", result.activeBlocksPerMultiprocessor, result.limitingFactors);
  }
  return 0;
}
"""


def header_folder() -> str | None:
    """Where `cuda_occupancy.h` is: beside nvcc, in the usual places, or in NVIDIA's packages from PyPI."""
    nvcc = shutil.which("nvcc")
    beside = [str(Path(nvcc).resolve().parents[1] / "include")] if nvcc else []
    packages = [str(path.parent) for root in sys.path for path in Path(root).glob("nvidia/*/include/cuda_occupancy.h")]
    folders = (*beside, *HEADERS, *packages)
    return next((folder for folder in folders if Path(folder, "cuda_occupancy.h").exists()), None)


def ask(cases: Sequence[Case], folder: str) -> list[Answer]:
    """What the header in `folder` answers."""
    with tempfile.TemporaryDirectory() as scratch:
        source, program = Path(scratch, "ask.c"), Path(scratch, "ask")
        source.write_text(PROGRAM)
        subprocess.run(["gcc", "-O1", "-w", f"-I{folder}", "-o", program, source], check=True)
        lines = (" ".join(map(str, (c.capability, *astuple(PUBLISHED[c.capability]), *astuple(c)[1:]))) for c in cases)
        done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = []
    for line in done.stdout.splitlines():
        blocks, factors = map(int, line.split())
        answers.append(Answer(blocks, tuple(name for bit, name in RESOURCES.items() if factors & bit)))
    assert len(answers) == len(cases)
    return answers


def drawn(count: int, seed: int) -> list[Case]:
    """Launches that people write, at the edges of what fits, and beyond."""
    rng = random.Random(seed)
    cases = []
    for i in range(count):
        capability = list(PUBLISHED)[i % len(PUBLISHED)]
        most = PUBLISHED[capability].block_shared
        threads = rng.choice([rng.randint(1, 1100), rng.choice([32, 64, 128, 192, 256, 384, 512, 1024])])
        registers = rng.choice([rng.randint(0, 255), rng.choice([24, 32, 40, 48, 64, 96, 128, 168, 255, 257])])
        shared = rng.choice([0, rng.randint(0, 20 * K), rng.randint(0, most), rng.randint(most - 300, most + 300)])
        static = rng.randint(0, min(shared, 48 * K))
        cases.append(Case(capability, threads, registers, static, shared - static))
    return cases


def kept() -> list[tuple[Case, Answer]]:
    with CASES.open() as file:
        return [
            (Case(row[0], *map(int, row[1:5])), Answer(int(row[5]), tuple(row[6].split())))
            for row in list(csv.reader(file))[1:]
        ]


def write(cases: Iterable[Case], answers: Iterable[Answer]) -> None:
    with CASES.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["capability", "threads", "registers", "static", "dynamic", "blocks", "limited_by"])
        for case, answer in zip(cases, answers):
            writer.writerow([*astuple(case), answer.blocks, " ".join(answer.limited_by)])


def main(words: Sequence[str]) -> None:
    from tests.hwmodels.gpu.test_occupancy import ours

    folder = header_folder()
    assert folder is not None, "no cuda_occupancy.h: install a CUDA toolkit, or pip install nvidia-cuda-runtime"
    if list(words) == ["--write"]:
        cases = drawn(60 * len(PUBLISHED), 15)
        write(cases, ask(cases, folder))
        return
    cases = drawn(int(words[0]), 1)
    same = sum(ours(case) == answer for case, answer in zip(cases, ask(cases, folder)))
    sys.stdout.write(f"{folder}: {same:,} of {len(cases):,} launches on {len(PUBLISHED)} capabilities equal\n")


if __name__ == "__main__":
    from tests.hwmodels.gpu import calculator  # once, with the classes that the tests have

    calculator.main(sys.argv[1:])

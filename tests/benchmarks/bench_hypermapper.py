"""Requests a second that `tunepass hypermapper` answers over its pipes, by number of trials.

    python -m tests.benchmarks.bench_hypermapper [--trials 10000] [--parts 10] [--strategy random]

One configuration a request, which this client answers at once. Two tables: trials in memory, and in a store on disk
(`--store`). CPU is that of the server, user and system, by /proc. A request in a store waits once for the disk; the
last line says how many lines a second it takes alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARAMETERS = {
    "tile": {"parameter_type": "ordinal", "values": [4, 8, 16, 32, 64, 128]},
    "unroll": {"parameter_type": "integer", "values": [1, 1000]},
    "schedule": {"parameter_type": "categorical", "values": ["static", "dynamic", "guided"]},
    "ratio": {"parameter_type": "real", "values": [0, 1]},
}


def scenario(folder: Path, trials: int) -> Path:
    fields = {
        "application_name": "requests",
        "optimization_objectives": ["time"],
        "hypermapper_mode": {"mode": "client-server"},
        "run_directory": str(folder),
        "log_file": "log",
        "design_of_experiment": {"number_of_samples": 1},
        "optimization_iterations": trials - 1,
        "input_parameters": PARAMETERS,
    }
    path = folder / "scenario.json"
    path.write_text(json.dumps(fields))
    return path


def cpu_seconds(pid: int) -> float:
    """User and system time of a process (proc(5), stat fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(trials: int, parts: int, strategy: str, store: bool) -> None:
    """Print a row for each part of the requests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "tunepass", "hypermapper", str(scenario(folder, trials))]
        command += ["--strategy", strategy, *(["--store", str(folder / "store.db")] if store else [])]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert server.stdin is not None and server.stdout is not None
        began, used = time.perf_counter(), 0.0
        print(f"{'in a store on disk' if store else 'in memory'}\n  trials  requests/s  CPU ms a request")
        for number in range(1, trials + 1):
            first = server.stdout.readline()
            assert first == b"Request 1\n", first
            header, row = server.stdout.readline().strip(), server.stdout.readline().strip()
            server.stdin.write(header + b",time\n" + row + f",{number * 7919 % 1000 / 8}\n".encode())
            server.stdin.flush()
            if number % (trials // parts) == 0:
                now, cpu = time.perf_counter(), cpu_seconds(server.pid)
                count = trials // parts
                print(f"{number:8,} {count / (now - began):11,.0f} {1e3 * (cpu - used) / count:17.2f}", flush=True)
                began, used = now, cpu
        assert server.stdout.read() == b"End of HyperMapper\n" and server.wait() == 0


def disk_rate(seconds: float = 2.0) -> float:
    """Lines a second that the disk takes, each forced to it."""
    with tempfile.TemporaryFile() as file:
        count, end = 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            file.write(b"x" * 200)
            file.flush()
            os.fsync(file.fileno())
            count += 1
    return count / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--parts", type=int, default=10, help="rows of a table")
    parser.add_argument("--strategy", default="random")
    options = parser.parse_args()
    for store in (False, True):
        measure(options.trials, options.parts, options.strategy, store)
    print(f"the disk: {disk_rate():,.0f} lines/s")


if __name__ == "__main__":
    main()

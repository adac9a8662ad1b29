"""A client of HyperMapper's protocol: starts the tuner, evaluates what it asks for, and prints the best time.

With HYPERMAPPER_HOME in the environment it starts that one, as compilers do; else tunepass.
"""

import os
import subprocess
import sys
from pathlib import Path

SCENARIO = str(Path(__file__).parent / "scenario.json")


def time_of(tile: int, unroll: int, order: str) -> float:
    """A made-up cost in place of a compiler and a run."""
    strided = 1.5 if order.startswith("(1") else 1.0
    return strided * (abs(tile - 32) / 8 + 4 / unroll + 1)


def answers(header: list[str], rows: list[str]) -> list[str]:
    """The reply: each row with its time, and whether it fits the cache."""
    lines = [",".join([*header, "time", "Valid"])]
    for row in rows:
        tile, unroll, order = row.split(",", 2)
        lines.append(f"{row},{time_of(int(tile), int(unroll), order)},{int(int(tile) < 128)}")
    return lines


def main() -> None:
    home = os.environ.get("HYPERMAPPER_HOME")
    tuner = [f"{home}/scripts/hypermapper.py"] if home else ["-m", "tunepass", "hypermapper"]
    best = float("inf")
    with subprocess.Popen(
        [sys.executable, *tuner, SCENARIO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        while (request := child.stdout.readline()).startswith("Request "):
            header = child.stdout.readline().strip().split(",")
            rows = [child.stdout.readline().strip() for _ in range(int(request.split()[1]))]
            reply = answers(header, rows)
            for line in reply[1:]:
                seconds, valid = line.split(",")[-2:]
                best = min(best, float(seconds)) if valid == "1" else best
            child.stdin.write("\n".join([*reply, ""]))
            child.stdin.flush()
    sys.stdout.write(f"best time: {best:g}\n")


if __name__ == "__main__":
    main()

"""Runs a program under valgrind and prints what it printed, and how many instructions it executed.

python count_instructions.py PROGRAM [ARGUMENT ...]
"""

from __future__ import annotations

import re
import subprocess
import sys

WORDS = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


def main() -> int:
    done = subprocess.run([*WORDS, *sys.argv[1:]], capture_output=True, text=True, check=False)
    counted = re.search(r"I +refs: +([\d,]+)", done.stderr)
    print(done.stdout, end="")
    if counted is None:
        print(done.stderr, file=sys.stderr, end="")
        return done.returncode or 1
    print(f"instructions: {counted[1].replace(',', '')}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

"""Models of deep learning: what is read of them, what limits leave, what searches gain. One module a table.

    python -m tests.benchmarks.bench_dnn [NAME ...]

Without names all tables that need nothing but tunepass; `--list` says what each is about and what it needs.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from collections.abc import Mapping

TABLES: Mapping[str, tuple[str, ...]] = {  # a module of tests/benchmarks/dnn: what has to be installed for it
    "limits": (),
    "nasbench": (),
    "hpobench": (),
    "architectures": (),
    "searches": (),
    "onnx_graphs": ("onnx",),
}


def missing(name: str) -> list[str]:
    return [package for package in TABLES[name] if importlib.util.find_spec(package) is None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TABLES))
    parser.add_argument("--list", action="store_true", help="the tables and what they need")
    options = parser.parse_args()
    unknown = set(options.names) - set(TABLES)
    if unknown:
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    if options.list:
        for name, packages in TABLES.items():
            print(f"{name:16} {f'pip install {chr(32).join(packages)}' if packages else ''}".rstrip())
        return 0
    status = 0
    for name in options.names or TABLES:
        if missing(name):
            print(f"-- {name}: left out, it needs {', '.join(missing(name))}", flush=True)
            continue
        print(f"-- {name}", flush=True)
        status |= subprocess.run([sys.executable, "-m", f"tests.benchmarks.dnn.{name}"], check=False).returncode
    return status


if __name__ == "__main__":
    raise SystemExit(main())

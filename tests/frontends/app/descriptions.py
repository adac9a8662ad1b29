"""Descriptions of applications for tests."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.app.frontend import AppFrontend
from tunepass.frontends.base import Parsed
from tunepass.ir.kernel import Kernel

WHOLE = """\
name: solver
sources: [Makefile, src]
tools: [gcc]
parameters:
  OPT: {kind: categorical, values: [-O1, -O2, -O3], default: -O2, prior: [1, 2, 1], role: flag}
  UNROLL: {kind: integer, range: [1, 8], role: flag, form: "-funroll-loops --param max-unroll-times={}"}
  BLOCK: {kind: ordinal, values: [8, 16, 32], default: 16, log: true, prior: gaussian, role: macro}
  RATIO: {kind: real, range: [0.1, 2.5], default: 1.0, prior: [2, 5], role: argument, form: "{}"}
  CHECKS: {kind: categorical, values: [true, false], role: argument, form: "--checks={}"}
  THREADS: {kind: integer, range: [1, 2], role: environment, form: "OMP_NUM_THREADS={}"}
  ORDER: {kind: permutation, items: [i, j, k], default: [k, i, j], role: argument, form: "--order={}"}
constraints:
  - BLOCK % UNROLL == 0  # the remainder loop is slow
  - 'OPT == "-O3" or UNROLL <= 4'
build:
  commands:
    - make -s CFLAGS={FLAGS} OUT={build_dir}
    - [touch, "{build_dir}/{{done}}"]
  product: solver
  time_limit: 1m
run:
  command: ./solver --ratio {RATIO} {ARGUMENTS} 100
  metrics:
    - "time: {time} ms"
    - {json: result.0.rate, unit: GB/s, maximise: true}
  time_limit: 10s
  memory_limit: 512MB
  repeats: 5
check:
  command: [python3, "{source_dir}/check.py"]
  output: ["sum {sum}", {json: result.0.sum}]
  relative: 1e-9
"""


def described(text: str) -> Parsed:
    return AppFrontend().parse(Source("app/tune.yaml", text))


def kernel(text: str) -> Kernel:
    return described(text).kernels[0]

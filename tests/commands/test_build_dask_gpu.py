"""GPU kernels over a cluster: the trials are those of a local build, and the machines' devices are in the identity."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.commands.conftest import Folder
from tests.commands.test_build_dask import scheduler, trials_of  # noqa: F401
from tests.commands.test_build_dask_kinds import both
from tests.evaluators.gpu_run.kernels import some_device
from tunepass.backends.gpu import backend
from tunepass.evaluators.gpu_run import found

SCALE = """\
#pragma tunepass param B: ordinal(16, 64) = 64 log
#pragma tunepass param U: ordinal(1, 2, 3) = 1
#pragma tunepass constraint U < 3 or B == 64
#pragma tunepass kernel scale(n = 4096, x: in float[n], y: out float[n]) \\
    grid(ceildiv(n, B * U)) block(B) sizes(n = 1024)
#ifndef B
#define B 64
#define U 1
#endif
__kernel void scale(const int n, __global const float *x, __global float *y) {
    for (int k = 0; k < U; k++) {
        const int i = (get_group_id(0) * U + k) * B + get_local_id(0);
#if U == 2 && B == 16
        undeclared();
#endif
        if (i < n) y[i] = (U == 3 ? 3 : 2) * x[i];
    }
}
"""
BUILD = ("build", "scale.cl", "--device", "opencl", "--max-evals", "2", "--executor", "dask")


@pytest.fixture
def folder(folder: Folder) -> Folder:
    folder.write("scale.cl", SCALE)
    return folder


def need_pocl() -> None:
    pytest.importorskip("pyopencl", reason="OpenCL kernels need pyopencl")
    if not found.found_devices("opencl"):
        pytest.skip("no OpenCL device compiles; `pip install 'tunepass[pocl]'` brings one")


@pytest.mark.gpu
@pytest.mark.slow
def test_an_opencl_kernel_has_the_trials_of_a_local_build(folder: Folder, scheduler: str) -> None:  # noqa: F811
    need_pocl()
    words = ("--device", "opencl", "--variants", "1", "--max-evals", "5")
    answer = both(folder, scheduler, "scale.cl", *words, timed=True)
    assert answer["trials"] == 5 and answer["failures"] == {"compile": 1, "wrong_result": 1}
    (device,) = (each for each in found.found_devices("opencl") if each.address == "opencl:0")
    identity = dict(trials_of(folder, timed=True)["study"][1])  # type: ignore[call-overload]
    assert answer["device"] == identity["device"] == f"opencl:0 {device.device.name}"
    assert identity["compiler"] == device.device.version


@pytest.mark.gpu
@pytest.mark.slow
def test_this_machine_need_not_have_the_device_and_each_size_is_measured_there(
    folder: Folder,
    scheduler: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need_pocl()
    monkeypatch.setattr(backend, "found_devices", lambda driver: ())
    done = folder.run(*BUILD, "--scheduler", scheduler, "--format", "json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer["sizes"]) == 2 and "out/scale.dispatch.h" in answer["outputs"]


def pretend(*names: str) -> None:
    """This process has OpenCL devices of these names; without any, no pyopencl."""
    devices = tuple(replace(some_device(), name=name) for name in names)
    found.devices_of = lambda driver: devices if driver == "opencl" else ()  # type: ignore[assignment]
    found.may_be_there = backend.may_be_there = lambda driver: bool(devices)  # type: ignore[attr-defined]


def stop_pretending() -> None:
    importlib.reload(found)
    backend.may_be_there = found.may_be_there  # type: ignore[attr-defined]


class Workers:
    """Two workers whose processes can be changed."""

    def __init__(self, client: object):
        self.client, self.addresses = client, sorted(client.nthreads())  # type: ignore[attr-defined]

    def pretend(self, number: int, *names: str) -> None:
        self.client.run(pretend, *names, workers=[self.addresses[number]])  # type: ignore[attr-defined]


@pytest.fixture
def workers(scheduler: str) -> Iterator[Workers]:  # noqa: F811
    with importlib.import_module("distributed").Client(scheduler) as client:
        yield Workers(client)
        client.run(stop_pretending)


def test_machines_with_several_devices_are_a_diagnostic_or_a_choice(
    folder: Folder,
    scheduler: str,  # noqa: F811
    workers: Workers,
) -> None:
    workers.pretend(0, "Arc A770")
    workers.pretend(1, "Radeon 780M")
    done = folder.run(*BUILD, "--scheduler", scheduler)
    assert done.returncode == 2 and "machines of several identities" in done.stderr, done.stderr
    assert "1 x opencl:0 Arc A770" in done.stderr and "--machine TEXT" in done.stderr
    done = folder.run(*BUILD, "--scheduler", scheduler, "--machine", "Tesla")
    assert done.returncode == 2 and "no worker's host, processor or compiler has 'Tesla' in it" in done.stderr
    assert folder.files() == {"scale.cl", "scale.c"}


def test_workers_without_the_extra_or_the_device_are_told_with_host_and_extra(
    folder: Folder,
    scheduler: str,  # noqa: F811
    workers: Workers,
) -> None:
    workers.pretend(0)
    workers.pretend(1)
    done = folder.run(*BUILD, "--scheduler", scheduler)
    assert done.returncode == 2 and "pip install 'tunepass[opencl]'" in done.stderr, done.stderr
    host = importlib.import_module("socket").gethostname()
    assert f" on {host}: scale.cl: OpenCL kernels need pyopencl, which is not installed" in done.stderr
    workers.pretend(0, "Arc A770")
    workers.pretend(1, "Arc A770")
    done = folder.run("build", "scale.cl", "--device", "opencl:3", "--executor", "dask", "--scheduler", scheduler)
    assert done.returncode == 2 and "there is no device 'opencl:3' here" in done.stderr, done.stderr
    assert "opencl:0 (Arc A770)" in done.stderr and f" on {host}: " in done.stderr

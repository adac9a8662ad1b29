"""The build's end of a worker process: started when it is needed, asked one thing at a time, ended when it fails."""

from __future__ import annotations

import contextlib
import functools
import mmap
import os
import select
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tunepass.compilers.asking import base_environment
from tunepass.diagnostics import ToolError
from tunepass.evaluators.gpu_run import protocol
from tunepass.evaluators.gpu_run.protocol import Device, Message, ProtocolError
from tunepass.evaluators.process.failures import run_failure
from tunepass.evaluators.process.protection import Trust
from tunepass.evaluators.process.run import Completed, Limits, ProgramStop, run_limited
from tunepass.study.outcome import FAILURE_STAGES, Failed

DAY_S = 86400.0
START_S = 60.0  # that a worker may take to open its device
PATIENCE_S = 5.0  # for a worker to end, and for what it did to be cleared away
PIECE = 1 << 16  # bytes read at a time
LIMITS = Limits(wall_s=DAY_S, memory_bytes=None, limit_reservations=False)


class WorkerFailed(Exception):
    """A request failed. `lost`: the worker is gone, or was ended because its device is in doubt."""

    def __init__(self, failure: Failed, lost: bool):
        super().__init__(failure.log)
        self.failure, self.lost = failure, lost


class TooLarge(Exception):
    """The device lacks what the launch needs; the message names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSetting:
    """Which device of which driver, and the surroundings of the process that holds it. A driver of GPUs asks for more
    than the strictest `trust` lets through; where the processor poses as the device, kernels run in that process."""

    driver: str  # opencl, cuda
    number: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = LIMITS
    trust: Trust = "program"


class Session:
    """One worker process and the arena that it shares with us."""

    def __init__(self, setting: WorkerSetting, folder: Path):
        """The worker keeps its files in `folder`."""
        self.setting = setting
        self.folder = folder
        self._received = b""
        self._arena_file = os.memfd_create("tunepass-arena")
        self._arena: mmap.mmap | None = None
        self._stop = ProgramStop()
        self._done: Completed | None = None
        self._error: Exception | None = None
        self._socket, theirs = socket.socketpair()
        self._thread = threading.Thread(target=self._run, args=(theirs,), name="gpu worker", daemon=True)
        self._thread.start()

    def _run(self, theirs: socket.socket) -> None:
        place = os.fspath(self.folder)
        caches = {"HOME": place, "XDG_CACHE_HOME": place, "POCL_CACHE_DIR": f"{place}/pocl", "CUDA_CACHE_PATH": place}
        try:
            with theirs:
                self._done = run_limited(
                    [sys.executable, "-I", "-m", "tunepass.evaluators.gpu_run.worker", self.setting.driver],
                    limits=self.setting.limits,
                    cwd=place,
                    env=base_environment({**caches, **self.setting.environment}),
                    trust=self.setting.trust,
                    scratch=place,
                    descriptors=(theirs.fileno(), self._arena_file),
                    stop=self._stop,
                )
        except KeyboardInterrupt:
            pass  # it was stopped
        except Exception as error:
            self._error = error

    def arena(self, size: int) -> memoryview:
        """The first `size` bytes of the shared memory, which grows when need be."""
        if self._arena is None or len(self._arena) < size:
            os.ftruncate(self._arena_file, size)
            self._arena = mmap.mmap(self._arena_file, size)
        return memoryview(self._arena)[:size]

    def ask(self, message: Message, wall_s: float) -> Message:
        """The worker's answer. Raises TooLarge and WorkerFailed, also where nothing is answered within `wall_s`."""
        try:
            self._socket.sendall(protocol.encoded(message))
            answer = protocol.decoded(self._line(time.monotonic() + wall_s))
        except TimeoutError:
            self.close(gently=False)
            raise WorkerFailed(Failed("timeout", f"it did not end within {wall_s:.3g} s"), lost=True) from None
        except ProtocolError as error:
            self.close(gently=False)
            raise WorkerFailed(Failed("cheated", f"the report is not the worker's: {error}"), lost=True) from None
        except OSError:
            raise WorkerFailed(self._ending(), lost=True) from None
        match answer:
            case protocol.Refused(limit):
                raise TooLarge(limit)
            case protocol.Broken(stage, log, doubtful):
                if doubtful:
                    self.close()
                raise WorkerFailed(Failed(stage if stage in FAILURE_STAGES else "run", log), lost=doubtful)
            case _:
                return answer

    def _line(self, until: float) -> bytes:
        """Raises TimeoutError, ProtocolError for a line that has no end, and ConnectionError where nobody is there."""
        while b"\n" not in self._received:
            if len(self._received) > protocol.LONGEST:
                raise ProtocolError(f"a line of more than {protocol.LONGEST:,} bytes")
            ready, _, _ = select.select([self._socket], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError
            piece = self._socket.recv(PIECE)
            if not piece:
                raise ConnectionError
            self._received += piece
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _ending(self) -> Failed:
        """How the worker ended, which nobody asked it to."""
        self._thread.join(PATIENCE_S)
        self.close(gently=False)
        if self._error is not None:
            raise ToolError(f"the worker of the device cannot be run: {self._error}") from self._error
        failure = run_failure(self._done, self.setting.limits) if self._done is not None else None
        return failure or Failed("crash", "the kernel ended the worker that ran it")

    def close(self, gently: bool = True) -> None:
        """End the worker; may be called twice. `gently`: one that waits for its next order ends by itself."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if gently:
            self._thread.join(PATIENCE_S)
        self._stop.end()
        self._thread.join(PATIENCE_S)
        self._socket.close()
        self._arena = None
        if self._arena_file >= 0:
            os.close(self._arena_file)
        self._arena_file = -1


@functools.cache
def devices_of(driver: str) -> tuple[Device, ...]:
    """Devices of a driver on this machine, by number; () without such a driver."""
    with tempfile.TemporaryDirectory(prefix="tunepass-") as folder:
        session = Session(WorkerSetting(driver=driver), Path(folder))
        try:
            answer = session.ask(protocol.ListDevices(), START_S)
        except WorkerFailed:
            return ()
        finally:
            session.close()
    return answer.devices if isinstance(answer, protocol.Devices) else ()

"""The worker of a search: started when it is needed and again after each that was lost; what it has loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeVar

import numpy as np

from tunepass.diagnostics import ToolError
from tunepass.evaluators.gpu_run import protocol
from tunepass.evaluators.gpu_run.contents import BufferLayout, Bytes, ContentsCase
from tunepass.evaluators.gpu_run.protocol import Argument, Device, LaunchWords, Loaded, Plan
from tunepass.evaluators.gpu_run.session import Session, TooLarge, WorkerFailed, WorkerSetting, devices_of
from tunepass.evaluators.gpu_run.task import Module
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.evaluators.process.workspace import Workspace
from tunepass.ir.gpu_call import CalledScalar, GpuCall
from tunepass.study.outcome import Failed

ALLOCATE_S = 60.0
IMAGES = 6  # contents of the arena that are kept: all cases of two layouts
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Launched:
    """The arena before and after; seconds by the device's clock are in the answer."""

    before: Bytes
    after: Bytes


@dataclass(frozen=True, slots=True)
class Begun:
    """A launch that was begun: its module's key, and the arena before it and as it will be."""

    key: str
    before: Bytes
    arena: Bytes


@dataclass(frozen=True, slots=True)
class LaunchProgram:
    """A module and a launch of its function."""

    module: Module
    call: GpuCall
    layout: BufferLayout
    words: LaunchWords

    @classmethod
    def of(cls, module: Module, call: GpuCall) -> LaunchProgram:
        return cls(module, call, BufferLayout.of(call.buffers), words_of(call))


class Holder:
    """Not for several threads at once."""

    def __init__(self, setting: WorkerSetting, workspace: Workspace, compile_s: float):
        self.setting, self._workspace, self._compile_s = setting, workspace, compile_s
        self._session: Session | None = None
        self._device: Device | None = None
        self._launched = False  # the worker has run kernels, of which one may have done harm to it
        self._layout: BufferLayout | None = None
        self._loaded: dict[Module, tuple[str, Loaded]] = {}
        self._keys = count()
        self._images: dict[tuple[BufferLayout, ContentsCase], Bytes] = {}

    @property
    def device(self) -> Device:
        """Starts the worker if need be. Raises ToolError where there is no such device."""
        self._open()
        assert self._device is not None
        return self._device

    def retire(self) -> None:
        """End the worker: its device is in doubt."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
            remove_folder(session.folder)

    def attempt(self, action: Callable[[], Answer]) -> Answer:
        """The action, in a new worker where one is lost that others' kernels may have harmed. Raises WorkerFailed and
        TooLarge."""
        harmed = self._session is not None and self._launched
        try:
            return action()
        except WorkerFailed as failed:
            if not (failed.lost and harmed) or failed.failure.stage == "timeout":
                raise
            return action()

    def load(self, module: Module) -> Loaded:
        """Raises WorkerFailed."""
        self._open()
        if module not in self._loaded:
            key = f"module {next(self._keys)}"
            order = protocol.Load(key, str(module.file), module.function, module.words)
            with self._compiling("timeout", "crash", "memory"):
                answer = self._ask(order, self._compile_s)
            assert isinstance(answer, Loaded)
            self._loaded[module] = key, answer
        return self._loaded[module][1]

    def holds(self, module: Module) -> bool:
        return self._session is not None and module in self._loaded

    def unload(self, module: Module) -> None:
        key, _ = self._loaded.pop(module, ("", None))
        if key and self._session is not None:
            try:
                self._ask(protocol.Unload(key), ALLOCATE_S)
            except WorkerFailed:  # its outcome is known, and nobody waits for this
                self.retire()

    def begin(self, program: LaunchProgram, case: ContentsCase) -> Begun:
        """Launch once. Raises WorkerFailed and TooLarge."""
        before, arena = self._ready(program, case)
        key = self._loaded[program.module][0]
        with self._compiling("timeout"):  # a kernel may have begun, and crash
            self._ask(protocol.Begin(key, program.words), self._compile_s)
        return Begun(key, before, arena)

    def finish(self, begun: Begun, wall_s: float) -> tuple[Launched, float]:
        """Outputs of the launch, and its seconds. Raises WorkerFailed."""
        answer = self._ask(protocol.Finish(begun.key), wall_s)
        assert isinstance(answer, protocol.Ran)
        return Launched(begun.before, begun.arena.copy()), answer.seconds

    @contextmanager
    def _compiling(self, *stages: str) -> Iterator[None]:
        """A worker that is lost in these stages is lost to the driver's compiler."""
        try:
            yield
        except WorkerFailed as failed:
            if failed.lost and failed.failure.stage in stages:
                log = f"the driver's compiler: {failed.failure.log}"
                raise WorkerFailed(Failed("compile", log), lost=True) from None
            raise

    def time(
        self, program: LaunchProgram, case: ContentsCase, plan: Plan, wall_s: float
    ) -> tuple[Launched, protocol.Timed]:
        """Outputs of the last launch, and the samples. Raises WorkerFailed and TooLarge."""
        before, arena = self._ready(program, case)
        answer = self._ask(protocol.Time(self._loaded[program.module][0], program.words, plan), wall_s)
        assert isinstance(answer, protocol.Timed)
        return Launched(before, arena.copy()), answer

    def energy(self, program: LaunchProgram, case: ContentsCase, seconds: float, wall_s: float) -> protocol.Energy:
        self._ready(program, case)
        answer = self._ask(protocol.MeasureEnergy(self._loaded[program.module][0], program.words, seconds), wall_s)
        assert isinstance(answer, protocol.Energy)
        return answer

    def _open(self) -> Session:
        if self._session is None:
            if self._device is None:
                self._choose_trust()
            self._layout, self._loaded, self._launched = None, {}, False
            self._session = Session(self.setting, self._workspace.new())
            try:
                answer = self._session.ask(protocol.Open(self.setting.number), ALLOCATE_S)
            except WorkerFailed as failed:
                self.retire()
                raise ToolError(self._no_device(), hint=failed.failure.log) from None
            assert isinstance(answer, Device)
            self._device = answer
        return self._session

    def _choose_trust(self) -> None:
        """A kernel that runs on the processor has the worker's rights: none that it could use."""
        devices = devices_of(self.setting.driver) if not self.setting.environment else ()
        if (
            self.setting.trust == "program"
            and self.setting.number < len(devices)
            and not devices[self.setting.number].is_gpu
        ):
            self.setting = replace(self.setting, trust="kernel")

    def _no_device(self) -> str:
        return f"the {self.setting.driver} device {self.setting.number} cannot be used"

    def _ready(self, program: LaunchProgram, case: ContentsCase) -> tuple[Bytes, Bytes]:
        """The module is loaded and the arena filled: what it holds, and itself."""
        self.load(program.module)
        self._allocate(program.layout)
        image = self._image(program.layout, case)
        arena = np.frombuffer(self._open().arena(program.layout.size), np.uint8)
        arena[:] = image
        self._launched = True
        return image, arena

    def _allocate(self, layout: BufferLayout) -> None:
        if self._layout is None or self._layout.places != layout.places:
            self._layout = None
            self._open().arena(layout.size)
            self._ask(protocol.Allocate(layout.size, layout.places), ALLOCATE_S)
        self._layout = layout

    def _image(self, layout: BufferLayout, case: ContentsCase) -> Bytes:
        cached = self._images.pop((layout, case), None)
        image = layout.image(case) if cached is None else cached
        self._images[layout, case] = image
        if len(self._images) > IMAGES:
            del self._images[next(iter(self._images))]
        return image

    def _ask(self, message: protocol.Message, wall_s: float) -> protocol.Message:
        session = self._open()
        try:
            return session.ask(message, wall_s)
        except WorkerFailed as failed:
            if failed.lost:
                self.retire()
            raise
        except BaseException as error:  # an interrupt: who knows what the worker does now
            if not isinstance(error, TooLarge):
                self.retire()
            raise


def words_of(call: GpuCall) -> LaunchWords:
    """The call as the worker is told it."""
    numbers = {buffer.name: number for number, buffer in enumerate(call.buffers)}
    arguments = []
    for argument in call.in_order:
        if isinstance(argument, CalledScalar):
            arguments.append(Argument("scalar", data=_scalar(argument).hex()))
        elif argument.memory == "local":
            arguments.append(Argument("local", argument.bytes))
        else:
            arguments.append(Argument("buffer", numbers[argument.name]))
    return LaunchWords(call.grid, call.block, call.dynamic_shared, tuple(arguments))


def _scalar(argument: CalledScalar) -> bytes:
    data = bytearray(argument.element.bytes)
    for number in argument.element.numbers:
        value = np.array(argument.value).astype(number.dtype).tobytes()
        data[number.offset : number.offset + len(value)] = value
    return bytes(data)

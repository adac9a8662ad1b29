"""Protocol between a build and the worker that owns a device: one message a line, as JSON.

Arrays do not travel: both have the arena, a piece of shared memory, in their address space. On a CPU that poses as a
device the kernel shares the worker's process, so any line may be the kernel's: each is held to its form.
"""

from __future__ import annotations

import json
import types
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Literal, TypeVar, get_args, get_origin, get_type_hints

from tunepass.ir.gpu_call import Three

LONGEST = 4 << 20  # bytes of a line
ArgumentKind = Literal["buffer", "scalar", "local"]


class ProtocolError(Exception):
    """A line that neither side writes; the message says why."""


# --- values within messages


@dataclass(frozen=True, slots=True)
class Place:
    """A buffer with its guard zones: `size` bytes, `guard` bytes before and behind, the first of them at `start` in the
    arena. `written`: the kernel may change it. `symbol`: its name in the module, where it is no argument."""

    size: int
    guard: int
    start: int
    written: bool
    symbol: str = ""

    @property
    def whole(self) -> int:
        return self.size + 2 * self.guard


@dataclass(frozen=True, slots=True)
class Argument:
    """A buffer by its number, a scalar by its bytes (in hexadecimal digits), or `number` bytes of local memory."""

    kind: ArgumentKind
    number: int = 0
    data: str = ""


@dataclass(frozen=True, slots=True)
class LaunchWords:
    grid: Three
    block: Three
    dynamic_shared: int
    arguments: tuple[Argument, ...]


# --- what the worker is told


@dataclass(frozen=True, slots=True)
class ListDevices:
    """Request for the list of devices; none is reserved."""


@dataclass(frozen=True, slots=True)
class Open:
    """Take the device of that number."""

    number: int


@dataclass(frozen=True, slots=True)
class Allocate:
    """Have these buffers and no others; the arena has `arena` bytes now."""

    arena: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """Load a module from the file and find the function in it; what is source is built with the `options` first."""

    key: str
    path: str
    function: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unload:
    key: str


@dataclass(frozen=True, slots=True)
class Begin:
    """Copy the arena to the buffers and launch; done when the kernel runs, which some drivers compile before."""

    key: str
    launch: LaunchWords


@dataclass(frozen=True, slots=True)
class Finish:
    """Wait for the launch that was begun, and copy the buffers back."""

    key: str


@dataclass(frozen=True, slots=True)
class Plan:
    """measure.timing.MeasurePlan in the worker's words; 0: no `cutoff_s`."""

    warmup_s: float
    budget_s: float
    precision: float
    least: int
    most: int
    probe: int
    cutoff_s: float


@dataclass(frozen=True, slots=True)
class Time:
    """As `Begin` and `Finish`, with many launches; before each of them the written buffers are as in the arena and the
    caches are flushed."""

    key: str
    launch: LaunchWords
    plan: Plan


@dataclass(frozen=True, slots=True)
class MeasureEnergy:
    """Launch for so long and take the device's energy meanwhile."""

    key: str
    launch: LaunchWords
    seconds: float


# --- what the worker answers


@dataclass(frozen=True, slots=True)
class Device:
    """The driver's description of a device; 0 or empty where it has none. `capability` is `8.0` or empty."""

    name: str
    vendor: str
    version: str
    is_gpu: bool
    threads: int  # of a block, at most
    block: Three
    grid: Three
    shared_byte: int  # of a block
    memory_byte: int
    l2_byte: int
    multiprocessors: int
    clock_mhz: int
    memory_clock_mhz: int = 0
    memory_bus_bit: int = 0
    registers: int = 0  # of a multiprocessor
    shared_per_multiprocessor_byte: int = 0
    threads_per_multiprocessor: int = 0
    blocks_per_multiprocessor: int = 0
    warp: int = 0
    capability: str = ""
    counts_energy: bool = False
    trouble: str = ""  # why its compiler makes no kernel at all


@dataclass(frozen=True, slots=True)
class Devices:
    """By number."""

    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing to say."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """-1 where the driver does not say. `threads`: of a block of this function, at most."""

    registers: int
    shared_byte: int
    local_byte: int
    threads: int
    log: str


@dataclass(frozen=True, slots=True)
class Ran:
    seconds: float


@dataclass(frozen=True, slots=True)
class Clock:
    """Clock of the multiprocessors, and the cause of a low one if the device reports it."""

    mhz: int = 0
    throttled: str = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of each launch by the device's own clock; `cut`: it was clearly slower than the cutoff."""

    samples_s: tuple[float, ...]
    cut: bool
    before: Clock
    after: Clock


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy of one launch; the power meanwhile includes what the device draws for being there."""

    joule: float
    launches: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The device has not the resources that the launch needs."""

    limit: str


@dataclass(frozen=True, slots=True)
class Broken:
    """It failed at that stage. `device`: the device's state is in doubt, so the worker has to go."""

    stage: str
    log: str
    device: bool = True


Message = (
    ListDevices | Open | Allocate | Load | Unload | Begin | Finish | Time | MeasureEnergy
    | Devices | Device | Done | Loaded | Ran | Timed | Energy | Refused | Broken
)  # fmt: skip
KINDS: dict[str, type[Message]] = {kind.__name__: kind for kind in get_args(Message)}
AnyValue = TypeVar("AnyValue")
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def encoded(message: Message) -> bytes:
    return json.dumps([type(message).__name__, _plain(message)], separators=(",", ":")).encode() + b"\n"


def decoded(line: bytes) -> Message:
    """Raises ProtocolError for what is no message, or has other fields than its kind."""
    try:
        read: Json = json.loads(line)
    except (ValueError, RecursionError):
        raise ProtocolError(f"the line {line[:80]!r} is no JSON") from None
    match read:
        case [str(name), dict(values)] if name in KINDS:
            return _record(KINDS[name], values)
        case _:
            raise ProtocolError(f"the line {line[:80]!r} is no message")


def _plain(value: object) -> Json:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    assert value is None or isinstance(value, (bool, int, float, str))
    return value


def _record(kind: type[AnyValue], values: dict[str, Json]) -> AnyValue:
    types_of = get_type_hints(kind)
    needed = {field.name for field in fields(kind) if field.default is MISSING}  # type: ignore[arg-type]
    if not needed <= set(values) <= set(types_of):
        raise ProtocolError(f"{kind.__name__} has fields {sorted(types_of)}, got {sorted(values)}")
    return kind(**{name: _value(types_of[name], value) for name, value in values.items()})


def _value(kind: object, value: Json) -> object:
    match get_origin(kind):
        case origin if origin is tuple:
            items = get_args(kind)
            if isinstance(value, list) and items[1:] == (...,):
                return tuple(_value(items[0], item) for item in value)
            if isinstance(value, list) and len(value) == len(items):
                return tuple(_value(item, given) for item, given in zip(items, value, strict=True))
        case origin if origin is Literal:
            if value in get_args(kind):
                return value
        case types.NoneType | None if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        case _ if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
            return _record(kind, value)
        case _ if isinstance(kind, type) and type(value) is kind:
            return value
    raise ProtocolError(f"{value!r:.80} is no {getattr(kind, '__name__', kind)}")

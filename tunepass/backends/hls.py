"""C for high-level synthesis: priced by the model of a device, or by what a synthesis tool on the PATH reports.

Words after `--` name the tool: `tunepass build k.cpp --device vu9p -- vitis_hls --part xcu200-fsgd2104-2-e --clock 4`.
`--part`, `--clock` (ns) and `--timeout` (s) are read here, other words are the tool's. A configuration is synthesised
as a source of its own with its values in the pragmas; nothing is run on a board, so all values are estimates.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from tunepass.backends.base import Starts, Target, cost_model
from tunepass.backends.model import NO_RESTRICTIONS
from tunepass.backends.trained import TrainedBackend
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.model import ModelEvaluator
from tunepass.evaluators.synthesised import SynthesisedModel
from tunepass.evaluators.toolchains.synthesis.reports import FOLDER, USUAL_WALL_S, SynthesisReports
from tunepass.evaluators.toolchains.synthesis.tools import USUAL_CLOCK_NS, Design, Tool, VitisHls, find, tool_class
from tunepass.expr.algebra import number
from tunepass.files import user_cache
from tunepass.frontends.base import SIZE
from tunepass.hwmodels.base import Costs, ModelError
from tunepass.ir.candidate import Candidate
from tunepass.ir.graph import Training
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate

PARTS = {  # what tools call the devices that models know
    "vu9p": "xcvu9p-flgb2104-2-i",
    "zcu102": "xczu9eg-ffvb1156-2-e",
    "kintex-7": "xc7k325tffg900-2",
}
ACCELERATOR = "accelerator"  # the hardware model of designs that are no FPGA's
OURS = ("--part", "--clock", "--timeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A synthesis command as the user wrote it: the program, what is read here, and the tool's own words."""

    program: str
    part: str = ""
    clock_ns: float | None = None
    wall_s: float = USUAL_WALL_S
    rest: tuple[str, ...] = ()

    @classmethod
    def of(cls, command: Sequence[str]) -> Words:
        """Raises TunepassError for a word without its value, or a value that is no positive number."""
        given: dict[str, str] = {}
        rest: list[str] = []
        words = iter(command[1:])
        for word in words:
            name, equals, value = word.partition("=")
            if name not in OURS:
                rest.append(word)
                continue
            value = value if equals else next(words, "")
            if not value:
                raise TunepassError(f"{name} of {command[0]} has no value", hint=f"write {name} and what it is")
            given[name] = value
        return cls(
            program=command[0],
            part=given.get("--part", ""),
            clock_ns=_positive("--clock", given["--clock"], "ns") if "--clock" in given else None,
            wall_s=_positive("--timeout", given["--timeout"], "s") if "--timeout" in given else USUAL_WALL_S,
            rest=tuple(rest),
        )


class HlsBackend(TrainedBackend):
    kind: ClassVar[str] = HlsKernel.kind
    family: ClassVar[str] = "hls"
    takes_compiler: ClassVar[bool] = True
    unfit: ClassVar[str] = "the rate and the limits of the device"

    def __init__(self, kernel: Kernel, target: Target):
        self.words = Words.of(target.compiler) if target.compiler else None
        super().__init__(kernel, target)
        if self.words is not None and self.training.run is not None:
            raise TunepassError(
                f"{kernel.source.name} has a command that measures it, and {self.words.program} reports of it too",
                hint="leave out what follows --, or the `hls run` line",
            )
        if self.words is not None:
            self._check_tool(self.words)

    def _check_tool(self, words: Words) -> None:
        kind, suffix = tool_class(words.program), Path(self.kernel.source.name).suffix
        if kind is None:
            find(words.program)  # says which there are
        elif suffix not in kind.suffixes:
            raise TunepassError(
                f"{words.program} takes no {suffix} sources; {self.kernel.source.name} is one",
                hint=f"it takes {', '.join(kind.suffixes)}",
            )
        elif kind is VitisHls and not (words.part or self.device in PARTS):
            raise TunepassError(
                f"{words.program} synthesises for a part, and {self.device} is none that is known",
                hint="name it: --part xcu200-fsgd2104-2-e",
            )

    @property
    def body(self) -> HlsKernel:
        return self.kernel.body_as(HlsKernel)

    @cached_property
    def tool(self) -> Tool | None:
        """None where nothing is synthesised. ToolError where the one that the user names is not there."""
        if self.words is None or self.target.starts < Starts.COMPILER:
            return None
        return find(self.words.program)

    @classmethod
    def family_of(cls, device: str | None) -> str:
        """Accelerators have a model of their own; other devices are FPGAs."""
        try:
            cost_model(ACCELERATOR).summary(device or "")
        except ModelError:
            return cls.family
        return ACCELERATOR

    @property
    def training(self) -> Training:
        return self.body.training

    @property
    def measures(self) -> bool:  # type: ignore[override]
        return self.words is not None or super().measures

    @property
    def only_priced(self) -> bool:
        return self.training.run is None

    @property
    def basis(self) -> str:
        costs = self._costs
        if not self.only_priced:
            return ""
        if self.tool is None:
            return f"by {costs.name}, for {self.device}; nothing was synthesised or run"
        return f"by {self.tool.version}, for {self.device}; nothing was run on a board"

    def costs(self) -> Costs:
        """What a tool decides, the model only expects: it forbids nothing."""
        return replace(super().costs(), expected=self.words is not None)

    def objectives(self) -> tuple[Objective, ...]:
        """With a tool the cycles, within what the device has; else as of all that models price."""
        if self.words is None or self.target.objectives:
            return super().objectives()
        return super().objectives()[:1]

    def identity(self, space: Space) -> Identity:
        identity = super().identity(space)
        if self.words is None:
            return identity
        synthesised = "" if self.tool is None else f"{self.tool.version}, {identity.compiler}"
        return replace(identity, compiler=synthesised, flags=(*self.target.compiler, *identity.flags))

    @classmethod
    def takes(cls, compiler: tuple[str, ...]) -> bool:
        return tool_class(compiler[0]) is not None

    @classmethod
    def may_be_asked(cls, flags: tuple[str, ...]) -> bool:
        return True  # a tool is asked its version with none of these words

    @classmethod
    def usual_compiler(cls, flags: tuple[str, ...], language: str = "c") -> tuple[str, ...]:
        """The tool and its words stand before what else the flags of an identity have."""
        if not flags or tool_class(flags[0]) is None:
            return ()
        return tuple(word for word in flags if word != NO_RESTRICTIONS and not word.startswith(SIZE))

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> Target:
        return replace(super().target_of(identity, objectives), compiler=cls.usual_compiler(identity.flags))

    def evaluator(self) -> AbstractContextManager[Evaluate] | None:
        if self.tool is None or self.words is None:
            return super().evaluator()
        costs, names = self._costs, tuple(o.name for o in self.objectives())
        priced = {name: costs.values[name] for name in (*names, "cycles", "seconds") if name in costs.values}
        reports = SynthesisReports(self.tool, self.design, wall_s=self.words.wall_s, folder=user_cache(FOLDER))
        default = Space(self.kernel.parameters, self.kernel.constraints).default
        model = ModelEvaluator(self.kernel.parameters, priced, {})
        return SynthesisedModel(reports, self.lower, model, names, costs.limits, default)

    @property
    def design(self) -> Design:
        """All that is synthesised but the text."""
        assert self.words is not None
        stated = self.body.clock_hz
        clock_hz = None if stated is None else number(stated)
        if stated is not None and clock_hz is None and self.words.clock_ns is None:
            raise TunepassError(
                f"the clock of {self.body.function} is a parameter, and {self.words.program} makes all designs for one",
                hint="name it: --clock 4 (ns), or leave the tool out, so that the model prices each clock",
            )
        target_ns = 1e9 / clock_hz if clock_hz else USUAL_CLOCK_NS
        source = Path(self.kernel.source.name)
        return Design(
            text="",
            suffix=source.suffix,
            function=self.body.function,
            part=self.words.part or PARTS.get(self.device, ""),
            clock_ns=self.words.clock_ns or target_ns,
            folder=source.absolute().parent,
            words=self.words.rest,
        )

    def lower(self, configuration: Configuration) -> Candidate:
        """The source with the configuration's values."""
        values = self.kernel.filled(configuration)
        choices = tuple(Choice(p.name, values[p.name]) for p in self.kernel.parameters)
        return self.candidate([self.kernel.scheduled(choices)])


def _positive(name: str, text: str, unit: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e7:
        raise TunepassError(f"{name} is a number of {unit}, got {text!r}", hint=f"such as {name} 4")
    return value

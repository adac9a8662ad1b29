"""Tensor kernels: C generated for each schedule, compiled and run on this machine with the data that they bind."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tunepass.backends import base
from tunepass.backends.c.backend import CBackend, HostBackend, check_host, timed_or_counted
from tunepass.backends.stated import stated_costs
from tunepass.compilers.named import usual_command
from tunepass.diagnostics import ToolError
from tunepass.files import encoded, scratch_folder
from tunepass.hwmodels.base import Costs
from tunepass.ir.candidate import Candidate, Lower
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.ir.tensor import BoundFile, TensorKernel
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.identity import Identity, source_hash
from tunepass.study.manifest import Manifest, Part
from tunepass.study.objective import Objective
from tunepass.study.space_description import space_hash

if TYPE_CHECKING:
    from tunepass.backends.tensor.data import DataSet
    from tunepass.evaluators.compile_run import CompileRun

DEFAULT_FLAGS = ("-O3", "-march=native")
RETURNS = ("and returns 0; 1 where the schedule states an extent that does not hold; 2 where memory lacks.",)
TACO = "taco"  # the generator that is a program of that name
CACHE = (".tunepass", "data")  # folders beside the source


def cache_folder(folder: Path) -> Path:
    """Where packed data are kept: beside the source, or with the user's other caches where nothing can be written."""
    subfolder = folder.joinpath(*CACHE)
    nearest = next(place for place in (subfolder, *subfolder.absolute().parents) if place.exists())
    if os.access(nearest, os.W_OK):
        return subfolder
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "tunepass", "data")


class TensorBackend(HostBackend):
    kind: ClassVar[str] = TensorKernel.kind
    measures: ClassVar[bool] = True
    compiles: ClassVar[bool] = True
    generators: ClassVar[tuple[str, ...]] = (TACO,)

    def __init__(self, kernel: Kernel, target: base.Target):
        super().__init__(kernel, target)
        check_host(target)
        self.body = kernel.body_as(TensorKernel)
        self.command = target.compiler or usual_command(DEFAULT_FLAGS)

    def objectives(self) -> tuple[Objective, ...]:
        """The time of a call, or the instructions that it executes."""
        return timed_or_counted(self.target.objectives, "--objective instructions counts instead of timing")

    def identity(self, space: Space) -> Identity:
        from tunepass.compilers.cc import identify
        from tunepass.frontends.c.harness.source import HARNESS_VERSION

        identity = Identity(
            source=source_hash(self.kernel.source.text),
            space=space_hash(space),
            flags=self.command[1:],
            device=self.device,
            harness=f"{HARNESS_VERSION} {self.target.generator}".strip(),
        )
        if self.target.starts < base.Starts.COMPILER:
            return identity
        return replace(
            identity,
            compiler=identify(self.command[0]).version,
            files=self.inputs.digest,
            toolchain=self.toolchain.digest,
        )

    def manifests(self) -> Mapping[str, Manifest]:
        if self.target.starts < base.Starts.COMPILER:
            return {}
        return {manifest.digest: manifest for manifest in (self.toolchain, self.inputs)}

    @cached_property
    def data(self) -> DataSet:
        """What the kernel binds, read once. Raises SourceError."""
        from tunepass.backends.tensor.data import bound_data

        source = Path(self.kernel.source.name)
        return bound_data(self.body, source, cache_folder(source.parent))

    @cached_property
    def inputs(self) -> Manifest:
        """The data, and the C text of the default schedule: what is generated of the same source may change."""
        names = {
            datum.tensor: datum.path.name if isinstance(datum, BoundFile) else datum.family for datum in self.body.data
        }
        parts = [
            Part("file", names[name], stored.path.stem) for name, stored in self.data.stored.items() if stored.path
        ]
        text = self.generation(self.kernel)(base.default_of(self.kernel)).text or ""
        digest = hashlib.sha256(encoded(text)).hexdigest()
        return Manifest((*parts, Part("source", "the C text of the default schedule", digest)))

    @cached_property
    def toolchain(self) -> Manifest:
        from tunepass.evaluators.toolchains.programs import toolchain

        compiler = toolchain(self.command[0], "c", self.command[1:])
        if self.target.generator != TACO:
            return compiler
        from tunepass.backends.tensor.taco import taco_program
        from tunepass.evaluators.toolchains.digests import program_digest

        return Manifest((*compiler.parts, Part("program", TACO, program_digest(taco_program()))))

    def generation(self, kernel: Kernel) -> Lower:
        """How a schedule becomes C text."""
        from tunepass.backends.tensor.task import Generation, unscheduled

        function = unscheduled(kernel)
        if self.target.generator != TACO:
            return Generation(kernel, function)
        from tunepass.backends.tensor.taco import TacoGeneration, taco_program

        return TacoGeneration(kernel, function, taco_program())

    def costs(self) -> Costs | None:
        """What the source states; else the CPU model of its loops over the data bound."""
        if self.kernel.models:
            return stated_costs(self.kernel)
        return base.cost_model(base.CPU).costs(self._known_kernel, self.device, self.command[1:])

    @cached_property
    def _known_kernel(self) -> Kernel:
        """The kernel with what is known of its data."""
        from tunepass.tensors.data.statistics import statistics

        known = tuple(statistics(stored) for stored in self.data.stored.values())
        extents = tuple(self.data.extents.items())
        return replace(self.kernel, body=replace(self.body, statistics=known, extents=extents))

    def evaluator(self) -> CompileRun:
        from tunepass.backends.tensor.data import EMPTY
        from tunepass.backends.tensor.task import tensor_task
        from tunepass.evaluators.compile_run import CompileRun

        # TACO's binary search reads the first coordinate where there is none
        unsupported = (EMPTY,) if self.target.generator == TACO else ()
        lower, objective = self.generation(self.kernel), self.objectives()[0]
        return CompileRun(tensor_task(self.kernel, self.data, self.command, objective, lower, unsupported))

    def write(self, scheduled: Sequence[Kernel], note: str, folder: Path, word: str = "tuned") -> tuple[Path, ...]:
        """NAME.tuned.taco, NAME.tuned.c, which builds on its own, and NAME.tuned.o."""
        from tunepass.frontends.taco.emission import elsewhere

        source_folder = Path(self.kernel.source.name).parent
        moved = [elsewhere(kernel, source_folder, folder) for kernel in scheduled]
        files = [*base.frontend_of(self.kernel.source.name).emit(moved, note, word)]
        stem = f"{Path(self.kernel.source.name).stem}.{word}"
        texts = [self._candidate(kernel) for kernel in scheduled]
        flags = tuple(dict.fromkeys(flag for candidate in texts for flag in candidate.flags))
        header = self._header(f"{stem}.c", flags, note)
        text = EmittedFile(f"{stem}.c", header + "\n".join(candidate.text or "" for candidate in texts))
        with scratch_folder(folder) as scratch:
            names = base.write_files(scratch, [*files, text])
            built = self._build(scratch, text, flags)
            return base.install(scratch, [*names, built], folder)

    def _header(self, name: str, flags: Sequence[str], note: str) -> str:
        """A comment: what was chosen, and the command that compiles it."""
        command = shlex.join([*self.command, *flags, "-c", name])
        title = f"{Path(self.kernel.source.name).name}, tuned by tunepass."
        lines = [title, *note.splitlines(), f"Compile: {command}", "", *self._argument_lines()]
        body = "\n".join(f" * {line}".rstrip() for line in (line.replace("*/", "* /") for line in lines))
        return f"/*\n{body}\n */\n"

    def _argument_lines(self) -> list[str]:
        """What a caller has to know: what each argument is, and what the function returns."""
        from tunepass.backends.tensor.task import unscheduled
        from tunepass.tensors.lower.describe import described

        function = unscheduled(self.kernel)
        return [f"{function.name} takes", *(f"  {line}" for line in described(self.body, function)), *RETURNS]

    def _build(self, scratch: Path, text: EmittedFile, flags: tuple[str, ...]) -> str:
        """Compile the text; the name of the object in `scratch`."""
        from tunepass.evaluators.toolchains.compiling import Compiling

        compiling = Compiling(command=self.command, source=Path(text.name), numbered=False)
        with scratch_folder(scratch) as place:
            candidate = Candidate(text=text.text, flags=flags)
            target, _, failure = compiling.compile_candidate(candidate, place, rename_main=False)
            if failure is not None:
                raise ToolError(f"the tuned {self.kernel.source.name} does not compile", hint=failure.log)
            name = f"{Path(text.name).stem}.o"
            target.replace(scratch / name)
        return name

    def candidate(self, scheduled: Sequence[Kernel]) -> Candidate:
        return self._candidate(scheduled[0])

    def _candidate(self, kernel: Kernel) -> Candidate:
        values = {p.name: p.default for p in kernel.parameters} | {c.parameter: c.value for c in kernel.schedule}
        return self.generation(kernel)(Configuration(values))

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> base.Target:
        target = CBackend.target_of(identity, objectives)
        return replace(target, generator=identity.harness.partition(" ")[2])

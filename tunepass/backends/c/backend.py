"""C and C++ kernels: compiled and run on this machine, judged by a generated harness or by the program's own run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from tunepass.backends import base
from tunepass.backends.c.compilers import check_together, identified, others, resolved
from tunepass.backends.c.variants import compile_together
from tunepass.backends.stated import stated_costs
from tunepass.compilers.named import usual_command
from tunepass.diagnostics import Span, ToolError, TunepassError
from tunepass.evaluators.base import Evaluator
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr
from tunepass.files import scratch_folder
from tunepass.frontends.c.call.inputs import scalar_values
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.emission.dispatch import dispatch_file, variant_units
from tunepass.frontends.c.lowering import compiler_of, defines, flags, lower, presence_words
from tunepass.frontends.c.nests.probes import probes, rewritten_nests
from tunepass.hwmodels.base import Costs
from tunepass.ir.c_kernel import CKernel, KernelCall, ScalarArgument
from tunepass.ir.candidate import Candidate
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.ir.run import RunCommand
from tunepass.ir.sizes import Size, SizedVariants, constraints_at
from tunepass.space.configuration import Configuration, Value
from tunepass.space.opening import Opening
from tunepass.space.space import Space
from tunepass.study.identity import Identity, source_hash
from tunepass.study.manifest import Manifest
from tunepass.study.objective import Objective
from tunepass.study.space_description import space_hash

if TYPE_CHECKING:
    from tunepass.evaluators.toolchains.source_files import SourceFiles

UNLISTED = "not listed by the compiler"  # in place of the digest of what it read
DEFAULT_FLAGS = ("-O2",)
TIME = Objective("time", unit="ms")
INSTRUCTIONS = Objective("instructions")  # of a call, counted by cachegrind: the same on every run


class HostBackend(base.Backend):
    """Backend of kernels that run on this machine's processor."""

    @property
    def device(self) -> str:
        from tunepass.evaluators.process.cores import processor_name

        return processor_name()


class CBackend(HostBackend):
    kind: ClassVar[str] = CKernel.kind
    measures: ClassVar[bool] = True
    compiles: ClassVar[bool] = True

    def __init__(self, kernel: Kernel, target: base.Target):
        command = target.compiler or usual_command(DEFAULT_FLAGS, cxx=kernel.language == "c++")
        super().__init__(resolved(kernel, command[0], asked=target.starts >= base.Starts.COMPILER), target)
        check_host(target)
        self.body = kernel.body_as(CKernel)
        self.command = command

    def objectives(self) -> tuple[Objective, ...]:
        """The metrics of a run, or its time; of a call its time, or the instructions that it executes."""
        names = self.target.objectives
        match self.body.judged_by:
            case KernelCall():
                return timed_or_counted(names, METRICS_HINT)
            case RunCommand() as run:
                return run_objectives(run, names)

    def identity(self, space: Space) -> Identity:
        from tunepass.frontends.c.harness.source import harness_version

        identity = Identity(
            source=source_hash(self.kernel.source.text),
            space=space_hash(space),
            flags=self.command[1:],
            device=self.device,
            harness=f"{harness_version(self.body.call)}{' presence' * bool(self._presence)}",
        )
        if self.target.starts < base.Starts.COMPILER:
            return identity
        return replace(
            identity,
            compiler=identified(self.kernel, self.command[0]),
            files=self.files.manifest.digest if self.files.listed else UNLISTED,
            toolchain=self.toolchain.digest,
        )

    def manifests(self) -> Mapping[str, Manifest]:
        if self.target.starts < base.Starts.COMPILER:
            return {}
        known = [self.toolchain, *([self.files.manifest] if self.files.listed else [])]
        return {manifest.digest: manifest for manifest in known}

    @cached_property
    def files(self) -> SourceFiles:
        """Files that the compile of the untouched source reads."""
        from tunepass.evaluators.toolchains.source_files import source_files

        source = self.kernel.source
        words = (*defines(self.kernel, base.default_of(self.kernel)), *self._presence)
        return source_files(self.command, Path(source.name), source.text, words)

    @property
    def _presence(self) -> tuple[str, ...]:
        """The default's words for macros that are defined or not: a study of before had -DNAME=0 for false."""
        return presence_words(self.kernel, base.default_of(self.kernel))

    @cached_property
    def toolchain(self) -> Manifest:
        from tunepass.evaluators.toolchains.programs import toolchain

        searched = [str(value) for value in flag_values(self.kernel)]
        further = others(self.kernel, self.command[0])
        return toolchain(self.command[0], self.kernel.language, self.command[1:], searched, further)

    def costs(self) -> Costs | None:
        """What the source states; else the CPU model of its loop nests."""
        if self.kernel.models:
            return stated_costs(self.kernel)
        return base.cost_model(base.CPU).costs(self.kernel, self.device, self.command[1:]) if self.body.scops else None

    def sizes(self) -> tuple[Size, ...]:
        """Those of the pragma's clause, as far as they are of the same scalars."""
        listed = (self.body.call.sizes or ()) if self.body.call else ()
        return tuple(size for size in listed if [name for name, _ in size] == [name for name, _ in listed[0]])

    def scalars(self) -> Mapping[str, Expr]:
        arguments = self.body.call.arguments if self.body.call else ()
        return {a.name: a.value for a in arguments if isinstance(a, ScalarArgument)}

    def at_size(self, size: Size) -> Kernel:
        call, given = self.body.call, dict(size)
        assert call is not None, "only a call has sizes"
        arguments = tuple(
            replace(a, value=lift(given[a.name])) if isinstance(a, ScalarArgument) and a.name in given else a
            for a in call.arguments
        )
        scalars = {name: lift(value) for name, value in scalar_values(arguments, ()).items()}
        body = replace(self.body, judged_by=replace(call, arguments=arguments))
        return replace(self.kernel, body=body, constraints=constraints_at(self.kernel.constraints, scalars))

    def openings(self) -> tuple[Opening, ...]:
        """Of each nest, the others as they stand."""
        openings: list[Opening] = []
        for scop in self.body.scops:
            start = len(openings)
            openings += (o if o.after is None else replace(o, after=o.after + start) for o in scop.openings)
        return tuple(openings)

    def probes(self, space: Space) -> tuple[Configuration, ...]:
        return probes(self.kernel, space)

    def place_written(self, configuration: Configuration, line: int | None) -> Span | None:
        places = {nest.scop.pragma: nest.scop.span for nest in rewritten_nests(self.kernel, configuration)}
        at_line = (
            pragma for pragma, span in places.items() if line and span.line <= line <= span.source.position(span.end)[0]
        )
        return next(at_line, next(iter(places), self.kernel.span))

    def evaluator(self) -> Evaluator:
        check_together(self.kernel, self.command)
        match self.body.judged_by:
            case KernelCall() as call:
                from tunepass.backends.c.tasks import call_task
                from tunepass.evaluators.compile_run import CompileRun

                drawn = replace(call, seed=self.target.seed)
                kernel = replace(self.kernel, body=replace(self.body, judged_by=drawn))
                task = call_task(kernel, drawn, self.command, self.objectives()[0])
                return CompileRun(replace(task, files=self.files))
            case RunCommand() as run:
                from tunepass.backends.c.tasks import run_task
                from tunepass.evaluators.command import CommandRun

                program = run_task(self.kernel, run, self.command, run_objectives(run, ()))
                return CommandRun(replace(program, files=self.files))

    def write(self, scheduled: Sequence[Kernel], note: str, folder: Path, word: str = "tuned") -> tuple[Path, ...]:
        """NAME.tuned.c, NAME.tuned.h and NAME.tuned.o; the program NAME.tuned when the source says how it is run."""
        self.files.check_unchanged()
        files = base.frontend_of(self.kernel.source.name).emit(scheduled, note, word)
        with scratch_folder(folder) as scratch:
            built = self._build(scratch, scheduled, files[0])
            self.files.check_unchanged()
            return base.install(scratch, [*base.write_files(scratch, files), built], folder)

    def write_dispatcher(self, variants: SizedVariants, folder: Path, stem: str) -> tuple[Path, ...]:
        """With STEM.dispatch.o, which holds the variants, where they may need flags of their own."""
        header = replace(dispatch_file(variants, ""), name=f"{stem}.dispatch.h")
        units = variant_units(variants)
        with scratch_folder(folder) as scratch:
            names = base.write_files(scratch, [header])
            if units:
                names.append(f"{stem}.dispatch.o")
                compile_together(self.command, variants.variants, units, scratch / names[-1])
            return base.install(scratch, names, folder)

    def _build(self, scratch: Path, scheduled: Sequence[Kernel], text: EmittedFile) -> str:
        """Compile the tuned text with what was chosen; the name of the object or program in `scratch`."""
        from tunepass.evaluators.toolchains.compiling import Compiling

        kernel = self.kernel
        language: Literal["c", "c++"] = "c++" if kernel.language == "c++" else "c"
        source = Path(kernel.source.name)
        compiling = Compiling(command=self.command, source=source, language=language, numbered=False)
        chosen_flags = tuple(flag for k in scheduled for flag in flags(k, chosen(k)))
        compiler = next((c for k in scheduled if (c := compiler_of(k, chosen(k)))), "")
        candidate = Candidate(text=text.text, flags=chosen_flags, compiler=compiler)
        target, _, failure = compiling.compile_candidate(candidate, scratch, rename_main=False)
        if failure is not None:
            raise ToolError(f"the tuned {kernel.source.name} does not compile", hint=failure.log)
        stem = Path(text.name).stem
        if all(k.body_as(CKernel).run is None for k in scheduled):
            os.replace(target, scratch / f"{stem}.o")
            return f"{stem}.o"
        objects = [target, *compiling.compile_further(scratch)]
        _, failure = compiling.link(objects, scratch / stem, candidate)
        if failure is not None:
            raise ToolError(f"the tuned {kernel.source.name} does not link", hint=failure.log)
        return stem

    def candidate(self, scheduled: Sequence[Kernel]) -> Candidate:
        """Macros and flags for the compiler, and text only where the source has to be rewritten."""
        return lower(*merged(scheduled))

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> base.Target:
        """The compiler by the name it gives itself; gcc's first word is how it was called."""
        words = identity.compiler.partition("; ")[0].split()
        name = "clang" if "clang" in words else words[0] if words else "cc"
        return base.Target(compiler=(name, *identity.flags), objectives=objectives)


METRICS_HINT = "a `metric` of a `run` pragma names an objective"


def flag_values(kernel: Kernel) -> tuple[Value, ...]:
    """Every value of the parameters that are flags."""
    flags = [p for p in kernel.parameters if kernel.binding(p.name).role == "flag"]
    return tuple(value for p in flags for value in getattr(p, "domain", ()))


def run_objectives(run: RunCommand, names: Sequence[str]) -> tuple[Objective, ...]:
    """The metrics of a run, or the time of the whole run in ms; those called `names`, if any."""
    metrics = tuple(Objective(m.objective, unit=m.unit, maximise=m.maximise) for m in run.metrics) or (TIME,)
    return base.named(metrics, names, METRICS_HINT) or metrics


def timed_or_counted(names: Sequence[str], hint: str) -> tuple[Objective, ...]:
    """The time of a call, or the instructions that it executes; `hint` goes with an unknown name."""
    if INSTRUCTIONS.name not in names:
        return base.named((TIME,), names, hint) or (TIME,)
    if len(names) > 1:
        raise TunepassError(
            "instructions are counted, not timed: search for them alone", hint="--objective instructions"
        )
    return (INSTRUCTIONS,)


def check_host(target: base.Target) -> None:
    """Refuse devices: C kernels are compiled and run on the host, and no model restricts them."""
    if not target.restrict:
        raise TunepassError("--no-restrictions is about programs that a model restricts, Spatial's (.scala)")
    if target.device not in (None, base.HOST):
        raise base.no_machine(target.device)


def merged(scheduled: Sequence[Kernel]) -> tuple[Kernel, Configuration]:
    """The kernels of one source as one, and their choices likewise: parameters have distinct names within a source."""
    bodies = [kernel.body_as(CKernel) for kernel in scheduled]
    together = replace(
        scheduled[0],
        parameters=tuple(p for k in scheduled for p in k.parameters),
        bindings=tuple(b for k in scheduled for b in k.bindings),
        body=replace(
            bodies[0],
            scops=tuple(scop for body in bodies for scop in body.scops),
            constants=tuple(constant for body in bodies for constant in body.constants),
            hints=tuple(hint for body in bodies for hint in body.hints),
        ),
    )
    choices = [chosen(kernel) for kernel in scheduled]
    return together, Configuration({name: value for choice in choices for name, value in choice.items()})

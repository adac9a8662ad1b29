"""The role of a backend: everything that is different for one kind of kernel, in one place."""

from __future__ import annotations

import contextlib
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, ClassVar, cast

from tunepass import registry
from tunepass.compilers.named import are_harmless, usual_command
from tunepass.diagnostics import Span, TunepassError, spelling_hint
from tunepass.expr.nodes import Expr
from tunepass.files import encoded, scratch_folder
from tunepass.frontends.base import Frontend
from tunepass.hwmodels.base import Breakdown, CostModel, Costs, ModelError
from tunepass.hwmodels.fpga.device_file import is_file
from tunepass.ir.candidate import Candidate
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import Size, SizedVariants
from tunepass.space.configuration import Configuration
from tunepass.space.constraint import Constraint
from tunepass.space.opening import Opening
from tunepass.space.plain_values import as_texts
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.manifest import Manifest
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate

if TYPE_CHECKING:  # `tunepass cc` needs no numpy
    from tunepass.backends.correction import Corrected, Reported
    from tunepass.expr.numpy_eval import Columns

HOST = "host"  # the device that is the machine this runs on
GENERATOR_OF = {"taco": "tensor expressions (.taco)", "model": "GPU kernels (.cu, .cl)"}  # what --backend is for
LOCAL_GPU = re.compile(r"(opencl|cuda)(?::(\d{1,3})(?: .*)?)?", re.DOTALL)  # a GPU of this machine in identities
PRICED = {
    "fpga": "Spatial programs and C for high-level synthesis",
    "gpu": "GPU kernels",
    "dnn": "deep-learning models",
    "accelerator": "fixed-point networks in C for high-level synthesis",
}  # by a model, on what need not be here
FILES_OF = "fpga"  # the family whose devices a file of the user's may describe
CPU = "cpu"  # the family of hardware models that says what this machine does with loop nests


class Starts(IntEnum):
    """Which programs a command may start for a kernel; each includes those before it."""

    NOTHING = 0
    COMPILER = 1  # the target's, which the user named
    TOOLS = 2  # also what the kernel's own description names


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a kernel is built for. The default of each field is the backend's usual choice.

    Args:
        compiler: a command and its words.
        device: a device's name.
        generator: the name after --backend: the program that writes the code of tensor kernels, or the model alone of
            GPU kernels.
        objectives: names of what is searched for.
        seed: of the sizes at which results are compared that are drawn.
        restrict: False leaves out the constraints that the frontend derives.
        starts: the programs that may be started. Fields of the identity that need another one are left empty.
        remote_device: `Backend.device_description` of the machines that measure, where this one does not.

    Raises:
        TunepassError: an argument has the wrong type.

    Example:
        >>> tp.Target(compiler=("gcc", "-O3"), device="host").objectives
        ()
    """

    compiler: tuple[str, ...] = ()
    device: str | None = None
    generator: str = ""
    objectives: tuple[str, ...] = ()
    restrict: bool = True
    seed: int = 0
    starts: Starts = Starts.TOOLS
    remote_device: str = ""

    def __post_init__(self) -> None:
        for name in ("compiler", "objectives"):
            texts = as_texts(getattr(self, name))
            if texts is None:
                text = f"{name} is a tuple of texts, got {getattr(self, name)!r}"
                raise TunepassError(text, hint='write compiler=("gcc", "-O2")' if name == "compiler" else None)
            object.__setattr__(self, name, texts)
        if not (self.device is None or isinstance(self.device, str)):
            raise TunepassError(f"a device is a name, got {self.device!r}")
        if not isinstance(self.generator, str):
            raise TunepassError(f"a generator is a name, got {self.generator!r}")


class Backend(ABC):
    """How kernels of one kind are priced, identified and written; made for one kernel and one target.

    With `costs` and an `evaluator` a kernel is searched by measuring, the costs being its prior mean; with `costs`
    alone exactly or by a strategy; with an `evaluator` alone as a black box.

    Args:
        kernel: the kernel.
        target: what it is built for.

    Raises:
        TunepassError: this kind of kernel cannot be built for the target.

    Example:
        >>> class ToyBackend(tp.Backend):
        ...     kind, device = "toy", "host"
        ...     def objectives(self):
        ...         return (tp.Objective("time", unit="ms"),)
        ...     def identity(self, space):
        ...         source = extension.source_hash(self.kernel.source.text)
        ...         return tp.Identity(source=source, space=extension.space_hash(space))
        >>> ToyBackend(kernel, tp.Target()).only_priced
        True
    """

    kind: ClassVar[str]  # the kind of the bodies it knows
    measures: ClassVar[bool] = False  # whether there is an evaluator
    compiles: ClassVar[bool] = False  # whether the target's compiler is what compiles it
    generators: ClassVar[tuple[str, ...]] = ()  # what else `Target.generator` may be
    variants: ClassVar[int] = 1  # how many the listed sizes may have at most, where nobody says
    kernel: Kernel  # as this backend sees it
    target: Target

    def __init__(self, kernel: Kernel, target: Target):
        self.kernel, self.target = kernel, target
        if target.generator and target.generator not in self.generators:
            of = GENERATOR_OF.get(target.generator)
            if of is None:
                raise TunepassError(f"no backend {target.generator!r}; known: {', '.join(sorted(GENERATOR_OF))}")
            raise TunepassError(f"--backend {target.generator} is about {of}; {kernel.source.name} is none")

    @property
    def only_priced(self) -> bool:
        """Whether all that is known of a configuration is a model's word, estimated: nothing is run."""
        return not self.measures

    @property
    def basis(self) -> str:
        """What priced values rest on, where people are to be told more than the model's device; empty: no more."""
        return ""

    @property
    @abstractmethod
    def device(self) -> str:
        """The name of what the kernel runs on, or is priced for."""

    @abstractmethod
    def objectives(self) -> tuple[Objective, ...]:
        """What is searched for: as the target names it, else the usual. TunepassError for an unknown name."""

    @abstractmethod
    def identity(self, space: Space) -> Identity:
        """What results depend on besides the configuration; nothing else computes it."""

    def device_description(self) -> str:
        """The device of this machine as text, for `Target.remote_device` elsewhere; empty: nothing depends on it."""
        return ""

    def manifests(self) -> Mapping[str, Manifest]:
        """What the digests in its identity stand for, as far as people can be told."""
        return {}

    def costs(self) -> Costs | None:
        """What a hardware model, or the source itself, says of the kernel; None where nothing does."""
        return None

    def limits(self) -> tuple[Constraint, ...]:
        """What rules out configurations before anything is evaluated, besides the kernel's own constraints."""
        return ()

    def corrected(self, reported: Reported) -> Corrected | None:
        """The costs with what was reported of some configurations taken into account; None: as they were."""
        costs = self.costs()
        if costs is None:
            return None
        from tunepass.backends.correction import by_residuals

        return by_residuals(costs, self.kernel.parameters, reported)

    def sizes(self) -> tuple[Size, ...]:
        """The sizes that the source lists: values of scalar arguments, by name."""
        return ()

    def scalars(self) -> Mapping[str, Expr]:
        """The scalar arguments with their values, as the source writes them."""
        return {}

    def at_size(self, size: Size) -> Kernel:
        """The kernel as a source with these values of its scalars would have it."""
        raise NotImplementedError(f"{self.kernel.name} lists no sizes")

    def openings(self) -> tuple[Opening, ...]:
        """What is worth trying before the strategy's suggestions."""
        return ()

    def probes(self, space: Space) -> tuple[Configuration, ...]:
        """A configuration for each part of the source that is written anew, all else as it stands: tried before any
        other, since text that does not compile is a defect of tunepass."""
        return ()

    def place_written(self, configuration: Configuration, line: int | None) -> Span | None:
        """The part of the source that is written anew for the configuration, the one with this line if it has one."""
        return self.kernel.span

    def evaluator(self) -> AbstractContextManager[Evaluate] | None:
        """How one configuration is measured in `objectives`; None where it cannot be."""
        return None

    def write(self, scheduled: Sequence[Kernel], note: str, folder: Path, word: str = "tuned") -> tuple[Path, ...]:
        """The files of the scheduled kernels of one source, NAME.`word`.SUFFIX: whole or not there."""
        files = frontend_of(self.kernel.source.name, self.kernel.source.text).emit(scheduled, note, word)
        with scratch_folder(folder) as scratch:
            return install(scratch, write_files(scratch, files), folder)

    def write_dispatcher(self, variants: SizedVariants, folder: Path, stem: str) -> tuple[Path, ...]:
        """STEM.dispatch.h, which picks a variant by the size, and what it needs."""
        header = frontend_of(self.kernel.source.name, self.kernel.source.text).dispatch(variants)
        with scratch_folder(folder) as scratch:
            return install(scratch, write_files(scratch, [replace(header, name=f"{stem}.dispatch.h")]), folder)

    def unbuilt(self) -> str:
        """What `write` leaves out because `starts` forbids to make it, and who makes it; empty: nothing."""
        return ""

    def candidate(self, scheduled: Sequence[Kernel]) -> Candidate:
        """What a compiler is given in place of the source for the scheduled kernels of one source."""
        return Candidate(text=frontend_of(self.kernel.source.name, self.kernel.source.text).emit(scheduled)[0].text)

    def breakdown(self, columns: Columns) -> Breakdown:
        """Where the costs of one configuration go."""
        return Breakdown()

    @classmethod
    def usual_compiler(cls, flags: tuple[str, ...], language: str = "c") -> tuple[str, ...]:
        """What compiles a kernel of the language where nobody names a compiler, with these flags; empty where it takes
        none."""
        return usual_command(flags, cxx=language == "c++") if cls.compiles else ()

    @classmethod
    def takes(cls, compiler: tuple[str, ...]) -> bool:
        """Whether what compiles it may be this command."""
        return cls.compiles

    @classmethod
    def depends_on_device(cls, target: Target) -> bool:
        """Does the kernel's space need `Target.remote_device` if other machines measure?"""
        return False

    @classmethod
    def may_be_asked(cls, flags: tuple[str, ...]) -> bool:
        """Whether a compiler may be asked what it is with flags that are only a lock's word."""
        return are_harmless(flags)

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> Target:
        """The target that results with this identity were made for. Nobody starts its compiler on a lock's word."""
        return Target(objectives=objectives)


def backend_for(kernel: Kernel, target: Target) -> Backend:
    """The backend of the kernel's kind."""
    return backend_class(kernel)(kernel, target)


def backend_class(kernel: Kernel) -> type[Backend]:
    """Where the kernel's kind has its backend. TunepassError for a kernel that only its maker knows."""
    if kernel.body is None:
        raise TunepassError(
            f"{kernel.name}: nothing is known of a {kernel.language} kernel but its parameters",
            hint="give it a body, or say how it is evaluated: Pipeline.default(evaluators=...)",
        )
    return cast("type[Backend]", registry.find("backends", kernel.body.kind))


def check_device(device: str | None) -> None:
    """TunepassError for a device that is neither of this machine nor one that a hardware model knows."""
    if device in (None, HOST) or LOCAL_GPU.fullmatch(device or ""):
        return
    if is_file(device or ""):
        cost_model(FILES_OF).summary(device or "")
        return
    for family in _families():
        with contextlib.suppress(ModelError):
            cost_model(family).summary(device or "")
            return
    raise no_machine(device)


def _families() -> Iterator[str]:
    """Those of hardware models for devices that are not here; the built-in ones first. Broken plug-ins are left out."""
    yield from sorted(set(registry.built_in("cost_models")) - {CPU})
    for family in registry.plugin_names("cost_models"):
        with contextlib.suppress(TunepassError):
            cost_model(family)
            yield family


def no_machine(device: str | None) -> TunepassError:
    """The error for a kernel that is to be compiled and run on something that is not this machine."""
    priced = [f"{kinds} are priced on {', '.join(cost_model(family).devices())}" for family, kinds in PRICED.items()]
    return TunepassError(
        f"no device {device!r} compiles and runs; there is {HOST!r}, the machine this runs on", hint="; ".join(priced)
    )


def cost_model(family: str) -> CostModel:
    """The hardware model of a family of devices.

    Args:
        family: a built-in one (`accelerator`, `cpu`, `dnn`, `fpga`, `gpu`, `hls`) or a plug-in's.

    Returns:
        The model.

    Raises:
        TunepassError: no such family, or a plug-in that cannot be loaded.

    Example:
        >>> "v100" in extension.cost_model("gpu").devices()
        True
    """
    return cast("type[CostModel]", registry.find("cost_models", family))()


def frontend_of(path: str | PurePath, text: str = "") -> Frontend:
    """The frontend that reads and writes sources with this suffix and this text."""
    return cast(Callable[[], Frontend], registry.find("frontends", PurePath(path).suffix, text))()


def write_files(folder: Path, files: Sequence[EmittedFile]) -> list[str]:
    """The names of the files, now in the folder."""
    for file in files:
        (folder / file.name).write_bytes(encoded(file.text))
    return [file.name for file in files]


def install(scratch: Path, names: Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Move finished files from `scratch` into the folder."""
    for name in names:
        os.replace(scratch / name, folder / name)
    return tuple(folder / name for name in names)


def named(known: Sequence[Objective], names: Sequence[str], hint: str) -> tuple[Objective, ...]:
    """The objectives of some names.

    Args:
        known: all objectives of a backend.
        names: those that are asked for.
        hint: what to do about an unknown name, where none of the known is near.

    Returns:
        The objectives in the order of the names.

    Raises:
        TunepassError: an unknown name.

    Example:
        >>> known = [tp.Objective("time"), tp.Objective("energy")]
        >>> [o.name for o in extension.named_objectives(known, ["energy"], "")]
        ['energy']
    """
    by_name = {o.name: o for o in known}
    for name in names:
        if name not in by_name:
            raise TunepassError(
                f"no objective {name!r} is measured here; there are {', '.join(by_name)}",
                hint=spelling_hint(name, by_name, hint, quote=repr),
            )
    return tuple(by_name[name] for name in names)


def unrestricted(kernel: Kernel) -> Kernel:
    """The kernel without the constraints that its frontend derived."""
    return replace(kernel, constraints=())


def default_of(kernel: Kernel) -> Configuration:
    """The configuration of a kernel's source, whether or not its constraints allow it.

    Args:
        kernel: the kernel.

    Returns:
        The default of each parameter.

    Example:
        >>> extension.default_of(kernel)
        Configuration(tile=8, unroll=1)
    """
    return Configuration({p.name: p.default for p in kernel.parameters})

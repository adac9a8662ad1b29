"""Whole applications: built by their own commands, run as their description says, judged by their output."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar

from tunepass.backends.application.usual_flags import usual_openings
from tunepass.backends.base import Starts, Target, install, write_files
from tunepass.backends.c.backend import HostBackend, check_host, run_objectives
from tunepass.backends.stated import stated_costs
from tunepass.diagnostics import ToolError, TunepassError
from tunepass.evaluators.base import Evaluator
from tunepass.files import encoded, scratch_folder
from tunepass.frontends.app.emission import chosen, emit_files, program_name
from tunepass.hwmodels.base import Costs
from tunepass.ir.application import Application
from tunepass.ir.kernel import Kernel
from tunepass.space.opening import Opening
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.manifest import Manifest, Part
from tunepass.study.objective import Objective
from tunepass.study.space_description import space_hash

if TYPE_CHECKING:
    from tunepass.evaluators.application import ApplicationTask
    from tunepass.evaluators.toolchains.source_files import FileRead


class ApplicationBackend(HostBackend):
    kind: ClassVar[str] = Application.kind
    measures: ClassVar[bool] = True

    def __init__(self, kernel: Kernel, target: Target):
        super().__init__(kernel, target)
        check_host(target)
        if target.compiler:
            raise TunepassError(f"{kernel.source.name} names its own build commands; nothing follows -- here")
        self.body = kernel.body_as(Application)
        self._products: TemporaryDirectory[str] | None = None  # that a search has compared

    def objectives(self) -> tuple[Objective, ...]:
        return run_objectives(self.body.run, self.target.objectives)

    def identity(self, space: Space) -> Identity:
        """The description, every source and the tools' versions; the commands are part of the description."""
        from tunepass.evaluators.application import VERSION

        digest, _ = self.sources_read
        identity = Identity(source=digest, space=space_hash(space), device=self.device, harness=VERSION)
        if self.target.starts < Starts.TOOLS:
            return identity
        return replace(identity, compiler=self._tools(), toolchain=self.toolchain.digest)

    def manifests(self) -> Mapping[str, Manifest]:
        digest, files = self.sources_read
        known = {digest: Manifest(tuple(file.part for file in files))}
        return known if self.target.starts < Starts.TOOLS else {**known, self.toolchain.digest: self.toolchain}

    @cached_property
    def sources_read(self) -> tuple[str, tuple[FileRead, ...]]:
        """The digest of the description and all sources, and what each file was."""
        from tunepass.evaluators.toolchains.digests import text_digest
        from tunepass.evaluators.toolchains.source_files import FileRead

        source = self.kernel.source
        description = FileRead(
            Path(source.name), Part("source", Path(source.name).name, text_digest(source.text)), None
        )
        digest, files = hashlib.sha256(encoded(source.text)), [description]
        for file, data in self._task().sources.read():
            digest.update(encoded(f"\0{file.part.name}\0{len(data)}\0") + data)
            files.append(file)
        return "sha256:" + digest.hexdigest(), tuple(files)

    @cached_property
    def toolchain(self) -> Manifest:
        """The compilers among the tools by their binaries, other tools that the description names likewise, and what
        `-march=native` means where the description or a source has it."""
        from tunepass.evaluators.toolchains.programs import native_words, tools

        texts = [self.kernel.source.text]
        texts += [data.decode(errors="replace") for _, data in self._task().sources.read() if b"=native" in data]
        return tools(self._named_tools(), native_words(texts), named=bool(self.body.tools))

    def _named_tools(self) -> list[str]:
        tools = self.body.tools or tuple(dict.fromkeys(words[0] for words in self.body.build.commands))
        return [tool for tool in tools if self.body.tools or shutil.which(tool)]

    def _tools(self) -> str:
        """Versions of the tools, as they report them."""
        from tunepass.compilers.cc import identify

        return "; ".join(identify(tool).version for tool in self._named_tools())

    def costs(self) -> Costs | None:
        return stated_costs(self.kernel)

    def openings(self) -> tuple[Opening, ...]:
        return usual_openings(self.kernel)

    def evaluator(self) -> Evaluator:
        """One run tells all where the metrics are deterministic."""
        from tunepass.evaluators.application import ApplicationRun, DeterministicRun

        _, files = self.sources_read
        if self._products is not None:
            self._products.cleanup()
        self._products = TemporaryDirectory(prefix="tunepass-")
        task = replace(self._task(), files=files, products=Path(self._products.name))
        return DeterministicRun(task) if self.body.deterministic else ApplicationRun(task)

    def write(self, scheduled: Sequence[Kernel], note: str, folder: Path, word: str = "tuned") -> tuple[Path, ...]:
        """NAME.tuned.mk, NAME.tuned.sh and the program NAME.tuned, unless it is `unbuilt`."""
        from tunepass.evaluators.toolchains.source_files import check_unchanged

        (kernel,) = scheduled  # a description is one kernel
        check_unchanged(self.sources_read[1])
        with scratch_folder(folder) as scratch:
            names = write_files(scratch, emit_files(kernel, note, word))
            for name in names:
                if name.endswith(".sh"):
                    (scratch / name).chmod(0o755)
            if self.body.build.product and not self.unbuilt():
                tree = scratch / "tree"
                tree.mkdir()
                product = self._compared(kernel) or self._build(kernel, tree)
                check_unchanged(self.sources_read[1])
                names.append(program_name(kernel, word))
                shutil.copy2(product, scratch / names[-1])
                shutil.rmtree(tree)
            return install(scratch, names, folder)

    def unbuilt(self) -> str:
        if not self.body.build.product or self.target.starts is Starts.TOOLS:
            return ""
        program = program_name(self.kernel)
        return f"{program} is not built: the commands of {self.kernel.source.name} run in a `build` without --frozen"

    def _compared(self, kernel: Kernel) -> Path | None:
        """The very program that was measured as a finalist, if it was; None: it has to be built."""
        from tunepass.evaluators.application_builds import product_name

        if self._products is None:
            return None
        product = Path(self._products.name) / product_name(self._task().lower(chosen(kernel), ""))
        return product if product.is_file() else None

    def _build(self, kernel: Kernel, tree: Path) -> Path:
        from tunepass.evaluators.application_builds import ApplicationBuilds
        from tunepass.evaluators.process.workspace import Workspace

        workspace = Workspace()
        try:
            failure = ApplicationBuilds(self._task(), workspace).build(chosen(kernel), tree)
        finally:
            workspace.close()
        if failure is not None:
            raise ToolError(f"the tuned {kernel.name} does not build", hint=failure.log)
        return tree / self.body.build.product

    def _task(self) -> ApplicationTask:
        from tunepass.backends.application.task import task_of

        return task_of(self.kernel, self.body, run_objectives(self.body.run, ()))

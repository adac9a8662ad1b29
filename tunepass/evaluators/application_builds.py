"""Builds of an application: each in a tree of its own, in two phases where it has a profile.

Every build starts from the sources as they are, without what earlier builds left among them. Where the second build
gives the program of the first, a probe tells whether the flags reach a compiler at all.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from tunepass.compilers.asking import base_environment
from tunepass.diagnostics import SourceError
from tunepass.evaluators.application_task import ApplicationTask
from tunepass.evaluators.object_cache import digest
from tunepass.evaluators.process.failures import compile_failure, run_failure
from tunepass.evaluators.process.run import Completed, Limits, run_limited
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.source_tree import BuildTree, BuildTrees
from tunepass.evaluators.toolchains.source_files import check_unchanged
from tunepass.ir.application import Commands, Words, profile_folder
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed

CCACHES = ("/usr/lib/ccache", "/usr/lib64/ccache", "/usr/local/opt/ccache/libexec")  # folders of links to ccache
BUILD_PRODUCTS = (".o", ".a", ".so", ".obj", ".lib", ".lo", ".la")
MAKEFILE = re.compile(r"(?:GNU)?[Mm]akefile(?:\..*)?$|.*\.mk$")
VARIABLE = re.compile(r"(\w+)=")
InTime = Callable[[Callable[[Limits], Completed], Limits], Completed]


class ApplicationBuilds:
    """`take` a configuration's tree, and `release` it. Safe to call from several threads. `in_time` runs a command
    within its limits, or raises what ends the search."""

    def __init__(self, task: ApplicationTask, workspace: Workspace, in_time: InTime = lambda run, limits: run(limits)):
        self.task, self.workspace, self.in_time = task, workspace, in_time
        self.trees = BuildTrees(workspace)
        self._snapshot: Path | None = None  # of the sources
        self._copying, self._comparing = threading.Lock(), threading.Lock()
        self._same: dict[str, str] = {}  # a build -> the first one that made the same program
        self._of_program: dict[str, str] = {}
        self._first: tuple[str, str] | None = None  # the first build and its program, until a second one is known

    def take(self, configuration: Configuration) -> tuple[BuildTree, str]:
        """The tree, and what is the same for configurations that run the same program in the same way. Raises
        SourceError where the flags of the build change nothing."""
        commands, build = self._build_of(configuration)
        tree = self.trees.take(build, lambda folder: self.build(configuration, folder))
        program = self._program(commands, tree)
        if program:
            self._same[build] = self._of_program.setdefault(program, build)
            try:
                self._compare(build, program)
            except BaseException:
                self.release(tree)
                raise
        return tree, _key(program or build, commands)

    def _build_of(self, configuration: Configuration) -> tuple[Commands, str]:
        """The commands, and what is the same for all that build the same program, as far as is known."""
        commands = self.task.lower(configuration, "")
        build = repr((commands.instrumented, commands.training, commands.builds))
        return commands, self._same.get(build, build)

    def is_there(self, configuration: Configuration) -> bool:
        return self._build_of(configuration)[1] in self.trees

    def release(self, tree: BuildTree) -> None:
        self.trees.release(tree)

    def hand_over(self, configuration: Configuration, tree: BuildTree, key: str) -> None:
        """Keep the product of a tree for whoever writes it, if it is what it was when `take` gave that key. Without
        room for it nothing is kept, and the winner is built once more."""
        task, (commands, build) = self.task, self._build_of(configuration)
        if task.products is None or not task.product or tree.failure:
            return
        if key == _key(self._program(commands, tree) or build, commands):
            product_folder = task.products / product_name(commands)
            with contextlib.suppress(OSError):
                shutil.copy2(tree.folder / task.product, product_folder.with_suffix(".part"))
                product_folder.with_suffix(".part").replace(product_folder)

    def forget(self) -> None:
        """All trees: what somebody removed is built again."""
        self.trees = BuildTrees(self.workspace)

    def _program(self, commands: Commands, tree: BuildTree) -> str:
        """A digest of the program that was made: the product, or what is run if the build has made that."""
        named = self.task.product or self._run_product(commands)
        product = tree.folder / named
        return "" if not named or tree.failure or not product.is_file() else digest(product.read_bytes())

    def _run_product(self, commands: Commands) -> str:
        word = PurePosixPath(commands.runs[0][0])
        inside = self.task.private and not word.is_absolute() and ".." not in word.parts and "/" in commands.runs[0][0]
        return str(word) if inside and not (self.task.sources.folder / word).exists() else ""

    # -- one build

    def build(self, configuration: Configuration, folder: Path) -> Failed | None:
        folder = folder.resolve()  # commands run in folders of their own
        commands = self.task.lower(configuration, str(folder))
        try:
            failure = self._trained(commands, folder) if commands.instrumented else None
            failure = failure or self._built(commands.builds, folder)
        finally:
            remove_folder(profile_folder(str(folder)))
        if failure is None and self.task.product and not (folder / self.task.product).is_file():
            return Failed("compile", f"the build did not make {self.task.product}")
        return failure

    def _built(self, builds: tuple[Words, ...], folder: Path) -> Failed | None:
        if self.task.private:
            shutil.copytree(self._sources(), folder, symlinks=True, dirs_exist_ok=True)
        for words in builds:
            done = self._command(words, folder)
            failure = compile_failure(done, self.task.build_limits)
            if failure is not None:
                return failure
        return None

    def _command(self, words: Words, folder: Path) -> Completed:
        task = self.task
        cwd = folder if task.private else task.sources.folder

        def run(limits: Limits) -> Completed:
            return run_limited(words, limits=limits, cwd=cwd, env=build_environment(), trust="tool")

        return self.in_time(run, task.build_limits)

    def _trained(self, commands: Commands, folder: Path) -> Failed | None:
        """Build to count, run, and empty the folder for the second phase: compilers find the counts by its name."""
        task, counts = self.task, Path(profile_folder(str(folder)))
        counts.mkdir()
        failure = self._built(commands.instrumented, folder)
        if failure is not None:
            return failure
        environment = base_environment(dict(commands.environment))
        limits = replace(task.build_limits, processes=task.run_limits.processes)
        for words in commands.training:
            cwd = folder if task.private else task.sources.folder
            run = partial(run_limited, words, cwd=cwd, env=environment)
            done = self.in_time(lambda within, run=run: run(limits=within), limits)  # type: ignore[misc]
            failure = run_failure(done, limits)
            if failure is not None:
                return Failed("compile", f"the training run failed\n{failure.log}")
        if not any(counts.iterdir()):
            return Failed("compile", "the training run counted nothing: do the flags reach the linker too?")
        remove_folder(folder)
        folder.mkdir()
        return None

    def _sources(self) -> Path:
        """A copy of the sources that every build starts from. Raises SourceError where one is no longer as it was."""
        with self._copying:
            if self._snapshot is None or not self._snapshot.exists():
                folder = self.workspace.new()
                self.task.sources.copy(folder)
                check_unchanged(self.task.files)
                self._snapshot = folder
            return self._snapshot

    # -- do the flags reach a compiler?

    def _compare(self, build: str, program: str) -> None:
        """Once two different builds are known: if they made the same program, a probe says whether they had to."""
        with self._comparing:
            if self._first is None:
                self._first = (build, program)
            first_build, first_program = self._first
            if build == first_build or first_build == "":
                return
            self._first = ("", "")  # one comparison is all
            if program != first_program or self.task.probe is None:
                return
            with self.workspace.scratch() as scratch:
                folder = scratch / "probe"
                folder.mkdir()
                builds = self.task.probe(self.task.reference, str(folder))
                if self._built(builds, folder) is not None:
                    return
                rebuilt = BuildTree(folder)
                if self._program(self.task.lower(self.task.reference, str(folder)), rebuilt) == program:
                    message = "every build makes the same program: its flags change nothing"
                    raise SourceError(message, self.task.span, self._reason(builds))

    def _reason(self, builds: tuple[Words, ...]) -> str:
        files = self.task.sources.files()
        product = next((path for path in files if path.suffix in BUILD_PRODUCTS), None)
        if product is not None:
            return f"{product} is among the `sources`, and is not made again: leave it out"
        makefiles = [self.task.sources.folder / path for path in files if MAKEFILE.match(path.name)]
        texts = "\n".join(path.read_text(errors="replace") for path in makefiles)
        names = [match[1] for words in builds for word in words if (match := VARIABLE.match(word))]
        unused = next((name for name in names if texts and not re.search(rf"\b{re.escape(name)}\b", texts)), None)
        if unused is not None:
            return f"no Makefile among the sources uses `{unused}`"
        return "no compiler sees them: one would refuse a flag that does not exist, which this build takes"


def _key(built: str, commands: Commands) -> str:
    return digest(built, repr((commands.runs, commands.environment)))


def product_name(commands: Commands) -> str:
    """File name of a product that was handed over."""
    return digest(repr((commands.instrumented, commands.training, commands.builds)))


def build_environment() -> Mapping[str, str]:
    """ccache comes before the compilers, where there is one: builds share what they have in common."""
    environment = base_environment()
    folder = next((folder for folder in CCACHES if shutil.which("ccache") and Path(folder).is_dir()), None)
    if folder is None:
        return environment
    return {**environment, "PATH": os.pathsep.join([folder, environment.get("PATH", os.defpath)])}

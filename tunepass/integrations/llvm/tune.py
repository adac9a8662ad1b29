"""From a function to its kernel, its pipeline and the files of the choice."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from tunepass.diagnostics import SpaceError, ToolError, TunepassError
from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.integrations.llvm.asking import answer
from tunepass.integrations.llvm.evaluator import ModuleRun
from tunepass.integrations.llvm.function import Function
from tunepass.integrations.llvm.recipe import Recipe, program
from tunepass.integrations.llvm.tuning import Threshold, Tuning
from tunepass.integrations.tool_problem import ToolProblem
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.passes.base import Result
from tunepass.search.options import SearchOptions
from tunepass.search.stop import never
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate, Failed

OPT_S = 20.0


@dataclass(frozen=True)
class Problem(ToolProblem):
    """A function of a module with what may vary: a kernel, an evaluator and files for a pipeline.

    Args:
        function: the function and its arguments.
        tuning: what may vary.

    Raises:
        SpaceError: an option that LLVM does not have, or a value that it does not take.
        TunepassError: attributes of a function that is not in the module.

    Example:
        >>> problem = llvm.Problem(function, llvm.Tuning(thresholds=()))
        >>> result = problem.pipeline(options=tp.SearchOptions(max_evals=40)).run(problem.kernel)
    """

    function: Function
    tuning: Tuning = field(default_factory=Tuning)

    def __post_init__(self) -> None:
        _check_options(self.tuning.thresholds)
        self.tuning.check_functions(self.kernel, self.function.described.functions)

    @cached_property
    def kernel(self) -> Kernel:
        function = self.function
        parameters = self.tuning.parameters(function.name)
        source = function.source
        return Kernel(name=function.name, language="llvm", source=source, parameters=parameters, span=function.span)

    @cached_property
    def _host(self) -> tuple[str, str]:
        """The name and the features of the processor that is compiled for."""
        if self.tuning.cpu != "host":
            return self.tuning.cpu, ""
        host = answer("host", {})
        if isinstance(host, Failed):
            raise ToolError("LLVM does not tell this machine's processor", hint=host.log)
        return host["cpu"], host["features"]

    @property
    def untouched(self) -> Recipe:
        """The module as it came: no pass, nothing optimised by the code generator."""
        cpu, features = self._host
        return Recipe(level=0, codegen=0, cpu=cpu, features=features)

    def recipe(self, choice: Configuration) -> Recipe:
        """The recipe of a configuration."""
        return self.tuning.recipe(self.function.name, choice, *self._host)

    @contextmanager
    def evaluator(self, kernel: Kernel) -> Iterator[Evaluate]:
        """How a configuration of the kernel is measured."""
        with ModuleRun(self.function, kernel, self.recipe, self.untouched) as run:
            yield run

    def emit(self, kernel: Kernel, note: str) -> tuple[EmittedFile, ...]:
        """The chosen passes as a Python program, the module with the chosen attributes, and where `opt` is installed
        its command."""
        chosen = Configuration({choice.parameter: choice.value for choice in kernel.schedule})
        recipe, stem = self.recipe(chosen), kernel.source.name.rpartition("/")[2].removesuffix(".ll")
        reply = answer("attributed", {**recipe.fields, "text": kernel.source.text})
        if isinstance(reply, Failed):
            raise ToolError(f"{kernel.source.name} does not take its attributes any more", hint=reply.log)
        module = f"{stem}.tuned.ll"
        files = [
            EmittedFile(f"{stem}.tuned.py", program(recipe, note, module, reply["text"], self.function.described.llvm)),
            EmittedFile(module, reply["text"]),
        ]
        if command := opt_command(recipe, module, self.function.described.llvm):
            files.append(EmittedFile(f"{stem}.tuned.opt", command))
        return tuple(files)

    @property
    def identity(self) -> Mapping[str, str]:
        """Texts that results depend on besides the module."""
        cpu, features = self._host
        call = self.function.call
        return {
            "llvm": self.function.described.llvm,
            "cpu": f"{cpu} {features}",
            "call": repr(replace(call, span=None)),
            "link": " ".join(self.function.link),
        }


def tune(
    function: Function,
    tuning: Tuning | None = None,
    *,
    options: SearchOptions | None = None,
    max_evals: int | None = None,
    seed: int = 0,
    stop: Callable[[], bool] = never,
) -> Result:
    """Search the passes, thresholds and attributes of a function of a module.

    Args:
        function: the function and its arguments.
        tuning: what may vary; None: the usual.
        options: how to search, in place of `max_evals` and `seed`.
        max_evals: limit of evaluations; None: no limit.
        seed: of the search.
        stop: called after each evaluation; True ends the search.

    Returns:
        The result: `choice`, and in `compilation.files` a Python program, the module with attributes and the command of
        `opt`.

    Raises:
        TunepassError: as `Problem`, and where the module as it came cannot be run.

    Example:
        >>> result = llvm.tune(function, max_evals=60, seed=0)
        >>> result.compilation.files[0].name
        'matmul.tuned.py'
    """
    return Problem(function, tuning or Tuning()).search(options=options, max_evals=max_evals, seed=seed, stop=stop)


def opt_command(recipe: Recipe, module: str, llvm: str) -> str:
    """The command of an installed `opt` for the recipe, with a comment of how it answers; empty without `opt`."""
    path = shutil.which("opt")
    if path is None:
        return ""
    version = run_limited([path, "--version"], limits=Limits(wall_s=OPT_S), trust="tool")
    words = [line.strip() for line in version.stdout.splitlines() if "version" in line]
    done = run_limited(
        [path, *recipe.opt_words, "-disable-output", "/dev/null"], limits=Limits(wall_s=OPT_S), trust="tool"
    )
    says = "takes these words" if done.ok else f"refuses them: {(done.log.splitlines() or ['it crashed'])[0]}"
    installed = words[0] if words else "of an unknown version"
    return f"# chosen with LLVM {llvm}; the opt installed here ({installed}) {says}\n" + " ".join(
        ["opt", *recipe.opt_words, module, "-o", module.removesuffix(".ll") + ".bc", "\n"]
    )


def _check_options(thresholds: tuple[Threshold, ...]) -> None:
    """LLVM passes over an option that it does not have: it is asked for each."""
    if not thresholds:
        return
    spelled = {o: [t.spelled(value) for value in t.values if value != t.default] for t in thresholds for o in t.options}
    reply = answer("probe", {"options": spelled})
    if isinstance(reply, Failed):
        raise TunepassError("LLVM ended at one of the thresholds' options", hint=reply.log)
    for name, known in reply.items():
        if not known["kind"]:
            raise SpaceError(
                f"LLVM has no option -{name} that takes a number or a Boolean", hint="opt --help-hidden lists them"
            )
        if known["refused"]:
            raise SpaceError(f"-{name} takes a {known['kind']}, and not {', '.join(known['refused'])}")

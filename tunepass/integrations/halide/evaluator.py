"""Schedules of a pipeline, compiled to objects and judged in the harness of C kernels."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.process.failures import compile_failure
from tunepass.files import encoded
from tunepass.integrations.halide.algorithm import Algorithm
from tunepass.integrations.halide.asking import HALIDE, folder_of
from tunepass.integrations.halide.nests import Directive
from tunepass.integrations.tool_process import LIMITS
from tunepass.integrations.tool_run import Build, ToolRun, build_by, tool_task
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

LINKED = ("-lpthread", "-ldl", "-lm")
Recipe = Mapping[str, object]  # the fields of a request that say how the pipeline is scheduled


def object_target(target: str) -> str:
    """The target of a candidate's object: Halide's runtime is in another."""
    return f"{target}-no_runtime"


def text_of(recipe: Recipe) -> str:
    return json.dumps(recipe, sort_keys=True)


def by_directives(directives: Sequence[Directive]) -> Recipe:
    return {"directives": [directive.fields for directive in directives]}


def by_autoscheduler(name: str, parameters: Mapping[str, str]) -> Recipe:
    """The recipe of one of Halide's own autoschedulers, as Mullapudi2016, Adams2019 and Li2018."""
    return {"autoscheduler": {"name": name, "parameters": dict(parameters)}}


class PipelineRun(ToolRun):
    """Schedules and compiles a pipeline, and judges it against the pipeline by the untouched recipe."""

    def __init__(
        self,
        algorithm: Algorithm,
        kernel: Kernel,
        recipe: Callable[[Configuration], Recipe],
        untouched: Recipe,
        threads: int = 1,
        build: Build | None = None,
    ):
        """`build` makes the objects in another way than of the serialised pipeline."""
        target = algorithm.description.target
        common = {**algorithm.request, "shapes": algorithm.input_shapes, "target": object_target(target)}
        common |= {"plugins": str(folder_of() / "lib64")}

        def recipe_text(configuration: Configuration) -> str:
            return text_of(recipe(configuration))

        def request(text: str) -> dict[str, object]:
            return {**common, **json.loads(text)}

        task = tool_task(kernel, algorithm.call, ("cc",), recipe_text)
        super().__init__(task, build or build_by(HALIDE, request), text_of(untouched), "a pipeline of Halide")
        folder = self.workspace.new()
        caller, runtime = folder / "caller.c", folder / "runtime.o"
        caller.write_bytes(encoded(algorithm.caller(threads)))
        write_runtime(target, runtime)
        threaded = ("-pthread",) if threads > 1 else ()
        include = f"-I{folder_of() / 'include'}"
        self.compiling = self.compiling.with_command(
            ("cc", "-O2", include, *threaded, str(caller), str(runtime), *LINKED)
        )


def write_runtime(target: str, path: Path) -> None:
    """Halide's runtime for the target. Raises ToolError."""
    done = HALIDE.run("runtime", {"target": target, "object": str(path)}, path.parent)
    if compile_failure(done, LIMITS) is not None:
        raise ToolError("Halide does not make its runtime", hint=done.log)

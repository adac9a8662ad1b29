"""Programs of generators, in Python or C++: their GeneratorParams as parameters, an object for each configuration."""

from __future__ import annotations

import copy
import json
import linecache
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tunepass.diagnostics import Source, SourceError, Span, ToolError, TunepassError
from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.run import Completed, Limits, run_limited
from tunepass.evaluators.process.workspace import Workspace
from tunepass.integrations.halide.algorithm import Algorithm, Buffer, Number
from tunepass.integrations.halide.asking import halide
from tunepass.integrations.halide.description import first_line
from tunepass.integrations.halide.evaluator import PipelineRun, Recipe, object_target
from tunepass.integrations.halide.worker import FUNCTION
from tunepass.integrations.tool_problem import ToolProblem
from tunepass.integrations.tool_process import LIMITS
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space
from tunepass.study.outcome import Evaluate, Failed

ARGUMENT = re.compile(r"[ *]_(\w+?)(_buffer)?(?=[,)])")
REFUSED = re.compile(r"HalideError: (.*)|^(Error: .*|.*has no GeneratorParam.*)", re.MULTILINE)
CALL = "call"  # the method of a generator in Python that makes its pipeline
UNSCHEDULED = "tunepass"  # what a generator takes for an autoscheduler, so that it leaves its own schedule out


@dataclass(frozen=True)
class Generator(ToolProblem):
    """A program of generators whose GeneratorParams are tuned: a kernel, an evaluator and files for a pipeline.

    Args:
        program: the command, as ("./blur_generator",) or (sys.executable, "blur_generator.py").
        name: of the generator, as `-g` has it.
        algorithm: its pipeline, for the sizes and values that it is judged with: `from_generator` of a class in
            Python, or the file that `-e hlpipe` writes of a generator in C++.
        parameters: a parameter for each GeneratorParam, with the generator's own default.
        constraints: conditions on them.
        threads: of the pipeline.

    Raises:
        TunepassError: the program refuses a default, or its function has other arguments than the algorithm.

    Example:
        >>> problem = halide.Generator(("./mm",), "mm", algorithm, [tp.Ordinal("tile", [8, 16, 32])])
        >>> result = problem.pipeline(max_evals=20).run(problem.kernel)
    """

    program: tuple[str, ...]
    name: str
    algorithm: Algorithm
    parameters: Sequence[Parameter]
    constraints: Sequence[str] = ()
    threads: int = 1

    def __post_init__(self) -> None:
        self.order  # noqa: B018 (raises)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The arguments in the order of the generator's function."""
        workspace = Workspace()
        try:
            with workspace.scratch() as folder:
                default = {parameter.name: parameter.default for parameter in self.parameters}
                done = self._run(default, "c_header", folder, LIMITS)
                failure = compile_failure(done, LIMITS)
                if failure is not None:
                    words = f"the generator {self.name} does not take the defaults: {refusal(failure.log)}"
                    raise TunepassError(words, self.source.span(0, len(self.name)), "see the program's own message")
                text = (folder / f"{FUNCTION}.h").read_text(encoding="utf-8", errors="replace")
        finally:
            workspace.close()
        header = re.search(rf"int {FUNCTION}\(([^;]*)\);", text)
        if header is None:
            raise ToolError(f"the header of the generator {self.name} has no function {FUNCTION}")
        names = tuple(match[1] for match in ARGUMENT.finditer(f" {header[1]})"))
        known = [each.name for each in self.algorithm.description.inputs]
        outputs = len(names) - len(known)
        if sorted(names[: len(known)]) != sorted(known) or outputs != sum(b.direction == "out" for b in self.buffers):
            words = f"the generator {self.name} has the arguments {', '.join(names)}, the algorithm {', '.join(known)}"
            raise TunepassError(words, hint="the algorithm is that of the same generator, and all inputs are used")
        return names[: len(known)]

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        return self.algorithm.buffers

    @property
    def source(self) -> Source:
        return Source(f"{self.name}.generator", f"{self.name}\n{self.algorithm.source.text}")

    @cached_property
    def kernel(self) -> Kernel:
        return Kernel(
            name=self.name,
            language="halide",
            source=self.source,
            parameters=tuple(self.parameters),
            constraints=Space(tuple(self.parameters), constraints=list(self.constraints)).constraints,
            span=self.source.span(0, len(self.name)),
        )

    def _run(self, values: Mapping[str, object], kinds: str, folder: Path, limits: Limits) -> Completed:
        target = object_target(self.algorithm.description.target)
        program = [str(Path(word).absolute()) if Path(word).is_file() else word for word in self.program]
        words = [*program, "-g", self.name, "-f", FUNCTION, "-o", str(folder), "-e", kinds, f"target={target}"]
        words += [f"{name}={spelled(value)}" for name, value in values.items()]
        return run_limited(words, limits=limits, cwd=folder, trust="tool", scratch=folder)

    def build(
        self, values: Mapping[str, object], folder: Path, limits: Limits
    ) -> tuple[Path, Completed, Failed | None]:
        """The object for these values."""
        done = self._run(values, "object", folder, limits)
        failure = compile_failure(done, limits)
        if failure is not None:
            failure = replace(failure, log=f"{refusal(failure.log)}\n{failure.log}")
        return folder / f"{FUNCTION}.o", done, failure

    def recipe(self, choice: Configuration) -> Recipe:
        return {"values": {name: spelled(value) for name, value in choice.items()}}

    @contextmanager
    def evaluator(self, kernel: Kernel) -> Iterator[Evaluate]:
        """How a configuration of the kernel is measured."""

        def build(text: str, folder: Path, limits: Limits) -> tuple[Path, Completed, Failed | None]:
            return self.build(json.loads(text)["values"], folder, limits)

        untouched = self.recipe(Configuration({p.name: p.default for p in kernel.parameters}))
        ordered = replace_order(self.algorithm, self.order)
        with PipelineRun(ordered, kernel, self.recipe, untouched, self.threads, build) as run:
            yield run

    def emit(self, kernel: Kernel, note: str) -> tuple[EmittedFile, ...]:
        """The chosen values, as words of the program's command."""
        values = [f"{choice.parameter}={spelled(choice.value)}" for choice in kernel.schedule]
        comment = "".join(f"# {line}\n" for line in note.splitlines())
        return (EmittedFile(f"{self.name}.params", f"{comment}{' '.join(values)}\n"),)

    @property
    def identity(self) -> Mapping[str, str]:
        """Texts that results depend on besides the algorithm's text."""
        return {**self.algorithm.identity, "program": " ".join(self.program), "threads": str(self.threads)}


def replace_order(algorithm: Algorithm, order: tuple[str, ...]) -> Algorithm:
    """The algorithm called with its inputs in this order."""
    ordered = copy.copy(algorithm)
    object.__setattr__(ordered, "order", order)
    return ordered


def spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def refusal(log: str) -> str:
    """Halide's sentence among the words of a program that ended."""
    match = REFUSED.search(log)
    return (match[1] or match[2]).strip() if match else first_line(log)


def from_generator(
    generator: type,
    sizes: Sequence[int] | Sequence[Sequence[int]] | None = None,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    scalars: Mapping[str, Number] | None = None,
    ranges: Mapping[str, tuple[Number, Number]] | None = None,
    parameters: Mapping[str, object] | None = None,
) -> Algorithm:
    """The algorithm of a generator in Python, without its own schedule where it asks `using_autoscheduler()`.

    Args:
        generator: the class under `@hl.generator`.
        sizes, shapes, scalars, ranges: as those of `Algorithm`.
        parameters: values of GeneratorParams.

    Returns:
        The algorithm.

    Raises:
        TunepassError: not a generator, or one that Halide refuses, in Halide's words; a generator that raises another
            exception, at its line, with that exception as the cause.

    Example:
        >>> halide.from_generator(blur, (640, 480), shapes={"input": (640, 480)}).name
        'blur'
    """
    hl = halide()
    if not (isinstance(generator, type) and issubclass(generator, hl.Generator)):
        raise TunepassError(f"a class under @hl.generator is expected, got {generator!r}")
    name = generator.__name__
    inputs: dict[str, object] = {}
    for field in dir(generator):
        declared = getattr(generator, field)
        if isinstance(declared, hl.InputBuffer):
            inputs[field] = hl.ImageParam(declared.type(), declared.dimensions(), field)
        elif isinstance(declared, hl.InputScalar):
            value = (scalars or {}).get(field)
            if value is None:
                raise TunepassError(f"the value of {field} is not known", hint="give it in `scalars`")
            inputs[field] = float(value) if declared.type().is_float() else int(value)
    target = hl.get_host_target()
    try:
        with hl.GeneratorContext(target, hl.AutoschedulerParams(UNSCHEDULED, {})):
            call: Callable[..., object] = getattr(generator, CALL)
            outputs = call(**inputs, generator_params=dict(parameters or {}))
    except hl.HalideError as error:
        raise TunepassError(f"the generator {name} is refused: {first_line(str(error))}") from None
    except Exception as error:  # the generator's own code
        message = f"the generator {name} raises {type(error).__name__}: {first_line(str(error))}"
        raise SourceError(message, _raised(error, generator)) from error
    several = list(outputs) if isinstance(outputs, tuple) else [outputs]
    return Algorithm(several, sizes, shapes or {}, scalars or {}, ranges or {}, name=name)


def _raised(error: Exception, generator: type) -> Span:
    """The line of the generator's file that raised the exception, or called what did."""
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(getattr(generator, "generate", None), "__code__", None)
    generator_frames = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    frame = (generator_frames or frames)[-1]
    text = linecache.getline(frame.filename, frame.lineno or 0).rstrip("\n")
    return Source(frame.filename, text, frame.lineno or 1).span(len(text) - len(text.lstrip()), len(text))

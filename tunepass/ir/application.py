"""A whole program as a kernel: what it is built from, how it is run and judged. Paths are relative to its folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tunepass.diagnostics import Span
from tunepass.ir.body import Body
from tunepass.ir.run import RunCommand

Over = Literal["mean", "worst", "geometric mean"]
Words = tuple[str, ...]  # an argument vector; words may hold placeholders such as {FLAGS} and {build_dir}
PROFILE = "PROFILE"  # the folder of a profile's counts, in a compiler's words for it


def profile_folder(build_dir: str) -> str:
    """Beside the build folder, which is emptied between the two phases of a build with a profile."""
    return f"{build_dir}.profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricReading:
    """A number in the program's output: literal text around one `{name}`, or the path of a value in JSON output."""

    pattern: str = ""
    path: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """Commands run in order, in a private copy of the sources (`copied`) or where the sources are. `product` is the
    program they make; `training` what an instrumented one runs, if not the run's own command."""

    commands: tuple[Words, ...] = ()
    product: str = ""
    copied: bool = True
    linked: Words = ()  # what the copy has as links: large inputs that are only read
    training: Words = ()
    limit_s: float = 120.0
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileWords:
    """What a compiler is told so that a program counts what it does, and then to use what was counted; `merge` is run
    in between. Words may hold PROFILE, the folder of the counts."""

    generate: Words
    use: Words
    merge: Words = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInput:
    """Words that stand for `{INPUT}` in one of the runs, and how much that run counts."""

    words: Words
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """What is run to build, run and check one configuration, every placeholder filled in, and the environment of the
    run. With a profile the `instrumented` builds come first, then the `training`, then the builds. `runs` and `checks`
    have one entry for each input."""

    builds: tuple[Words, ...] = ()
    instrumented: tuple[Words, ...] = ()
    training: tuple[Words, ...] = ()
    runs: tuple[Words, ...]
    checks: tuple[Words, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationCheck:
    """What makes an output right: `command` ends with status 0; the numbers `compared`, or the whole output, are those
    of the default configuration within the tolerance."""

    command: Words = ()
    compared: tuple[MetricReading, ...] = ()
    whole_output: bool = False
    absolute: float = 0.0
    relative: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Application(Body):
    """`sources` are globs of what the program is built from; `tools` the programs whose versions its results depend on.
    It is run once for each of the `inputs`, if there are any; the weighted mean of them counts, or what `over` says.
    `limit_s` None: the limit follows the default's own time. `repeats` None: until the median is steady."""

    kind: ClassVar[str] = "application"
    run: RunCommand
    sources: Words = ()
    sources_span: Span | None = None
    tools: Words = ()
    build: Build = Build()
    check: ApplicationCheck = ApplicationCheck()
    inputs: tuple[RunInput, ...] = ()
    over: Over = "mean"  # of the inputs
    limit_s: float | None = None
    memory_bytes: int | None = None
    repeats: int | None = None
    deterministic: bool = False

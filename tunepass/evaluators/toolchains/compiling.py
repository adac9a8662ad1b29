"""From candidates to object files and executables with the user's compiler."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from tunepass.compilers.asking import base_environment
from tunepass.compilers.cc import Compiler, identify
from tunepass.compilers.languages import USUAL_SUFFIX
from tunepass.compilers.named import same_program
from tunepass.compilers.options import LANGUAGE, OUTPUT, is_named, kept, split_arguments, table_of, values_of
from tunepass.compilers.responses import operand
from tunepass.diagnostics import ToolError
from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.run import Completed, Limits, run_limited
from tunepass.evaluators.toolchains.remarks import not_applied, parse_remarks, remark_flags
from tunepass.evaluators.toolchains.snapshot import Snapshot, take_snapshot
from tunepass.evaluators.toolchains.source_files import SourceFiles, local_files
from tunepass.files import encoded
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

Language = Literal["c", "c++"]
RENAMED_MAIN = "tunepass_user_main"
THREADS = re.compile(r"^-(fopenmp(?!-simd)|pthread|lpthread|ltbb|qopenmp|ftree-parallelize-loops)")
WRAPPED = ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign")
SEED = "-frandom-seed=tunepass"
SECTIONS = ("-ffunction-sections", "-fdata-sections")
DROP_UNREACHED = "-Wl,--gc-sections"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileLimits:
    """The compile limit follows what compiles took: `slack` times the longest good one, within [least_s, most_s]. What
    reached it having mostly waited (the machine may be busy) is compiled once more, with `patience` times as long."""

    least_s: float = 10.0
    most_s: float = 120.0
    slack: float = 10.0
    patience: float = 3.0
    memory_bytes: int = 4 << 30


@dataclass(slots=True)
class Compiling:
    """A compiler with its base arguments, on one source. Compiles run where tunepass runs, so that relative -I work."""

    command: tuple[str, ...]
    source: Path
    language: Language = "c"
    limits: CompileLimits = field(default_factory=CompileLimits)
    environment: Mapping[str, str] = field(default_factory=dict)
    longest_s: float = 0.0
    snapshot: Snapshot | None = None  # compiles see the files as they are there
    numbered: bool = True  # a candidate's text has the lines of its source
    reached_only: bool = False  # programs are linked of what main reaches: other functions may call what nobody defines
    linked_by: str = "after `--`, beside the compiler's words"  # where users name further objects and libraries

    @property
    def compiler(self) -> Compiler:
        return identify(self.command[0])

    @property
    def arguments(self) -> tuple[str, ...]:
        """The user's words without those that name the output or stop before linking."""
        table = table_of(self.command[0])
        return tuple(kept(self.command[1:], lambda word, value: not _names_object(word, value), table))

    @property
    def _split(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        return split_arguments(self.arguments, table_of(self.command[0]))

    @property
    def flags(self) -> tuple[str, ...]:
        return self._split[0]

    @property
    def sections(self) -> tuple[str, ...]:
        """Flags that let a linker drop a function without the others of its file."""
        return SECTIONS if self.reached_only else ()

    @property
    def link_words(self) -> tuple[str, ...]:
        return self._split[1]

    @property
    def further_sources(self) -> tuple[str, ...]:
        main_source = self.source.resolve()
        return tuple(name for name in self._split[2] if Path(name).resolve() != main_source)

    def by(self, candidate: Candidate) -> Compiling:
        """With the compiler that the candidate names, and the words of this one. Objects are linked by this one."""
        if not candidate.compiler or same_program(candidate.compiler, self.command[0]):
            return self
        return replace(self, command=(candidate.compiler, *self.command[1:]))

    def threaded(self, candidate: Candidate) -> bool:
        """May the program run threads? Then it is not pinned to one core."""
        return any(THREADS.match(word) for word in (*self.arguments, *candidate.flags))

    def limits_now(self) -> Limits:
        known = self.longest_s > 0
        wall = max(self.limits.least_s, self.limits.slack * self.longest_s) if known else self.limits.most_s
        return self._limits(min(self.limits.most_s, wall))

    def _limits(self, wall_s: float) -> Limits:
        return Limits(wall_s=wall_s, memory_bytes=self.limits.memory_bytes, processes=256)

    def run(self, words: Sequence[str | Path], limits: Limits | None = None) -> tuple[Completed, Failed | None]:
        """One run of the compiler; its duration informs the limit of later ones if it succeeded. Its temporary files go
        beside its output, and with them whatever a killed compiler leaves."""
        limits = limits or self.limits_now()
        done = self._run_once(words, limits)
        if done.starved and limits.wall_s < self.limits.most_s:
            limits = self._limits(min(self.limits.most_s, self.limits.patience * limits.wall_s))
            done = self._run_once(words, limits)
        failure = compile_failure(done, limits)
        if failure is None:
            self.longest_s = max(self.longest_s, done.seconds)
        return done, failure

    def run_patiently(self, words: Sequence[str | Path]) -> tuple[Completed, Failed | None]:
        """On text of tunepass's own, or another source of the user's: no compile of a candidate is a measure of it."""
        return self.run(words, self._limits(self.limits.most_s))

    def _run_once(self, words: Sequence[str | Path], limits: Limits) -> Completed:
        words = [operand(str(word)) if isinstance(word, Path) else word for word in words]
        environment, snapshot = {**base_environment(), **self.environment}, self.snapshot if "-c" in words else None
        done = run_limited(
            [self.compiler.path, *(snapshot.words(words) if snapshot else words)],
            limits=limits,
            cwd=snapshot.working_folder if snapshot else None,
            env=snapshot.environment(environment) if snapshot else environment,
            trust="tool",
            scratch=Path(words[words.index("-o") + 1]).parent if "-o" in words else None,
        )
        if snapshot:
            done = replace(done, stdout=snapshot.original(done.stdout), stderr=snapshot.original(done.stderr))
        return done

    def compile_candidate(
        self, candidate: Candidate, folder: Path, *, rename_main: bool, limits: Limits | None = None
    ) -> tuple[Path, Completed, Failed | None]:
        """Object file of the candidate in `folder`; fails as `compile` or `not_applied`. The object's bytes do not
        depend on the folder's name."""
        target, done, failure = self.compile_object(candidate, folder, rename_main=rename_main, limits=limits)
        return target, done, failure or self.refused(candidate, folder, done)

    def compile_object(
        self, candidate: Candidate, folder: Path, *, rename_main: bool, limits: Limits | None = None
    ) -> tuple[Path, Completed, Failed | None]:
        """As compile_candidate, whatever was applied."""
        other = self.by(candidate)
        if other is not self:
            compiled = other.compile_object(candidate, folder, rename_main=rename_main, limits=limits)
            self.longest_s = max(self.longest_s, other.longest_s)
            return compiled
        if candidate.text is None:
            source = self.source
        else:
            source = folder / (self.source.stem + (self.source.suffix or USUAL_SUFFIX[self.language]))
            first = f'#line 1 "{quoted(str(self.source))}"\n' if self.numbered else ""
            source.write_bytes(encoded(first + candidate.text))
        target = folder / "candidate.o"
        words: list[str | Path] = [
            *self.flags,
            *candidate.flags,
            *candidate.defines,
            *self.sections,
            *self._steady(folder),
            *(remark_flags(self.compiler.family, folder / "remarks") if candidate.requests else ()),
            *((f"-Dmain={RENAMED_MAIN}",) if rename_main else ()),
            *("-iquote", self.source.parent if str(self.source.parent) else "."),
            *("-c", source, "-o", target),
        ]
        done, failure = self.run(words, limits)
        return target, done, failure

    def watched(self, candidate: Candidate, *flags: str) -> Candidate:
        """The candidate as it is compiled once more, with these flags: nothing is asked of the compiler, what it warns
        of is no error then, whatever -Werror says, and nothing is left to a link, which would need the flags too."""
        at_once = ["-fno-lto"] if any(w.startswith("-flto") for w in (*self.arguments, *candidate.flags)) else []
        return replace(candidate, flags=(*candidate.flags, *flags, "-w", *at_once), requests=())

    def refused(self, candidate: Candidate, folder: Path, done: Completed) -> Failed | None:
        """`not_applied` when the remarks of that compilation in `folder` say so."""
        silent = self.by(candidate).compiler.family == "other"
        requests = [r for r in candidate.requests if r.obstacle or not silent]
        if not requests:
            return None
        remarks = folder / "remarks"
        text = remarks.read_text(encoding="utf-8", errors="replace") if remarks.exists() else done.stderr
        return not_applied(requests, parse_remarks(text))

    def _steady(self, folder: Path) -> tuple[str, ...]:
        """Flags that keep folder names and random seeds out of the object."""
        places = {str(folder): "."} | ({self.snapshot.root: ""} if self.snapshot else {})
        match self.compiler.family:
            case "gcc":
                return (*(f"-ffile-prefix-map={place}={name}" for place, name in places.items()), SEED)
            case "clang":  # -ffile-prefix-map would lose the lines of remarks
                directory_flags = (f"-fdebug-compilation-dir={os.path.realpath(os.getcwd())}",) if self.snapshot else ()
                return (*(f"-fmacro-prefix-map={place}={name}" for place, name in places.items()), *directory_flags)
            case _:
                return ()

    def compile_further(self, folder: Path) -> list[Path]:
        """The user's other sources, at the base flags. Raises ToolError: no candidate could be judged."""
        objects = []
        for index, name in enumerate(self.further_sources):
            target = folder / f"further-{index}.o"
            _, failure = self.run_patiently([*self.flags, *self.sections, "-c", name, "-o", target])
            if failure is not None:
                raise ToolError(f"{name} does not compile", hint=failure.log)
            objects.append(target)
        return objects

    def link(
        self, objects: Sequence[Path], target: Path, candidate: Candidate, extra: Sequence[str] = ()
    ) -> tuple[Completed, Failed | None]:
        flags = [*self.flags, *candidate.flags]
        stated = ["-x", "none"] if values_of(flags, LANGUAGE) else []  # objects are in no language
        dropping = [DROP_UNREACHED] if self.reached_only else []
        return self.run([*flags, *stated, *objects, *self.link_words, *dropping, *extra, "-o", target])

    def freeze(self, folder: Path, sources: SourceFiles, defines: Sequence[str]) -> None:
        """Compile from a snapshot of the files, in the empty folder. Raises SourceError where one changed meanwhile."""
        self.snapshot = take_snapshot(folder, sources, local_files(sources, self.command, self.source, defines))

    def place_of(self, path: Path) -> str:
        """The absolute path under which compiles find the file."""
        real = os.path.realpath(path)
        return self.snapshot.image(real) if self.snapshot else real

    def with_command(self, command: Sequence[str]) -> Compiling:
        return replace(self, command=tuple(command))


def _names_object(word: str, value: str | None) -> bool:
    """`-c`, and `-o` in each of its spellings."""
    return word in ("-c", "--compile") or is_named(word, value, OUTPUT)


def quoted(name: str) -> str:
    """Within the quotes of a `#line`."""
    return name.replace("\\", "\\\\").replace('"', '\\"')


def mentions_main(text: str) -> bool:
    return re.search(r"\bmain\s*\(", text) is not None

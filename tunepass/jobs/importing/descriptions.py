"""Import of other tuners' descriptions as a source with tunepass's pragmas."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.compilers.languages import CXX, USUAL_SUFFIX
from tunepass.diagnostics import Source, SourceError, TunepassError
from tunepass.expr.from_python import from_python
from tunepass.expr.parser import parse as parse_expression
from tunepass.expr.printer import to_text
from tunepass.files import shown
from tunepass.interchange.foreign_kernel import ForeignKernel, ForeignParameter, Language, annotated, used
from tunepass.interchange.ktt_programs import ktt_kernels
from tunepass.interchange.python_values import python_value
from tunepass.interchange.signatures import agreed
from tunepass.interchange.t1 import read_t1
from tunepass.interchange.tuner_kernels import foreign_kernel, with_directions
from tunepass.interchange.tuner_pragmas import TunedSection, tuned_sections
from tunepass.interchange.tuner_scripts import tuner_calls
from tunepass.jobs.reading import read_source


@dataclass(frozen=True, slots=True)
class Given:
    """Options of an import besides its file: Kernel Tuner's `tune_params` and `restrictions` as Python texts, numbers
    for names, the kernel's own files, and the name of one of several kernels."""

    parameters: Mapping[str, str]
    constraints: tuple[str, ...] = ()
    sizes: Mapping[str, int] | None = None
    sources: tuple[Path, ...] = ()
    kernel: str | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """`kernel` is as described, `text` the annotated source with `notes` on what it lacks; `name` is its file's."""

    kernel: ForeignKernel
    notes: tuple[str, ...]
    text: str
    name: str
    whole: bool  # with a `kernel` pragma


def imported(path: Path, given: Given) -> Imported:
    """The kernel at `path`: a T1 file (.json), a script of Kernel Tuner (.py), a program of KTT (.cpp), or a C source
    with Kernel Tuner's pragmas."""
    source = read_source(path)
    try:
        return _imported(path, source, given)
    except RecursionError:
        raise SourceError(f"{shown(path)} is nested too deeply to be read") from None


def _imported(path: Path, source: Source, given: Given) -> Imported:
    if path.suffix == ".py":
        return _from_script(path, source, given)
    if path.suffix == ".json":
        return _from_t1(path, source, given)
    if path.suffix in CXX and "AddParameter" in source.text:
        return _from_program(path, source, given)
    return _from_pragmas(path, source, given)


def _from_script(path: Path, source: Source, given: Given) -> Imported:
    calls = tuner_calls(source)
    if not calls:
        raise SourceError(f"{shown(path)} has no call of `tune_kernel`", hint="`import` reads scripts of Kernel Tuner")
    names = list(dict.fromkeys(call.function for call in calls))
    if given.kernel is None and len(names) > 1:
        raise TunepassError(f"the script tunes several kernels: {', '.join(names)}", hint="choose one with --kernel")
    if given.kernel is not None and given.kernel not in names:
        raise TunepassError(f"no kernel {given.kernel!r}; the script tunes {', '.join(names)}")
    call = next(call for call in calls if given.kernel in (None, call.function))
    kernel = _with_given(foreign_kernel(call), given)
    texts = [read_source(file).text for file in given.sources or _local_source(path, kernel)]
    text = "\n".join(texts) or call.text
    return _written(path, kernel, text, with_directions)


def _from_program(path: Path, source: Source, given: Given) -> Imported:
    """As the program tunes it in CUDA where it can be, else in OpenCL; the source that is given says which."""
    languages: tuple[Language, ...] = ("cuda", "opencl")
    stated = [language for language in languages if any(p.suffix == USUAL_SUFFIX[language] for p in given.sources)]
    kernels = [(k, language) for language in stated or languages for k in ktt_kernels(source, language)]
    if given.kernel is not None:
        names = dict.fromkeys(kernel.function for kernel, _ in kernels)
        kernels = [(k, language) for k, language in kernels if k.function == given.kernel]
        if not kernels:
            raise TunepassError(f"no kernel {given.kernel!r}; the program tunes {', '.join(names) or 'none'}")
    if not kernels:
        raise SourceError(f"{shown(path)} has no kernel whose parameters can be read", hint="`import` reads KTT's API")
    names = dict.fromkeys(kernel.function for kernel, language in kernels if language == kernels[0][1])
    if len(names) > 1:
        raise TunepassError(f"the program tunes several kernels: {', '.join(names)}", hint="choose one with --kernel")
    chosen = [k for k, language in kernels if k.language == language and (given.sources or _local_source(path, k))]
    kernel = _with_given(chosen[0] if chosen else kernels[0][0], given)
    texts = [read_source(file).text for file in given.sources or _local_source(path, kernel)]
    return _written(path, kernel, "\n".join(texts), lambda written, _: written)


def _written(
    path: Path, kernel: ForeignKernel, text: str | None, directed: Callable[[ForeignKernel, str], ForeignKernel]
) -> Imported:
    """The kernel with its text; with its pragmas alone where there is none."""
    if text:
        written = directed(used(agreed(kernel, text), text), text)
    else:
        note = f"the kernel's source, {kernel.source}, is not here: only its pragmas are written (--source names it)"
        written = replace(kernel, arguments=(), notes=(*kernel.notes, note))
    suffix = USUAL_SUFFIX.get(str(kernel.language), ".txt")
    origin = shown(path.name)
    return Imported(kernel, written.notes, annotated(written, text or "", origin), path.stem + suffix, written.whole)


def _from_t1(path: Path, source: Source, given: Given) -> Imported:
    kernel = _with_given(read_t1(source), given)
    texts = [read_source(file).text for file in given.sources or _local_source(path, kernel)]
    return _written(path, kernel, "\n".join(texts), lambda written, _: written)


def _local_source(path: Path, kernel: ForeignKernel) -> tuple[Path, ...]:
    """The kernel's file, in the folder of its description or below; a description names no other files to be copied."""
    if kernel.source is None or Path(kernel.source).is_absolute() or ".." in Path(kernel.source).parts:
        return ()
    file = path.parent / kernel.source
    if not os.path.isfile(file):  # nor has a file a name that is too long, which pathlib raises an error for
        return ()
    return (file,) if file.resolve().is_relative_to(path.parent.resolve()) else ()


def _from_pragmas(path: Path, source: Source, given: Given) -> Imported:
    sections = tuned_sections(source, given.sizes)
    if not sections:
        hint = "T1 files end in .json; a C source has `#pragma tuner start NAME ...`"
        raise SourceError(f"{shown(path)} has no `#pragma tuner start`", hint=hint)
    section = _chosen(sections, given.kernel)
    if not given.parameters:
        hint = "give them as Kernel Tuner has them: --param 'nthreads=[32, 64, 128]'"
        raise SourceError(f"what may vary in `{section.name}` is not in the source", section.span, hint)
    kernel = ForeignKernel(
        function=section.name, language="c", parameters=(), constraints=(), arguments=section.arguments
    )
    kernel = _with_given(kernel, given)
    unused = [p.name for p in kernel.parameters if not re.search(rf"\b{p.name}\b", section.body)]
    if unused:
        raise SourceError(f"`{section.name}` does not use `{unused[0]}`", section.span)
    text = annotated(kernel, section.function(), shown(path.name))
    return Imported(kernel, kernel.notes, text, section.name + path.suffix, kernel.whole)


def _chosen(sections: Sequence[TunedSection], name: str | None) -> TunedSection:
    names = [section.name for section in sections]
    if name is None and len(sections) > 1:
        raise TunepassError(f"the source has several kernels: {', '.join(names)}", hint="choose one with --kernel")
    if name is not None and name not in names:
        raise TunepassError(f"no kernel {name!r}; the source has {', '.join(names)}")
    return sections[names.index(name) if name is not None else 0]


def _with_given(kernel: ForeignKernel, given: Given) -> ForeignKernel:
    """With the parameters and constraints of the command line besides its own."""
    known = {p.name: p for p in kernel.parameters}
    for name, text in given.parameters.items():
        values = python_value(text)
        if not isinstance(values, tuple) or not values:
            raise TunepassError(f"the values of `{name}` are a list, got {text!r}")
        scalars = [v for v in values if v is not None and not isinstance(v, tuple)]
        if len(scalars) < len(values):
            raise TunepassError(f"a value of `{name}` is a number, a text or a truth value, got {text!r}")
        known[name] = ForeignParameter(name, tuple(dict.fromkeys(scalars)), scalars[0])
    types = {p.name: p.parameter().type for p in known.values()}
    more = tuple(to_text(parse_expression(from_python(text), types)) for text in given.constraints)
    return replace(kernel, parameters=tuple(known.values()), constraints=(*kernel.constraints, *more))

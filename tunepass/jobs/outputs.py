"""Writing what a build leaves: tuned sources, the object or the program. A file is whole or not there."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tunepass.diagnostics import ToolError, TunepassError
from tunepass.evaluators.toolchains.compiling import Compiling, Language
from tunepass.frontends.c.emission import chosen, emit_file
from tunepass.frontends.c.lowering import flags
from tunepass.ir.application import Application
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.candidate import Candidate
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.jobs.application import write_tuned
from tunepass.jobs.reading import frontend_of


def writable_folder(path: Path) -> Path:
    """The folder, made if missing. Raises TunepassError when nothing can be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise TunepassError(
            f"cannot write to {path}: {error.strerror}", hint="name another folder with -o, another store with --store"
        ) from None


def write_outputs(folder: Path, kernels: Sequence[Kernel], note: str, command: tuple[str, ...]) -> tuple[Path, ...]:
    """NAME.tuned.c, NAME.tuned.h and NAME.tuned.o of the scheduled kernels of one source; the program NAME.tuned when
    the source says how it is run. Of an application NAME.tuned.mk, NAME.tuned.sh and the program NAME.tuned."""
    if isinstance(kernels[0].body, Application):
        return _write_application(folder, kernels[0], note)
    frontend_of(kernels[0].source.name)
    texts = emit_file(kernels, note)
    with _scratch(folder) as scratch:
        built = _build(scratch, kernels, texts[0], command)
        for file in texts:
            (scratch / file.name).write_text(file.text)
        names = [*(file.name for file in texts), built]
        for name in names:
            os.replace(scratch / name, folder / name)
    return tuple(folder / name for name in names)


def _write_application(folder: Path, kernel: Kernel, note: str) -> tuple[Path, ...]:
    with _scratch(folder) as scratch:
        names = write_tuned(scratch, kernel, note)
        for name in names:
            os.replace(scratch / name, folder / name)
    return tuple(folder / name for name in names)


def _build(scratch: Path, kernels: Sequence[Kernel], text: EmittedFile, command: tuple[str, ...]) -> str:
    """Compile the tuned text with what was chosen; the name of the object or program in `scratch`."""
    kernel = kernels[0]
    language: Language = "c++" if kernel.language == "c++" else "c"
    compiling = Compiling(command=command, source=Path(kernel.source.name), language=language)
    chosen_flags = tuple(flag for k in kernels for flag in flags(k, chosen(k)))
    candidate = Candidate(text=text.text, flags=chosen_flags)
    target, _, failure = compiling.compile_candidate(candidate, scratch, rename_main=False)
    if failure is not None:
        raise ToolError(f"the tuned {kernel.source.name} does not compile", hint=failure.log)
    stem = Path(text.name).stem
    if all(k.body_as(CKernel).run is None for k in kernels):
        os.replace(target, scratch / f"{stem}.o")
        return f"{stem}.o"
    objects = [target, *compiling.compile_further(scratch)]
    _, failure = compiling.link(objects, scratch / stem, candidate)
    if failure is not None:
        raise ToolError(f"the tuned {kernel.source.name} does not link", hint=failure.log)
    return stem


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A folder within the folder, so that what is finished can be moved into place; removed in any case."""
    scratch = Path(tempfile.mkdtemp(prefix=".tunepass-", dir=folder))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Replace the file whole. Raises TunepassError when it cannot be written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise TunepassError(f"cannot write {path}: {error.strerror}") from None

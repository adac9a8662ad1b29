"""Which runtime an object needs, said in the object itself: a local symbol `tunepass.link.openmp`.

A choice such as -fopenmp is made for one source, but the linker's command knows objects alone. The assembler adds the
symbol, so it goes where the object goes: moved, in an archive, or linked into another object. It names one of the words
below and nothing else: no object can make the linker do more than load a runtime of the compiler's.
"""

from __future__ import annotations

import os

from tunepass.compilers.languages import is_linked
from tunepass.compilers.options import LIBRARIES, LIBRARY_FOLDERS, STOPS_EARLY, values_of

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MARK = b"tunepass.link."
WORDS = {"openmp": "-fopenmp", "openacc": "-fopenacc", "pthread": "-pthread"}
_NAMES = {word: name for name, word in WORDS.items()} | {"-ftree-parallelize-loops": "openmp"}
NO_RUNTIME = frozenset({"-r", "-nostdlib", "-nodefaultlibs"})


def marking(arguments: Sequence[str], added: Iterable[str], compiler: str = "") -> list[str]:
    """The words by which an object of this call says what the added ones need when it is linked. Objects that only
    link-time optimisation reads have no symbols of the assembler's. clang (14) defines no symbols in its own
    assembler: it asks the system's, and warns of the words where nothing is assembled."""
    objects = "-c" in arguments or "--compile" in arguments or STOPS_EARLY.isdisjoint(arguments)
    if not objects or any(word.startswith("-flto") for word in (*arguments, *added)):
        return []
    names = dict.fromkeys(name for word in added if (name := _NAMES.get(word.partition("=")[0])))
    clang = bool(names) and os.path.basename(compiler).startswith("clang")
    outside = ["-fno-integrated-as", "-Wno-unused-command-line-argument"] if clang else []
    return outside + [f"-Wa,--defsym,tunepass.link.{name}=1" for name in names]


def needed(arguments: Sequence[str], objects: Iterable[str] = ()) -> list[str]:
    """The words that the objects and libraries of a linker's command ask for, and that it lacks."""
    if not STOPS_EARLY.isdisjoint(arguments) or not NO_RUNTIME.isdisjoint(arguments):
        return []
    data = [content for path in (*linked_files(arguments), *objects) if MARK in (content := read(path))]
    required = [
        word for name, word in WORDS.items() if any(MARK + name.encode() + b"\0" in content for content in data)
    ]
    return [word for word in required if word not in arguments]


def linked_files(arguments: Sequence[str]) -> list[str]:
    """Objects and libraries by name, those that the linker is handed in one word (-Wl,--whole-archive,libx.a), and
    archives that -l finds in a folder of -L."""
    words = [
        part for argument in arguments for part in (argument.split(",") if argument[:4] == "-Wl," else (argument,))
    ]
    files = [word for word in words if is_linked(word) and not word.startswith("-")]
    folders, libraries = values_of(words, LIBRARY_FOLDERS), values_of(words, LIBRARIES)
    paths = (os.path.join(folder, f"lib{name}.a") for folder in folders for name in libraries)
    return [*files, *(path for path in paths if os.path.isfile(path))]


def read(path: str) -> bytes:
    """Nothing of what cannot be read: the compiler says it better. What is in a pipe is the compiler's."""
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        from tunepass.machine_faults import raise_machines  # seldom needed in a compiler's call

        raise_machines(error)
        return b""

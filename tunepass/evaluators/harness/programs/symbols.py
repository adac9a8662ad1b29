"""Names that an object file or a program defines and needs, read from its ELF symbol table.

A candidate that defines a function which the harness calls takes the harness's place in the clock or in the report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

HEADER = np.dtype([("ident", "S16"), ("_", "V24"), ("offset", "<u8"), ("_2", "V10"), ("size", "<u2"), ("count", "<u2")])
SECTION = np.dtype(
    [
        ("name", "<u4"),
        ("type", "<u4"),
        ("flags", "<u8"),
        ("_2", "V8"),
        ("offset", "<u8"),
        ("size", "<u8"),
        ("link", "<u4"),
        ("_3", "V20"),
    ]
)
SYMBOL = np.dtype([("name", "<u4"), ("info", "u1"), ("_", "u1"), ("section", "<u2"), ("_2", "V8"), ("size", "<u8")])
Sections = npt.NDArray[np.void]
ELF64_LITTLE = b"\x7fELF\x02\x01"
SYMTAB, DYNAMIC, DYNSYM = 2, 6, 11  # types of sections
NEEDED_LIBRARY = 1  # the tag of an entry
SLIM_LTO = "__gnu_lto_slim"  # the one name of an object that is compiled when it is linked
LOCAL = 0
OBJECT, COMMON, THREAD_LOCAL = 1, 5, 6  # types of symbols
WRITABLE = 1  # a flag of sections
COMMON_SECTION = 0xFFF2
# What compilers and their libraries keep for themselves: locks of critical sections, the processor's features.
COMPILER_VARIABLES = re.compile(r".*@|\.(gomp|kmpc|omp)\w*|_ZG[VR]|__(cpu|gcov|llvm|tsan|sancov|dso|TMC)_")
NUMBERED = re.compile(r"\.\d+$")  # of variables in functions
# Functions of the C library that start processes, or may.
STARTING = frozenset({"fork", "_Fork", "vfork", "forkpty", "daemon", "clone", "__clone", "clone3"}) | {
    *("system", "popen", "posix_spawn", "posix_spawnp", "wordexp")
}
# What the code around main calls if a program or one of its objects has it (crt1.o, crti.o, crtbegin.o).
AROUND_MAIN = frozenset({"__libc_start_main", "__libc_csu_init", "__libc_csu_fini", "__gmon_start__"}) | {
    *("__cxa_finalize", "_ITM_registerTMCloneTable", "_ITM_deregisterTMCloneTable", "_Jv_RegisterClasses")
}
# What the runtimes of OpenMP and C++ call before main or after it, as `nm -D --undefined-only` tells of libgomp, libomp
# and libstdc++.
BY_LIBRARIES = frozenset({"getenv", "secure_getenv", "malloc", "calloc", "realloc", "free", "memalign"}) | {
    *("aligned_alloc", "strtol", "strtoul", "strtoull", "strcasecmp", "strncasecmp", "strcmp", "strncmp", "strchr"),
    *("strlen", "strdup", "strerror", "memcpy", "memmove", "memset", "memcmp", "memchr", "sysconf", "__sysconf"),
    *("syscall", "getpid", "gethostname", "getloadavg", "sched_getaffinity", "__sched_cpucount", "get_nprocs"),
    *(
        "fopen",
        "fopen64",
        "fclose",
        "fputs",
        "fputc",
        "fwrite",
        "fflush",
        "fprintf",
        "vfprintf",
        "sprintf",
        "vsnprintf",
    ),
    *(
        "__getdelim",
        "dlopen",
        "dlsym",
        "dlclose",
        "dlerror",
        "dl_iterate_phdr",
        "setlocale",
        "__newlocale",
        "newlocale",
    ),
    *("uselocale", "__uselocale", "__errno_location", "__ctype_b_loc", "__ctype_tolower_loc", "__nl_langinfo_l"),
    *("__cxa_atexit", "exit", "abort", "gettimeofday", "clock_gettime", "clock_getres", "__tls_get_addr"),
    *(f"pthread_{name}" for name in ("once", "self", "create", "atfork", "key_create", "key_delete", "setspecific")),
    *(f"pthread_{name}" for name in ("getspecific", "mutex_init", "mutex_lock", "mutex_unlock", "cond_init")),
    *(f"pthread_attr_{name}" for name in ("init", "destroy", "getstacksize", "setstacksize")),
    *(f"pthread_{name}" for name in ("getaffinity_np", "setaffinity_np", "getattr_np", "attr_setaffinity_np")),
}
# What a kernel may well bring along, and a clock or a report does not depend on.
HARMLESS = frozenset({"ceil", "exp", "fabs", "floor", "fmod", "log", "log2", "pow", "round", "sqrt", "trunc"})


@dataclass(frozen=True, slots=True)
class Symbols:
    """Global and weak names. Not `readable`: the file has another format, no table, or the names of a later link."""

    defined: frozenset[str] = frozenset()
    needed: frozenset[str] = frozenset()
    readable: bool = False


def symbols(path: Path) -> Symbols:
    """None in a file of another format, or without a table. What a program needs of libraries is known in any case."""
    raw = path.read_bytes()
    if not raw.startswith(ELF64_LITTLE):
        return Symbols()
    try:
        sections = sections_of(raw)
        pairs = list(_globals(raw, sections, SYMTAB))
        dynamic = list(_globals(raw, sections, DYNSYM))
    except (ValueError, IndexError):
        return Symbols()
    defined = frozenset(name for name, section in pairs if section)
    needed = frozenset(name for name, section in (*pairs, *dynamic) if not section)
    return Symbols(defined, needed, readable=bool(pairs) and SLIM_LTO not in defined)


def static_variables(path: Path) -> frozenset[str]:
    """Names of the variables that keep their values from one call to the next and may be written: of the file, of
    functions, of a thread. None in a file of another format, or without a table."""
    raw = path.read_bytes()
    if not raw.startswith(ELF64_LITTLE):
        return frozenset()
    try:
        sections = sections_of(raw)
        names = list(_written(raw, sections))
    except (ValueError, IndexError):
        return frozenset()
    return frozenset(NUMBERED.sub("", name) for name in names if not COMPILER_VARIABLES.match(name))


def may_start_processes(*files: Path) -> bool:
    """Does an object or a program need a function that starts processes? Calls of the system without a function show
    only when they are made, as those of a library do."""
    return any(not STARTING.isdisjoint(symbols(file).needed) for file in files)


def libraries(path: Path) -> list[str]:
    """Names of the shared libraries that a program is linked with."""
    raw = path.read_bytes()
    if not raw.startswith(ELF64_LITTLE):
        return []
    try:
        return list(_libraries(raw, sections_of(raw)))
    except (ValueError, IndexError):
        return []


def sections_of(raw: bytes) -> Sections:
    """The table of sections."""
    header = np.frombuffer(raw, HEADER, 1)[0]
    return np.frombuffer(raw, SECTION, int(header["count"]), int(header["offset"]))


def names_of(raw: bytes, sections: Sections, index: int) -> bytes:
    """The table of texts in that section."""
    names = sections[index]
    return raw[int(names["offset"]) : int(names["offset"]) + int(names["size"])]


def section_names_of(raw: bytes, sections: Sections) -> bytes:
    """The table of the sections' names."""
    return names_of(raw, sections, int(np.frombuffer(raw, "<u2", 1, 62)[0]))


def text_at(table: bytes, start: int) -> str:
    """The text that begins there in a table."""
    return table[start : table.index(0, start)].decode(errors="replace")


def _libraries(raw: bytes, sections: Sections) -> Iterator[str]:
    for table in sections[sections["type"] == DYNAMIC]:
        names = names_of(raw, sections, int(table["link"]))
        for tag, value in np.frombuffer(raw, "<u8", int(table["size"]) // 8, int(table["offset"])).reshape(-1, 2):
            if int(tag) == NEEDED_LIBRARY:
                yield text_at(names, int(value))


def _globals(raw: bytes, sections: Sections, kind: int) -> Iterator[tuple[str, int]]:
    """Name and section of each symbol that others see; section 0 holds what is needed."""
    for table in sections[sections["type"] == kind]:
        names = names_of(raw, sections, int(table["link"]))
        entries = np.frombuffer(raw, SYMBOL, int(table["size"]) // SYMBOL.itemsize, int(table["offset"]))
        for entry in entries[entries["info"] >> 4 != LOCAL]:
            yield text_at(names, int(entry["name"])).partition("@")[0], int(entry["section"])


def _written(raw: bytes, sections: Sections) -> Iterator[str]:
    """Names of variables in sections that stay writable while the program runs, empty ones aside."""
    section_names = section_names_of(raw, sections)
    open_ones = {COMMON_SECTION} | {
        place
        for place, section in enumerate(sections)
        if int(section["flags"]) & WRITABLE
        and not text_at(section_names, int(section["name"])).startswith(".data.rel.ro")
    }
    for table in sections[sections["type"] == SYMTAB]:
        names = names_of(raw, sections, int(table["link"]))
        entries = np.frombuffer(raw, SYMBOL, int(table["size"]) // SYMBOL.itemsize, int(table["offset"]))
        entries = entries[np.isin(entries["info"] & 15, (OBJECT, COMMON, THREAD_LOCAL)) & (entries["size"] > 0)]
        for entry in entries[np.isin(entries["section"], list(open_ones))]:
            yield text_at(names, int(entry["name"]))


def taken_over(defined: Set[str], allowed: Set[str], needed: Set[str]) -> list[str]:
    """Of the names that the harness needs those that are defined, also for --wrap, although the reference does not."""
    guarded = needed - HARMLESS
    return sorted(name for name in defined - allowed if name.removeprefix("__wrap_") in guarded)

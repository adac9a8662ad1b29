"""Names that a kernel and its arguments cannot have, because the generated program has them."""

from __future__ import annotations

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.pragmas.kernel import KernelPragma
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition

OWN = ("tp_", "tunepass_")
# What the program calls while a kernel is checked and timed; a kernel that others can call would be called instead.
CALLED = frozenset(
    (
        "_exit",
        "aligned_alloc",
        "atexit",
        "atoi",
        "calloc",
        "clock_gettime",
        "dlsym",
        "fegetround",
        "fesetround",
        "free",
        "ftruncate",
        "getrlimit",
        "getrusage",
        "lseek",
        "madvise",
        "main",
        "malloc",
        "malloc_usable_size",
        "mallopt",
        "memcmp",
        "memcpy",
        "memset",
        "mmap",
        "mprotect",
        "munmap",
        "open",
        "posix_memalign",
        "prctl",
        "pread",
        "qsort",
        "read",
        "realloc",
        "setitimer",
        "sigaction",
        "sigaltstack",
        "sigemptyset",
        "sigprocmask",
        "snprintf",
        "srand",
        "srand48",
        "srandom",
        "sscanf",
        "strcmp",
        "strlen",
        "strncmp",
        "strtod",
        "strtol",
        "strtoull",
        "syscall",
        "sysconf",
        "vsnprintf",
        "vsscanf",
        "write",
    )
)


def check_names(pragma: KernelPragma, definition: FunctionDefinition, *, alone: bool) -> None:
    """`alone`: the kernel's name is the one by which other files call it."""
    if alone and definition.name in CALLED:
        raise SourceError(
            f"`{definition.name}` is a function of the C library that the generated program calls itself",
            pragma.span,
            "make the kernel `static`, or give it another name",
        )
    begins = f"names that begin with {' or '.join(f'`{prefix}`' for prefix in OWN)} are the generated program's"
    if definition.name.startswith(OWN):
        raise SourceError(f"no kernel can be called `{definition.name}`", pragma.span, begins)
    for argument in pragma.arguments:
        if argument.name.startswith(OWN):
            raise SourceError(f"no argument can be called `{argument.name}`", argument.span, begins)

"""The native module tunepass._native: cffi in API mode over the C sources in native/src.

Paths are relative to the repository root, where setup.py runs. The baseline is portable x86-64 or aarch64 code;
functions that gain from wide vectors carry TP_CLONES (include/tunepass_native.h), which dispatches at run time.
"""

import glob
import shutil
import sys
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parent
SOURCES = sorted(glob.glob("native/src/*.c"))
HEADERS = sorted(glob.glob("native/include/*.h") + glob.glob("native/src/*.h"))

ffibuilder = FFI()
ffibuilder.cdef((ROOT / "tunepass.cdef.h").read_text())
ffibuilder.set_source(
    "tunepass._native",
    '#include "tunepass_native.h"',
    sources=SOURCES,
    depends=[*HEADERS, "native/tunepass.cdef.h"],
    include_dirs=["native/include"],
    extra_compile_args=["-O3", "-std=c11", "-fno-math-errno", "-Wall", "-Wextra", "-Wno-unused-parameter"],
    libraries=["m"],
)


def compiler_present() -> bool:
    """Is there a C compiler to build with? Distutils takes $CC, then the compiler Python itself was built with."""
    import os
    import sysconfig

    words = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()
    return any(shutil.which(word) for word in words[:1])


if (
    any(word in sys.argv for word in ("build_ext", "bdist_wheel", "editable_wheel", "install"))
    and not compiler_present()
):
    sys.exit(
        "tunepass: no C compiler found to build its native module.\n"
        "Install one (Debian: apt-get install gcc libc6-dev python3-dev; Fedora: dnf install gcc python3-devel)\n"
        "or name one with CC=..., then install again."
    )

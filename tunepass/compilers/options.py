"""The one table of compiler options: which take the next word as their value, and what they are about; and the one walk
through a compiler's words. Needs no module that takes long to load: every call of `tunepass cc` reads it.

Sources: "GCC manual", Option Index; `gcc --help=separate`; `clang --help-hidden`; `nvcc --help`. Which of them take the
next word was asked of gcc 12 and clang 14 (`-### -c OPTION x.c`).
"""

from __future__ import annotations

from tunepass.compilers.languages import is_linked, is_source

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

OUTPUT = ("-o", "--output", "--output-file")
LANGUAGE = ("-x", "--language")
HEADER_FOLDERS = (
    *("-I", "-iquote", "-isystem", "-idirafter", "-cxx-isystem", "-iframework", "--include-directory"),
    *("--include-directory-after", "--include-path", "--system-include"),
)
INCLUDED = ("-include", "-imacros", "--include", "--imacros", "--pre-include")
DEFINES = ("-D", "--define-macro")
MACROS = (*DEFINES, "-U", "--undefine-macro")
OTHER_HEADERS = (  # what else says where headers are
    *("-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot", "-iwithsysroot", "-imultilib", "--sysroot"),
    *("-iframeworkwithsysroot", "-isystem-after", "-stdlib++-isystem", "-ivfsoverlay", "-include-pch"),
    *("--include-prefix", "--include-with-prefix", "--include-with-prefix-after", "--include-with-prefix-before"),
)
PREPROCESSING = (*HEADER_FOLDERS, *INCLUDED, *MACROS, *OTHER_HEADERS)
# Dependencies: what names their file and target, what writes them beside the object, what writes nothing else.
RULE_VALUES = ("-MF", "-MT", "-MQ", "-MJ")
ASIDE = frozenset({"-MD", "-MMD"})
ASIDE_BY_PREPROCESSOR = ("-Wp,-MD,", "-Wp,-MMD,")
ONLY_LISTED = frozenset({"-M", "-MM"})
SAVE_TEMPS = ("-save-temps", "--save-temps")
# The compiler stops before linking, once a source: such a command line can be split by source.
STOPS = frozenset(
    {"-c", "-S", "-E", "-fsyntax-only", "--compile", "--assemble", "--preprocess", "--precompile"},
)
STOPS_EARLY = STOPS | ONLY_LISTED
LIBRARIES, LIBRARY_FOLDERS = ("-l", "--library"), ("-L", "--library-directory", "--library-path")
LINKING = (
    *(*LIBRARIES, *LIBRARY_FOLDERS, "-T", "-Tbss", "-Tdata", "-Ttext", "-u", "-z", "-e", "-h", "-rpath", "-soname"),
    *("-Xlinker", "--for-linker", "--entry", "--force-link", "-framework", "-weak_framework", "-weak_library"),
    *("-install_name", "-bundle_loader", "-force_load", "-init", "-undefined", "-filelist", "-exported_symbols_list"),
    *("-unexported_symbols_list", "-compatibility_version", "-current_version", "-umbrella", "-sub_umbrella"),
)
LINKING_ALONE = frozenset({"-static", "-rdynamic", "-s", "-shared"})
LINKING_JOINED = ("-l", "-L", "-Wl,", "-T", "-z")
PASSED_ON = {  # to whom the next word goes
    "-Xlinker": "linker",
    "-Xassembler": "assembler",
    "-Xpreprocessor": "preprocessor",
    "-Xclang": "pass",
    "-mllvm": "pass",
}
TAKES_VALUE = frozenset(
    {
        *(*OUTPUT, *LANGUAGE, *PREPROCESSING, *RULE_VALUES, *LINKING, *PASSED_ON),
        *("-B", "-G", "-A", "-F", "-J", "-arch", "-target", "--target", "--param", "-wrapper", "-specs", "--specs"),
        *("-aux-info", "-dumpbase", "-dumpbase-ext", "-dumpdir", "--dumpbase", "--dumpbase-ext", "--dumpdir"),
        *("-working-directory", "-resource-dir", "-fdebug-compilation-dir", "-fintrinsic-modules-path"),
        *("-serialize-diagnostics", "--serialize-diagnostics", "-dependency-file", "-object-file-name"),
        *("-Xarch_host", "-Xarch_device", "-Xopenmp-target", "-Xcuda-ptxas", "-Xcuda-fatbinary", "-Xanalyzer"),
        *("-mthread-model", "-meabi", "-ftrapv-handler", "-gcc-toolchain", "--gcc-toolchain", "-ccc-gcc-name"),
        *("--rtlib", "--stdlib", "--std", "--assert", "--for-assembler", "--prefix", "--config", "--machine"),
        *("--cuda-path", "--cuda-gpu-arch", "--offload-arch", "--no-offload-arch", "--offload", "--ptxas-path"),
        *("--rocm-path", "--hip-path", "--driver-mode", "--analyzer-output", "--dump"),
    }
)
# nvcc's own, and those that are no options with a value to it.
NVCC_TAKES_VALUE = (TAKES_VALUE - {"-G", "-h", "-e", "-A", "-z"}) | {
    *("-code", "-gencode", "-ccbin", "-std", "-m", "-t", "-maxrregcount", "-cudart", "-cudadevrt", "-odir", "-optf"),
    *("-Xcompiler", "-Xptxas", "-Xnvlink", "-Xarchive", "-Xcudafe", "-rdc", "-fmad", "-ftz", "-prec-div", "-prec-sqrt"),
    *("--gpu-architecture", "--gpu-code", "--generate-code", "--compiler-bindir", "--machine", "--threads"),
    *("--maxrregcount", "--cudart", "--cudadevrt", "--output-directory", "--options-file", "--compiler-options"),
    *("--linker-options", "--ptxas-options", "--nvlink-options", "--archive-options", "--relocatable-device-code"),
    *("--optimize", "--default-stream", "-default-stream", "--keep-dir", "-keep-dir", "--x"),
}


def table_of(compiler: str) -> frozenset[str]:
    """The options of that compiler whose value is the next word."""
    return NVCC_TAKES_VALUE if compiler.rpartition("/")[2].startswith("nvcc") else TAKES_VALUE


def walk(words: Sequence[str], takes_value: Collection[str] = TAKES_VALUE) -> Iterator[tuple[int, str, str | None]]:
    """(place, word, its value if that is the next word)."""
    i, last = 0, len(words) - 1
    while i <= last:
        if i < last and words[i] in takes_value:
            yield i, words[i], words[i + 1]
            i += 1
        else:
            yield i, words[i], None
        i += 1


def is_input(word: str, value: str | None) -> bool:
    """Is the word a file or stdin?"""
    return value is None and (word == "-" or not word.startswith("-"))


def value_of(word: str, value: str | None, names: Iterable[str]) -> str | None:
    """The value of an option of these names: the next word, or what follows the name (and its `=`)."""
    for name in names:
        if word == name:
            return value
        if word.startswith(f"{name}=" if name.startswith("--") else name) and word not in TAKES_VALUE:
            return word[len(name) :].removeprefix("=") if name.startswith("--") else word[len(name) :]
    return None


def values_of(words: Sequence[str], names: Collection[str]) -> list[str]:
    """The values of all options of these names, in their order."""
    return [text for _, word, value in walk(words) if (text := value_of(word, value, names))]


def kept(
    words: Sequence[str], keep: Callable[[str, str | None], bool], takes_value: Collection[str] = TAKES_VALUE
) -> list[str]:
    """The words, each with its value, that are to be kept."""
    pairs = [(word, value) for _, word, value in walk(words, takes_value) if keep(word, value)]
    return [w for pair in pairs for w in pair if w is not None]


def is_named(word: str, value: str | None, names: Iterable[str]) -> bool:
    """Is the word an option of these names, in any spelling?"""
    return word in names or value_of(word, value, names) is not None


def is_linking(word: str) -> bool:
    """Does the option concern only linking?"""
    return word in LINKING_ALONE or word in LINKING or word.startswith(LINKING_JOINED)


def output_of(words: Sequence[str]) -> str:
    """The file that -o names; empty without it."""
    return next(reversed(values_of(words, OUTPUT)), "")


def split_arguments(
    words: Sequence[str], takes_value: Collection[str] = TAKES_VALUE
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The words after the compiler as (compile flags, link words, further source files)."""
    compiling, linking, sources = list[str](), list[str](), list[str]()
    for _, word, value in walk(words, takes_value):
        if is_input(word, value):
            group = linking if is_linked(word) else sources if is_source(word) else compiling
        else:
            group = linking if is_linking(word) else compiling
        group += [word] if value is None else [word, value]
    return tuple(compiling), tuple(linking), tuple(sources)

"""What a `flag` may hold: split where its pragma is read, and told where it cannot be one."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Severity, Source, SourceError, SpaceError
from tunepass.frontends.base import Parsed
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import flags
from tunepass.space.configuration import Configuration

PRAGMA = "#pragma tunepass param P: "
TAIL = "#pragma tunepass kernel f(y: out double[8])\nvoid f(double *y) { y[0] = 1; }\n"


def parse(values: str) -> Parsed:
    return CFrontend().parse(Source("t.c", f"{PRAGMA}categorical({values}) flag\n{TAIL}"))


def test_each_text_is_split_once_where_it_is_read() -> None:
    (kernel,) = parse(r'"", "-O3  -DX=\"a b\"", "-DY=\'c d\'"').kernels
    assert dict(kernel.binding("P").words) == {
        "": (),
        '-O3  -DX="a b"': ("-O3", "-DX=a b"),
        "-DY='c d'": ("-DY=c d",),
    }
    assert flags(kernel, Configuration({"P": "-DY='c d'"})) == ("-DY=c d",)


@pytest.mark.parametrize("text", ["-O3 -wrapper ./evil.sh", "-O3", "@more"])
def test_a_text_that_the_source_does_not_list_is_no_flag(text: str) -> None:
    (kernel,) = parse('"", "-O2"').kernels
    with pytest.raises(SpaceError, match="not one of its values"):
        flags(kernel, Configuration({"P": text}))


@pytest.mark.parametrize(
    "text,column,width",
    [("-DX='a", 6, 2), ("-DX=a'b c", 7, 4), ("'a' -DX='b", 10, 2), ("-O2 \\\\", None, None), ('-DX=\\"a', None, None)],
)
def test_a_quote_that_is_not_closed_is_shown(text: str, column: int | None, width: int | None) -> None:
    with pytest.raises(SourceError) as caught:
        parse(f'"-O2", "{text}"')
    (diagnostic,) = caught.value.diagnostics
    first = len(PRAGMA) + len('categorical("-O2", "')
    assert diagnostic.span is not None and diagnostic.hint is not None and diagnostic.span.line == 1
    if column is None:  # an escape moves places: the whole text is shown
        assert diagnostic.span.text == f'"{text}"'
    else:
        assert (diagnostic.span.column, len(diagnostic.span.text)) == (first + column - 1, width)


@pytest.mark.parametrize(
    "text",
    [
        *("-o x", "-ofile", "--output=x", "-O2 -c", "-S", "-E", "-M", "-MD", "-MF deps", "-MMD", "-save-temps", "-"),
        *("@args", "-O2 @args", "-Wl,@args", "-Wl,-o,x", "-Wl,-Map=x", "-Xlinker -o", "-Wp,-MD,deps", "-Xclang -o"),
        *("-wrapper ./evil.sh", "-specs=evil", "--specs=evil", "-B.", "-B .", "-fdump-tree-all", "-dumpdir x"),
    ],
)
def test_what_names_outputs_or_starts_programs_is_refused(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(f'"-O2", "{text}"')
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None and diagnostic.span.text == f'"{text}"' and diagnostic.hint is not None


@pytest.mark.parametrize(
    "text", ["-fplugin=p.so", "-Xclang -load -Xclang p.so", "-fpass-plugin=p", "-mllvm -load=p.so", "-Wl,-plugin,p.so"]
)
def test_what_loads_code_into_the_compiler_is_told(text: str) -> None:
    (warning,) = parse(f'"-O2", "{text}"').warnings
    assert warning.severity is Severity.WARNING and warning.span is not None and warning.span.text == f'"{text}"'


@pytest.mark.parametrize(
    "text",
    [
        *("-O3 -march=native", "--param max-unroll-times=4", "-mllvm -unroll-count=4", "-Xclang -fvectorize", "-lm"),
        *("-Wl,--as-needed,-O1", "-Wl,-Bstatic", "-include fast.h", "-fuse-ld=gold", "-fopenmp", "-std=c11", "-DX=@"),
        *("-fprofile-use=p.gcda", "-flto", "-x c", "-Ofast", "-fomit-frame-pointer", "-Wl,-E", "-U_FORTIFY_SOURCE"),
    ],
)
def test_what_says_how_to_compile_is_a_flag(text: str) -> None:
    assert not parse(f'"-O2", "{text}"').warnings


def test_numbers_are_words() -> None:
    text = f"{PRAGMA}ordinal(1, 8) flag\n{TAIL}"
    (kernel,) = CFrontend().parse(Source("t.c", text)).kernels
    assert flags(kernel, Configuration({"P": 8})) == ("8",)

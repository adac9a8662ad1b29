"""Line splices, letters beyond ASCII, digraphs and other blanks: what a compiler sees, at the user's places."""

from __future__ import annotations

import shutil

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.text.lexemes import on_plain_lines
from tunepass.frontends.cfamily.text.raw import read_raw
from tunepass.frontends.cfamily.text.tokens import tokens, words_of
from tunepass.ir.c_kernel import CKernel
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.plan import Plan

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
KERNEL = "#pragma tunepass kernel f(n = 64, x: inout double[n])\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\\\nb c\\ \t\r\nd", ["ab", "cd"]),
        ("1\\\n2.5e\\\n+3 i +\\\n= 1", ["12.5e+3", "i", "+=", "1"]),
        ("/\\\n* gone */ a /\\\n/ gone \\\n too\nb", ["a", "b"]),
        ('"a\\\nb" R"(c\\\nd)"', ['"ab"', 'R"(c\\\nd)"']),
        ("\\u00e9t\\U000000e9 = ét\\\né", ["été", "=", "été"]),
        ("x<:1:> <% a; %>", ["x", "[", "1", "]", "{", "a", ";", "}"]),
        ("f<::g> b<:::c:>", ["f", "<", "::", "g", ">", "b", "[", "::", "c", "]"]),
    ],
)
def test_words_are_those_of_a_compiler(text: str, words: list[str]) -> None:
    assert [token.text for token in tokens(text)] == words
    assert [word for _, word in words_of(text)] == words


def test_a_token_has_its_range_in_the_text_with_its_splices() -> None:
    text = "x = vo\\\nid\\\n+\\\n\\\n+;"
    assert [text[t.start : t.end] for t in tokens(text, 4)] == ["vo\\\nid", "+\\\n\\\n+", ";"]
    assert [token.text for token in tokens("a\\\n#b", 1)] == ["#", "b"]  # no line begins there


def test_a_directive_may_be_spliced_anywhere() -> None:
    text = '\f#de\\\nfine A\\\nB "//" /* # */ 1 \\ \n + 2 // gone\n%:undef \\u00e9\n'
    defined, undefined = read_raw(text).directives
    assert (defined.kind, defined.body) == ("define", 'AB "//"   1  + 2')
    assert text[defined.start] == "#" and text[defined.kind_start : defined.kind_end] == "de\\\nfine"
    assert (undefined.kind, undefined.body) == ("undef", "é")


def test_text_on_plain_lines_means_the_same() -> None:
    text = 'a\\\nb /\\\n* x */ R"q(1\n"\\ ??=)q" "c\\\nd" \\u00e9 \\\n#;'
    assert on_plain_lines(text) == 'ab   "1\\n\\"\\\\ ?\\?=" "cd" é #;'


def test_a_pragma_may_be_spliced_between_its_words_alone() -> None:
    (pragma,) = annotated(Source("k.c", "#pra\\\ngma tune\\\npass kernel \\\n f(n = 2)\n")).pragmas
    assert pragma.text.split() == ["kernel", "f(n", "=", "2)"]
    with pytest.raises(SourceError, match="ends inside a word") as caught:
        annotated(Source("k.c", "int x;\n#pragma tunepass kernel \\\n f(n \\\n= 51\\\n2)\n"))
    span = caught.value.diagnostics[0].span
    assert span is not None and (span.line, span.column) == (4, 5)


SPLICED = """
#define \\u00e9t\\u00e9 3.0
static double gr\\u00f6\\u00dfe(double v) { return v + été; }
vo\\
id f(int n, double *\\u00ff) {
  for (int í = 0; \\u00ed < n; \\u00e\\
d++) <% ÿ<:í:> = größe(ÿ[í]) * 2; %>
}
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_names_are_the_same_however_they_are_written(compiler: str) -> None:
    unit = read(Source("k.c", SPLICED), (compiler,), "c")
    helper, function = unit.functions
    assert (helper.name.text, function.name.text) == ("größe", "f")
    assert [t.text for t in function.tokens].count("í") == 5
    (formal,) = (p for p in function.formals if p.declarators[0].name.text == "ÿ")
    assert SPLICED[formal.declarators[0].name.start :].startswith("\\u00ff")


NEST = """#pragma tunepass loop auto
for (int í = 0; í < n; \\u00ed\\
++) {
    x[\\
\\u00ed] = R"(a
  b)"[1] /\\
* gone */ + \\u00\\
ed;
}
"""


def test_the_text_of_a_nest_is_written_on_plain_lines() -> None:
    kernel = CFrontend().parse(Source("k.c", f"{KERNEL}void f(int n, double *x) {{\n{NEST}}}\n")).kernels[0]
    (nest,) = kernel.body_as(CKernel).scops
    text = rewrite_scop(nest.scop, Plan(), numbered=False)
    assert 'x[í] = "a\\n  b"[1]   + í;' in text, text


def test_parameters_of_a_nest_have_ascii_names() -> None:
    loops = "for (int í = 0; í < n; í++) for (int $j = 0; $j < n; $j++) x[í] += ÿ[$j] * ÿ[í];"
    head = "#pragma tunepass kernel f(n = 64, ÿ: in double[n], x: inout double[n])\n"
    text = f"{head}void f(int n, const double *ÿ, double *x) {{\n#pragma tunepass loop auto\n{loops}\n}}\n"
    names = [parameter.name for parameter in CFrontend().parse(Source("k.c", text)).kernels[0].parameters]
    assert {"TILE_u00ed", "JAM_u0024j"} <= set(names)

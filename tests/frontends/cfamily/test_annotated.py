from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.annotated import annotated


def pragmas(text: str) -> list[str]:
    return [" ".join(p.text.split()) for p in annotated(Source("t.c", text)).pragmas]


@pytest.mark.parametrize(
    "text,expected",
    [
        ("#pragma tunepass param A: integer(1..2)\n", ["param A: integer(1..2)"]),
        ("  #  pragma\ttunepass param A\n", ["param A"]),
        ("// tunepass: param A\n", ["param A"]),
        ("//tunepass:param A\n", ["param A"]),
        ("int x; // tunepass: param A\n", ["param A"]),
        ("/* tunepass: constraint A\n * > 2 */\n", ["constraint A > 2"]),
        ("/* tunepass: constraint A\n   * 2 > B\n   and B > 1 */\n", ["constraint A * 2 > B and B > 1"]),
        ("#pragma tunepass constraint A \\\n  > 2\n", ["constraint A > 2"]),
        ("#pragma tunepass constraint A \\\r\n  > 2\r\n", ["constraint A > 2"]),
        ("// tunepass: constraint A \\\n  > 2\n", ["constraint A > 2"]),
        ('char *s = "#pragma tunepass param A";\n', []),
        ('char *s = "\\"// tunepass: param A";\n', []),
        ("/*\n#pragma tunepass param A\n*/\n", []),
        ("// see // tunepass: param A\n", []),
        ("// tunepass tunes this\n", []),
        ('auto s = R"x(\n#pragma tunepass param A\n)x";\n', []),
        ("int n = 1'000'000; // tunepass: param A\n", ["param A"]),
        ("char c = '\"'; // tunepass: param A\n", ["param A"]),
        ("#if 0\n#pragma tunepass param A\n#else\n#pragma tunepass param B\n#endif\n", ["param B"]),
        ("#if 0\n#if 1\n#endif\n// tunepass: param A\n#endif\n// tunepass: param B\n", ["param B"]),
        ("#ifdef X\n#pragma tunepass param A\n#else\n#pragma tunepass param B\n#endif\n", ["param A", "param B"]),
    ],
)
def test_pragmas_are_found_where_they_are(text: str, expected: list[str]) -> None:
    assert pragmas(text) == expected


def test_offsets_stay_those_of_the_source() -> None:
    text = '/* a */ int x = "s"[0]; // b\n#pragma tunepass param \\\n  A\nint y;\n'
    found = annotated(Source("t.c", text))
    assert [text[token.start : token.end] for token in found.code] == [token.text for token in found.code]
    pragma = found.pragmas[0]
    at = pragma.start + pragma.text.index("A")
    assert text[at] == "A" and found.source.position(at) == (3, 3)


def test_words_are_uses_not_definitions() -> None:
    guard = "#ifndef TILE\n#define TILE WIDTH\n#endif\n"
    text = guard + "/* IN_COMMENT */ int x = USED; #\n#if OTHER > 1\n#endif\n#if 0\nDEAD\n#endif\n"
    words = annotated(Source("t.c", text)).words
    assert {"USED", "WIDTH", "OTHER"} <= words
    assert not {"TILE", "IN_COMMENT", "DEAD"} & words


def test_a_misspelt_pragma_is_not_ignored() -> None:
    with pytest.raises(SourceError, match="did you mean `tunepass`"):
        annotated(Source("t.c", "#pragma tunepas param A: integer(1..2)\n"))
    assert (
        annotated(Source("t.c", "/*\n#pragma tunepas\n*/\n#pragma tuner start\n#pragma omp parallel\n")).pragmas == ()
    )

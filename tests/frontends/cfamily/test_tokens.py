"""Tokens of preprocessed text, and the quicker way to their words."""

import pytest

from tunepass.frontends.cfamily.text.tokens import tokens, words_of

TEXTS = [
    "int f(int n) { return n ->* m ... <=> x<<=2; }",
    'L"wide" u8"text" U\'c\' "open\n\'o "a\\"b" u8 L uL"x"',
    "1'000 0x1.8p-3 .5f 2_km 1e+5 a.5 x.*y x->y ::T #",
    'R"(raw "text" // no comment)" u8R"x(a)")x" /* gone */ a // gone\nb',
    '# 1 "file"\n  # pragma once\nint x; \\\n é += $y$;',
]


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_those_of_the_tokens(text: str) -> None:
    assert words_of(text) == [(token.kind, token.text) for token in tokens(text)]

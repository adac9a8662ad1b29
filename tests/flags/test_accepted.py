"""What a compiler takes, by one that is made up."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.flags.accepted import accepted_options, refused_alone, refused_together
from tunepass.flags.option import Amount, OptionChoice

WORDS = [f"-f{i}" for i in range(20)]


class Compiler:
    """Refuses some words, and some pairs; counts how often it is asked."""

    def __init__(self, refused: Sequence[str] = (), conflicts: Sequence[tuple[str, str]] = ()):
        self.refused, self.conflicts, self.count = set(refused), conflicts, 0

    def __call__(self, texts: Sequence[str]) -> bool:
        self.count += 1
        return not self.refused & set(texts) and not any({a, b} <= set(texts) for a, b in self.conflicts)


def test_refused_words_are_found_by_halves() -> None:
    compiler = Compiler(["-f3", "-f17"])
    assert refused_alone(WORDS, compiler) == ["-f3", "-f17"]
    assert compiler.count < len(WORDS)
    assert refused_alone(WORDS, Compiler()) == [] == refused_alone([], Compiler())


def test_every_pair_that_is_refused_together_is_found() -> None:
    pairs = [("-f0", "-f19"), ("-f0", "-f4"), ("-f7", "-f8")]
    found = refused_together(WORDS, Compiler(conflicts=pairs))
    left = set(WORDS) - {second for _, second in found}
    assert set(found) <= set(pairs) and not any({a, b} <= left for a, b in pairs)
    assert refused_together(WORDS, Compiler()) == []


def test_values_that_are_refused_are_left_out_and_options_without_others() -> None:
    options = [
        OptionChoice("a", ("", "-fa", "-fno-a")),
        OptionChoice("b", ("", "-fb")),
        Amount("c", "-c={}", (1, 2, 3), 2),
        Amount("d", "-d={}", (1, 2), 1),
    ]
    silent = Compiler(["-fno-a", "-fb", "-c=3", "-d=2"])
    found = accepted_options(options, Compiler(conflicts=[("-fa", "-c=1")]), silent)
    assert found.options == (OptionChoice("a", ("", "-fa")), Amount("c", "-c={}", (1, 2), 2))
    assert found.conflicts == (("-fa", "-c=1"),)
    assert set(found.refused) == {"-fno-a", "-fb", "-c=3", "-d=2"}

from __future__ import annotations

from shlex import split

import pytest

from tunepass.commands.grammar.arguments import COMMANDS, parse, split_compiler


def test_the_compiler_is_what_follows_the_first_dashes() -> None:
    assert split_compiler(["build", "a.c", "--", "gcc", "--", "-O2"]) == (["build", "a.c"], ["gcc", "--", "-O2"])
    assert split_compiler(["build", "a.c"]) == (["build", "a.c"], [])


def test_build_options() -> None:
    options = parse(split("build a.c -o d --budget 10m --objective time,size --max-evals 7 --frozen -- gcc -O2"))
    assert (options.source, options.output, options.budget, options.max_evals) == ("a.c", "d", 600, 7)
    assert options.objective == ("time", "size") and options.frozen and options.compiler == ["gcc", "-O2"]


@pytest.mark.parametrize(
    "line,words",
    [
        ("build", "SOURCE"),
        ("build a.c --budget 10", "a duration is written like"),
        ("build a.c --max-evals 0", "at least 1"),
        ("build a.c --jobs x", "at least 1"),
        ("build a.c --objective a,,b", "separated by commas"),
        ("build a.c --bud 10s", "unrecognized arguments"),
        ("explain a.c -- gcc", "takes no compiler arguments"),
        ("frobnicate", "invalid choice"),
        ("", "COMMAND"),
    ],
)
def test_a_wrong_command_line_is_status_2(line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        parse(line.split())
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        if name in ("cc", "c++"):  # all its arguments are the compiler's
            continue
        with pytest.raises(SystemExit) as stop:
            parse([name, "--help"])
        assert stop.value.code == 0
        assert name in capsys.readouterr().out

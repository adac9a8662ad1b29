"""What of a compiler's flags is tried first."""

from __future__ import annotations

from pathlib import Path

from tunepass.backends.application.backend import ApplicationBackend
from tunepass.backends.application.usual_flags import usual_openings
from tunepass.backends.base import Target
from tunepass.jobs.reading import load
from tunepass.space.opening import Opening

APPS = Path(__file__).parents[2] / "samples" / "apps"
BUILD = """
sources: ["*.c"]
build: {command: "cc {FLAGS} p.c -o p", product: p}
run: {command: ./p}
"""


def openings(folder: Path, *parameters: str) -> tuple[Opening, ...]:
    (folder / "p.c").write_text("int main(void) { return 0; }\n")
    described = folder / "tune.yaml"
    described.write_text("name: p\nparameters:\n" + "".join(f"  {line}\n" for line in parameters) + BUILD)
    return usual_openings(load(described))


def test_the_fast_level_first_then_the_whole_program_with_its_profile() -> None:
    kernel = load(APPS / "stack" / "tune.yaml")
    fast = {"OPT": "-O3", "MARCH": "-march=native"}
    known = [dict(opening.values) for opening in ApplicationBackend(kernel, Target()).openings()]
    assert known == [fast, {**fast, "LTO": "-flto", "PGO": True}]
    assert [opening.after for opening in usual_openings(kernel)] == [None, 0]


def test_the_word_that_is_made_counts_not_the_value(tmp_path: Path) -> None:
    level = 'LEVEL: {kind: ordinal, values: [1, 2, 3], default: 2, role: flag, form: "-O{}"}'
    assert openings(tmp_path, level) == (Opening((("LEVEL", 3),)),)


def test_what_changes_results_is_not_tried_unasked(tmp_path: Path) -> None:
    words = "OPT: {kind: categorical, values: [-O2, -Ofast, -O3 -ffast-math], role: flag}"
    assert openings(tmp_path, words) == ()


def test_a_number_from_a_range_and_a_macro_are_no_words(tmp_path: Path) -> None:
    level = 'LEVEL: {kind: integer, range: [2, 4], role: flag, form: "-O{}"}'
    macro = 'HOW: {kind: categorical, values: ["", "-O3"], role: macro}'
    assert openings(tmp_path, level) == (Opening((("LEVEL", 3),)),)
    assert openings(tmp_path, macro) == ()


def test_ranges_without_end_are_not_gone_through(tmp_path: Path) -> None:
    words = (
        'REAL: {kind: real, range: [0, 1], role: flag, form: "--share={}"}',
        'MANY: {kind: integer, range: [0, 2000000000], role: flag, form: "--param x={}"}',
    )
    assert openings(tmp_path, *words) == ()


def test_without_a_profile_and_link_time_there_is_one() -> None:
    (opening,) = usual_openings(load(APPS / "heat" / "tune.yaml"))
    assert dict(opening.values) == {"OPT": "-O3", "MARCH": "-march=native"}

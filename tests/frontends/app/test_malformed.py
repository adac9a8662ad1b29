"""Malformed descriptions: each gives one diagnostic; file, line, column, caret and hint are in its golden file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.frontends.app.descriptions import described
from tunepass.diagnostics import SourceError

BASE = """\
sources: [main.c]
parameters:
  OPT: {kind: categorical, values: [-O1, -O2], role: flag}
  N: {kind: integer, range: [1, 8], role: argument}
constraints:
  - N > 1 or OPT == "-O1"
build:
  command: make -s CFLAGS={FLAGS}
  product: prog
run:
  command: ./prog {ARGUMENTS}
  metrics: ["time: {time} ms"]
check:
  output: ["sum {sum}"]
  relative: 1e-9
"""

# name: what of BASE is replaced, and by what
EDITS: Mapping[str, tuple[str, str]] = {
    "model_not_a_mapping": ("check:", "model: N * 2\ncheck:"),
    "model_of_unmeasured": ("check:", "model: {tim: N * 2}\ncheck:"),
    "model_twice": ("check:", "model: {time: N * 2, time: N}\ncheck:"),
    "model_unknown_name": ("check:", "model:\n  time: 100 / (M + 1)\ncheck:"),
    "model_not_a_number": ("check:", "model:\n  time: N > 2\ncheck:"),
    "model_constant": ("check:", "model: {time: 12}\ncheck:"),
    "model_folded_text": ("check:", 'model: {time: "N +\\tM"}\ncheck:'),
    "metric_direction": ('["time: {time} ms"]', '["time: {time} ms", "score {score}"]'),
    "metric_matches": ('["time: {time} ms"]', '[{pattern: "time: {time} ms", matches: all}]'),
    "metric_measure": ('["time: {time} ms"]', "[{measure: cpu, unit: s}]"),
    "metric_measure_unknown": ('["time: {time} ms"]', "[{measure: cpus}]"),
    "profile_values": (
        "N: {kind: integer, range: [1, 8], role: argument}",
        "N: {kind: integer, range: [1, 8], role: profile}",
    ),
    "profile_without_tools": (
        "N: {kind: integer, range: [1, 8], role: argument}",
        "N: {kind: categorical, values: [false, true], role: profile}",
    ),
    "training_without_profile": ("  product: prog", "  product: prog\n  training: ./prog"),
    "input_without_inputs": ("./prog {ARGUMENTS}", "./prog {INPUT}"),
    "input_weight": ("./prog {ARGUMENTS}", "./prog\n  inputs: [{input: a.txt, weight: 0}]"),
    "over_no_inputs": ("./prog {ARGUMENTS}", "./prog\n  over_inputs: worst"),
    "unknown_section": ("check:", "chekc:"),
    "section_twice": ("check:", "run:"),
    "no_run": ('run:\n  command: ./prog {ARGUMENTS}\n  metrics: ["time: {time} ms"]\n', ""),
    "not_a_mapping": (BASE, "- a\n- b\n"),
    "empty": (BASE, ""),
    "not_yaml": ("sources: [main.c]", "sources: [main.c"),
    "tab": ("  product: prog", "\tproduct: prog"),
    "control_character": ("product: prog", "product: pr\x01og"),
    "tag": ("product: prog", "product: !!python/object/apply:os.system [prog]"),
    "anchor": ("product: prog", "product: &a prog"),
    "alias": ("product: prog", "product: *a"),
    "deep": ("sources: [main.c]", "sources: " + "[" * 20 + "]" * 20),
    "no_parameters": (BASE[BASE.index("  OPT") : BASE.index("constraints")], "  {}\n"),
    "parameters_a_list": (BASE[BASE.index("  OPT") : BASE.index("constraints")], "  - OPT\n"),
    "parameter_twice": ("  N: {kind: integer", "  OPT: {kind: integer"),
    "parameter_name": ("  N: {kind: integer", "  3N: {kind: integer"),
    "parameter_placeholder_name": ("  N: {kind: integer", "  FLAGS: {kind: integer"),
    "kind_missing": ("kind: integer, ", ""),
    "kind_unknown": ("kind: integer", "kind: integr"),
    "role_unknown": ("role: argument", "role: arguments"),
    "role_missing": (", role: argument", ""),
    "field_of_another_kind": ("range: [1, 8]", "range: [1, 8], values: [1]"),
    "field_missing": ("range: [1, 8], ", ""),
    "range_of_three": ("range: [1, 8]", "range: [1, 4, 8]"),
    "range_downwards": ("range: [1, 8]", "range: [8, 1]"),
    "range_not_whole": ("range: [1, 8]", "range: [1, 8.5]"),
    "range_of_texts": ("range: [1, 8]", "range: [a, b]"),
    "step_zero": ("range: [1, 8]", "range: [1, 8], step: 0"),
    "log_of_zero": ("range: [1, 8]", "range: [0, 8], log: true"),
    "log_not_boolean": ("range: [1, 8]", "range: [1, 8], log: 2"),
    "value_twice": ("[-O1, -O2]", "[-O1, -O1]"),
    "values_mixed": ("[-O1, -O2]", "[-O1, 2]"),
    "values_null": ("[-O1, -O2]", "[-O1, ~]"),
    "default_outside": ("range: [1, 8]", "range: [1, 8], default: 9"),
    "prior_unknown": ("range: [1, 8]", "range: [1, 8], prior: gausian"),
    "prior_length": ("[-O1, -O2]", "[-O1, -O2], prior: [1, 2, 3]"),
    "form_without_hole": ("role: argument", "role: argument, form: --n"),
    "omitted_of_environment": ("role: argument", "role: environment, omit_default: true"),
    "form_of_environment": ("role: argument", 'role: environment, form: "n {}"'),
    "constraint_syntax": ('N > 1 or OPT == "-O1"', "N > 1 or"),
    "condition_ends_early": ("role: argument}", 'role: argument, when: "OPT =="}'),
    "condition_ends_early_escaped": ("role: argument}", 'role: argument, when: "OPT == \\"-O1\\" and"}'),
    "constraint_unknown": ("N > 1", "M > 1"),
    "constraint_not_boolean": ('N > 1 or OPT == "-O1"', "N + 1"),
    "flag_reaches_nothing": ("CFLAGS={FLAGS}", "CFLAGS=-O2"),
    "placeholder_unknown": ("CFLAGS={FLAGS}", "CFLAGS={FLAG}"),
    "brace_alone": ("CFLAGS={FLAGS}", "CFLAGS={FLAGS}{"),
    "command_empty": ("command: make -s CFLAGS={FLAGS}", "command: ''"),
    "command_quote": ("make -s CFLAGS={FLAGS}", "make 'CFLAGS={FLAGS}"),
    "command_shell": ("make -s CFLAGS={FLAGS}", "make CFLAGS={FLAGS} && make install"),
    "build_without_command": ("  command: make -s CFLAGS={FLAGS}\n", ""),
    "build_in_source": ("  product: prog", "  product: prog\n  in: source"),
    "build_in_nowhere": ("  product: prog", "  product: prog\n  in: place"),
    "build_without_sources": ("sources: [main.c]\n", ""),
    "sources_outside": ("[main.c]", "[../main.c]"),
    "product_absolute": ("product: prog", "product: /bin/prog"),
    "run_without_command": ("  command: ./prog {ARGUMENTS}\n", ""),
    "time_limit_without_unit": ("  product: prog", "  product: prog\n  time_limit: 10"),
    "memory_limit_unit": ("metrics:", "memory_limit: 10 bytes\n  metrics:"),
    "repeats_zero": ("metrics:", "repeats: 0\n  metrics:"),
    "deterministic_wall_time": ('metrics: ["time: {time} ms"]', "deterministic: true"),
    "metric_without_hole": ("time: {time} ms", "time: ms"),
    "metric_two_ways": ('["time: {time} ms"]', '[{pattern: "t {t}", json: a.b}]'),
    "metric_twice": ('["time: {time} ms"]', '["time: {time} ms", "total: {time} ms"]'),
    "metric_name": ('["time: {time} ms"]', "[{json: runs.0}]"),
    "metric_path": ('["time: {time} ms"]', "[{json: runs..ms}]"),
    "metrics_empty": ('["time: {time} ms"]', "[]"),
    "check_of_nothing": ('  output: ["sum {sum}"]\n  relative: 1e-9\n', "  {}\n"),
    "check_output_word": ('["sum {sum}"]', "everything"),
    "tolerance_negative": ("1e-9", "-1"),
    "tolerance_of_nothing": ('output: ["sum {sum}"]', "command: ./check"),
    "argument_in_build": ("CFLAGS={FLAGS}", "CFLAGS={FLAGS} {N}"),
}


@pytest.mark.parametrize("name", EDITS)
def test_one_diagnostic(name: str, golden: Callable[[str, str], None]) -> None:
    old, new = EDITS[name]
    assert old in BASE
    with pytest.raises(SourceError) as caught:
        described(BASE.replace(old, new))
    assert len(caught.value.diagnostics) == 1
    golden(f"app/malformed/{name}.txt", caught.value.diagnostics[0].render() + "\n")


def test_the_base_is_well_formed() -> None:
    assert described(BASE).kernels and not described(BASE).warnings


def test_independent_mistakes_are_told_together() -> None:
    text = BASE.replace("product: prog", "prodct: prog").replace("N > 1", "M > 1").replace("1e-9", "x")
    with pytest.raises(SourceError) as caught:
        described(text)
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [6, 9, 15]


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "x" * 300_000,
        "{" * 5_000,
        "[" * 5_000,
        "a: &a [*a]",
        "\ufeff",
        "%YAML 9.9\n---\na",
        "? [a]: b",
        "a: 1\n---\nb",
    ],
)
def test_hostile_text_is_a_diagnostic(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        described(text)
    assert len(str(caught.value)) < 1000

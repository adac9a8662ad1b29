"""What the frontend reads out of a description."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.frontends.app.descriptions import WHOLE, described, kernel
from tunepass.diagnostics import Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.app.emission import emit_files
from tunepass.frontends.app.frontend import AppFrontend
from tunepass.frontends.app.lowering import PROBE, lower
from tunepass.ir.application import Application, ProfileWords
from tunepass.ir.kernel import Choice
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real


def test_a_whole_description() -> None:
    k = kernel(WHOLE)
    assert (k.name, k.language) == ("solver", "application")
    assert k.parameters == (
        Categorical("OPT", ["-O1", "-O2", "-O3"], default="-O2", prior=[1, 2, 1]),
        Integer("UNROLL", 1, 8, step=1),
        Ordinal("BLOCK", [8, 16, 32], log=True, default=16, prior="gaussian"),
        Real("RATIO", 0.1, 2.5, default=1.0, prior=(2.0, 5.0)),
        Categorical("CHECKS", [True, False]),
        Integer("THREADS", 1, 2),
        Permutation("ORDER", ["i", "j", "k"], default=("k", "i", "j")),
    )
    assert [b.role for b in k.bindings] == ["flag", "flag", "macro", "argument", "argument", "environment", "argument"]
    assert [str(c) for c in k.constraints] == ["BLOCK % UNROLL == 0", 'OPT == "-O3" or UNROLL <= 4']
    application = k.body_as(Application)
    assert [(m.objective, m.unit, m.maximise, m.path) for m in application.run.metrics] == [
        ("time", "ms", False, ""),
        ("rate", "GB/s", True, "result.0.rate"),
    ]
    assert application.build.product == "solver" and application.limit_s == 10
    assert application.memory_bytes == 512 << 20 and application.check.relative == 1e-9


def test_metrics_of_a_run_and_their_direction() -> None:
    metrics = """["{mb} MB/s", cpu, {pattern: "t {t}", matches: sum}, {json: runs.*.score, maximise: false},
      {measure: memory, name: peak}]"""
    k = kernel(
        "parameters:\n  N: {kind: integer, range: [1, 4], role: argument}\n"
        f"run: {{command: prog, metrics: {metrics}}}\n"
    )
    found = [(m.objective, m.unit, m.maximise, m.matches, m.measure) for m in k.body_as(Application).run.metrics]
    assert found == [
        ("mb", "MB/s", True, "last", None),
        ("cpu", "ms", False, "last", "cpu"),
        ("t", "", False, "sum", None),
        ("score", "", False, "last", None),
        ("peak", "MB", False, "last", "memory"),
    ]


def test_constraints_point_into_the_description() -> None:
    text = WHOLE.replace("BLOCK % UNROLL", "BLOCK % UNROL")
    with pytest.raises(SourceError) as caught:
        described(text)
    span = caught.value.diagnostics[0].span
    assert span is not None and span.text == "UNROL" and span.source.line_text(span.start).startswith("  - BLOCK")


def test_a_default_outside_the_constraints_is_a_warning() -> None:
    parsed = described(WHOLE.replace("BLOCK % UNROLL == 0", "BLOCK > 16"))
    assert [d.message for d in parsed.warnings] == ["the default configuration violates this"]


def test_commands_of_a_configuration() -> None:
    k = kernel(WHOLE)
    default = Configuration({p.name: p.default for p in k.parameters})
    values = Configuration({**default, "OPT": "-O3", "UNROLL": 2, "THREADS": 2, "CHECKS": False})
    found = lower(k, values, "/b", "/s")
    flags = "-O3 -funroll-loops --param max-unroll-times=2 -DBLOCK=16"
    assert found.builds == (("make", "-s", f"CFLAGS={flags}", "OUT=/b"), ("touch", "/b/{done}"))
    assert found.runs[0] == ("./solver", "--ratio", "1.0", "--checks=0", "--order=k,i,j", "100")
    assert found.environment == (("OMP_NUM_THREADS", "2"),)
    assert found.checks[0] == ("python3", "/s/check.py")


def test_a_list_of_flags_is_words_where_it_stands_alone() -> None:
    k = kernel(
        "parameters:\n  OPT: {kind: categorical, values: [-O1, -O2 -g, ''], role: flag}\n"
        "sources: [a.c]\nbuild: {command: [gcc, '{FLAGS}', a.c]}\nrun: {command: ./a.out}\n"
    )
    built = [lower(k, Configuration({"OPT": v}), "/b", "/s").builds[0] for v in ("-O2 -g", "")]
    assert built == [("gcc", "-O2", "-g", "a.c"), ("gcc", "a.c")]


INPUTS = """\
sources: [a.c]
tools: [gcc]
parameters:
  OPT: {kind: categorical, values: [-O1, -O2], role: flag}
  PGO: {kind: categorical, values: [false, true], role: profile}
  N: {kind: integer, range: [1, 4], role: argument, form: "-n {}"}
build: {command: "gcc {FLAGS} a.c", training: ./a.out train.txt}
run: {command: "./a.out {INPUT} {ARGUMENTS}", inputs: [a.txt, {input: b.txt --deep, weight: 3}], over_inputs: worst}
check: {command: "cmp out {INPUT}.expected"}
"""


def test_inputs_are_runs_of_their_own() -> None:
    k = kernel(INPUTS)
    body = k.body_as(Application)
    found = lower(k, Configuration({"OPT": "-O1", "PGO": False, "N": 2}), "/b", "/s")
    assert found.runs == (("./a.out", "a.txt", "-n", "2"), ("./a.out", "b.txt", "--deep", "-n", "2"))
    assert found.checks == (("cmp", "out", "a.txt.expected"), ("cmp", "out", "b.txt --deep.expected"))
    assert found.instrumented == () and [each.weight for each in body.inputs] == [1, 3] and body.over == "worst"
    assert lower(k, Configuration({"OPT": "-O1", "PGO": False, "N": 2}), "", "", probe=True).builds[0][2] == PROBE


def test_a_profile_is_a_build_in_two_phases() -> None:
    words = ProfileWords(generate=("-gen=PROFILE",), use=("-use=PROFILE",), merge=("merge", "PROFILE"))
    found = lower(kernel(INPUTS), Configuration({"OPT": "-O1", "PGO": True, "N": 2}), "/b", "/s", words)
    assert found.instrumented == (("gcc", "-O1", "-gen=/b.profile", "a.c"),)
    assert found.training == (("./a.out", "train.txt", "-n", "2"),)
    assert found.builds == (("merge", "/b.profile"), ("gcc", "-O1", "-use=/b.profile", "a.c"))


def test_arguments_without_a_place_come_last() -> None:
    k = kernel(
        "parameters:\n  N: {kind: integer, range: [1, 4], role: argument, form: '-n {}'}\nrun: {command: prog x}\n"
    )
    assert lower(k, Configuration({"N": 3}), "", "").runs[0] == ("prog", "x", "-n", "3")


def test_plain_scalars_are_what_people_think() -> None:
    k = kernel(
        "parameters:\n  S: {kind: categorical, values: [on, off, no, 12:30], role: argument}\nrun: {command: a}\n"
    )
    assert k.parameters == (Categorical("S", ["on", "off", "no", "12:30"]),)
    k = kernel("parameters:\n  E: {kind: ordinal, values: [1e-9, 1e-6], role: argument}\nrun: {command: a}\n")
    assert k.parameters == (Ordinal("E", [1e-9, 1e-6]),)


def test_the_name_is_the_folder_s() -> None:
    text = "parameters:\n  N: {kind: integer, range: [1, 4], role: argument}\nrun: {command: a}\n"
    assert AppFrontend().parse(Source("my solver/tune.yaml", text)).kernels[0].name == "my_solver"


def test_emission(golden: Callable[[str, str], None]) -> None:
    k = kernel(WHOLE).scheduled((Choice("OPT", "-O3"), Choice("THREADS", 2)))
    for file in emit_files(k, "chosen of 9 trials\ntime: 4 -> 2 ms, 2.00x"):
        golden(f"app/emission/{file.name}", file.text)


def test_models_of_metrics() -> None:
    text = WHOLE.replace("build:\n", "model:\n  time: 100 / BLOCK + UNROLL\n  rate: 'BLOCK * 2'\nbuild:\n", 1)
    models = kernel(text).models
    assert [(m.name, to_text(m.expression)) for m in models] == [
        ("time", "100 / BLOCK + UNROLL"),
        ("rate", "2 * BLOCK"),
    ]
    assert [m.span.text for m in models if m.span] == ["time", "rate"]
    assert kernel(WHOLE).models == ()

"""Conditions of parameters in pragmas, in lines of other languages and in descriptions of applications."""

from __future__ import annotations

import pytest

from tests.frontends.app.descriptions import kernel as application
from tunepass.diagnostics import Source, SourceError, SpaceError
from tunepass.frontends.app.emission import chosen as chosen_of_application
from tunepass.frontends.app.lowering import lower as commands_of
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower, stated
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import parse
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

HEAD = """\
#pragma tunepass param USE: categorical(0, 1) = 0
#pragma tunepass param X: integer(1..4) = 2 when(USE == 1)
#pragma tunepass param Y: ordinal(8, 16) = 8 log when(X > 2 and USE == 1)
#pragma tunepass param OPT: categorical("-O1", "-O2") = "-O2" flag when(USE == 0)
"""
BODY = """\
#pragma tunepass kernel f(y: inout int[1])
void f(int *y) {
#if USE
  *y += X * Y;
#endif
}
"""


def kernel(head: str = HEAD) -> Kernel:
    return CFrontend().parse(Source("f.c", head + BODY)).kernels[0]


def space_of(of: Kernel) -> Space:
    return Space(of.parameters, of.constraints)


def test_a_pragma_has_a_condition() -> None:
    space = space_of(kernel())
    assert [None if p.when is None else p.when.text for p in space.parameters] == [
        *(None, "USE == 1", "X > 2 and USE == 1", "USE == 0"),
    ]
    assert space.size == 2 + 2 + 2 * 2
    assert space.default == Configuration({"USE": 0, "OPT": "-O2"})


def test_the_compiler_is_given_the_default_of_an_inactive_parameter() -> None:
    candidate = lower(kernel(), Configuration({"USE": 0, "OPT": "-O1"}))
    assert candidate.defines == ("-DUSE=0", "-DX=2", "-DY=8") and candidate.flags == ("-O1",)
    candidate = lower(kernel(), Configuration({"USE": 1, "X": 4, "Y": 16}))
    assert candidate.defines == ("-DUSE=1", "-DX=4", "-DY=16") and candidate.flags == ("-O2",)


def test_what_is_emitted_states_every_parameter() -> None:
    tuned = scheduled(kernel(), Configuration({"USE": 1, "X": 3, "Y": 16}))
    (file,) = [f for f in CFrontend().emit([tuned]) if f.name.endswith(".c")]
    (again,) = CFrontend().parse(Source("f.c", file.text)).kernels
    assert space_of(again).default == Configuration({"USE": 1, "X": 3, "Y": 16})
    assert [p.when for p in again.parameters] == [p.when for p in kernel().parameters]
    assert not stated(tuned, Configuration({"USE": 0}))


@pytest.mark.parametrize(
    ("condition", "message", "column"),
    [
        ("USE == on", "X: unknown name `on`", 57),
        ("USE +", "X: the expression ends too early", 55),
        ("USE", "X: a condition is true or false, got a value of type Integer: USE", 50),
        ("Y > 8", "conditions go in a circle: X -> Y -> X", 50),
    ],
)
def test_a_wrong_condition_is_told_at_its_place(condition: str, message: str, column: int) -> None:
    with pytest.raises((SourceError, SpaceError)) as error:
        space_of(kernel(HEAD.replace("when(USE == 1)", f"when({condition})")))
    diagnostic = error.value.diagnostics[0]
    assert diagnostic.message == message
    assert diagnostic.span is not None and (diagnostic.span.line, diagnostic.span.column) == (2, column)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("when USE == 1", "expected `(` after `when`, found `USE`"),
        ("when()", "expected a condition, found `)`"),
        ("when(USE == 1", "expected `)` after the condition, found the end of the pragma"),
        ("when(USE == 1) when(USE == 0)", "`when` is given twice"),
    ],
)
def test_a_condition_stands_in_brackets(written: str, message: str) -> None:
    with pytest.raises(SourceError) as error:
        kernel(HEAD.replace("when(USE == 1)", written))
    assert error.value.diagnostics[0].message == message


def test_an_unguarded_constraint_is_told_at_its_place() -> None:
    line = "#pragma tunepass constraint X < 4\n"
    with pytest.raises(SpaceError) as error:
        space_of(kernel(HEAD + line))
    diagnostic = error.value.diagnostics[0]
    assert diagnostic.span is not None and (diagnostic.span.line, diagnostic.span.text) == (5, "X")
    assert diagnostic.hint == "guard it: `not (USE == 1) or X < 4`"
    assert space_of(kernel(HEAD + line.replace("X <", "USE == 0 or X <"))).size == 6


def test_a_refusal_of_the_source_reads_the_default() -> None:
    """The compiler sees the default, so that `#error` is about it."""
    refused = HEAD + "#if X == 3\n#error three\n#endif\n"
    assert space_of(kernel(refused)).size == 6


DESCRIPTION = """\
parameters:
  MODE: {kind: categorical, values: [plain, tree], role: argument, form: "--mode={}"}
  DEPTH: {kind: integer, range: [1, 4], default: 2, role: argument, form: "--depth={}", when: "MODE == 'tree'"}
  RATIO: {kind: real, range: [0.5, 1], role: environment, when: DEPTH > 2}
  WIDTH: {kind: ordinal, values: [1, 2], role: argument, form: "--width={}", when: MODE == "plain"}
  ORDER: {kind: permutation, items: 2, role: argument, form: "--order={}", when: DEPTH == 1}
run: {command: prog}
"""


def test_an_application_has_conditions() -> None:
    described = application(DESCRIPTION)
    space = space_of(described)
    assert space.default == Configuration({"MODE": "plain", "WIDTH": 1})
    assert space.contains({"MODE": "tree", "DEPTH": 2})
    assert space.contains({"MODE": "tree", "DEPTH": 1, "ORDER": (1, 0)})
    (run,) = commands_of(described, Configuration({"MODE": "tree", "DEPTH": 4, "RATIO": 0.75}), "b", "s").runs
    assert run == ("prog", "--mode=tree", "--depth=4", "--width=1", "--order=0,1")
    tuned = scheduled(described, Configuration({"MODE": "tree", "DEPTH": 2}))
    assert space.completed(chosen_of_application(tuned)) == Configuration({"MODE": "tree", "DEPTH": 2})


def test_a_wrong_condition_of_an_application_is_told_at_its_place() -> None:
    with pytest.raises(SpaceError) as error:
        space_of(application(DESCRIPTION.replace("DEPTH > 2", "DEPT > 2")))
    diagnostic = error.value.diagnostics[0]
    assert diagnostic.message == "RATIO: unknown name `DEPT`" and diagnostic.span is not None
    assert (diagnostic.span.line, diagnostic.span.text) == (4, "DEPT")


MODEL = """\
# tunepass param deep: categorical(false, true) = false
# tunepass param width: ordinal(4, 8) when(deep == true)
# tunepass input x: float32[1, 8]
import torch.nn as nn

model = nn.Sequential(nn.Linear(8, width if deep else 4))
"""


def test_a_model_has_conditions() -> None:
    (described,) = parse(Source("train.py", MODEL)).kernels
    assert space_of(described).size == 3
    (unguarded,) = parse(Source("train.py", "# tunepass constraint width < 8\n" + MODEL)).kernels
    with pytest.raises(SpaceError, match="reads `width`, which has a value only when deep == true"):
        space_of(unguarded)

"""How a program is judged, as its pragma says: metrics, what its output is compared with, and where nothing is said."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.run import OutputCheck, RunCommand

PARAM = "#pragma tunepass param T: ordinal(1, 4)\n"
MAIN = """int main(void)
{
    double a[64];
#pragma tunepass loop(i) tile(i: T)
    for (int i = 0; i < 64; i++)
        a[i] = i;
    return a[3] < 0;
}
"""


def run_of(text: str) -> RunCommand:
    (kernel,) = CFrontend().parse(Source("program.c", text)).kernels
    run = kernel.body_as(CKernel).run
    assert run is not None
    return run


@pytest.mark.parametrize(
    "clauses,check",
    [
        ("", OutputCheck()),
        ("check(output)", OutputCheck()),
        ("check(none)", None),
        ('check("a.txt", "b c.txt")', OutputCheck(files=("a.txt", "b c.txt"))),
        ('check_with("-DDUMP -DSMALL=1")', OutputCheck(words=("-DDUMP", "-DSMALL=1"))),
        ("tolerance(1e-3)", OutputCheck(relative=1e-3)),
        ('check(output) tolerance(0, 0.5) metric "{time}"', OutputCheck(relative=0, absolute=0.5)),
    ],
)
def test_what_a_run_is_compared_with(clauses: str, check: OutputCheck | None) -> None:
    run = run_of(f'{PARAM}#pragma tunepass run "./a.out 7" {clauses}\n{MAIN}')
    assert run.arguments == ("./a.out", "7") and run.check == check


def test_a_run_whose_loops_stay_as_they_are_is_compared_where_it_says_so() -> None:
    text = '#define T 1\n{}#pragma tunepass run "./a.out" {}\nint main(void) {{ return T < 0; }}\n'
    text = text.replace("#define T 1", "#ifndef T\n#define T 1\n#endif")
    assert run_of(text.format(PARAM, "")).check is None
    assert run_of(text.format(PARAM, "check(output)")).check == OutputCheck()


def test_a_file_with_main_whose_loops_alone_are_marked_is_run() -> None:
    run = run_of(PARAM + MAIN)
    assert run.arguments == ("./a.out",) and run.metrics == () and run.check == OutputCheck()


@pytest.mark.parametrize("clause,more", [('"{x} MB/s"', True), ('"{x} MB/s" minimise', False), ('"{x} ms"', False)])
def test_a_metric_whose_unit_says_throughput_is_maximised(clause: str, more: bool) -> None:
    (metric,) = run_of(f'{PARAM}#pragma tunepass run "./a.out" metric {clause}\n{MAIN}').metrics
    assert metric.maximise is more


@pytest.mark.parametrize(
    "text,message,shown",
    [
        (PARAM + MAIN.replace("main", "other"), "no `kernel` or `run` pragma", None),
        (f'{PARAM}#pragma tunepass run "./a.out" chek(output)\n{MAIN}', "unknown clause `chek`", "chek"),
        (f'{PARAM}#pragma tunepass run "./a.out" check(result)\n{MAIN}', "expected `output` or a file", "result"),
        (f'{PARAM}#pragma tunepass run "./a.out" check(none) tolerance(1)\n{MAIN}', "nothing is checked", "check"),
        (f'{PARAM}#pragma tunepass run "./a.out" check_with("dump.c")\n{MAIN}', "`dump.c` is no option", None),
        (f'{PARAM}#pragma tunepass run "./a.out" metric "score {{score}}"\n{MAIN}', "is more of `score` better", None),
        (f'{PARAM}#pragma tunepass run "./a.out" check(output) check(none)\n{MAIN}', "given twice", "check"),
    ],
)
def test_a_check_that_makes_no_sense_is_an_error_at_its_place(text: str, message: str, shown: str | None) -> None:
    with pytest.raises(SourceError, match=message) as error:
        run_of(text)
    span = error.value.diagnostics[0].span
    assert span is not None and (shown is None or span.text == shown)

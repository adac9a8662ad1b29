"""Models that C sources state: sizes become numbers, parameters stay, each belongs to its kernel."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.kernel import Kernel


def kernels(*pragmas: str, call: str = "f(n = 1024, x = 2.5, on = 1, y: out double[n])") -> tuple[Kernel, ...]:
    lines = "".join(f"#pragma tunepass {pragma}\n" for pragma in pragmas)
    body = "void f(int n, double x, _Bool on, double *y) { y[0] = T + (ORDER_i < ORDER_j) + U; }\n"
    params = (
        "#pragma tunepass param T: ordinal(8, 16, 32)\n#pragma tunepass param ORDER: permutation(i, j)\n"
        '#pragma tunepass param U: categorical("a", "b")\n'
    )
    text = f"{params}{lines}#pragma tunepass kernel {call}\n{body}"
    return CFrontend().parse(Source("t.c", text)).kernels


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("ceildiv(n, T) * (40 + T)", "ceildiv(1024, T) * (T + 40)"),
        ("T * x", "2.5 * T"),
        ("if(on, T, 2 * T)", "T"),
        ("if(n >= 1024, T, 2 * T)", "T"),
        ("T if T < n else 0", None),
        ("min(n, T) + (n in {T, n})", "min(1024, T) + (1024 in {T, 1024})"),
        ("if(1 < T < n and U == \"a\", T / n, n)", "if(1 < T < 1024 and U == \"a\", T / 1024, 1024)"),
        ("pos(ORDER, i) * n + T", "1024 * pos(ORDER, \"i\") + T"),
        ("if(ORDER[n - 1023] == \"i\", T, -n)", "if(ORDER[1] == \"i\", T, -1024)"),
    ],
)  # fmt: skip
def test_sizes_become_numbers(written: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(SourceError):
            kernels(f"model time = {written}")
        return
    (model,) = kernels(f"model time = {written}")[0].models
    assert model.name == "time" and to_text(model.expression) == expected


def test_a_parameter_hides_a_size_of_its_name() -> None:
    text = (
        "#pragma tunepass param n: ordinal(1, 2)\n#pragma tunepass model time = n * 3\n"
        "#pragma tunepass kernel f(n = 7, y: out double[8])\nvoid f(int m, double *y) { y[0] = n + m; }\n"
    )
    (model,) = CFrontend().parse(Source("t.c", text)).kernels[0].models
    assert to_text(model.expression) == "3 * n"


def test_one_for_each_objective_and_where_they_stand() -> None:
    models = kernels("model time = T", "model instructions = n * T")[0].models
    assert [m.name for m in models] == ["time", "instructions"]
    assert [(m.span.line, m.span.column) for m in models if m.span] == [(4, 24), (5, 24)]


def test_a_model_belongs_to_the_next_kernel() -> None:
    text = "".join(
        f"#pragma tunepass param P{i}: ordinal(1, 2)\n#pragma tunepass model time = P{i} * n\n"
        f"#pragma tunepass kernel f{i}(n = {i}00, y: out double[8])\n"
        f"void f{i}(int n, double *y) {{ y[0] = P{i} + n; }}\n"
        for i in (1, 2)
    )
    found = [to_text(k.models[0].expression) for k in CFrontend().parse(Source("t.c", text)).kernels]
    assert found == ["100 * P1", "200 * P2"]


@pytest.mark.parametrize(
    ("metrics", "objective"), [("", "time"), (' metric "rate: {rate}" maximise metric "t: {secs} s"', "secs")]
)
def test_a_program_has_models_of_its_metrics(metrics: str, objective: str) -> None:
    text = (
        f"#pragma tunepass param P: ordinal(1, 2)\n#pragma tunepass model {objective} = P * 3\n"
        f'#pragma tunepass run "./a.out"{metrics}\nint main(void) {{ return P; }}\n'
    )
    (model,) = CFrontend().parse(Source("t.c", text)).kernels[0].models
    assert model.name == objective


def test_every_wrong_model_is_told() -> None:
    with pytest.raises(SourceError) as caught:
        kernels("model time = TT", "model instructions = T == 3")
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [4, 5]

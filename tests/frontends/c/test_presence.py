"""Boolean parameters of which a source only asks by `#ifdef`: the macro is defined, or it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import Diagnostic, Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.base import Parsed
from tunepass.frontends.c.emission.files import emit_file
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.configuration import Configuration

ASKS = "#ifdef X\n*y += 2;\n#else\n*y += 1;\n#endif\n"
OFF, ON = Configuration({"X": False}), Configuration({"X": True})


def parse(
    body: str, values: str = "categorical(false, true) = false", head: str = "", words: tuple[str, ...] = ()
) -> Parsed:
    pragmas = f"#pragma tunepass param X: {values}\n#pragma tunepass kernel f(y: inout int[1])\n"
    return CFrontend().parse(Source("f.c", f"{pragmas}{head}void f(int *y) {{\n{body}}}\n"), words=words)


def kernel_of(body: str, values: str = "categorical(false, true) = false", head: str = "") -> Kernel:
    return parse(body, values, head).kernels[0]


def refusal(body: str, values: str = "categorical(false, true) = false", head: str = "") -> Diagnostic:
    with pytest.raises(SourceError) as caught:
        parse(body, values, head)
    return caught.value.diagnostics[0]


def words(kernel: Kernel, configuration: Configuration) -> tuple[str, ...]:
    candidate = lower(kernel, configuration)
    return (*candidate.defines, *candidate.flags)


@pytest.mark.parametrize(
    "body",
    [
        ASKS,
        "#ifndef X\n*y += 1;\n#else\n*y += 2;\n#endif\n",
        "#if defined(X) && !defined(OTHER)\n*y += 2;\n#else\n*y += 1;\n#endif\n",
        "#if defined X\n*y += 2;\n#endif\n",
    ],
)
def test_false_leaves_the_macro_undefined(body: str) -> None:
    kernel = kernel_of(body)
    assert words(kernel, OFF) == ("-UX",)
    assert words(kernel, ON) == ("-DX=1",)


def test_a_header_may_be_what_asks(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("#ifdef X\n#define STEP 2\n#else\n#define STEP 1\n#endif\n")
    text = '#include "h.h"\n#pragma tunepass param X: categorical(false, true)\n'
    text += "#pragma tunepass kernel f(y: inout int[1])\nvoid f(int *y) { *y += STEP; }\n"
    parsed = CFrontend().parse(Source(str(tmp_path / "f.c"), text))
    assert words(parsed.kernels[0], OFF) == ("-UX",) and not parsed.warnings


def test_a_macro_whose_value_is_used_is_one_or_zero() -> None:
    assert words(kernel_of("*y += X;\n", head="#ifndef X\n#define X 0\n#endif\n"), OFF) == ("-DX=0",)


def test_both_uses_are_refused_where_the_source_asks() -> None:
    problem = refusal(f"{ASKS}*y += X;\n")
    assert problem.span is not None and problem.span.line == 4
    assert "its value is used at f.c:9:7" in problem.message and "`#if X`" in (problem.hint or "")


def test_a_macro_that_is_always_defined_is_refused_at_its_definition() -> None:
    problem = refusal(ASKS, head="#define X\n")
    assert problem.span is not None and problem.span.line == 3 and "`true` is passed as -DX=1" in (problem.hint or "")


def test_numbers_of_which_only_existence_matters_are_refused() -> None:
    problem = refusal(ASKS, values="ordinal(0, 1) = 0")
    assert problem.span is not None and problem.span.line == 4 and "categorical(false, true)" in (problem.hint or "")


def test_the_default_is_what_the_compilers_words_say() -> None:
    untouched = parse(ASKS, values="categorical(true, false)")
    assert untouched.kernels[0].parameters[0].default is False
    given = parse(ASKS, values="categorical(false, true)", words=("gcc", "-DX"))
    assert given.kernels[0].parameters[0].default is True


def test_another_default_than_the_untouched_source_is_told() -> None:
    (warning,) = parse(ASKS, values="categorical(false, true) = true").warnings
    assert "`X` is not defined in the untouched source" in warning.message


def test_a_nest_in_a_branch_has_the_condition() -> None:
    nest = (
        "#pragma tunepass loop auto\nfor (int i = 0; i < 64; i++)\nfor (int j = 0; j < 64; j++)\ny[j * 64 + i] += 1;\n"
    )
    kernel = kernel_of(f"#ifdef X\n{nest}#endif\n")
    (scop,) = kernel.body_as(CKernel).scops
    assert scop.condition is not None and to_text(scop.condition) == "X"


def test_the_tuned_source_says_how_it_is_compiled_and_is_tuned_again() -> None:
    kernel = kernel_of(ASKS)
    text = emit_file([scheduled(kernel, ON)])[0].text
    assert "Compile with -DX=1" in text and "#define X" not in text
    again = CFrontend().parse(Source("f.c", text)).kernels[0]
    assert again.parameters[0].default is True and words(again, OFF) == ("-UX",)

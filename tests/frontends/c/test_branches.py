"""`#if`s over parameters in C: kernels and nests that are in some branches only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import Diagnostic, Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.c.emission.files import emit_file
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.frontends.c.nests.probes import probes
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

HEAD = """#pragma tunepass param V: {}
#ifndef V
#define V 1
#endif
#pragma tunepass kernel f(n = 64, x: in float[n * n], y: inout float[n * n])
"""
OPENS = "void f(int n, const float *x, float *y) {\n"
LOOPS = "for (int i = 0; i < n; i++)\nfor (int j = 0; j < n; j++)\n"


def read(code: str, values: str = "ordinal(1, 2, 4) = 1") -> Kernel:
    return CFrontend().parse(Source("f.c", HEAD.format(values) + code)).kernels[0]


def refusal(code: str, values: str = "ordinal(1, 2, 4) = 1") -> Diagnostic:
    with pytest.raises(SourceError) as caught:
        read(code, values)
    return caught.value.diagnostics[0]


def space_of(kernel: Kernel) -> Space:
    return Space(kernel.parameters, kernel.constraints)


def conditions(kernel: Kernel) -> list[str]:
    return [to_text(n.condition) if n.condition is not None else "" for n in kernel.body_as(CKernel).scops]


NEST = f"#pragma tunepass loop auto\n{LOOPS}y[j * 64 + i] += x[j * 64 + i];\n"
IN_ONE = f"{OPENS}#if V > 1\n{NEST}#else\ny[0] = x[0];\n#endif\n}}\n"


def test_a_macro_without_a_name_in_a_branch_over_a_parameter_ends_the_reading() -> None:
    """The compiler refuses it; the search for texts that name it once did not end."""
    text = HEAD.format("integer(1..4) = 2").replace("#define V 1", "#define   1.5")
    kernel = (
        CFrontend().parse(Source("k.c", text + "void f(int n, float *x, float *y)\n{\n    y[0] = V;\n}\n")).kernels[0]
    )
    assert [parameter.name for parameter in kernel.parameters] == ["V"]


def test_a_nest_in_a_branch_has_parameters_that_vary_there_only() -> None:
    kernel = read(IN_ONE)
    space = space_of(kernel)
    assert conditions(kernel) == ["V > 1"]
    assert {c["V"] for c in space.enumerate() if c["TILE_i"] == 8} == {2, 4}
    assert sum(c["V"] == 1 for c in space.enumerate()) == 1


def test_its_text_is_written_where_its_branch_is_compiled() -> None:
    kernel = read(IN_ONE)
    (probe,) = probes(kernel, space_of(kernel))
    assert probe["V"] > 1
    written = lower(kernel, probe).text
    assert written is not None and "#if V > 1\n" in written and "y[0] = x[0];" in written
    assert lower(kernel, Configuration({**probe, "V": 1})).text is None


def test_the_tuned_source_tells_of_a_branch_that_is_left_out() -> None:
    kernel = read(IN_ONE)
    text = emit_file([scheduled(kernel, space_of(kernel).default)])[0].text
    assert "/* Loops as they were: the choices leave this branch out. */\nfor (int i" in text


def test_a_nest_with_an_if_inside_is_read_for_each_branch() -> None:
    inside = "{\n#if V > 1\ny[j * 64 + i] += x[i * 64 + j];\n#else\ny[j * 64 + i] += x[j * 64 + i];\n#endif\n}\n"
    kernel = read(f"{OPENS}#pragma tunepass loop auto\n{LOOPS}{inside}}}\n")
    assert conditions(kernel) == ["not V > 1", "V > 1"]
    space = space_of(kernel)
    texts = {}
    for value, order in ((1, "ORDER"), (2, "ORDER_2")):
        configuration = Configuration({**space.default, "V": value, order: ("j", "i")})
        assert space.contains(configuration)
        texts[value] = lower(kernel, configuration).text or ""
    assert "x[j * 64 + i]" in texts[1] and "x[i * 64 + j]" not in texts[1]
    assert "x[i * 64 + j]" in texts[2] and "x[j * 64 + i]" not in texts[2]


def test_an_if_that_a_nest_does_not_depend_on_leaves_one_nest() -> None:
    other = "#if V > 1\nstatic int more(void) { return V; }\n#endif\n"
    kernel = read(f"{other}{OPENS}{NEST}}}\nint g(void) {{\n#if V == 1\nreturn 1;\n#else\nreturn V;\n#endif\n}}\n")
    assert conditions(kernel) == [""]


def test_directives_by_hand_in_a_branch() -> None:
    nest = f"#pragma tunepass loop(i, j) tile(i: T)\n{LOOPS}y[i * 64 + j] += x[i * 64 + j];\n"
    tile = "#pragma tunepass param T: ordinal(1, 8) = 1\n"
    code = f"{tile}{HEAD.format('ordinal(1, 2) = 1')}{OPENS}#if V > 1\n{nest}#else\ny[0] = V;\n#endif\n}}\n"
    (kernel,) = CFrontend().parse(Source("f.c", code)).kernels
    assert {(c["V"], c["T"]) for c in space_of(kernel).enumerate()} == {(1, 1), (2, 1), (2, 8)}


BOTH = """#if V > 1
void f(int n, const {1} *x, float *y) {{
{0}}}
#else
void f(int n, const float *x, float *y) {{ y[0] = x[0]; }}
#endif
"""


def test_a_kernel_may_be_defined_in_both_branches() -> None:
    kernel = read(BOTH.format(NEST, "float"))
    assert conditions(kernel) == ["V > 1"] and len(kernel.parameters) > 3


def test_another_way_to_call_it_in_a_branch_is_refused_with_the_if() -> None:
    found = refusal(BOTH.replace("const {1}", "float").format(NEST))
    assert found.message == "`f` is called in another way where V > 1"
    assert "`#if V > 1` in line 6 chooses it" in (found.hint or "")


def test_a_type_that_a_branch_chooses_is_compared_in_each() -> None:
    types = "#if V > 1\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
    found = refusal(f"{types}void f(int n, const float *x, real *y) {{ y[0] = x[0]; }}\n")
    assert "`y` is an array of double, not float" in found.message


def test_a_kernel_that_only_some_values_have_limits_the_space() -> None:
    kernel = read(f"#if V < 4\n{OPENS}{NEST}}}\n#endif\n")
    assert {c["V"] for c in space_of(kernel).enumerate()} == {1, 2}


def test_a_kernel_that_the_defaults_leave_out_is_refused_with_the_if() -> None:
    found = refusal(f"#if V > 1\n{OPENS}y[0] = x[0];\n}}\n#endif\n")
    assert found.message == "with the parameters' defaults the compiler does not see `f`"
    assert found.hint == "`#if V > 1` in line 6: the function is there where V > 1; choose such defaults"


def test_code_that_is_inactive_for_every_value_is_refused_with_its_if() -> None:
    found = refusal(f"{OPENS}y[0] = V;\n#ifdef MISSING\n{NEST}#endif\n}}\n")
    assert found.message == "the compiler does not see what follows this pragma"
    assert found.hint == "`#ifdef MISSING` in line 8 leaves it out: give the -D that it needs after `--`"


def test_too_many_sets_are_refused_at_the_if_where_they_matter() -> None:
    branches = "".join(f"#{'el' if k else ''}if V == {k + 1}\ny[i * 64 + j] = {k};\n" for k in range(20)) + "#endif\n"
    values = "integer(1..20) = 1"
    found = refusal(f"{OPENS}#pragma tunepass loop auto\n{LOOPS}{{\n{branches}}}\n}}\n", values)
    assert "make 20 sets over the parameters, more than 16" in found.message
    assert found.span is not None and found.span.text == "#if V == 1"
    plain = read(f"{OPENS}{LOOPS}{{\n{branches}}}\n}}\n", values)  # no nest is written anew
    assert len(plain.parameters) == 1


WORDS = """#define ROWS 1
#define COLS 2
#pragma tunepass param OUTER: categorical("ROWS", "COLS") = "COLS"
#ifndef OUTER
#define OUTER COLS
#endif
"""


def test_choices_that_are_macros_choose_branches() -> None:
    nests = f"#if OUTER == ROWS\n{NEST}#else\n{NEST.replace('+=', '-=')}#endif\n"
    source = HEAD.format("ordinal(1, 2) = 1") + f"{OPENS}y[0] = V;\n{nests}}}\n"
    kernel = CFrontend().parse(Source("f.c", WORDS + source)).kernels[0]
    assert conditions(kernel) == ['OUTER == "ROWS"', 'not OUTER == "ROWS"']
    assert kernel.body_as(CKernel).scops[1].chosen_by == ()


def test_a_pragma_in_a_branch_counts_there_only() -> None:
    kernel = read(f"{OPENS}#if V > 1\n#pragma tunepass loop auto\n#endif\n{LOOPS}y[j * 64 + i] += V;\n}}\n")
    assert conditions(kernel) == ["V > 1"]


def test_a_nest_whose_loops_stand_in_branches_is_read_in_each() -> None:
    reverse = "for (int j = 0; j < n; j++)\nfor (int i = 0; i < n; i++)\n"
    heads = f"#pragma tunepass loop auto\n#if V > 1\n{LOOPS}#else\n{reverse}#endif\n"
    kernel = read(f"{OPENS}{heads}y[j * 64 + i] += x[j * 64 + i];\n}}\n")
    assert conditions(kernel) == ["not V > 1", "V > 1"]
    orders = {p.name: p.default for p in kernel.parameters if p.name.startswith("ORDER")}
    assert orders == {"ORDER": ("j", "i"), "ORDER_2": ("i", "j")}
    (first, second) = probes(kernel, space_of(kernel))
    for probe in (first, second):
        text = lower(kernel, probe).text or ""
        assert text.count("#if") == text.count("#endif") and "#else" not in text


def test_an_if_that_begins_before_the_pragma_and_ends_in_its_loops_is_refused() -> None:
    heads = f"#if V > 1\n#pragma tunepass loop auto\n{LOOPS}#else\nfor (int j = 0; j < 9; j++)\n#endif\n"
    found = refusal(f"{OPENS}{heads}y[j] += x[j];\n}}\n")
    assert found.message == "this `#if` begins before the pragma and ends in its loops"
    assert found.span is not None and found.span.text == "#if V > 1"


@pytest.mark.parametrize(
    "before",
    [
        "#if V > 1\n#define AT(i, j) ((i) * 64 + (j))\n#else\n#define AT(i, j) ((j) * 64 + (i))\n#endif\n",
        "#if V > 1\n#define BY_ROWS\n#endif\n"
        "#ifdef BY_ROWS\n#define AT(i, j) ((i) * 64 + (j))\n#else\n#define AT(i, j) ((j) * 64 + (i))\n#endif\n",
        "static inline int AT(int i, int j) {\n#if V > 1\nreturn i * 64 + j;\n#else\nreturn j * 64 + i;\n#endif\n}\n",
    ],
)
def test_what_a_nest_is_made_of_may_be_chosen_before_it(before: str) -> None:
    kernel = read(f"{before}{OPENS}#pragma tunepass loop auto\n{LOOPS}y[AT(i, j)] += x[AT(i, j)];\n}}\n")
    assert conditions(kernel) == ["not V > 1", "V > 1"]


def test_directives_by_hand_around_an_if() -> None:
    tile = "#pragma tunepass param T: ordinal(1, 8) = 1\n"
    inside = "{\n#if V > 1\ny[i * 64 + j] += x[i * 64 + j];\n#else\ny[j * 64 + i] += x[j * 64 + i];\n#endif\n}\n"
    nest = f"#pragma tunepass loop(i, j) tile(i: T)\n{LOOPS}{inside}"
    (kernel,) = CFrontend().parse(Source("f.c", f"{tile}{HEAD.format('ordinal(1, 2) = 1')}{OPENS}{nest}}}\n")).kernels
    assert {(c["V"], c["T"]) for c in space_of(kernel).enumerate()} == {(1, 1), (2, 1), (1, 8), (2, 8)}
    assert conditions(kernel) == ["not V > 1", "V > 1"]


def test_a_branch_of_a_header_chooses_what_a_nest_is(tmp_path: Path) -> None:
    (tmp_path / "at.h").write_text(
        "#if V > 1\n#define AT(i, j) (i * 64 + j)\n#else\n#define AT(i, j) (j * 64 + i)\n#endif\n"
    )
    nest = f"#pragma tunepass loop auto\n{LOOPS}y[AT(i, j)] += V * x[AT(i, j)];\n"
    code = f'{HEAD.format("ordinal(1, 2) = 1")}#include "at.h"\n{OPENS}{nest}}}\n'
    (kernel,) = CFrontend().parse(Source(str(tmp_path / "f.c"), code)).kernels
    assert conditions(kernel) == ["not V > 1", "V > 1"]


def test_an_error_in_a_branch_limits_the_space() -> None:
    inside = (
        "{\n#if V == 1\ny[j * 64 + i] += 1;\n#elif V == 2\ny[i * 64 + j] += 1;\n#else\n#error no such V\n#endif\n}\n"
    )
    kernel = read(f"{OPENS}#pragma tunepass loop auto\n{LOOPS}{{\n{inside}}}\n}}\n")
    assert conditions(kernel) == ["V == 1", "not V == 1 and V == 2"]
    assert {c["V"] for c in space_of(kernel).enumerate()} == {1, 2}


def test_an_error_that_the_defaults_meet_is_the_compilers() -> None:
    found = refusal(f"#if V < 2\n#error too small\n#endif\n{OPENS}{NEST}}}\n")
    assert "#error too small" in found.message and found.span is not None and found.span.text == "#error too small"


def test_pragmas_in_branches_that_schedules_leave_out_are_told() -> None:
    nest = f"#pragma tunepass loop auto\n#if V > 1\n#pragma omp parallel for\n#endif\n{LOOPS}y[j * 64 + i] += V;\n"
    parsed = CFrontend().parse(Source("f.c", f"{HEAD.format('ordinal(1, 2) = 1')}{OPENS}{nest}}}\n"))
    assert "only the source's own schedule keeps this pragma" in [w.message for w in parsed.warnings]


def test_words_of_the_language_make_no_if_matter() -> None:
    other = "#if V > 1\nstatic const float *more(int k) { return 0; }\n#else\nstatic const int k = 3;\n#endif\n"
    kernel = read(f"{other}{OPENS}{NEST}}}\n")
    assert conditions(kernel) == [""]


def test_a_wrong_parameter_is_told_before_the_ifs_that_read_it() -> None:
    source = "#pragma tunepass param V: ordinal(1, 2) = 1\n#define V 1\n" + HEAD.split("#endif\n")[1]
    code = f"{OPENS}#if V\n{NEST}#endif\n}}\n"
    with pytest.raises(SourceError, match="`V` is defined here without `#ifndef`"):
        CFrontend().parse(Source("f.c", source + code))

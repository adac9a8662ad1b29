"""What is emitted is what was chosen: read again, the body has the values in it that its expressions had."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frontends.hls.sources import GEMV, parse
from tests.frontends.hls.test_malformed import VITIS
from tests.frontends.hls.test_vitis import MATMUL
from tunepass.diagnostics import Source, Span
from tunepass.expr.nodes import Expr
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Choice, Kernel

SOURCES = {
    "gemv.c": GEMV,
    "gemv_with_domain.c": "#pragma tunepass param PARA_J: ordinal(1, 5)\n" + GEMV,
    "vitis.cpp": VITIS,
    "matmul.cpp": "#pragma tunepass hls top(n = 8 * U)\n" + MATMUL,
    "unguarded.cpp": VITIS.replace("#define U 2\n", ""),
    "guarded.cpp": VITIS.replace("#define U 2\n", "#ifndef U\n#define U 2\n#endif\n"),
}


def valued(part: object, values: dict[str, object]) -> object:
    """Without places in the source, expressions as numbers."""
    if isinstance(part, Expr):
        return evaluate(part, values)  # type: ignore[arg-type]
    if isinstance(part, tuple):
        return tuple(valued(p, values) for p in part)
    if isinstance(part, Span):
        return None
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        fields = {f.name: valued(getattr(part, f.name), values) for f in dataclasses.fields(part)}
        return type(part).__name__, tuple(fields.items())
    return part


def scheduled(kernel: Kernel, values: dict[str, object]) -> Kernel:
    return kernel.scheduled(tuple(Choice(name, value) for name, value in values.items()))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SOURCES)
@given(data=st.data())
@pytest.mark.slow_but(3)
def test_a_tuned_source_reads_as_what_was_chosen(name: str, data: st.DataObject) -> None:
    kernel = parse(SOURCES[name], name)
    values: dict[str, object] = {p.name: data.draw(st.sampled_from(list(p.domain)), p.name) for p in kernel.parameters}
    emitted = HlsFrontend().emit((scheduled(kernel, values),), "a note")[0]
    again = HlsFrontend().body(Source(name, emitted.text))
    defaults: dict[str, object] = values
    assert valued(again, defaults) == valued(kernel.body_as(HlsKernel), values)


def test_a_macro_that_the_source_does_not_define_is_defined() -> None:
    kernel = parse(SOURCES["unguarded.cpp"], "v.cpp")
    text = HlsFrontend().emit((scheduled(kernel, {"U": 8}),))[0].text
    assert "#ifndef U\n#define U 8\n#endif\n" in text


def test_a_source_with_params_can_be_tuned_again() -> None:
    emitted = HlsFrontend().emit((scheduled(parse(VITIS, "v.cpp"), {"U": 8}),))[0].text
    (parameter,) = parse(emitted, "v.cpp").parameters
    assert parameter.default == 8 and "#define U 8" in emitted

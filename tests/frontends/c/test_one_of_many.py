"""One kernel of a source with many: what is read of the others, and that the rest stays as it is."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.preprocessing import preprocess
from tunepass.ir.kernel import Kernel

NEST = """#pragma tunepass kernel f{0}(n = 64, x: in float[n * n], y: inout float[n * n])
void f{0}(int n, const float *x, float *y) {{
#pragma tunepass loop auto
for (int i = 0; i < n; i++)
for (int j = 0; j < n; j++)
    y[i * n + j] += x[j * n + i];
}}
"""
PLAIN = """#pragma tunepass param B{0}: ordinal(2, 4, 8) = {1}
#if B{0} > 2
#define STEP{0} B{0}
#else
#define STEP{0} 1
#endif
#pragma tunepass kernel g{0}(n = 64, x: inout float[n])
void g{0}(int n, float *x) {{
    for (int i = 0; i < n; i += STEP{0})
        x[i] = {0} + B{0};
}}
"""


def kernels(text: str, only: str | None = None) -> dict[str, Kernel]:
    return {kernel.name: kernel for kernel in CFrontend().parse(Source("many.c", text), only).kernels}


def test_one_kernel_is_what_it_is_among_all() -> None:
    text = NEST.format(0) + PLAIN.format(0, 4) + NEST.format(1) + PLAIN.format(1, 2)
    every = kernels(text)
    for name in ("f0", "g0", "f1", "g1"):
        assert kernels(text, name)[name] == every[name]
    assert [name for name, kernel in every.items() if any(p.name.endswith("_2") for p in kernel.parameters)] == ["f1"]


def test_what_is_wrong_with_other_kernels_is_passed_over() -> None:
    text = PLAIN.format(0, 4).replace("n = 64", "n = 64, m = 3") + PLAIN.format(1, 2)
    with pytest.raises(SourceError, match="m"):
        kernels(text)
    assert list(kernels(text, "g1")) == ["g1"]


def test_more_parameters_than_a_command_can_define(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(PLAIN.format(number, 2 if number % 2 else 4) for number in range(12))
    monkeypatch.setattr(preprocess, "MOST_IN_WORDS", 500)
    commands: list[list[str]] = []
    ask_about = preprocess.ask_about
    monkeypatch.setattr(
        preprocess, "ask_about", lambda words, text: (commands.append([*map(str, words)]), ask_about(words, text))[1]
    )
    kernel = kernels(text, "g7")["g7"]
    assert [p.name for p in kernel.parameters] == ["B7"]
    assert all("-imacros" in words and not any(word.startswith("-DB") for word in words) for words in commands)
    assert max(sum(map(len, words)) for words in commands) < 500

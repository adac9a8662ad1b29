"""Candidates by several compilers: the default, the identity, and objects that go together."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tunepass.backends.base import Starts, Target, backend_for
from tunepass.backends.c.compilers import check_together, identified, others, resolved
from tunepass.diagnostics import Source, SourceError
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("gcc", "g++", "clang")), reason="needs gcc, g++ and clang"
)
TEXT = """\
#pragma tunepass param CC: compiler(NAMES)
#pragma tunepass kernel f(n = 8, x: inout float[n])
void f(int n, float *x) { x[0] = n; }
"""


def kernel_of(*names: str, suffix: str = "c") -> Kernel:
    listed = ", ".join(f'"{name}"' for name in names)
    (kernel,) = CFrontend().parse(Source(f"k.{suffix}", TEXT.replace("NAMES", listed))).kernels
    return kernel


def script(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def test_the_default_is_the_compiler_of_the_command() -> None:
    kernel = kernel_of("gcc", "clang")
    for program, name in (("clang", "clang"), (str(shutil.which("clang")), "clang"), ("gcc", "gcc")):
        assert resolved(kernel, program, asked=True).parameters[0].default == name
        backend = backend_for(kernel, Target(compiler=(program,)))
        assert backend.kernel.parameters[0].default == name
    assert others(kernel, "gcc") == ("clang",)


def test_a_default_that_is_no_value_is_told_at_the_pragma() -> None:
    kernel = kernel_of("clang")
    with pytest.raises(SourceError, match="none of the values of `CC`: clang") as caught:
        backend_for(kernel, Target(compiler=("gcc",)))
    assert caught.value.diagnostics[0].span is not None and caught.value.diagnostics[0].span.line == 1
    reading = Target(compiler=("gcc",), starts=Starts.NOTHING)
    assert backend_for(kernel, reading).kernel.parameters[0].default == "clang"


def test_the_identity_has_all_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kernel = kernel_of("gcc", "clang")
    Path("k.c").write_text(kernel.source.text)
    backend = backend_for(kernel, Target(compiler=("gcc", "-O2")))
    identity = backend.identity(Space(kernel.parameters))
    assert identity.compiler.startswith("gcc (") and "; clang: " in identity.compiler
    assert any(part.name.startswith("clang: ") for m in backend.manifests().values() for part in m.parts)
    assert type(backend).target_of(identity, ()).compiler == ("gcc", "-O2")


@pytest.mark.parametrize(("suffix", "names"), [("c", ("gcc", "clang")), ("cpp", ("g++", "clang++"))])
def test_objects_of_both_go_together(suffix: str, names: tuple[str, str]) -> None:
    if shutil.which(names[1]) is None:
        pytest.skip(f"needs {names[1]}")
    check_together(kernel_of(*names, suffix=suffix), (names[0], "-O2"))


def test_what_does_not_go_together_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/local/bin:/usr/bin:/bin")
    script(tmp_path, "gcc-90", 'case "$*" in *-dumpmachine*) echo sparc-linux-gnu;; *) exec gcc "$@";; esac')
    script(tmp_path, "gcc-91", 'case "$*" in *--version*) echo not a compiler;; *) exec gcc "$@";; esac')
    script(tmp_path, "gcc-92", 'case "$*" in *" -c "*) exec gcc -Dtp_other=tp_none "$@";; *) exec gcc "$@";; esac')
    cases = {
        "g++": "compilers of different languages",
        "gcc-90": "gcc-90 builds for sparc-linux-gnu",
        "gcc-92": "objects of gcc-92 do not link with those of gcc",
    }
    for name, message in cases.items():
        with pytest.raises(SourceError, match=message.replace("+", r"\+")) as caught:
            check_together(kernel_of("gcc", name), ("gcc",))
        assert caught.value.diagnostics[0].span is not None
    with pytest.raises(SourceError, match="clang does not take the words after"):
        check_together(kernel_of("gcc", "clang"), ("gcc", "-fno-such-flag-of-clang=1", "-fira-region=all"))
    with pytest.raises(SourceError, match="gcc-91 is neither gcc nor clang"):
        identified(kernel_of("gcc", "gcc-91"), "gcc")
    with pytest.raises(SourceError, match="compiler not found: gcc-93"):
        identified(kernel_of("gcc", "gcc-93"), "gcc")


def test_a_candidate_is_compiled_by_its_own(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("int f(void) { return 1; }\n")
    compiling = Compiling(command=("gcc", "-O1"), source=tmp_path / "k.c")
    made, _, failure = compiling.compile_candidate(Candidate(compiler="clang"), tmp_path, rename_main=False)
    assert failure is None and b"clang version" in made.read_bytes() and compiling.longest_s > 0
    assert compiling.by(Candidate(compiler="gcc")) is compiling

"""Which programs compile, and what `native` means: by content and by the compiler's own word."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tunepass.compilers import cc
from tunepass.evaluators.toolchains import digests
from tunepass.evaluators.toolchains.programs import real_driver, toolchain

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNEPASS_CACHE", str(tmp_path / "cache"))
    for name in ("LD_LIBRARY_PATH", "LIBRARY_PATH", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache" / digests.REMEMBERED


def fake_compiler(path: Path, processor: str, comment: str = "") -> str:
    """gcc in every respect but the processor that it runs on."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"""#!/bin/sh
# {comment}
case " $* " in
*" -### "*) gcc "$@" 2>&1 | sed 's/"-march=[^"]*"/"-march={processor}"/' >&2 ;;
*) exec gcc "$@" ;;
esac
"""
    )
    path.chmod(0o755)
    cc._identify.cache_clear()
    return str(path)


def test_the_compiler_proper_and_the_assembler_are_part_of_it() -> None:
    names = {part.name for part in toolchain("gcc", "c", ()).parts}
    assert {"compiler driver", "cc1", "as"} <= names
    assert "cc1plus" in {part.name for part in toolchain("g++", "c++", ()).parts}


@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang")
def test_clang_says_its_processor_and_its_libraries() -> None:
    parts = {part.name: part for part in toolchain("clang", "c", ["-march=native"]).parts}
    assert "-march=native" in parts and parts["-march=native"].value
    assert {"compiler driver", "clang"} <= parts.keys()


def test_native_is_what_this_processor_is(tmp_path: Path) -> None:
    here = toolchain(fake_compiler(tmp_path / "gcc", "znver3"), "c", ["-O2", "-march=native"])
    other = toolchain(fake_compiler(tmp_path / "gcc", "skylake"), "c", ["-O2", "-march=native"])
    assert here.changes(other) == [
        "program changed: compiler driver",  # the script that plays the other processor
        "flag -march=native: -march=znver3 -> -march=skylake",
    ]


def test_native_in_a_searched_flag_counts_as_well(tmp_path: Path) -> None:
    program = fake_compiler(tmp_path / "gcc", "znver3")
    assert not [part for part in toolchain(program, "c", ["-O2"], ["-O3"]).parts if part.kind == "flag"]
    (flag,) = [part for part in toolchain(program, "c", ["-O2"], ["-O3 -mtune=native"]).parts if part.kind == "flag"]
    assert flag.name == "-mtune=native"


def test_another_binary_of_the_same_version_is_another_compiler(tmp_path: Path) -> None:
    before = toolchain(fake_compiler(tmp_path / "gcc", "znver3"), "c", [])
    version = cc.identify(str(tmp_path / "gcc")).version
    after = toolchain(fake_compiler(tmp_path / "gcc", "znver3", "rebuilt"), "c", [])
    assert cc.identify(str(tmp_path / "gcc")).version == version
    assert before.changes(after) == ["program changed: compiler driver"]


def test_a_wrapper_stands_for_the_compiler_behind_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    shutil.copy("/bin/true", tmp_path / "ccache")
    (tmp_path / "bin" / "gcc").symlink_to(tmp_path / "ccache")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert real_driver(str(tmp_path / "bin" / "gcc")) == Path(shutil.which("gcc", path=os.defpath) or "").resolve()


def test_a_wrapper_that_is_given_the_compiler_counts_as_that(tmp_path: Path) -> None:
    (tmp_path / "ccache").write_text('#!/bin/sh\nexec "$@"\n')
    (tmp_path / "ccache").chmod(0o755)
    assert toolchain(str(tmp_path / "ccache"), "c", ["gcc", "-O2"]) == toolchain("gcc", "c", ["-O2"])


def test_what_linking_and_loading_read_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = toolchain("gcc", "c", [])
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")
    assert before.changes(toolchain("gcc", "c", [])) == ["variable added: LD_LIBRARY_PATH=/opt/lib"]


def test_digests_are_remembered_until_the_file_changes(tmp_path: Path, cache: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"one")
    first = digests.program_digest(program)
    assert first == digests.content_digest(program) and cache.read_text().startswith(first)
    cache.write_text(cache.read_text().replace(first, "f" * 64))
    assert digests.program_digest(program) == "f" * 64
    times = program.stat()
    program.write_bytes(b"two")
    os.utime(program, ns=(times.st_atime_ns, times.st_mtime_ns))  # as `cp -p` would leave it
    assert digests.program_digest(program) == digests.content_digest(program) != first


def test_a_cache_that_is_none_or_cannot_be_written_costs_time_only(tmp_path: Path, cache: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"one")
    cache.parent.mkdir()
    cache.write_bytes(b"\xff\x00 nonsense\nshort key\n")
    assert digests.program_digest(program) == digests.content_digest(program)
    shutil.rmtree(cache.parent)
    cache.parent.write_text("a file in its place")
    assert digests.program_digest(program) == digests.content_digest(program)
    assert digests.program_digest(tmp_path / "gone") == digests.MISSING

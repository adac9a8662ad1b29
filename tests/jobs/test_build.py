"""What prevents a build from writing what it found is the machine's fault, and the search is resumed."""

from __future__ import annotations

import errno
import os
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from tunepass.backends.base import Target
from tunepass.diagnostics import EnvironmentFault, SourceError, ToolError, TunepassError
from tunepass.files import write_text
from tunepass.frontends.c.nests import lowering as nest_lowering
from tunepass.ir.scop import Scop
from tunepass.jobs.build import BuildRequest, _finishing, build, prepare_all
from tunepass.jobs.reading import parse
from tunepass.passes.search import Watch
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.search.exact import WatchCertificate
from tunepass.search.options import SearchOptions
from tunepass.study.storage.location import StoreLocation

REQUEST = BuildRequest(
    source="k.c", folder=Path("out"), store=StoreLocation.named("store.db"), target=Target(), options=SearchOptions()
)


@pytest.mark.parametrize(
    "error,words",
    [
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "out/.tunepass-1"),
            "out: out/.tunepass-1: No such",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "out: No space left on device"),
        (ToolError("the tuned k.c does not compile", hint="x.s: No space left on device"), "No space left on device"),
        (EnvironmentFault("cannot write k.h: Read-only file system"), "Read-only file system"),
    ],
)
def test_what_cannot_be_written_any_more_is_the_machines_fault(error: Exception, words: str) -> None:
    with pytest.raises(EnvironmentFault, match=words), _finishing(REQUEST):
        raise error


@pytest.mark.parametrize("error", [ToolError("the tuned k.c does not link", hint="undefined"), SourceError("k.c")])
def test_other_errors_are_as_they_were(error: TunepassError) -> None:
    with pytest.raises(type(error)) as raised, _finishing(REQUEST):
        raise error
    assert raised.value is error


@pytest.mark.parametrize("number,kind", [(errno.ENOSPC, EnvironmentFault), (errno.EACCES, TunepassError)])
def test_a_file_that_cannot_be_written_is_as_it_was(
    number: int, kind: type[TunepassError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(source: object, target: object) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "k.h"
    path.write_text("before")
    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(kind, match=os.strerror(number)) as raised:
        write_text(path, "after")
    assert type(raised.value) is kind
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


TWO = """
#pragma tunepass kernel first(n = 64, x: inout double[64 * 64])
void first(int n, double *x)
{
#pragma tunepass loop auto
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            x[j * 64 + i] += 1.0;
}
#pragma tunepass kernel second(n = 64, y: inout double[64 * 64])
void second(int n, double *y)
{
#pragma tunepass loop auto
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[j * 64 + i] *= 2.0;
}
"""


class _Silent:
    def progress(self, title: str, opening: str) -> AbstractContextManager[Watch]:
        raise AssertionError(f"{title} was searched")

    def certificates(self, title: str) -> WatchCertificate:
        raise AssertionError(f"{title} was searched")


def test_text_of_a_later_kernel_that_does_not_compile_ends_the_build_before_any_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite = nest_lowering.rewrite_scop

    def broken(scop: Scop, plan: Plan, *, numbered: bool, independent: bool) -> str:
        text = rewrite(scop, plan, numbered=numbered, independent=independent)
        return text if "x[" in text else f"no_such_name = 1; {text}"

    monkeypatch.setattr(nest_lowering, "rewrite_scop", broken)
    source = tmp_path / "two.c"
    source.write_text(TWO)
    request = replace(
        REQUEST,
        source=str(source),
        folder=tmp_path / "out",
        store=StoreLocation.named(tmp_path / ".tunepass" / "store.db"),
        target=Target(compiler=("cc", "-O1")),
    )
    jobs = prepare_all(parse(str(source)).kernels, request)
    with pytest.raises(SourceError, match="a defect of tunepass") as raised:
        build(jobs, request, _Silent())
    (found,) = raised.value.diagnostics
    assert "no_such_name" in found.message and found.span is not None and found.span.line == 13
    assert "no_such_name" in (tmp_path / ".tunepass" / "defect-two.c").read_text()

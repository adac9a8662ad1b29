"""Contract of frontends. A test class supplies `frontend` and `source`, the source of one kernel."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.base import Frontend
from tunepass.ir.kernel import Choice, Kernel


class FrontendContract:
    @pytest.fixture
    def frontend(self) -> Frontend:
        raise NotImplementedError("supply the frontend")

    @pytest.fixture
    def source(self) -> Source:
        raise NotImplementedError("supply a source whose one kernel has a parameter and a constraint")

    @pytest.fixture
    def kernel(self, frontend: Frontend, source: Source) -> Kernel:
        (kernel,) = frontend.parse(source).kernels
        return kernel

    def last(self, kernel: Kernel) -> Kernel:
        """The kernel with every finite parameter at its last value."""
        finite = [p for p in kernel.parameters if p.size is not None]
        return kernel.scheduled(tuple(Choice(p.name, p.domain[-1]) for p in finite))

    def test_suffixes_begin_with_a_dot(self, frontend: Frontend) -> None:
        assert frontend.suffixes and all(s.startswith(".") for s in frontend.suffixes)

    def test_a_kernel_knows_its_source(self, kernel: Kernel, source: Source) -> None:
        assert kernel.source == source and kernel.schedule == ()
        assert len({p.name for p in kernel.parameters}) == len(kernel.parameters) > 0
        assert {b.parameter for b in kernel.bindings} == {p.name for p in kernel.parameters}

    def test_parameters_and_constraints_point_into_the_source(self, kernel: Kernel, source: Source) -> None:
        for thing in (*kernel.parameters, *kernel.constraints):
            assert thing.span is not None and thing.span.source == source
            assert 0 <= thing.span.start < thing.span.end <= len(source.text)

    def test_parsing_again_gives_the_same(self, frontend: Frontend, kernel: Kernel, source: Source) -> None:
        assert frontend.parse(source).kernels == (kernel,)

    def test_emission_is_plain_files_and_repeats(self, frontend: Frontend, kernel: Kernel) -> None:
        files = frontend.emit((self.last(kernel),), "a note")
        assert files == frontend.emit((self.last(kernel),), "a note")
        assert len({f.name for f in files}) == len(files) > 0
        assert all(f.name == PurePath(f.name).name and f.text.endswith("\n") for f in files)
        assert any("a note" in f.text for f in files)

    def test_what_is_no_source_of_its_kind_is_one_error(self, frontend: Frontend, source: Source) -> None:
        with pytest.raises(SourceError) as caught:
            frontend.parse(Source(source.name, "\x00 ]]} not a program {{[[ \n"))
        assert len(caught.value.diagnostics) == 1

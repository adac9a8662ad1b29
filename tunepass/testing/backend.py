"""Contract of backends. Subclasses give a kernel and a target for it."""

from __future__ import annotations

import pytest

from tunepass.backends.base import Backend, Target, backend_class, backend_for
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.space import Space


class BackendContract:
    @pytest.fixture
    def kernel(self) -> Kernel:
        raise NotImplementedError("supply a kernel of the backend's kind")

    @pytest.fixture
    def target(self) -> Target:
        return Target()

    @pytest.fixture
    def backend(self, kernel: Kernel, target: Target) -> Backend:
        return backend_for(kernel, target)

    def test_the_kind_of_the_body_has_it_in_the_table(self, backend: Backend, kernel: Kernel) -> None:
        assert kernel.body is not None and kernel.body.kind == backend.kind
        assert type(backend) is backend_class(kernel)

    def test_there_is_something_to_search_for_and_a_way_to_know_it(self, backend: Backend) -> None:
        objectives, costs = backend.objectives(), backend.costs()
        assert objectives and len({o.name for o in objectives}) == len(objectives)
        assert backend.measures == (backend.evaluator() is not None)
        if not backend.measures:
            assert costs is not None and {o.name for o in objectives} <= set(costs.values)
        if costs is not None:
            assert set(costs.limits) <= set(costs.values)

    def test_limits_leave_something_of_the_kernels_space(self, backend: Backend, kernel: Kernel) -> None:
        limits, names = backend.limits(), {p.name for p in kernel.parameters}
        assert all({name.name for name in limit.names} <= names for limit in limits)
        assert Space(kernel.parameters, (*kernel.constraints, *limits)).default

    def test_objectives_are_named_by_the_target(self, backend: Backend, kernel: Kernel) -> None:
        last = backend.objectives()[-1]
        target = Target(compiler=backend.target.compiler, device=backend.target.device, objectives=(last.name,))
        assert backend_for(kernel, target).objectives() == (last,)

    def test_the_identity_is_stable_and_leads_back_to_the_target(self, backend: Backend, kernel: Kernel) -> None:
        space = Space(kernel.parameters, kernel.constraints)
        identity = backend.identity(space)
        assert identity == backend_for(kernel, backend.target).identity(space) and identity.source and identity.space
        names = tuple(o.name for o in backend.objectives())
        again = backend_for(kernel, backend.target_of(identity, names))
        assert again.identity(space) == identity and again.objectives() == backend.objectives()

    def test_what_is_written_is_there(self, backend: Backend, kernel: Kernel, tmp_path) -> None:  # type: ignore[no-untyped-def]
        default = {p.name: p.default for p in kernel.parameters}
        written = backend.write([scheduled(kernel, default)], "a note", tmp_path)  # type: ignore[arg-type]
        assert written and all(path.is_file() and path.parent == tmp_path for path in written)
        assert sorted(tmp_path.iterdir()) == sorted(written)

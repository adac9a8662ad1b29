"""Contract of hardware models. Subclasses give the model and a kernel that it prices."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr import numpy_eval
from tunepass.hwmodels.base import CostModel, ModelError
from tunepass.ir.kernel import Kernel


class CostModelContract:
    @pytest.fixture
    def model(self) -> CostModel:
        raise NotImplementedError("supply the hardware model")

    @pytest.fixture
    def kernel(self) -> Kernel:
        raise NotImplementedError("supply a kernel that the model prices on every device")

    def test_every_device_has_a_summary_and_prices_the_kernel(self, model: CostModel, kernel: Kernel) -> None:
        assert model.devices()
        columns = {p.name: p.column([p.default]) for p in kernel.parameters}
        for device in model.devices():
            assert model.summary(device).name == device
            costs = model.costs(kernel, device)
            assert costs is not None and costs.values and set(costs.limits) <= set(costs.values)
            for expression in (*costs.values.values(), costs.fits):
                evaluated = numpy_eval.evaluate(expression, columns, 1)
                assert np.isfinite(np.asarray(evaluated.values, dtype=np.float64)).all()
                assert np.all(evaluated.defined)

    def test_an_unknown_device_is_refused(self, model: CostModel) -> None:
        with pytest.raises(ModelError):
            model.summary("no-such-device")

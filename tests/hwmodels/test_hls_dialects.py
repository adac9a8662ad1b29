"""Every dialect of C for high-level synthesis has a model on a device of its maker."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.hls.model import HlsModel

VITIS = "#define U 4\n#pragma tunepass param U: ordinal(1, 2, 4) = 4\n#pragma tunepass hls scale\n"
VITIS += "void scale(float a[512], float b[512]) {\n    for (int i = 0; i < 512; i++) {\n"
VITIS += "#pragma HLS unroll factor=U\n        b[i] = 2 * a[i];\n    }\n}\n"
MERLIN = "#pragma ACCEL kernel\nvoid scale(float a[512], float b[512]) {\n#pragma ACCEL PARALLEL FACTOR=auto{P}\n"
MERLIN += "    for (int i = 0; i < 512; i++)\n        b[i] = 2 * a[i];\n}\n"


@pytest.mark.parametrize("text,dialect", [(VITIS, "vitis"), (MERLIN, "merlin")])
def test_a_dialect_is_priced_by_a_tool_of_its_own_name(text: str, dialect: str) -> None:
    (kernel,) = HlsFrontend().parse(Source("scale.cpp", text)).kernels
    costs = HlsModel().costs(kernel, "vu9p")
    assert costs is not None and costs.name.startswith(f"the model of {dialect}")
    assert {"cycles", "seconds", "luts", "dsps"} <= set(costs.values)

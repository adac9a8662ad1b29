"""Statements of which it is not known whether they run: what they may have changed is told, never guessed."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import torch_kernel, weights
from tunepass.diagnostics import Severity, Source, SourceError
from tunepass.frontends.dnn.frontend import DnnFrontend

NET = """
# tunepass input x: float32[1, 8]
# tunepass model Net()
import somewhere
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
        self.b = nn.Linear(8, 4)
        INIT
    def forward(self, x):
        FORWARD
"""


def net(forward: str, init: str = "pass") -> str:
    lines = forward.replace("\n", "\n        ")
    return NET.replace("FORWARD", lines).replace("INIT", init.replace("\n", "\n        "))


@pytest.mark.parametrize(
    ("forward", "init", "told"),
    [
        ("if somewhere.flag():\n    return self.a(x)\nreturn self.b(x)", "pass", "it is returned where"),
        ("y = x\nif somewhere.flag():\n    y = self.a(x)\nreturn self.b(y)", "pass", "it is set where"),
        ("return self.c(x)", "self.c = self.a\nif somewhere.flag():\n    self.c = self.b", "it is set where"),
        ("return self.c(x)", "l = []\nfor k in somewhere.list():\n    l.append(self.a)\nself.c = nn.Sequential(*l)",
         "it is set in a loop"),
        ("return self.c(x)", "width = 4\nif somewhere.flag():\n    width = 8\nself.c = nn.Linear(8, width)",
         "out_features is not known here: it is set where"),
        ("return self.c(x)", "d = {}\nif somewhere.flag():\n    d['bias'] = False\nself.c = nn.Linear(8, 2, **d)",
         "what is in this is not known"),
        ("return self.c(x)", "self.c = nn.Linear(8, 2, **somewhere.options())", "what is in this is not known"),
        ("for layer in (self.a, self.b):\n    if somewhere.flag():\n        break\n    x = layer(x)\nreturn x", "pass",
         "whether this goes on is not known, and layers follow"),
        ("return self.a(x)", "if somewhere.flag():\n    return\nself.c = nn.Linear(8, 2)",
         "whether this returns is not known, and layers follow"),
        ("x = self.a(x) if somewhere.flag() else x\nreturn x + 1", "pass", "somewhere.flag"),
        ("return x + somewhere.block(x)", "pass", "`somewhere.block` is not followed"),
        ("while somewhere.flag():\n    x = F.relu(nn.Linear(8, 8)(x))\nreturn x", "pass", "how often this runs"),
        ("match somewhere.flag():\n    case 1:\n        x = self.a(x)\nreturn x", "pass", "it is set in a `match`"),
        ("return self.c(x)", "self.c = nn.Sequential(*[self.a for k in (1, 2) if somewhere.flag()])", "somewhere.flag"),
        ("return self.c(x)", "l = [self.a]\nl.extend(somewhere.layers())\nself.c = nn.Sequential(*l)", "somewhere.l"),
        ("for layer in self.c:\n    x = layer(x)\nreturn x", "self.c = nn.ModuleList(somewhere.layers())", "somewhere"),
        ("return self.c(x)", "self.c = nn.Linear(8, 2 + sum(somewhere.sizes()))", "out_features is not known"),
    ],
)  # fmt: skip
def test_what_it_may_have_changed_is_not_known(forward: str, init: str, told: str) -> None:
    with pytest.raises(SourceError, match=told) as caught:
        torch_kernel(net(forward, init))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None


@pytest.mark.parametrize(
    ("forward", "init"),
    [
        ("if somewhere.flag():\n    raise ValueError\nreturn self.b(x)", "pass"),
        ("if somewhere.flag():\n    print(x)\nreturn self.b(x)", "pass"),
        ("return self.b(x)", "for m in self.modules():\n    if isinstance(m, nn.Linear):\n        m.bias.data.zero_()"),
        ("return self.b(x)", "if somewhere.flag():\n    self.unneeded = nn.ReLU()"),
    ],
)
def test_what_the_output_does_not_need_may_be_unknown(forward: str, init: str) -> None:
    assert weights(torch_kernel(net(forward, init))) == 72 + 36


def test_a_number_that_is_not_known_is_an_assumption_that_is_stated() -> None:
    text = "import torch.nn as nn\n" + net("return self.b(x) * somewhere.scale()")
    (kernel,), warnings = (lambda parsed: (parsed.kernels, parsed.warnings))(DnnFrontend().parse(Source("a.py", text)))
    assert weights(kernel) == 72 + 36
    (told,) = (warning for warning in warnings if "is taken for a number" in warning.message)
    assert told.severity is Severity.WARNING and told.span is not None and "somewhere.scale()" in told.span.text


def test_what_a_script_does_with_a_stated_model_need_not_be_followed() -> None:
    text = net("return self.b(x)") + "if __name__ == '__main__':\n    nn.Linear(somewhere.size(), 2)(Net())\n"
    assert weights(torch_kernel(text)) == 72 + 36

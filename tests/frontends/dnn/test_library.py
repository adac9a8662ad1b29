"""Functions of frameworks without a tensor, and what is not followed."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import torch_kernel, weights
from tunepass.diagnostics import SourceError


def test_layers_that_a_class_of_sequential_is_given_are_applied_in_order() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 8]
        class Half(nn.Sequential):
            def __init__(self, width):
                super().__init__()
                self.norm = nn.BatchNorm1d(width)
                self.dense = nn.Linear(width, width // 2)
        model = nn.Sequential(Half(8), Half(4))
        """
    )
    assert weights(kernel) == (16 + 36) + (8 + 10)


def test_options_that_an_unknown_function_may_change_are_not_taken_for_known() -> None:
    """torchvision's `_ovewrite_named_param(kwargs, "groups", 32)`."""
    with pytest.raises(SourceError, match=r"what is in this is not known: `_utils\.overwrite` is not followed"):
        torch_kernel(
            """
            # tunepass input x: float32[1, 8]
            # tunepass model build()
            from ._utils import overwrite
            def build(**kwargs):
                overwrite(kwargs, "bias", False)
                return nn.Sequential(nn.Linear(8, 2, **kwargs))
            """
        )


def test_what_scripting_would_do_is_left_out() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 8]
        from typing import cast
        from collections import OrderedDict
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                parts = OrderedDict()
                parts["a"] = nn.Linear(8, cast(int, 3))
                self.body = nn.Sequential(parts)
                self.scale = nn.Parameter(torch.zeros(3))
                nn.init.trunc_normal_(self.scale, std=0.02)
            def forward(self, x):
                if torch.jit.is_scripting():
                    return x
                else:
                    return self.body(x) * self.scale
        """
    )
    assert weights(kernel) == 27 + 3


def test_a_function_of_tensors_that_is_not_known_is_an_error_where_the_model_needs_it() -> None:
    text = """
        # tunepass input x: float32[1, 8]
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, 8)
            def forward(self, x):
                mask = torch.fancy(x)
                return RESULT
        """
    assert weights(torch_kernel(text.replace("RESULT", "self.layer(x)"))) == 72
    with pytest.raises(SourceError, match="`fancy` of a tensor is not known") as caught:
        torch_kernel(text.replace("RESULT", "self.layer(x) + mask"))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span.text == "torch.fancy(x)"


def test_a_loop_over_what_is_not_known_is_not_taken_for_no_loop() -> None:
    text = """
        # tunepass input x: float32[1, 8]
        import copy
        from settings import WIDTHS
        def block(width):
            return nn.Linear(8, width)
        class Net(nn.Module):
            def forward(self, x):
                for width in LOOP:
                    x = block(width)(x)
                return x
        """
    assert weights(torch_kernel(text.replace("LOOP", "copy.deepcopy([8, 8])"))) == 144
    with pytest.raises(SourceError, match="it is set in a loop"):
        torch_kernel(text.replace("LOOP", "WIDTHS"))

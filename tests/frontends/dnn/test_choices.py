"""What parameters decide: branches that return, what is only sometimes there, and spaces of architectures."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import keras_kernel, output_shape, torch_kernel, weights
from tunepass.diagnostics import SourceError


def test_a_branch_that_returns_leaves_the_rest_to_the_other_side() -> None:
    kernel = keras_kernel(
        """
        # tunepass param kind: categorical("wide", "deep", "none") = "wide"
        kind = "wide"
        def head(x):
            if kind == "wide":
                return layers.Dense(100)(x)
            if kind == "deep":
                x = layers.Dense(5)(x)
                x = layers.Dense(5)(x)
            return x
        x = keras.Input((4,))
        model = keras.Model(x, layers.Dense(1)(head(x)))
        """
    )
    assert weights(kernel, kind="wide") == 500 + 101
    assert weights(kernel, kind="deep") == 25 + 30 + 6
    assert weights(kernel, kind="none") == 5


def test_both_sides_of_a_conditional_expression_are_there_where_they_are_chosen() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 4]
        # tunepass param big: categorical(False, True) = False
        big = False
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4, bias=False)
            def forward(self, x):
                return self.a(self.a(x)) if big else self.b(x)
        """
    )
    assert weights(kernel, big=True) == 20
    assert weights(kernel, big=False) == 16


def test_what_is_joined_may_be_missing() -> None:
    kernel = keras_kernel(
        """
        # tunepass param left: integer(0..1) = 1
        # tunepass param right: integer(0..1) = 1
        left, right = 1, 1
        x = keras.Input((4,))
        parts = [layers.Dense(2)(x)]
        if left:
            parts.append(layers.Dense(3)(x))
        if right:
            parts.append(layers.Dense(5)(x))
        model = keras.Model(x, layers.Dense(1)(layers.concatenate(parts)))
        """
    )
    for left in (0, 1):
        for right in (0, 1):
            joined = 2 + 3 * left + 5 * right
            assert weights(kernel, left=left, right=right) == 5 * joined + joined + 1


def test_a_sum_of_what_may_be_missing() -> None:
    kernel = keras_kernel(
        """
        # tunepass param a: integer(0..1) = 1
        # tunepass param b: integer(0..1) = 1
        # tunepass constraint a + b >= 1
        a, b = 1, 1
        x = keras.Input((4,))
        total = None
        if a:
            total = layers.Dense(4)(x)
        if b:
            y = layers.Dense(4, use_bias=False)(x)
            total = y if total is None else total + y
        model = keras.Model(x, layers.Dense(1)(total))
        """
    )
    assert [weights(kernel, a=a, b=b) for a, b in ((1, 0), (0, 1), (1, 1))] == [25, 21, 41]


def test_items_that_are_set_under_a_condition_stay_what_they_were() -> None:
    kernel = keras_kernel(
        """
        # tunepass param wide: categorical(False, True) = False
        wide = False
        widths = [8, 2]
        settings = {"bias": 3}
        if wide:
            widths[0] = 16
            settings["bias"] = 4
        x = keras.Input((4,))
        model = keras.Model(x, layers.Dense(settings["bias"])(layers.Dense(widths[0])(x)))
        """
    )
    assert weights(kernel, wide=False) == 40 + 27
    assert weights(kernel, wide=True) == 80 + 68


@pytest.mark.parametrize("word", ["break", "continue", "return x"])
def test_a_loop_that_a_parameter_ends_is_told(word: str) -> None:
    text = f"""
        # tunepass param depth: integer(1..4) = 2
        depth = 2
        def build(x):
            for k in range(8):
                if k == depth:
                    {word}
                x = layers.Dense(4)(x)
            return x
        x = keras.Input((4,))
        model = keras.Model(x, build(x))
        """
    with pytest.raises(SourceError, match="depends on a parameter"):
        keras_kernel(text)


def test_weights_that_are_shared_count_once() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: int64[1, 7]
        # tunepass param tied: categorical(False, True) = False
        tied = False
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(50, 4)
                self.again = nn.Linear(4, 50, bias=False)
                self.again.weight = self.words.weight
                if not tied:
                    self.head = nn.Linear(50, 2)
            def forward(self, x):
                y = self.again(self.words(x))
                return F.linear(y @ self.words.weight, self.words.weight) if tied else self.head(y)
        """
    )
    assert weights(kernel, tied=False) == 200 + 102
    assert weights(kernel, tied=True) == 200
    assert output_shape(kernel, tied=False) == (1, 7, 2)


def test_what_is_set_where_nothing_is_known_is_not_taken_for_known() -> None:
    with pytest.raises(SourceError, match="not known: it is set where"):
        keras_kernel(
            """
            import os
            x = keras.Input((4,))
            y = layers.Dense(2)(x)
            if os.environ["WIDE"]:
                y = layers.Dense(200)(y)
            model = keras.Model(x, y)
            """
        )

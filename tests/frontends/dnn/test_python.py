"""Python that models are written with: classes and their bases, generators, containers, shared models."""

from __future__ import annotations

from tests.frontends.dnn.sources import keras_kernel, output_shape, torch_kernel, weights


def test_what_a_base_class_makes_is_there() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 4]
        class Base(nn.Module):
            def __init__(self, cin, cout):
                super().__init__()
                self.layer = self.make(cin, cout)
            @staticmethod
            def make(cin, cout):
                return nn.Linear(cin, cout)
            @property
            def width(self):
                return self.layer.out_features if False else 8
            def forward(self, x):
                return self.layer(x)
        class Net(Base):
            def __init__(self):
                super(Net, self).__init__(4, 8)
                self.last = nn.Linear(self.width, 2)
            @classmethod
            def made(cls):
                return cls()
            def forward(self, x):
                return self.last(super().forward(x))
        model = Net.made()
        """
    )
    assert weights(kernel) == 40 + 18


def test_classes_that_are_containers() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 3, 8, 8]
        class ConvNorm(nn.Sequential):
            def __init__(self, cin, cout):
                super().__init__(nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout))
        class Branches(nn.ModuleDict):
            def __init__(self, cin):
                super().__init__()
                for k in range(2):
                    self.add_module(f"branch{k}", ConvNorm(cin, 4))
            def forward(self, x):
                return torch.cat([branch(x) for _, branch in self.items()], 1)
        class Steps(nn.ModuleList):
            def __init__(self, cin):
                super().__init__([ConvNorm(cin, cin) for _ in range(3)])
                self.append(ConvNorm(cin, 2))
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.branches, self.steps = Branches(3), Steps(8)
            def forward(self, x):
                x = self.branches(x)
                for step in self.steps:
                    x = step(x)
                return self.steps[0][0](x) if len(self.steps) > 9 else x
        """
    )
    assert weights(kernel) == 2 * (108 + 8) + 3 * (576 + 16) + (144 + 4)
    assert output_shape(kernel) == (1, 2, 8, 8)


def test_generators_partial_functions_records_and_stars() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 4]
        from dataclasses import dataclass
        from functools import partial
        from typing import NamedTuple
        @dataclass
        class Stage:
            width: int
            repeats: int = 2
        class Sizes(NamedTuple):
            cin: int
            cout: int = 3
        dense = partial(nn.Linear, bias=False)
        def layers(stages, cin):
            for stage in stages:
                for _ in range(stage.repeats):
                    yield dense(cin, stage.width)
                    cin = stage.width
            yield from [nn.ReLU(), dense(cin, Sizes(cin).cout)]
        first, *rest = [Stage(8, repeats=1), Stage(6), Stage(5, 1)]
        model = nn.Sequential(*layers([first, *rest], 4))
        """
    )
    assert weights(kernel) == 32 + (48 + 36) + 30 + 15


def test_states_that_come_from_another_layer_keep_it_in_the_model() -> None:
    kernel = keras_kernel(
        """
        source = keras.Input((5, 4))
        target = keras.Input((6, 3))
        _, h, c = layers.LSTM(8, return_state=True)(source)
        y = layers.LSTM(8, return_sequences=True)(target, initial_state=[h, c])
        model = keras.Model([source, target], y)
        """
    )
    assert weights(kernel) == 4 * 8 * (4 + 8 + 1) + 4 * 8 * (3 + 8 + 1)


def test_both_ways_through_a_recurrent_layer() -> None:
    """Bidirectional(LSTM(8)) over (10, 6): Keras counts 960."""
    kernel = keras_kernel(
        """
        x = keras.Input((10, 6))
        y, forward_h, forward_c, backward_h, backward_c = layers.Bidirectional(layers.LSTM(8, return_state=True))(x)
        model = keras.Model(x, layers.concatenate([y, forward_h, backward_h]))
        """
    )
    assert weights(kernel) == 960
    assert output_shape(kernel) == (1, 32)


def test_a_model_inside_a_model_has_its_weights_once() -> None:
    kernel = keras_kernel(
        """
        def encoder():
            x = keras.Input((8,))
            return keras.Model(x, layers.Dense(4, activation="relu")(x))
        shared = encoder()
        a, b = keras.Input((8,)), keras.Input((8,))
        model = keras.Model([a, b], layers.Dense(1)(layers.concatenate([shared(a), shared(b)])))
        """
    )
    assert weights(kernel) == 36 + 9


def test_positions_and_weights_of_layers_of_the_source() -> None:
    kernel = keras_kernel(
        """
        from keras import ops
        class Positions(layers.Layer):
            def __init__(self, count, width, **kwargs):
                super().__init__(**kwargs)
                self.count = count
                self.embedding = layers.Embedding(count, width)
            def build(self, input_shape):
                self.scale = self.add_weight(shape=(input_shape[-1],), initializer="ones")
            def call(self, x):
                return x * self.scale + self.embedding(ops.arange(0, self.count, 1))
        x = keras.Input((5, 3))
        model = keras.Model(x, Positions(5, 3)(x))
        """
    )
    assert weights(kernel) == 15 + 3


def test_stacks_of_transformer_layers() -> None:
    """torch.nn.TransformerEncoderLayer(16, 4, 32) has 2,224 weights, the decoder's 3,344."""
    kernel = torch_kernel(
        """
        # tunepass input x: float32[1, 7, 16]
        # tunepass input memory: float32[1, 9, 16]
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
                self.encoder = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(16))
                self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4, 32, batch_first=True), 3)
            def forward(self, x, memory):
                return self.decoder(x, self.encoder(memory))
        """
    )
    assert weights(kernel) == 2 * 2224 + 32 + 3 * 3344


def test_a_maximum_along_an_axis_is_a_pair() -> None:
    kernel = torch_kernel(
        """
        # tunepass input x: float32[2, 7, 4]
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.offset = nn.Parameter(torch.empty(4).normal_(std=0.02))
                self.scale = nn.Parameter(0.1 * torch.ones(4))
            def forward(self, x):
                values, places = torch.max(x, dim=1)
                return values * self.scale + self.offset
        """
    )
    assert weights(kernel) == 8
    assert output_shape(kernel) == (2, 4)

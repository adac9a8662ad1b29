"""Pipelines of Halide, tuned through its Python package: schedules, and parameters of generators. docs/halide.md."""

from tunepass.integrations.halide.algorithm import Algorithm as Algorithm
from tunepass.integrations.halide.generators import Generator as Generator
from tunepass.integrations.halide.generators import from_generator as from_generator
from tunepass.integrations.halide.tune import Problem as Problem
from tunepass.integrations.halide.tune import tune as tune
from tunepass.integrations.halide.tuning import PLACES as PLACES
from tunepass.integrations.halide.tuning import Tuning as Tuning

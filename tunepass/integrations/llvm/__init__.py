"""Functions of a module of LLVM, tuned through llvmlite: passes in order, thresholds, attributes. docs/llvm.md."""

from tunepass.integrations.llvm.function import Array as Array
from tunepass.integrations.llvm.function import Function as Function
from tunepass.integrations.llvm.function import Scalar as Scalar
from tunepass.integrations.llvm.recipe import PASSES as PASSES
from tunepass.integrations.llvm.tune import Problem as Problem
from tunepass.integrations.llvm.tune import tune as tune
from tunepass.integrations.llvm.tuning import Attributes as Attributes
from tunepass.integrations.llvm.tuning import Threshold as Threshold
from tunepass.integrations.llvm.tuning import Tuning as Tuning

"""The five kinds of parameter: frozen values that check themselves, and own everything that differs by kind."""

from __future__ import annotations

from tunepass.space.columns import Column as Column
from tunepass.space.columns import Indices as Indices
from tunepass.space.parameters.base import ParameterBase as ParameterBase
from tunepass.space.parameters.categorical import Categorical as Categorical
from tunepass.space.parameters.checks import Number as Number
from tunepass.space.parameters.integer import Integer as Integer
from tunepass.space.parameters.numeric import NumericParameter as NumericParameter
from tunepass.space.parameters.ordinal import Ordinal as Ordinal
from tunepass.space.parameters.permutation import PERMUTATION_LIMIT as PERMUTATION_LIMIT
from tunepass.space.parameters.permutation import Permutation as Permutation
from tunepass.space.parameters.real import Real as Real

Parameter = Real | Integer | Ordinal | Categorical | Permutation

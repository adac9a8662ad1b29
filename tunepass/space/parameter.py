"""The five kinds of parameter: frozen values that check themselves and convert between values and columns."""

from __future__ import annotations

from tunepass.space.kinds.base import Column as Column
from tunepass.space.kinds.base import Indices as Indices
from tunepass.space.kinds.base import Number as Number
from tunepass.space.kinds.base import ParameterBase as ParameterBase
from tunepass.space.kinds.categorical import Categorical as Categorical
from tunepass.space.kinds.integer import Integer as Integer
from tunepass.space.kinds.ordinal import Ordinal as Ordinal
from tunepass.space.kinds.permutation import Permutation as Permutation
from tunepass.space.kinds.real import Real as Real

Parameter = Real | Integer | Ordinal | Categorical | Permutation

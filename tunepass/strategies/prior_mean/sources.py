"""What is known about a kernel before anything is measured: an analytic model, or results of an earlier study.

Its values need not be in the objective's unit; only where they are small and large counts. It speaks about every
parameter that it shares with the searched space by name.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tunepass.diagnostics import ExpressionError, Source, StudyError, nearest
from tunepass.expr import nodes
from tunepass.expr.numpy_eval import Evaluated, evaluate
from tunepass.expr.parser import parse
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.space.columns import Columns, length
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.plain_values import as_real
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.table import ObservedTable
from tunepass.surrogates.base import Floats

CHECKED_ROWS = 10  # how many times as many of the best rows as are wanted are checked against the space


class PriorMean(ABC):
    """Knowledge about an objective before it is measured: an analytic model, or an earlier study.

    Its values need no particular unit. A class of one's own defines `values`.

    Example:
        >>> prior_mean = tp.PriorMean.from_expression("64 / tile + 3 * unroll")
        >>> prior_mean.values(space, space.columns([space.default])).tolist()
        [11.0]
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    @abstractmethod
    def values(self, space: Space, columns: Columns) -> Floats:
        """The prior mean of the objective's value (n,), in some unit; NaN where it has none."""

    @staticmethod
    def from_observations(configurations: Sequence[Mapping[str, Value]], values: Sequence[float]) -> PriorMean:
        """The prior mean of an earlier study, on another device, size or compiler.

        A configuration that agrees with one of the study's on all shared parameters has its value (the mean of
        several); others have the prediction of a random forest, or of their nearest rows where there are only a few.

        Args:
            configurations: those of the study (n,); they may have other parameters besides the shared ones.
            values: their values (n,), all finite; failed ones are left out.

        Returns:
            The prior mean.

        Raises:
            StudyError: no values, values that are no finite numbers, or another number of them.

        Example:
            >>> prior_mean = tp.PriorMean.from_observations([{"tile": 4}, {"tile": 8}], [3.0, 5.0])
            >>> prior_mean.values(space, space.columns([space.default])).round(6).tolist()
            [5.0]
        """
        return ObservedPriorMean(configurations, values)

    @staticmethod
    def from_expression(text: str | nodes.Expr) -> PriorMean:
        """The prior mean of an analytic model.

        Args:
            text: an expression of the language of constraints, or a parsed one; it may name any parameter.

        Returns:
            The prior mean. A text is parsed when a space is known: ExpressionError then for an unknown name.

        Raises:
            StudyError: neither text nor an expression.

        Example:
            >>> study = tp.Study(space, objectives, prior_mean=tp.PriorMean.from_expression("64 / tile"))
            >>> study.trust.trials
            0
        """
        return ExpressionPriorMean(text)


class ExpressionPriorMean(PriorMean):
    """An analytic model; its text is parsed once for each space. One that is an expression already may be large, and is
    compiled."""

    def __init__(self, text: str | nodes.Expr):
        if not isinstance(text, (str, nodes.Expr)):
            raise StudyError(f"a prior mean's expression is text or an Expr, got {text!r}")
        self.written = text
        self._parsed: tuple[Space, nodes.Expr] | None = None
        self._compiled = CompiledExpressions([text]) if isinstance(text, nodes.Expr) else None

    def __repr__(self) -> str:
        return f"PriorMean.from_expression({self.written!r})" if isinstance(self.written, str) else super().__repr__()

    def values(self, space: Space, columns: Columns) -> Floats:
        evaluated = self._evaluate(space, columns)
        values = np.array(np.broadcast_to(evaluated.values, length(columns)), dtype=np.float64)
        values[~np.broadcast_to(evaluated.defined, length(columns)) | ~np.isfinite(values)] = np.nan
        return values

    def _evaluate(self, space: Space, columns: Columns) -> Evaluated:
        if self._compiled is not None:
            return self._compiled.evaluate(columns, length(columns))[0]
        if self._parsed is None or self._parsed[0] is not space:
            self._parsed = (space, self._parse(space))
        return evaluate(self._parsed[1], columns, length(columns))

    def _parse(self, space: Space) -> nodes.Expr:
        source = Source("<prior mean>", str(self.written))
        expression = parse(source.text, {p.name: p.type for p in space.parameters}, source=source)
        if not isinstance(expression.type, (nodes.IntegerType, nodes.RealType)):
            raise ExpressionError(f"a prior mean is a number, this is {expression.type}", expression.span)
        return expression


class ObservedPriorMean(PriorMean):
    """Values observed in an earlier study; their table is made once for each space."""

    def __init__(self, configurations: Sequence[Mapping[str, Value]], values: Sequence[float]):
        for given in (configurations, values):
            if not isinstance(given, Collection) or isinstance(given, (str, Mapping)):
                raise StudyError(f"a prior mean is made of two lists, configurations and their values, got {given!r}")
        if len(configurations) != len(values) or not len(values):
            raise StudyError(f"a prior mean has one value a configuration, got {len(values)} for {len(configurations)}")
        for configuration in configurations:
            if not isinstance(configuration, Mapping):
                raise StudyError(f"a configuration is a mapping of parameters to values, got {configuration!r}")
        self.configurations = [dict(c) for c in configurations]
        numbers = [as_real(value) for value in values]
        if None in numbers:
            raise StudyError(f"the values of a prior mean are finite numbers, got {values[numbers.index(None)]!r}")
        self.observed = np.array([number for number in numbers if number is not None], dtype=np.float64)
        if not np.isfinite(self.observed).all():
            raise StudyError("the values of a prior mean are finite numbers", hint="leave failed configurations out")
        self._table: tuple[Space, ObservedTable] | None = None

    def __repr__(self) -> str:
        return f"<PriorMean of {len(self.observed)} observations>"

    def values(self, space: Space, columns: Columns) -> Floats:
        if self._table is None or self._table[0] is not space:
            self._table = (space, ObservedTable(self.shared(space), self.configurations, self.observed))
        return self._table[1].values(columns)

    def known(self, space: Space, most: int, *, largest: bool) -> list[Configuration]:
        if len(self.shared(space)) < len(space.parameters):
            return []
        order = np.argsort(-self.observed if largest else self.observed, kind="stable")[: CHECKED_ROWS * most]
        names = [p.name for p in space.parameters]
        restricted = ({n: self.configurations[i][n] for n in names if n in self.configurations[i]} for i in order)
        inside = (Configuration(c) for c in restricted if space.contains(c))
        return list(itertools.islice(dict.fromkeys(inside), most))

    def shared(self, space: Space) -> list[Parameter]:
        """The parameters of `space` that every observed configuration has, or any if they have a condition; StudyError
        when there are none."""
        names = set.intersection(*(set(c) for c in self.configurations))
        somewhere = set.union(*(set(c) for c in self.configurations))
        shared = [p for p in space.parameters if p.name in (names if p.when is None else somewhere)]
        if not shared:
            close = next((n for p in space.parameters if (n := nearest(p.name, sorted(names)))), None)
            raise StudyError(
                f"the prior mean and the space share no parameter: {', '.join(sorted(names)) or 'none'} against "
                f"{', '.join(p.name for p in space.parameters)}",
                hint=f"is {close!r} the same under another name?" if close else None,
            )
        return shared

"""scikit-optimize's `BayesSearchCV` with tunepass's search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tunepass.diagnostics import StudyError
from tunepass.integrations.packages import package
from tunepass.integrations.skopt.optimizer import Optimizer

if TYPE_CHECKING:
    from skopt import BayesSearchCV as TheirSearch
else:
    TheirSearch = package("skopt", extra="skopt", door="tunepass.integrations.skopt").BayesSearchCV


class BayesSearchCV(TheirSearch):  # type: ignore[misc]
    """skopt.BayesSearchCV, its arguments, attributes and methods, whose points tunepass suggests.

    A search space with fewer points than `n_iter` ends once all are evaluated. `optimizer_kwargs` are those of
    `Optimizer`.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> search = BayesSearchCV(DecisionTreeClassifier(), {"max_depth": (1, 4)}, n_iter=4, cv=3, random_state=0)
        >>> len(search.fit(*load_iris(return_X_y=True)).cv_results_["params"])
        4
    """

    def _make_optimizer(self, params_space: Mapping[str, object]) -> Optimizer:
        names = sorted(params_space)  # the order in which the base class reads a point
        optimizer = Optimizer([params_space[name] for name in names], **self.optimizer_kwargs_)
        for name, dimension in zip(names, getattr(optimizer.space, "dimensions", ())):
            dimension.name = dimension.name or name
        return optimizer

    def _step(
        self,
        search_space: Any,
        optimizer: Optimizer,
        score_name: str | None,
        evaluate_candidates: Any,
        n_points: int = 1,
    ) -> tuple[Any, str | None]:
        try:
            result: tuple[Any, str | None] = super()._step(
                search_space, optimizer, score_name, evaluate_candidates, n_points=n_points
            )
        except StudyError:
            if not optimizer.study.exhausted:
                raise
            result = optimizer.get_result(), score_name
        return result

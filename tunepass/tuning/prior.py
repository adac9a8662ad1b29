"""What a search starts from besides nothing: an earlier study, or what a model says of the kernel."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr.nodes import Expr, free_names
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.prior_origin import MODEL, Origin


@dataclass(frozen=True, slots=True)
class SearchPrior:
    """A prior mean and where it is from; `mean` is None where a study that began from `origin` goes on, and that is
    gone."""

    origin: Origin
    mean: PriorMean | None

    def sentence(self) -> str:
        verb = "starts from" if self.mean is not None else "goes on without"
        return f"{verb} {self.origin.sentence()}"

    @property
    def warnings(self) -> tuple[str, ...]:
        if self.mean is not None:
            return ()
        return (f"the search began from {self.origin.study} in {self.origin.place}, which is gone: it goes on without",)


def model_prior(name: str, expression: Expr) -> SearchPrior:
    """The model called `name` as a prior mean."""
    origin = Origin(place=MODEL, study=name, trials=0, shared=tuple(sorted(free_names(expression))))
    return SearchPrior(origin, PriorMean.from_expression(expression))
